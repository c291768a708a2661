//! The types of the built-in kinds for merging, from the table of their fields
//! ([`types`](crate::types)).
//!
//! Strategic merge patches merge keyed lists by their first key, and sets; exceptions are listed in
//! the table.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use serde_json::Value;

use crate::types::{self, Cardinality, Field, Kind, Merge, Special};

/// A struct.
#[derive(Debug, Default)]
pub(super) struct Def {
    pub(super) atomic: bool,
    pub(super) fields: BTreeMap<&'static str, FieldDef>,
    /// The type of undeclared fields, if they are allowed.
    pub(super) other: Option<Ref>,
}

/// A field of a struct.
#[derive(Debug)]
pub(super) struct FieldDef {
    pub(super) part: Ref,
    pub(super) default: Option<Value>,
    /// The merge key of strategic merge patches where it differs from the type's; empty to replace
    /// the value.
    pub(super) patch: Option<&'static str>,
}

/// The scalar values that a type accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScalarType {
    Numeric,
    String,
    Boolean,
    Untyped,
}

/// The type of a field.
#[derive(Debug)]
pub(super) enum Ref {
    Scalar(ScalarType),
    Deduced,
    Untyped,
    Struct {
        name: &'static str,
        atomic: bool,
    },
    Map {
        atomic: bool,
        element: Box<Ref>,
    },
    /// `None`: atomic. No keys: a set. Otherwise: a list map with these keys.
    List {
        keys: Option<Vec<&'static str>>,
        element: Box<Ref>,
    },
}

/// The structs by name, each built on first use.
static DEFS: LazyLock<BTreeMap<&'static str, OnceLock<Option<Def>>>> =
    LazyLock::new(|| types::names().map(|name| (name, OnceLock::new())).collect());

/// An object of an unknown type, with known metadata.
static ANY_OBJECT: LazyLock<Def> = LazyLock::new(|| {
    let part = |part| FieldDef {
        part,
        default: None,
        patch: None,
    };
    let metadata = Ref::Struct {
        name: OBJECT_META,
        atomic: false,
    };
    Def {
        atomic: false,
        fields: BTreeMap::from([
            ("apiVersion", part(Ref::Scalar(ScalarType::String))),
            ("kind", part(Ref::Scalar(ScalarType::String))),
            ("metadata", part(metadata)),
        ]),
        other: Some(Ref::Deduced),
    }
});

const OBJECT_META: &str = "meta.v1.ObjectMeta";

/// Returns the struct with this name (`apps.v1.Deployment`).
pub(super) fn def(name: &str) -> Option<&'static Def> {
    let made = DEFS
        .get(name)?
        .get_or_init(|| types::find(name).map(def_of));
    made.as_ref()
}

fn def_of(known: &'static types::Type) -> Def {
    let field = |field: &'static Field| {
        let def = FieldDef {
            part: part(field),
            default: field.default.clone(),
            patch: field.patch,
        };
        (field.name, def)
    };
    Def {
        atomic: known.is_atomic,
        fields: known.fields.iter().map(field).collect(),
        other: None,
    }
}

/// Returns the struct of a built-in kind. Groups are identified by their first label
/// (`rbac.authorization.k8s.io`: `rbac`).
pub(super) fn kind(api_version: &str, kind: &str) -> Option<&'static Def> {
    let (group, version) = api_version.split_once('/').unwrap_or(("core", api_version));
    let official = !group.contains('.') || group.ends_with(".k8s.io");
    let label = group.split('.').next().unwrap_or_default();
    official
        .then(|| def(&format!("{label}.{version}.{kind}")))
        .flatten()
}

/// Returns the struct of object metadata.
pub(super) fn object_meta() -> Option<&'static Def> {
    def(OBJECT_META)
}

/// Returns the struct of an object of an unknown type, with known metadata.
pub(super) fn any_object() -> Option<&'static Def> {
    Some(&ANY_OBJECT)
}

fn part(field: &'static Field) -> Ref {
    let atomic = field.merge == Merge::Atomic;
    match field.cardinality {
        Cardinality::One => element(&field.kind, atomic),
        Cardinality::Map => Ref::Map {
            atomic,
            element: Box::new(element(&field.kind, false)),
        },
        Cardinality::List => Ref::List {
            keys: match &field.merge {
                Merge::Keys(keys) => Some(keys.clone()),
                Merge::Set => Some(Vec::new()),
                Merge::Atomic | Merge::Granular => None,
            },
            element: Box::new(element(&field.kind, false)),
        },
    }
}

fn element(kind: &Kind, atomic: bool) -> Ref {
    match kind {
        Kind::Bool => Ref::Scalar(ScalarType::Boolean),
        Kind::Int32 | Kind::Int64 | Kind::Double => Ref::Scalar(ScalarType::Numeric),
        Kind::Text(_) | Kind::Bytes => Ref::Scalar(ScalarType::String),
        Kind::Struct(name) => Ref::Struct { name, atomic },
        Kind::Special(Special::Raw) => Ref::Deduced,
        Kind::Special(Special::Extension) => Ref::Untyped,
        Kind::Special(_) => Ref::Scalar(ScalarType::Untyped),
    }
}

#[cfg(test)]
mod tests {
    use super::kind;

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
