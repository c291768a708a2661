//! Types on the wire: the JSON type of a value, as far as schema rules depend on it.

use super::{KnownType as K, TypeRef};

/// The JSON type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireType {
    /// `true` or `false`.
    Bool,
    /// An integer.
    Integer,
    /// A number.
    Number,
    /// A string.
    String,
    /// An integer or a string.
    IntOrString,
    /// A list.
    List,
    /// A map, or an object with named fields.
    Object,
    /// Unknown: a foreign type or a union.
    Unknown,
}

impl WireType {
    /// Returns the JSON type of a type's values; `declared` returns it for the name of a type of
    /// the same package.
    pub(crate) fn of(ty: &TypeRef, declared: impl FnOnce(&str) -> Self) -> Self {
        match ty {
            TypeRef::Bool => Self::Bool,
            TypeRef::Int32 | TypeRef::Int64 | TypeRef::Integer(_) => Self::Integer,
            TypeRef::Float | TypeRef::Float32 => Self::Number,
            TypeRef::String => Self::String,
            TypeRef::Known(K::IntOrString | K::Quantity) => Self::IntOrString,
            TypeRef::Known(K::Time | K::MicroTime | K::Duration | K::ByteString) => Self::String,
            TypeRef::Known(_) | TypeRef::Map(_) => Self::Object,
            TypeRef::List(_) => Self::List,
            TypeRef::Optional(inner) | TypeRef::Boxed(inner) => Self::of(inner, declared),
            TypeRef::Local(name) => declared(name),
            TypeRef::Any | TypeRef::External(_) | TypeRef::Verbatim(_) => Self::Unknown,
        }
    }

    /// Describes the type, with an article.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Bool => "a boolean",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::String => "a string",
            Self::IntOrString => "an integer or string",
            Self::List => "a list",
            Self::Object => "an object or map",
            Self::Unknown => "any value",
        }
    }

    /// Whether a rule about values of this type applies to values of the other.
    #[must_use]
    pub fn includes(self, other: Self) -> bool {
        match (self, other) {
            (_, Self::Unknown)
            | (Self::Number, Self::Integer)
            | (Self::Number | Self::String, Self::IntOrString) => true,
            _ => self == other,
        }
    }

    /// Returns the type that a schema calls `name`.
    #[must_use]
    pub fn of_schema(name: &str) -> Option<Self> {
        Some(match name {
            "boolean" => Self::Bool,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "string" => Self::String,
            "array" => Self::List,
            "object" => Self::Object,
            _ => return None,
        })
    }
}
