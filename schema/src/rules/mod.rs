//! CEL rules of a schema (`x-kubernetes-validations`): which are evaluated for which value.
//!
//! [`check_rules`] goes through an object as kube-apiserver does: the rules of a value before those of its parts, a null is passed
//! over, and the old counterpart of an item is found by the keys of its list.

use serde_json::Value;

use crate::errors::{FieldErrors, Unevaluated};
use crate::field::Path;
use crate::node::{Additional, ListType, Schema};
use crate::props::Props;

/// A rule of a schema node, as the schema has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rule {
    /// The expression.
    pub(crate) rule: String,
}

impl Rule {
    /// The rules of a raw node.
    pub(crate) fn read_all(props: Props<'_>) -> Vec<Self> {
        let rules = props.list("x-kubernetes-validations").iter();
        let rules = rules.filter_map(Props::new).map(|rule| Self {
            rule: rule.text("rule").trim().to_owned(),
        });
        rules.filter(|rule| !rule.rule.is_empty()).collect()
    }
}

/// Evaluates every rule that applies to an object or its parts.
pub(crate) fn check_rules(schema: &Schema, object: &Value, old: Option<&Value>) -> FieldErrors {
    let mut found = FieldErrors::default();
    walk(schema, &Path::root(""), object, old, &mut found);
    found
}

fn walk(
    schema: &Schema,
    path: &Path<'_>,
    value: &Value,
    old: Option<&Value>,
    found: &mut FieldErrors,
) {
    if value.is_null() || !schema.has_rules {
        return;
    }
    for rule in &schema.rules {
        found.add_unevaluated(Unevaluated {
            field: path.field(),
            rule: rule.rule.clone(),
            reason: "this build does not evaluate CEL".to_owned(),
        });
    }
    match value {
        Value::Object(map) => {
            let old = old.filter(|_| !schema.atomic_map);
            for (name, value) in map {
                let old = old.and_then(|old| old.get(name));
                match (schema.properties.get(name), &schema.additional) {
                    (Some(property), _) => {
                        walk(property, &path.child(name), value, old, found);
                    }
                    (None, Additional::Schema(additional)) => {
                        walk(additional, &path.key(name), value, old, found);
                    }
                    _ => {}
                }
            }
        }
        Value::Array(items) => {
            let Some(item_schema) = schema.items.as_deref() else {
                return;
            };
            for (i, item) in items.iter().enumerate() {
                let old = old.and_then(|old| counterpart(schema, item, old));
                walk(item_schema, &path.index(i), item, old, found);
            }
        }
        _ => {}
    }
}

/// The old item with the keys of an item; only those of map lists correspond.
fn counterpart<'v>(schema: &Schema, item: &Value, old: &'v Value) -> Option<&'v Value> {
    let ListType::Map(keys) = &schema.list_type else {
        return None;
    };
    let mut items = old.as_array()?.iter();
    items.find(|old| keys.iter().all(|key| old.get(key) == item.get(key)))
}
