//! Types as written.

use super::literal::Literal;
use crate::diag::Place;

/// A type as written.
#[derive(Clone, Debug)]
pub struct Type {
    /// Its place.
    pub place: Place,
    /// Its kind.
    pub kind: Kind,
}

/// The meaning of a type as written.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A path, with the arguments of its last segment.
    Path(PathType),
    /// `[T; N]` or `[T]`: the item type, and the length of an array.
    List(Box<Type>, Literal),
    /// Any other owned type without a name, such as a tuple; as written.
    Other(String),
    /// A type that cannot be deserialized into an owned value, such as a reference; with a
    /// description.
    Unsupported(&'static str),
}

/// A path type.
#[derive(Clone, Debug)]
pub struct PathType {
    /// Whether the path starts with `::`.
    pub global: bool,
    /// The segments, without `r#`.
    pub segments: Vec<String>,
    /// The arguments of the last segment for type and const parameters.
    pub arguments: Vec<Type>,
    /// The arguments as written (`<T, 4>`); empty if there are none.
    pub arguments_text: String,
}
