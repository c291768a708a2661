//! Structural schemas as a CRD has them: what the reader gives, and what of it stays beside the types.

use std::ops::Range;

use serde_json::Value;

use super::Validation;

/// The properties that every object of an API has, whatever its schema says of them.
pub const COMMON_PROPERTIES: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// A structural schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    /// The bytes of the schema; empty if nothing was found in its source.
    pub range: Range<usize>,
    /// `type`; none for int-or-string, preserve-unknown and untyped schemas.
    pub type_: Option<Type>,
    /// Whether values of any type may stand, whatever `properties` and `items` say: without a `type`, these restrict objects and
    /// arrays only.
    pub any_type: bool,
    /// `description`.
    pub description: String,
    /// `default`.
    pub default: Option<Value>,
    /// `nullable`.
    pub nullable: bool,
    /// `properties`, sorted by name, each name once. (Objects are small and many: nodes of a map would be empty for the most.)
    pub properties: Vec<(String, Schema)>,
    /// `required`.
    pub required: Vec<String>,
    /// `additionalProperties`.
    pub additional: Additional,
    /// `items`.
    pub items: Option<Box<Schema>>,
    /// Everything else.
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
    /// Not given, or false.
    #[default]
    No,
    /// `true`: any value.
    Any,
    /// Values of a schema.
    Schema(Box<Schema>),
}

impl Schema {
    /// Whether it says nothing of any value.
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
    /// The type as a schema writes it.
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
