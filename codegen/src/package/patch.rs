//! Patches of a kustomization: strategic merge by the tables of Kubernetes' own types, and JSON
//! patches.

use kube_builtin_types::{Body, Definition, Field, KINDS, Patch, Type, find};
use serde::Deserialize as _;
use serde_json::{Map, Value};

use super::object::Object;

/// The rules of types, which merging does not ask for.
#[derive(Default, serde::Deserialize)]
struct NoRules {}

/// Merges a patch into an object, as kustomize does. Its names and kind only say what it is for.
///
/// # Errors
///
/// A directive (`$patch`) that is not supported.
pub(super) fn merge_object(object: &mut Object, patch: &Value) -> Result<(), String> {
    let mut patch = patch.clone();
    if let Some(patch) = patch.as_object_mut() {
        patch.remove("apiVersion");
        patch.remove("kind");
        if let Some(metadata) = patch.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("name");
            metadata.remove("namespace");
        }
    }
    let ty = type_of(object);
    merge(&mut object.0, &patch, ty.as_ref())
}

/// The type of one of Kubernetes' own kinds.
fn type_of(object: &Object) -> Option<Type> {
    let (group, version) = object.group_version();
    let mut kinds = KINDS.iter();
    let kind =
        kinds.find(|it| it.group == group && it.version == version && it.kind == object.kind())?;
    Some(Type::Named(kind.package(), kind.kind.to_owned()))
}

/// The field of a struct type.
fn field_of(ty: Option<&Type>, name: &str) -> Option<Field<NoRules>> {
    let Type::Named(package, type_name) = ty? else {
        return None;
    };
    let definition: Definition<NoRules> = find(package, type_name)?.definition()?;
    let Body::Struct(fields) = definition.body else {
        return None;
    };
    fields.into_iter().find(|field| field.json_name == name)
}

fn merge(base: &mut Value, patch: &Value, ty: Option<&Type>) -> Result<(), String> {
    let Value::Object(changes) = patch else {
        *base = patch.clone();
        return Ok(());
    };
    if !base.is_object() {
        *base = Value::Object(Map::new());
    }
    let Value::Object(members) = base else {
        return Ok(());
    };
    for (name, change) in changes {
        if name.starts_with('$') {
            return Err(format!("the directive `{name}`"));
        }
        if change.is_null() {
            members.remove(name);
            continue;
        }
        let field = field_of(ty, name);
        let inner = match (&field, ty) {
            (Some(field), _) => Some(&field.ty),
            (None, Some(Type::Map(inner))) => Some(&**inner),
            _ => None,
        };
        let slot = members.entry(name.clone()).or_insert(Value::Null);
        let how = field.as_ref().and_then(|field| field.patch.as_ref());
        match (change, how) {
            (Value::Array(items), Some(how)) if how.strategy.contains("merge") => {
                merge_list(slot, items, how, inner)?;
            }
            _ => merge(slot, change, inner)?,
        }
    }
    Ok(())
}

/// Merges items by their key. New items come first, as kustomize puts them.
fn merge_list(
    slot: &mut Value,
    changes: &[Value],
    how: &Patch,
    ty: Option<&Type>,
) -> Result<(), String> {
    let mut items = match slot.take() {
        Value::Array(items) => items,
        _ => Vec::new(),
    };
    let inner = ty.map(Type::innermost);
    let mut new = Vec::new();
    for change in changes {
        let same = |item: &&mut Value| match how.key.as_str() {
            "" => **item == *change,
            key => item.get(key).is_some() && item.get(key) == change.get(key),
        };
        match items.iter_mut().find(same) {
            Some(item) => merge(item, change, inner)?,
            None => {
                let mut item = Value::Null;
                merge(&mut item, change, inner)?;
                new.push(item);
            }
        }
    }
    new.extend(items);
    *slot = Value::Array(new);
    Ok(())
}

/// Applies the operations of a JSON patch.
///
/// # Errors
///
/// An operation that does not exist, or whose path does not.
pub(super) fn apply_operations(value: &mut Value, operations: &[Value]) -> Result<(), String> {
    let patch = json_patch::Patch::deserialize(Value::Array(operations.to_vec()));
    let patch = patch.map_err(|error| format!("a JSON patch that cannot be read ({error})"))?;
    json_patch::patch(value, &patch)
        .map_err(|error| format!("a JSON patch that does not fit ({error})"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(base: Value, patch: Value, expected: Value) {
        let mut object = Object(base);
        merge_object(&mut object, &patch).unwrap();
        assert_eq!(object.0, expected);
    }

    #[test]
    fn items_are_merged_by_the_key_of_their_type() {
        let deployment = |containers: Value| {
            json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"},
                "spec": {"template": {"spec": {"containers": containers}}}})
        };
        let base =
            json!([{"name": "c", "args": ["-a"], "ports": [{"name": "p", "containerPort": 1}]}]);
        let patch =
            json!([{"name": "c", "args": ["-b"], "ports": [{"containerPort": 2}]}, {"name": "d"}]);
        let merged = json!([{"name": "d"}, {"name": "c", "args": ["-b"],
            "ports": [{"containerPort": 2}, {"name": "p", "containerPort": 1}]}]);
        check(deployment(base), deployment(patch), deployment(merged));
    }

    #[test]
    fn lists_of_other_kinds_are_replaced_and_null_removes() {
        let kind = json!({"apiVersion": "a.example.com/v1", "kind": "A", "list": [1], "old": 1});
        let patch = json!({"kind": "any", "metadata": {"name": "any", "labels": {"a": "b"}}, "list": [2], "old": null});
        let merged = json!({"apiVersion": "a.example.com/v1", "kind": "A", "list": [2], "metadata": {"labels": {"a": "b"}}});
        check(kind, patch, merged);
    }

    #[test]
    fn directives_and_operations_that_are_not_known_are_refused() {
        let mut object = Object(json!({"kind": "A"}));
        let refused = merge_object(&mut object, &json!({"$patch": "delete"})).unwrap_err();
        assert_eq!(refused, "the directive `$patch`");
        let refused = apply_operations(&mut object.0, &[json!({"op": "swap", "path": "/a"})]);
        assert!(refused.unwrap_err().contains("`swap`"));
        let refused = apply_operations(&mut object.0, &[json!({"op": "remove", "path": "/a"})]);
        assert!(refused.unwrap_err().contains("'/a'"));
    }

    #[test]
    fn operations_add_replace_and_remove() {
        let mut value = json!({"a": [1, 2], "b/c": 3});
        let operations = [
            json!({"op": "add", "path": "/a/-", "value": 4}),
            json!({"op": "add", "path": "/a/0", "value": 0}),
            json!({"op": "replace", "path": "/a/1", "value": 5}),
            json!({"op": "remove", "path": "/b~1c"}),
        ];
        apply_operations(&mut value, &operations).unwrap();
        assert_eq!(value, json!({"a": [0, 5, 2, 4]}));
    }
}
