//! The types of the built-in kinds.
//!
//! `builtin.txt` holds one struct a line, `<group>.<version>.<name> <field>:<type>…`, as the API server's OpenAPI
//! document (v1.37) describes it. A type is `s` (string), `n` (number), `b` (boolean), `u` (any scalar), `D` (deduced
//! from the value), `U` (any value, atomic), `[k1,k2]T` (list map by keys), `[]T` (set), `[!]T` (atomic list), `{}T` (map),
//! `{!}T` (atomic map) or the name of a struct, in the same group and version if it has no dot. `!` before a struct's
//! name makes it atomic. `=` introduces the default of a key field. Strategic merge patches merge keyed lists by their
//! first key, and sets; `~` after a type says that they replace the field instead, and `~k` that they merge it by `k`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;

use super::types::ScalarType;

/// A struct.
#[derive(Debug, Default)]
pub(super) struct Def {
    pub(super) atomic: bool,
    pub(super) fields: BTreeMap<&'static str, FieldDef>,
    /// The type of any other field, if others are allowed.
    pub(super) other: Option<Ref>,
}

/// A field of a struct.
#[derive(Debug)]
pub(super) struct FieldDef {
    pub(super) part: Ref,
    pub(super) default: Option<Value>,
    /// The exception to how strategic merge patches treat such a type: the key to merge by, or empty to replace.
    pub(super) patch: Option<&'static str>,
}

/// The type of a field.
#[derive(Debug)]
pub(super) enum Ref {
    Scalar(ScalarType),
    Deduced,
    Untyped,
    Struct {
        name: String,
        atomic: bool,
    },
    Map {
        atomic: bool,
        element: Box<Ref>,
    },
    /// No keys at all: atomic; an empty list of keys: a set.
    List {
        keys: Option<Vec<String>>,
        element: Box<Ref>,
    },
}

static DEFS: LazyLock<BTreeMap<&'static str, Def>> = LazyLock::new(|| {
    include_str!("builtin.txt")
        .lines()
        .filter_map(parse_line)
        .collect()
});

/// An object of which only the metadata is known.
static ANY_OBJECT: LazyLock<Def> = LazyLock::new(|| {
    let line = "any.v1.Object apiVersion:s kind:s metadata:meta.v1.ObjectMeta *:D";
    parse_line(line).map(|(_, def)| def).unwrap_or_default()
});

/// The struct of a name (`apps.v1.Deployment`).
pub(super) fn def(name: &str) -> Option<&'static Def> {
    DEFS.get(name)
}

/// The struct of a built-in kind. Groups are known by their first label (`rbac.authorization.k8s.io`: `rbac`).
pub(super) fn kind(api_version: &str, kind: &str) -> Option<&'static Def> {
    let (group, version) = api_version.split_once('/').unwrap_or(("core", api_version));
    let official = !group.contains('.') || group.ends_with(".k8s.io");
    let label = group.split('.').next().unwrap_or_default();
    official
        .then(|| def(&format!("{label}.{version}.{kind}")))
        .flatten()
}

/// The struct of object metadata.
pub(super) fn object_meta() -> Option<&'static Def> {
    def("meta.v1.ObjectMeta")
}

/// The struct of an object of which only the metadata is known.
pub(super) fn any_object() -> Option<&'static Def> {
    Some(&ANY_OBJECT)
}

fn parse_line(line: &'static str) -> Option<(&'static str, Def)> {
    let (name, fields) = line.split_once(' ').unwrap_or((line, ""));
    let (name, atomic) = (name.trim_start_matches('!'), name.starts_with('!'));
    let (package, _) = name.rsplit_once('.')?;
    let mut def = Def {
        atomic,
        ..Def::default()
    };
    for field in fields.split(' ').filter(|field| !field.is_empty()) {
        let (name, part) = field.split_once(':')?;
        let (part, default) = match part.split_once('=') {
            Some((part, default)) => (part, serde_json::from_str(default).ok()),
            None => (part, None),
        };
        let (part, patch) = match part.split_once('~') {
            Some((part, patch)) => (part, Some(patch)),
            None => (part, None),
        };
        let part = parse_ref(part, package)?;
        if name == "*" {
            def.other = Some(part);
        } else {
            def.fields.insert(
                name,
                FieldDef {
                    part,
                    default,
                    patch,
                },
            );
        }
    }
    Some((name, def))
}

fn parse_ref(text: &str, package: &str) -> Option<Ref> {
    if let Some(rest) = text.strip_prefix('[') {
        let (keys, element) = rest.split_once(']')?;
        let keys = (keys != "!").then(|| {
            keys.split(',')
                .filter(|k| !k.is_empty())
                .map(str::to_owned)
                .collect()
        });
        let element = Box::new(parse_ref(element, package)?);
        return Some(Ref::List { keys, element });
    }
    if let Some(rest) = text.strip_prefix('{') {
        let (atomic, element) = rest.split_once('}')?;
        let element = Box::new(parse_ref(element, package)?);
        return Some(Ref::Map {
            atomic: atomic == "!",
            element,
        });
    }
    Some(match text {
        "s" => Ref::Scalar(ScalarType::String),
        "n" => Ref::Scalar(ScalarType::Numeric),
        "b" => Ref::Scalar(ScalarType::Boolean),
        "u" => Ref::Scalar(ScalarType::Untyped),
        "D" => Ref::Deduced,
        "U" => Ref::Untyped,
        name => {
            let (name, atomic) = (name.trim_start_matches('!'), name.starts_with('!'));
            let name = if name.contains('.') {
                name.to_owned()
            } else {
                format!("{package}.{name}")
            };
            Ref::Struct { name, atomic }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{DEFS, Ref, def, kind};

    #[test]
    fn every_line_is_read_and_every_name_is_defined() {
        fn check(part: &Ref, place: &str) {
            match part {
                Ref::Struct { name, .. } => {
                    assert!(def(name).is_some(), "{place}: {name} is not defined")
                }
                Ref::Map { element, .. } | Ref::List { element, .. } => check(element, place),
                _ => {}
            }
        }
        assert_eq!(DEFS.len(), include_str!("builtin.txt").lines().count());
        for (name, def) in DEFS.iter() {
            for (field, field_def) in &def.fields {
                check(&field_def.part, &format!("{name}.{field}"));
            }
        }
    }

    #[test]
    fn kinds_are_found_by_group_and_version() {
        for (api_version, name) in [
            ("v1", "Pod"),
            ("apps/v1", "Deployment"),
            ("rbac.authorization.k8s.io/v1", "ClusterRole"),
            ("coordination.k8s.io/v1", "Lease"),
            ("events.k8s.io/v1", "Event"),
            ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        ] {
            assert!(kind(api_version, name).is_some(), "{api_version} {name}");
        }
        assert!(kind("apps.example.com/v1", "Deployment").is_none());
    }
}
