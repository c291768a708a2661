//! The types that schema nodes allow, and the topologies of lists.

/// A JSON type in a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A list.
    Array,
    /// `true` or `false`.
    Boolean,
    /// A number without a fraction.
    Integer,
    /// Any number.
    Number,
    /// A map or struct.
    Object,
    /// A string.
    String,
}

impl Kind {
    /// Parses the name of a type in a schema.
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

    /// Returns the name in a schema.
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
    /// Whether the node's types name this type.
    pub fn contains(self, kind: Kind) -> bool {
        match self {
            Self::Any => false,
            Self::One(one) => one == kind,
            Self::IntOrString => matches!(kind, Kind::Integer | Kind::String),
        }
    }

    /// Formats the list of types in a message (`integer,string`).
    pub fn names(self) -> &'static str {
        match self {
            Self::Any => "",
            Self::One(kind) => kind.name(),
            Self::IntOrString => "integer,string",
        }
    }
}

/// The topology of a list (`x-kubernetes-list-type`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ListType {
    /// The list is a single value.
    #[default]
    Atomic,
    /// Items are unique.
    Set,
    /// Items have unique keys: those of `x-kubernetes-list-map-keys`.
    Map(Vec<String>),
}
