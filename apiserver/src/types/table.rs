//! Adapts the table of Kubernetes' own types to this server.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use kube_builtin_types::{self as builtin, Body, Definition, Entry, Omission};
use serde::Deserialize;

use super::{Cardinality, Empty, Field, Kind, Merge, Special, Type};

/// The markers of a field or type that govern merging.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Rules {
    list_type: Option<String>,
    list_map_keys: Vec<String>,
    map_type: Option<String>,
}

impl Rules {
    fn is_atomic(&self) -> bool {
        self.map_type.as_deref() == Some("atomic")
    }
}

struct Row {
    entry: Entry,
    /// The type, read on first use.
    read: OnceLock<Option<Type>>,
}

/// All types by their short names.
static TABLE: LazyLock<BTreeMap<String, Row>> = LazyLock::new(|| {
    let row = |entry: Entry| {
        let read = OnceLock::new();
        (short_name(entry.package, entry.name), Row { entry, read })
    };
    builtin::all().map(row).collect()
});

/// The maximum length of a chain of named types.
const MAX_NAMES: usize = 8;

/// Returns the struct type with this short name (`core.v1.Pod`).
pub(crate) fn find(name: &str) -> Option<&'static Type> {
    let row = TABLE.get(name)?;
    row.read.get_or_init(|| read(&row.entry)).as_ref()
}

/// Returns the short names of all types.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.keys().map(String::as_str)
}

/// Returns the short name `core.v1.Pod` for `k8s.io/api/core/v1` and `Pod`: drops the leading
/// segments of the package.
fn short_name(package: &str, name: &str) -> String {
    let mut segments = package.rsplit('/');
    let last = segments.next().unwrap_or_default();
    let is_version = last.starts_with('v') && last.contains(|c: char| c.is_ascii_digit());
    match segments.next().filter(|_| is_version) {
        Some(group) => format!("{group}.{last}.{name}"),
        None => format!("{last}.{name}"),
    }
}

fn read(entry: &Entry) -> Option<Type> {
    let definition: Definition<Rules> = entry.definition()?;
    let is_atomic = definition.atomic;
    match definition.body {
        Body::Struct(rows) if definition.marshals.is_none() => {
            let fields = rows.into_iter().map(field).collect();
            Some(Type { is_atomic, fields })
        }
        Body::Alias(builtin::Type::Named(package, name)) => {
            let target = find(&short_name(&package, &name))?;
            Some(Type {
                is_atomic: is_atomic || target.is_atomic,
                fields: target.fields.clone(),
            })
        }
        _ => None,
    }
}

fn field(row: builtin::Field<Rules>) -> Field {
    let (cardinality, ty) = match unnamed(row.ty) {
        builtin::Type::List(item) => (Cardinality::List, *item),
        builtin::Type::Map(value) => (Cardinality::Map, *value),
        other => (Cardinality::One, other),
    };
    let kind = kind(ty);
    // Go's encoder never considers a struct empty, except with `omitzero`.
    let is_value = cardinality == Cardinality::One && !row.pointer && row.omits != Omission::Zero;
    let empty = match (&kind, row.omits) {
        _ if row.pointer => Empty::Pointer,
        (Kind::Struct(_), _) if is_value => Empty::Struct,
        (Kind::Special(special), _) if is_value && special.is_written() => Empty::Zero,
        (_, Omission::Never) => Empty::Zero,
        _ => Empty::Omitted,
    };
    let patch = row.patch.unwrap_or_default();
    let merges = patch.strategy.split(',').any(|word| word == "merge");
    let (merge, patch) = match cardinality {
        Cardinality::List => list(row.rules, merges, patch.key),
        Cardinality::One | Cardinality::Map if row.rules.is_atomic() => (Merge::Atomic, None),
        Cardinality::One | Cardinality::Map => {
            let replaces = patch.strategy == "replace";
            (Merge::Granular, replaces.then(String::new))
        }
    };
    // An integer that is always written defaults to 0, so that it can be a list key without being
    // set.
    let is_zero = empty == Empty::Zero && matches!(kind, Kind::Int32 | Kind::Int64);
    Field {
        name: row.json_name.leak(),
        numbers: row.protobuf,
        empty,
        cardinality,
        merge,
        patch: patch.map(|key| &*key.leak()),
        default: row.default.or_else(|| is_zero.then(|| 0.into())),
        kind,
    }
}

/// Returns how server-side apply merges a list, and the exception for strategic merge patches. By
/// default these merge keyed lists by the first key, and sets; the exception is another merge key,
/// or empty to replace the list.
fn list(rules: Rules, merges: bool, patch_key: String) -> (Merge, Option<String>) {
    let list_type = rules.list_type.as_deref();
    let patched = list_type.is_none() && merges;
    if list_type == Some("map") || patched && !patch_key.is_empty() {
        let keys = if rules.list_map_keys.is_empty() {
            vec![patch_key.clone()]
        } else {
            rules.list_map_keys
        };
        let exception = (!merges || keys.first() != Some(&patch_key)).then_some(patch_key);
        let patch = exception.map(|key| if merges { key } else { String::new() });
        let keys = keys.into_iter().map(|key| &*key.leak()).collect();
        (Merge::Keys(keys), patch)
    } else if list_type == Some("set") || patched {
        (Merge::Set, (!merges).then(String::new))
    } else {
        let by_key = merges && !patch_key.is_empty();
        (Merge::Atomic, by_key.then_some(patch_key))
    }
}

/// Resolves a named type to the list, map or named type behind it; returns other types unchanged.
fn unnamed(ty: builtin::Type) -> builtin::Type {
    let mut ty = ty;
    for _ in 0..MAX_NAMES {
        let builtin::Type::Named(package, name) = &ty else {
            return ty;
        };
        let definition = builtin::find(package, name).and_then(|entry| entry.definition::<Rules>());
        match definition.map(|definition| definition.body) {
            Some(Body::Alias(
                target
                @ (builtin::Type::List(_) | builtin::Type::Map(_) | builtin::Type::Named(..)),
            )) => ty = target,
            _ => return ty,
        }
    }
    ty
}

fn kind(ty: builtin::Type) -> Kind {
    match unnamed(ty) {
        builtin::Type::Bool => Kind::Bool,
        builtin::Type::Int32 => Kind::Int32,
        builtin::Type::Int64 | builtin::Type::Integer(_) => Kind::Int64,
        builtin::Type::Float => Kind::Double,
        builtin::Type::Text => Kind::Text("string"),
        builtin::Type::Bytes => Kind::Bytes,
        builtin::Type::Any | builtin::Type::List(_) | builtin::Type::Map(_) => {
            Kind::Special(Special::Raw)
        }
        builtin::Type::Named(package, name) => named(&package, &name),
    }
}

fn named(package: &str, name: &str) -> Kind {
    let short = short_name(package, name);
    if let Some(special) = Special::of(&short) {
        return Kind::Special(special);
    }
    let Some((key, row)) = TABLE.get_key_value(short.as_str()) else {
        return Kind::Special(Special::Raw);
    };
    let definition = row.entry.definition::<Rules>();
    match definition.map(|definition| (definition.marshals, definition.body)) {
        Some((None, Body::Struct(_))) => Kind::Struct(key),
        Some((None, Body::Enum(_) | Body::Alias(builtin::Type::Text))) => {
            // In the form of Go's reflect package: `v1.Protocol`.
            let (_, package) = package.rsplit_once('/').unwrap_or(("", package));
            Kind::Text(format!("{package}.{name}").leak())
        }
        Some((None, Body::Alias(target))) => kind(target),
        _ => Kind::Special(Special::Raw),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_struct_of_the_table_is_read_and_so_is_every_struct_it_names() {
        let mut count = 0;
        for name in names() {
            let Some(known) = find(name) else {
                continue;
            };
            for field in &known.fields {
                if let Kind::Struct(inner) = &field.kind {
                    assert!(find(inner).is_some(), "{name}.{}: {inner}", field.name);
                }
            }
            count += 1;
        }
        assert!(count > 1_000, "{count}");
    }

    #[test]
    fn short_names_tell_types_apart() {
        assert_eq!(names().count(), builtin::all().count());
        assert_eq!(short_name("k8s.io/api/core/v1", "Pod"), "core.v1.Pod");
        let quantity = short_name("k8s.io/apimachinery/pkg/api/resource", "Quantity");
        assert_eq!(quantity, "resource.Quantity");
    }
}
