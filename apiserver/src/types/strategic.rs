//! Strategic merge patches of built-in kinds: lists of objects merge by key, and directives delete and replace.

use serde_json::{Map, Value};

use super::{Empty, Field, Fields, Kind, Shape, fields};

const DIRECTIVE: &str = "$patch";
const RETAIN: &str = "$retainKeys";
const ORDER: &str = "$setElementOrder/";
const DELETE: &str = "$deleteFromPrimitiveList/";

/// Merges a patch into an object of a type; of a type that the table lacks, it is a merge patch.
pub(crate) fn merge(type_name: &str, target: &mut Value, patch: &Value) {
    merge_value(fields(type_name), target, patch);
}

fn find<'t>(known: Option<&'t Fields>, name: &str) -> Option<&'t Field> {
    known?
        .iter()
        .find_map(|field| match (&field.empty, &field.kind) {
            (Empty::Inline, Kind::Struct(inner)) => find(fields(inner), name),
            _ => (field.name == name).then_some(field),
        })
}

fn inner_type(field: Option<&Field>) -> Option<&'static Fields> {
    match &field?.kind {
        Kind::Struct(name) => fields(name),
        _ => None,
    }
}

fn merge_value(known: Option<&'static Fields>, target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    match patch.get(DIRECTIVE).and_then(Value::as_str) {
        Some("replace") => {
            *target = without_directives(patch);
            return;
        }
        Some("delete") => {
            *target = Value::Object(Map::new());
            return;
        }
        _ => {}
    }
    let map = crate::object::fields(target);
    if let Some(keep) = patch.get(RETAIN).and_then(Value::as_array) {
        map.retain(|key, _| keep.iter().any(|k| k == key));
    }
    for (key, value) in patch.iter().filter(|(key, _)| key.starts_with(DELETE)) {
        let list = map
            .get_mut(&key[DELETE.len()..])
            .and_then(Value::as_array_mut);
        if let (Some(list), Value::Array(gone)) = (list, value) {
            list.retain(|item| !gone.contains(item));
        }
    }
    for (key, value) in patch.iter().filter(|(key, _)| !key.starts_with('$')) {
        merge_field(find(known, key), map, key, value);
    }
    for (key, order) in patch.iter().filter(|(key, _)| key.starts_with(ORDER)) {
        let name = &key[ORDER.len()..];
        let merge_key = find(known, name)
            .and_then(|f| f.merge_key.as_deref())
            .unwrap_or_default();
        if let (Some(Value::Array(list)), Value::Array(order)) = (map.get_mut(name), order) {
            reorder(merge_key, list, order);
        }
    }
}

fn merge_field(
    field: Option<&'static Field>,
    map: &mut Map<String, Value>,
    key: &str,
    value: &Value,
) {
    match value {
        Value::Null => {
            map.remove(key);
        }
        Value::Object(_) => {
            let inner = if field.is_some_and(|f| f.shape == Shape::One) {
                inner_type(field)
            } else {
                None
            };
            merge_value(inner, map.entry(key).or_insert(Value::Null), value);
            let deleted = value.get(DIRECTIVE).is_some_and(|d| d == "delete");
            if deleted {
                map.remove(key);
            }
        }
        Value::Array(items) => match field.and_then(|f| f.merge_key.as_deref()) {
            Some(merge_key) => {
                let list = map.entry(key).or_insert_with(|| Value::Array(Vec::new()));
                if !list.is_array() {
                    *list = Value::Array(Vec::new());
                }
                if let Value::Array(list) = list {
                    merge_list(inner_type(field), merge_key, list, items);
                }
            }
            None => {
                map.insert(key.to_owned(), value.clone());
            }
        },
        other => {
            map.insert(key.to_owned(), other.clone());
        }
    }
}

fn merge_list(
    known: Option<&'static Fields>,
    merge_key: &str,
    list: &mut Vec<Value>,
    items: &[Value],
) {
    let directive = |item: &Value| {
        item.get(DIRECTIVE)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    if items.iter().any(|item| directive(item) == "replace") {
        *list = items
            .iter()
            .filter(|item| directive(item) != "replace")
            .filter_map(|item| item.as_object().map(without_directives))
            .collect();
        return;
    }
    for item in items {
        let same = |other: &Value| match merge_key {
            "" => other == item,
            key => other.get(key) == item.get(key),
        };
        match list.iter().position(same) {
            Some(at) if directive(item) == "delete" => {
                list.remove(at);
            }
            None if directive(item) == "delete" => {}
            Some(at) if !merge_key.is_empty() => merge_value(known, &mut list[at], item),
            Some(_) => {}
            None if item.is_object() => {
                let mut new = Value::Object(Map::new());
                merge_value(known, &mut new, item);
                list.push(new);
            }
            None => list.push(item.clone()),
        }
    }
}

/// Brings the items that an order names into it; others keep their places after them.
fn reorder(merge_key: &str, list: &mut [Value], order: &[Value]) {
    let rank = |item: &Value| {
        order
            .iter()
            .position(|o| {
                if merge_key.is_empty() {
                    o == item
                } else {
                    o.get(merge_key) == item.get(merge_key)
                }
            })
            .unwrap_or(order.len())
    };
    list.sort_by_key(rank);
}

fn without_directives(map: &Map<String, Value>) -> Value {
    Value::Object(
        map.iter()
            .filter(|(key, _)| !key.starts_with('$'))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(patch: Value, expected: Value) {
        let mut target = json!({"finalizers": [], "spec": {"nodeName": "n", "tolerations": [{"key": "t"}],
            "containers": [{"name": "a", "image": "1", "args": ["x"]}, {"name": "b", "image": "1"}]}});
        merge("core.v1.Pod", &mut target, &patch);
        assert_eq!(target["spec"], expected);
    }

    #[test]
    fn lists_with_a_merge_key_merge_and_others_are_replaced() {
        check(
            json!({"spec": {"containers": [{"name": "b", "image": "2"}, {"name": "c"}], "tolerations": [], "nodeName": null}}),
            json!({"tolerations": [], "containers": [{"name": "a", "image": "1", "args": ["x"]}, {"name": "b", "image": "2"},
                {"name": "c"}]}),
        );
    }

    #[test]
    fn directives_delete_replace_and_order() {
        check(
            json!({"spec": {"containers": [{"name": "a", "$patch": "delete"}]}}),
            json!({"nodeName": "n", "tolerations": [{"key": "t"}], "containers": [{"name": "b", "image": "1"}]}),
        );
        check(
            json!({"spec": {"$patch": "replace", "nodeName": "m"}}),
            json!({"nodeName": "m"}),
        );
        check(
            json!({"spec": {"containers": [{"$patch": "replace"}, {"name": "z"}]}}),
            json!({"nodeName": "n", "tolerations": [{"key": "t"}], "containers": [{"name": "z"}]}),
        );
        check(
            json!({"spec": {"$retainKeys": ["containers"], "$setElementOrder/containers": [{"name": "b"}, {"name": "a"}]}}),
            json!({"containers": [{"name": "b", "image": "1"}, {"name": "a", "image": "1", "args": ["x"]}]}),
        );
    }
}
