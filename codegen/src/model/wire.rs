//! Types on the wire: what JSON a value is, as far as rules of schemas care.

/// The JSON type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireType {
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A text.
    String,
    /// A whole number or a text.
    IntOrString,
    /// A list.
    List,
    /// A map, or an object with named fields.
    Object,
    /// Not known: a foreign type, a union.
    Unknown,
}

impl WireType {
    /// The type in words, with its article.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Bool => "a boolean",
            Self::Integer => "a whole number",
            Self::Number => "a number",
            Self::String => "a text",
            Self::IntOrString => "a number or text",
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

    /// The type of the given name in a schema.
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
