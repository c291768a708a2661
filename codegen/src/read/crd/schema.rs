//! Reads structural schemas losslessly: every keyword that the API server knows has a typed field.

use std::mem;

use serde::de::DeserializeOwned;
use serde_json::{Number, Value};

use super::{fields::Reader, keywords::is_silent};
pub use crate::model::schema::{Additional, Schema, Type};
use crate::{
    model::{CelRule, Combinators, ExternalDocs, ListType, Validation},
    read::yaml::{Node, Yaml},
};

/// Whether a schema without a `type` preserves unknown fields, or has alternatives of a type other
/// than the one it describes.
fn admits_any_type(schema: &Schema) -> bool {
    let described = if schema.items.is_some() {
        "array"
    } else {
        "object"
    };
    let combinators = &schema.validation.combinators;
    let alternatives = combinators.any_of.iter().chain(&combinators.one_of);
    let mut types = alternatives.filter_map(|schema| schema.get("type")?.as_str());
    schema.type_.is_none()
        && !schema.validation.int_or_string
        && (schema.validation.preserve_unknown_fields || types.any(|type_| type_ != described))
}

impl Reader<'_> {
    /// Reads a schema, and moves its strings out of the node.
    pub(super) fn read_schema(&mut self, node: &mut Node) -> Schema {
        let mut schema = Schema {
            range: node.range.clone(),
            ..Schema::default()
        };
        let Yaml::Map(entries) = &mut node.value else {
            let found = node.describe();
            self.error(
                node,
                format!("a schema must be a map, not {found}"),
                "write `type: …` at least",
            );
            return schema;
        };
        for entry in entries {
            let (key, value) = (entry.key.as_str(), &mut entry.value);
            if !self.read_structure(&mut schema, key, value)
                && !self.read_validation(&mut schema.validation, key, value)
                && !self.read_extension(&mut schema.validation, key, value)
            {
                self.unknown_keyword(
                    key,
                    &Node {
                        value: Yaml::Null,
                        range: entry.range.clone(),
                    },
                );
            }
        }
        self.check_schema(node, &mut schema);
        schema.any_type = admits_any_type(&schema);
        if self.keeps_unknown && matches!(schema.type_, None | Some(Type::Object)) {
            schema.validation.preserve_unknown_fields = true;
        }
        schema
    }

    /// Reads keywords that determine the type.
    fn read_structure(&mut self, schema: &mut Schema, key: &str, value: &mut Node) -> bool {
        match key {
            "type" => schema.type_ = self.read_type(value),
            "description" => schema.description = self.text(value, key).unwrap_or_default(),
            "default" => schema.default = Some(value.to_json()),
            "nullable" => schema.nullable = self.bool(value, key),
            "properties" => schema.properties = self.read_properties(value),
            "required" => {
                if let Yaml::List(items) = &value.value {
                    schema.required = items
                        .iter()
                        .filter_map(|item| self.str(item, key).map(str::to_owned))
                        .collect();
                } else if !value.is_null() {
                    self.wrong_type(value, key, "a list of property names");
                }
            }
            "additionalProperties" => {
                schema.additional = match value.value {
                    Yaml::Bool(true) => Additional::Any,
                    Yaml::Bool(false) | Yaml::Null => Additional::No,
                    _ => Additional::Schema(Box::new(
                        self.within("additionalProperties", |reader| reader.read_schema(value)),
                    )),
                }
            }
            "items" => match value.value {
                Yaml::Null => {}
                Yaml::List(_) => self.error(
                    value,
                    "`items` must be one schema, not a list of them",
                    "write the schema that all items share",
                ),
                _ => {
                    schema.items = Some(Box::new(
                        self.within("items", |reader| reader.read_schema(value)),
                    ))
                }
            },
            _ => return false,
        }
        true
    }

    fn read_type(&mut self, value: &Node) -> Option<Type> {
        if value.is_null() {
            return None;
        }
        let help = "write one of object, array, string, integer, number, boolean";
        if let Yaml::List(_) = value.value {
            self.error(
                value,
                "`type` must be one type, not a list of them",
                "write one type, with `nullable: true` if null is allowed",
            );
            return None;
        }
        match self.str(value, "type")? {
            "" => None,
            "object" => Some(Type::Object),
            "array" => Some(Type::Array),
            "string" => Some(Type::String),
            "integer" => Some(Type::Integer),
            "number" => Some(Type::Number),
            "boolean" => Some(Type::Boolean),
            other => {
                self.error(value, format!("`type` is unknown: {other:?}"), help);
                None
            }
        }
    }

    fn read_properties(&mut self, value: &mut Node) -> Vec<(String, Schema)> {
        let Yaml::Map(entries) = &mut value.value else {
            if !value.is_null() {
                self.wrong_type(value, "properties", "a map from name to schema");
            }
            return Vec::new();
        };
        self.within("properties", |reader| {
            let read = entries.iter_mut().map(|entry| {
                let node = &mut entry.value;
                let schema = reader.within(&entry.key, |reader| reader.read_schema(node));
                (mem::take(&mut entry.key), schema)
            });
            let mut properties: Vec<_> = read.collect();
            // The YAML parser rejects duplicate keys.
            properties.sort_by(|(a, _), (b, _)| a.cmp(b));
            properties
        })
    }

    /// Reads keywords that constrain the value.
    fn read_validation(
        &mut self,
        validation: &mut Validation,
        key: &str,
        value: &mut Node,
    ) -> bool {
        match key {
            "minimum" => validation.minimum = self.number(value, key),
            "maximum" => validation.maximum = self.number(value, key),
            "multipleOf" => validation.multiple_of = self.number(value, key),
            "exclusiveMinimum" => validation.exclusive_minimum = self.bool(value, key),
            "exclusiveMaximum" => validation.exclusive_maximum = self.bool(value, key),
            "minLength" => validation.min_length = self.count(value, key),
            "maxLength" => validation.max_length = self.count(value, key),
            "minItems" => validation.min_items = self.count(value, key),
            "maxItems" => validation.max_items = self.count(value, key),
            "minProperties" => validation.min_properties = self.count(value, key),
            "maxProperties" => validation.max_properties = self.count(value, key),
            "uniqueItems" => validation.unique_items = self.bool(value, key),
            "pattern" => validation.pattern = self.text(value, key),
            "format" => {
                validation.format = self.text(value, key).filter(|format| !format.is_empty())
            }
            "title" => validation.title = self.text(value, key),
            "example" => validation.example = Some(value.to_json()),
            "externalDocs" if value.is_null() => {}
            "externalDocs" => {
                validation.external_docs = Some(ExternalDocs {
                    url: self.optional_string(value, "url").unwrap_or_default(),
                    description: self.optional_string(value, "description"),
                });
            }
            "enum" => match &value.value {
                Yaml::List(items) => validation.enum_ = items.iter().map(Node::to_json).collect(),
                Yaml::Null => {}
                _ => self.wrong_type(value, key, "a list of values"),
            },
            "not" => validation.combinators.not = Some(Box::new(value.to_json())),
            "allOf" | "anyOf" | "oneOf" => {
                self.read_combinator(&mut validation.combinators, key, value)
            }
            _ => return false,
        }
        true
    }

    fn read_combinator(&mut self, combinators: &mut Combinators, key: &str, value: &Node) {
        if !matches!(value.value, Yaml::List(_)) {
            if !value.is_null() {
                self.wrong_type(value, key, "a list of schemas");
            }
            return;
        }
        let schemas = value.items().iter().map(Node::to_json).collect();
        match key {
            "allOf" => combinators.all_of = schemas,
            "anyOf" => combinators.any_of = schemas,
            _ => combinators.one_of = schemas,
        }
    }

    /// Reads `x-kubernetes-…` keywords, and accepts those that can be ignored.
    fn read_extension(&mut self, validation: &mut Validation, key: &str, value: &Node) -> bool {
        match key {
            "x-kubernetes-int-or-string" => validation.int_or_string = self.bool(value, key),
            "x-kubernetes-preserve-unknown-fields" => {
                validation.preserve_unknown_fields = self.bool(value, key)
            }
            "x-kubernetes-embedded-resource" => {
                validation.embedded_resource = self.bool(value, key)
            }
            "x-kubernetes-list-type" => {
                validation.list_type = self.word(value, key, "atomic, set or map");
            }
            "x-kubernetes-list-map-keys" => {
                validation.list_map_keys = value
                    .items()
                    .iter()
                    .filter_map(|item| self.str(item, key).map(str::to_owned))
                    .collect();
            }
            "x-kubernetes-map-type" => {
                validation.map_type = self.word(value, key, "granular or atomic");
            }
            "x-kubernetes-validations" => {
                validation.rules = value
                    .items()
                    .iter()
                    .filter_map(|rule| self.read_rule(rule))
                    .collect();
            }
            other => return is_silent(other),
        }
        true
    }

    fn read_rule(&mut self, node: &Node) -> Option<CelRule> {
        self.within("x-kubernetes-validations", |reader| {
            Some(CelRule {
                rule: reader.string(
                    node,
                    "rule",
                    "write an expression that must be true, such as `self.min <= self.max`",
                )?,
                message: reader.optional_string(node, "message"),
                message_expression: reader.optional_string(node, "messageExpression"),
                reason: reader.optional_string(node, "reason"),
                field_path: reader.optional_string(node, "fieldPath"),
                optional_old_self: node
                    .get("optionalOldSelf")
                    .map(|flag| reader.bool(flag, "optionalOldSelf")),
                said_by_union: false,
            })
        })
    }

    /// Reports and removes a default whose type differs from the field's: generated code cannot
    /// represent it.
    fn check_default(&mut self, node: &Node, schema: &mut Schema) {
        let Some(default) = &schema.default else {
            return;
        };
        let either = schema.validation.int_or_string;
        let fits = match (schema.type_, default) {
            (_, Value::Null) => true,
            (None, Value::Number(_) | Value::String(_)) if either => true,
            (None, _) => !either,
            (Some(Type::Object), value) => value.is_object(),
            (Some(Type::Array), value) => value.is_array(),
            (Some(Type::Boolean), value) => value.is_boolean(),
            (Some(Type::Number), value) => value.is_number(),
            (Some(Type::Integer), value) => value.as_f64().is_some_and(|n| n.fract() == 0.0),
            (Some(Type::String), value) => value.is_string(),
        };
        if !fits && let Some(node) = node.get("default") {
            schema.default = None;
            self.warn(
                node,
                "the default has a different type than the field and is ignored",
                "fix it: the API server rejects this CRD",
            );
        }
    }

    /// Checks combinations of keywords.
    fn check_schema(&mut self, node: &Node, schema: &mut Schema) {
        self.check_default(node, schema);
        if schema.type_ == Some(Type::Array) && !schema.properties.is_empty() {
            schema.properties.clear();
            self.warn(
                node.get("properties").unwrap_or(node),
                "`properties` has no effect on an array and is ignored",
                "move them under `items`",
            );
        }
        if !schema.properties.is_empty() && matches!(schema.additional, Additional::Schema(_)) {
            self.error(
                node,
                "`properties` and `additionalProperties` exclude each other",
                "keep `properties`, and add `x-kubernetes-preserve-unknown-fields: true` to keep other properties",
            );
        }
        if schema.validation.list_type == Some(ListType::Map)
            && schema.validation.list_map_keys.is_empty()
        {
            self.error(
                node,
                "a list of type map has no keys",
                "name them in `x-kubernetes-list-map-keys`",
            );
        }
    }

    /// Returns a string, or the source form of a scalar that YAML parsed as another type
    /// (`description: yes`).
    fn text(&mut self, node: &mut Node, key: &str) -> Option<String> {
        match &mut node.value {
            Yaml::String(text) => Some(mem::take(text)),
            Yaml::Null => None,
            _ => {
                self.wrong_type(node, key, "a string");
                None
            }
        }
    }

    /// Returns one of several words.
    fn word<T: DeserializeOwned>(&mut self, node: &Node, key: &str, words: &str) -> Option<T> {
        let text = (!node.is_null()).then(|| self.str(node, key))??;
        let word = serde_json::from_value(text.into()).ok();
        if word.is_none() {
            let message = format!("`{key}` is unknown: {text:?}");
            self.error(node, message, format!("write {words}"));
        }
        word
    }

    fn number(&mut self, node: &Node, key: &str) -> Option<Number> {
        match &node.value {
            Yaml::Number(number) => Some(number.clone()),
            Yaml::Null => None,
            _ => {
                self.wrong_type(node, key, "a number");
                None
            }
        }
    }
}
