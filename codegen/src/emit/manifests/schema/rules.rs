//! Validations as schema keywords.

use serde_json::{Value, json};

use super::{PRESERVE, RULES, Schema, TYPE, words::Words};
use crate::model::{CelRule, Constraints, ListType, MapType};

impl Schema {
    /// The keywords of the constraints, without those for elements.
    pub(super) fn of_rules(rules: &Constraints) -> Self {
        let mut words = Words::default();
        words.put(TYPE, rules.type_.clone());
        words.put("format", rules.format.clone());
        words.put("minimum", rules.minimum.clone().map(Value::Number));
        words.put("maximum", rules.maximum.clone().map(Value::Number));
        words.flag("exclusiveMinimum", rules.exclusive_minimum);
        words.flag("exclusiveMaximum", rules.exclusive_maximum);
        words.put("multipleOf", rules.multiple_of.clone().map(Value::Number));
        words.put("minLength", rules.min_length);
        words.put("maxLength", rules.max_length);
        words.put("pattern", rules.pattern.clone());
        words.put("minItems", rules.min_items);
        words.put("maxItems", rules.max_items);
        words.flag("uniqueItems", rules.unique_items);
        words.put("minProperties", rules.min_properties);
        words.put("maxProperties", rules.max_properties);
        words.list("enum", rules.enum_.clone());
        words.put("title", rules.title.clone());
        words.put("example", rules.example.clone());
        let docs = rules.external_docs.as_ref();
        let docs = docs.and_then(|docs| serde_json::to_value(docs).ok());
        words.put("externalDocs", docs);
        words.flag("x-kubernetes-int-or-string", rules.int_or_string);
        words.flag(PRESERVE, rules.preserve_unknown_fields);
        words.flag("x-kubernetes-embedded-resource", rules.embedded_resource);
        words.put("x-kubernetes-list-type", rules.list_type.map(list_type));
        let keys = rules.list_map_keys.iter().cloned().map(Value::String);
        words.list("x-kubernetes-list-map-keys", keys.collect());
        words.put("x-kubernetes-map-type", rules.map_type.map(map_type));
        words.list(RULES, rules.rules.iter().map(rule).collect());
        let combinators = &rules.combinators;
        words.list("allOf", combinators.all_of.clone());
        words.list("anyOf", combinators.any_of.clone());
        words.list("oneOf", combinators.one_of.clone());
        words.put("not", combinators.not.as_deref().cloned());
        Self {
            words,
            ..Self::default()
        }
    }
}

const fn list_type(ty: ListType) -> &'static str {
    match ty {
        ListType::Atomic => "atomic",
        ListType::Set => "set",
        ListType::Map => "map",
    }
}

const fn map_type(ty: MapType) -> &'static str {
    match ty {
        MapType::Granular => "granular",
        MapType::Atomic => "atomic",
    }
}

fn rule(rule: &CelRule) -> Value {
    serde_json::to_value(rule).unwrap_or_else(|_| json!({"rule": rule.rule}))
}
