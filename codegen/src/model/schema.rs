//! Structural schemas as declared in a CRD: the reader's output, of which parts are kept besides
//! the types.

use std::ops::Range;

use serde_json::Value;

use super::Validation;

/// The properties that every API object has, regardless of its schema.
pub const COMMON_PROPERTIES: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// A structural schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    /// The byte range of the schema in its source; empty if the schema was not found there.
    pub range: Range<usize>,
    /// `type`; `None` for int-or-string, preserve-unknown-fields and untyped schemas.
    pub type_: Option<Type>,
    /// Whether values of any type are allowed, regardless of `properties` and `items`: without a
    /// `type`, these restrict only objects and arrays.
    pub any_type: bool,
    /// `description`.
    pub description: String,
    /// `default`.
    pub default: Option<Value>,
    /// `nullable`.
    pub nullable: bool,
    /// `properties`, sorted by name without duplicates. A `Vec`, because there are many small
    /// objects and map nodes would be mostly empty.
    pub properties: Vec<(String, Schema)>,
    /// `required`.
    pub required: Vec<String>,
    /// `additionalProperties`.
    pub additional: Additional,
    /// `items`.
    pub items: Option<Box<Schema>>,
    /// All other keywords.
    pub validation: Validation,
}

/// `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "JSON Schema's own names")]
pub enum Type {
    Object,
    Array,
    String,
    Integer,
    Number,
    Boolean,
}

/// `additionalProperties`.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Additional {
    /// Absent, or `false`.
    #[default]
    No,
    /// `true`: any value.
    Any,
    /// Values match a schema.
    Schema(Box<Schema>),
}

impl Schema {
    /// Whether the schema declares nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self {
            range: _,
            type_,
            any_type: _,
            description,
            default,
            nullable,
            properties,
            required,
            additional,
            items,
            validation,
        } = self;
        type_.is_none()
            && description.is_empty()
            && default.is_none()
            && !nullable
            && properties.is_empty()
            && required.is_empty()
            && *additional == Additional::No
            && items.is_none()
            && *validation == Validation::default()
    }
}

impl Type {
    /// The type as written in a schema.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
        }
    }
}
