//! The compiled form of a schema node, structural or inside `allOf`, `anyOf`, `oneOf` and `not`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::pattern::Pattern;
use super::rule::Rule;
use super::types::{ListType, Types};

/// The value of `additionalProperties`.
#[derive(Clone, Debug, Default)]
pub enum Additional {
    /// Absent.
    #[default]
    Absent,
    /// Whether other fields are allowed, of any type.
    Bool(bool),
    /// The schema of other fields.
    Schema(Box<Schema>),
}

/// One schema node.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    /// The types that it allows.
    pub types: Types,
    /// Whether null is kept.
    pub nullable: bool,
    /// The format, if the server checks it for the node's type.
    pub format: Option<String>,
    /// The default.
    pub default: Option<Value>,
    /// The fields with their own schema.
    pub properties: BTreeMap<String, Schema>,
    /// The schema of other fields.
    pub additional: Additional,
    /// The schema of a list's items.
    pub items: Option<Box<Schema>>,
    /// `x-kubernetes-preserve-unknown-fields`.
    pub preserve_unknown: bool,
    /// `x-kubernetes-embedded-resource`.
    pub embedded: bool,
    /// The topology of a list.
    pub list_type: ListType,
    /// Whether a map is replaced as a whole (`x-kubernetes-map-type: atomic`).
    pub atomic_map: bool,
    pub(crate) checks: Option<Box<Checks>>,
    pub(crate) rules: Vec<Rule>,
    /// Whether the node or one of its parts has rules.
    pub(crate) has_rules: bool,
}

/// The value validations of a node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checks {
    pub(crate) maximum: Option<f64>,
    pub(crate) exclusive_maximum: bool,
    pub(crate) minimum: Option<f64>,
    pub(crate) exclusive_minimum: bool,
    pub(crate) multiple_of: Option<f64>,
    pub(crate) max_length: Option<i64>,
    pub(crate) min_length: Option<i64>,
    pub(crate) pattern: Option<Arc<Pattern>>,
    pub(crate) max_items: Option<i64>,
    pub(crate) min_items: Option<i64>,
    pub(crate) unique_items: bool,
    pub(crate) max_properties: Option<i64>,
    pub(crate) min_properties: Option<i64>,
    pub(crate) required: Vec<String>,
    pub(crate) enumeration: Vec<Value>,
    pub(crate) all_of: Vec<Schema>,
    pub(crate) any_of: Vec<Schema>,
    pub(crate) one_of: Vec<Schema>,
    pub(crate) not: Option<Box<Schema>>,
}

impl Schema {
    /// Returns the schema of a field: that of its property, or else of `additionalProperties`.
    pub fn field(&self, name: &str) -> Option<&Schema> {
        self.properties.get(name).or(match &self.additional {
            Additional::Schema(schema) => Some(schema),
            _ => None,
        })
    }
}
