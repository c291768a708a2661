//! The keys that tell the items of a list apart.
//!
//! For Kubernetes' own types they are those that `kube-builtin-types` has from the Go sources, for
//! custom resources that the program [names](super::WebhooksBuilder::custom_resource) those of the
//! CRD's schema. Other lists are judged by their names: a list has the keys of Kubernetes' own
//! lists of that name (`containers`, `conditions`), else `name`, provided that they tell all of its
//! items apart.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock};

use kube_builtin_types::{self as builtin, Body, Definition, KINDS, Type};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;

use super::declared::{Schema, Schemas};
use super::key::{Key, KeyField};
use crate::object::ResourceInfo;

/// The place of a value in the types of its kind.
#[derive(Clone)]
pub(super) enum Place {
    /// A type of the table.
    Known(Type),
    /// An object of a kind that is not in the table, with its schema if it is known.
    Root(Option<Arc<Schema>>),
    /// A value with a schema.
    Declared(Arc<Schema>),
    /// Anywhere else.
    Unknown,
}

/// The keys that a list may have.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ListKeys {
    /// The type declares this one.
    Declared(Key),
    /// The first of these that tells all items apart.
    Likely(Vec<Key>),
    /// The type declares none.
    None,
}

/// A field of a struct of the table.
struct Field {
    ty: Type,
    keys: Vec<String>,
    default: Option<Value>,
}

type Struct = BTreeMap<String, Field>;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Rules {
    list_map_keys: Vec<String>,
}

const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

/// The maximum length of a chain of names for one type.
const MAX_NAMES: usize = 8;

impl Place {
    /// The place of an object of a kind.
    pub(super) fn of(info: &ResourceInfo, schemas: &Schemas) -> Self {
        let known = KINDS.iter().find(|kind| {
            (kind.group, kind.version, kind.kind)
                == (
                    info.group.as_str(),
                    info.version.as_str(),
                    info.kind.as_str(),
                )
        });
        match known {
            Some(kind) => Self::Known(Type::Named(kind.package(), kind.kind.to_owned())),
            None => Self::Root(schemas.get(info)),
        }
    }

    /// The place of a field's value, and the keys of its items if it is a list.
    pub(super) fn field(&self, name: &str) -> (Self, ListKeys) {
        match self {
            Self::Known(Type::Map(value)) => (resolved(value), ListKeys::None),
            Self::Known(Type::Named(package, of)) => known_field(package, of, name),
            Self::Root(_) if name == "metadata" => {
                let meta = Type::Named(META.to_owned(), "ObjectMeta".to_owned());
                (Self::Known(meta), ListKeys::None)
            }
            Self::Root(Some(schema)) | Self::Declared(schema) => declared_field(schema, name),
            Self::Known(_) | Self::Root(None) | Self::Unknown => (Self::Unknown, likely(name)),
        }
    }

    /// The place of an item.
    pub(super) fn item(&self) -> Self {
        match self {
            Self::Known(Type::List(item)) => resolved(item),
            Self::Declared(schema) => Self::declared(schema.members()),
            _ => Self::Unknown,
        }
    }

    fn declared(schema: Option<&Arc<Schema>>) -> Self {
        schema.map_or(Self::Unknown, |schema| Self::Declared(schema.clone()))
    }
}

fn declared_field(of: &Schema, name: &str) -> (Place, ListKeys) {
    let field = of.field(name);
    let keys = match field.map(|schema| schema.key()) {
        Some(key) if !key.is_empty() => ListKeys::Declared(key),
        _ => likely(name),
    };
    (Place::declared(field), keys)
}

fn known_field(package: &str, of: &str, name: &str) -> (Place, ListKeys) {
    let Some(fields) = fields_of(package, of) else {
        return (Place::Unknown, likely(name));
    };
    let Some(field) = fields.get(name) else {
        return (Place::Unknown, likely(name));
    };
    let keys = match keys_of(field) {
        key if key.is_empty() => ListKeys::None,
        key => ListKeys::Declared(key),
    };
    (resolved(&field.ty), keys)
}

/// The key of a field's items, with the defaults of their type.
fn keys_of(field: &Field) -> Key {
    let Place::Known(Type::List(item)) = resolved(&field.ty) else {
        return Key::new();
    };
    let fields = match &*item {
        Type::Named(package, name) => fields_of(package, name),
        _ => None,
    };
    let key = field.keys.iter().map(|name| {
        let of_item = fields.as_ref().and_then(|fields| fields.get(name));
        KeyField::new(name, of_item.and_then(|field| field.default.clone()))
    });
    key.collect()
}

/// Follows other names of a type.
fn resolved(ty: &Type) -> Place {
    let mut ty = ty.clone();
    for _ in 0..MAX_NAMES {
        let Type::Named(package, name) = &ty else {
            break;
        };
        let target = definition(package, name).map(|found| found.body);
        let Some(Body::Alias(target)) = target else {
            break;
        };
        ty = target;
    }
    Place::Known(ty)
}

fn definition(package: &str, name: &str) -> Option<Definition<Rules>> {
    builtin::find(package, name)?.definition()
}

/// Structs by package and name; each is decoded once.
static STRUCTS: LazyLock<Mutex<HashMap<String, Option<Arc<Struct>>>>> =
    LazyLock::new(Mutex::default);

fn fields_of(package: &str, name: &str) -> Option<Arc<Struct>> {
    let key = format!("{package}.{name}");
    if let Some(known) = STRUCTS.lock().get(&key) {
        return known.clone();
    }
    let read = definition(package, name)
        .and_then(read_struct)
        .map(Arc::new);
    STRUCTS.lock().insert(key, read.clone());
    read
}

fn read_struct(definition: Definition<Rules>) -> Option<Struct> {
    let Body::Struct(fields) = definition.body else {
        return None;
    };
    let fields = fields.into_iter().map(|field| {
        let patch = field.patch.map(|patch| patch.key);
        let mut keys = match field.rules.list_map_keys {
            keys if keys.is_empty() => patch.into_iter().filter(|key| !key.is_empty()).collect(),
            keys => keys,
        };
        // Some markers stand twice in the Go sources.
        keys.dedup();
        let read = Field {
            ty: field.ty,
            keys,
            default: field.default,
        };
        (field.json_name, read)
    });
    Some(fields.collect())
}

/// The keys of all lists of the table by the lists' names; of several, those of more fields first.
static BY_NAME: LazyLock<BTreeMap<String, Vec<Key>>> = LazyLock::new(|| {
    let mut by_name = BTreeMap::<String, Vec<Key>>::new();
    for entry in builtin::all() {
        let Some(fields) = fields_of(entry.package, entry.name) else {
            continue;
        };
        for (name, field) in &*fields {
            let key = keys_of(field);
            let keys = by_name.entry(name.clone()).or_default();
            if !key.is_empty() && !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    by_name.retain(|_, keys| !keys.is_empty());
    for keys in by_name.values_mut() {
        keys.sort_by_key(|key| std::cmp::Reverse(key.len()));
    }
    by_name
});

/// The keys of a list whose type is not in the table.
fn likely(list: &str) -> ListKeys {
    let by_name = KeyField::new("name", None);
    let mut keys = BY_NAME.get(list).cloned().unwrap_or_default();
    if !keys.contains(&vec![by_name.clone()]) {
        keys.push(vec![by_name]);
    }
    ListKeys::Likely(keys)
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
    use serde_json::json;

    use super::*;

    /// The keys of the list at a path below a kind.
    fn keys(kind: (&str, &str, &str), path: &str) -> Vec<Vec<String>> {
        let (group, version, kind) = kind;
        let info = ResourceInfo {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
            plural: String::new(),
            metadata_only: false,
        };
        let mut schemas = Schemas::default();
        schemas.add(&rack());
        let mut found = (Place::of(&info, &schemas), ListKeys::None);
        for name in path.split('.') {
            found = match name {
                "0" => (found.0.item(), ListKeys::None),
                name => found.0.field(name),
            };
        }
        let names = |key: Key| key.into_iter().map(|field| field.name).collect();
        match found.1 {
            ListKeys::Declared(key) => vec![names(key)],
            ListKeys::Likely(keys) => keys.into_iter().map(names).collect(),
            ListKeys::None => Vec::new(),
        }
    }

    /// A CRD whose lists declare keys.
    fn rack() -> CustomResourceDefinition {
        let slot = json!({"type": "object", "properties": {
            "id": {"type": "string"},
            "side": {"type": "string", "default": "front"},
            "conditions": {"type": "array", "items": {"type": "object"}},
        }});
        let slots = json!({
            "type": "array", "items": slot, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id", "side"],
        });
        let by_row = json!({"type": "object", "additionalProperties": {"type": "object", "properties": {"slots": slots}}});
        let spec = json!({"type": "object", "properties": {
            "slots": slots, "byRow": by_row, "args": {"type": "array", "items": {"type": "string"}},
        }});
        let crd = json!({"metadata": {"name": "racks.example.com"}, "spec": {
            "group": "example.com", "names": {"kind": "Rack", "plural": "racks"}, "scope": "Namespaced",
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {
                "openAPIV3Schema": {"type": "object", "properties": {"spec": spec}},
            }}],
        }});
        serde_json::from_value(crd).unwrap()
    }

    #[test]
    fn lists_of_a_custom_resource_have_the_keys_that_its_schema_declares() {
        let rack = ("example.com", "v1", "Rack");
        assert_eq!(keys(rack, "spec.slots"), [["id", "side"]]);
        assert_eq!(keys(rack, "spec.byRow.top.slots"), [["id", "side"]]);
        assert_eq!(keys(rack, "metadata.ownerReferences"), [["uid"]]);
        // What declares none is judged by its name, as without a schema.
        assert_eq!(keys(rack, "spec.args"), [["name"]]);
        assert_eq!(keys(rack, "spec.slots.0.conditions"), [["type"], ["name"]]);
        assert_eq!(
            keys(("example.com", "v2", "Rack"), "spec.slots"),
            [["name"]]
        );
    }

    #[test]
    fn built_in_lists_have_the_keys_that_their_types_declare() {
        let pod = ("", "v1", "Pod");
        let check =
            |path: &str, expected: &[&[&str]]| assert_eq!(keys(pod, path), expected, "{path}");
        check("spec.containers", &[&["name"]]);
        check("spec.containers.0.ports", &[&["containerPort", "protocol"]]);
        check("spec.containers.0.volumeMounts", &[&["mountPath"]]);
        check("spec.containers.0.args", &[]);
        check("spec.tolerations", &[]);
        check("spec.hostAliases", &[&["ip"]]);
        check("metadata.ownerReferences", &[&["uid"]]);
        check("status.conditions", &[&["type"]]);
        let deployment = ("apps", "v1", "Deployment");
        assert_eq!(
            keys(deployment, "spec.template.spec.initContainers"),
            [["name"]]
        );
        assert_eq!(
            keys(("", "v1", "Service"), "spec.ports"),
            [["port", "protocol"]]
        );
    }

    #[test]
    fn lists_of_other_kinds_have_the_keys_of_built_in_lists_of_their_name() {
        let other = ("example.com", "v1", "Machine");
        assert_eq!(keys(other, "spec.conditions"), [["type"], ["name"]]);
        assert_eq!(keys(other, "spec.template.spec.containers"), [["name"]]);
        assert_eq!(keys(other, "spec.disks"), [["name"]]);
        assert_eq!(keys(other, "metadata.ownerReferences"), [["uid"]]);
        assert!(keys(other, "spec.ports").len() > 2);
        // A kind of another group is not taken for the built-in one.
        assert_eq!(
            keys(("apps.example.com", "v1", "Deployment"), "spec.disks"),
            [["name"]]
        );
    }
}
