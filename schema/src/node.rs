//! The compiled form of one schema node, structural or inside `allOf`, `anyOf`, `oneOf` and `not`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::pattern::Pattern;
use super::rules::Rule;

/// A JSON type that a schema may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A list.
    Array,
    /// `true` or `false`.
    Boolean,
    /// A number without fraction.
    Integer,
    /// Any number.
    Number,
    /// A map or struct.
    Object,
    /// A text.
    String,
}

impl Kind {
    /// The type that a schema names.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "array" => Self::Array,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "object" => Self::Object,
            "string" => Self::String,
            _ => return None,
        })
    }

    /// The name in a schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::Array => "array",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Object => "object",
            Self::String => "string",
        }
    }
}

/// The types that a node allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Types {
    /// Any type.
    #[default]
    Any,
    /// One type.
    One(Kind),
    /// `x-kubernetes-int-or-string`.
    IntOrString,
}

impl Types {
    /// Whether it names a type.
    pub fn contains(self, kind: Kind) -> bool {
        match self {
            Self::Any => false,
            Self::One(one) => one == kind,
            Self::IntOrString => matches!(kind, Kind::Integer | Kind::String),
        }
    }

    /// The list of types in a message (`integer,string`).
    pub fn names(self) -> &'static str {
        match self {
            Self::Any => "",
            Self::One(kind) => kind.name(),
            Self::IntOrString => "integer,string",
        }
    }
}

/// The value of `additionalProperties`.
#[derive(Clone, Debug, Default)]
pub enum Additional {
    /// Not given.
    #[default]
    Absent,
    /// Whether others are allowed, of any type.
    Bool(bool),
    /// Their schema.
    Schema(Box<Schema>),
}

/// The topology of a list (`x-kubernetes-list-type`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ListType {
    /// The list is one value.
    #[default]
    Atomic,
    /// Items are unique.
    Set,
    /// With its `x-kubernetes-list-map-keys`.
    Map(Vec<String>),
}

/// One schema node.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    /// The types that it allows.
    pub types: Types,
    /// Whether null stays null.
    pub nullable: bool,
    /// Only a format that the server checks for the node's type.
    pub format: Option<String>,
    /// The default.
    pub default: Option<Value>,
    /// The fields with a schema of their own.
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
    /// Whether it or a part has rules.
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
    /// The schema of a field: its own property, or what `additionalProperties` says of any.
    pub fn field(&self, name: &str) -> Option<&Schema> {
        self.properties.get(name).or(match &self.additional {
            Additional::Schema(schema) => Some(schema),
            _ => None,
        })
    }
}
