//! What can be wrong with an expression.

use std::fmt;

use super::{
    MOST_CHARACTERS, MOST_DEEP,
    functions::{Call, Overload, Style},
    types::{Scalar, Type},
};

/// A fault of an expression. Its `Display` has the words of cel-go, which the API server quotes; `'d` is how long the declarations live.
#[derive(Clone, Debug)]
pub enum Fault<'d> {
    /// It does not parse.
    Syntax {
        /// The parser's words.
        message: String,
        /// The first byte that does not fit.
        at: usize,
    },
    /// It nests too deep.
    TooDeep,
    /// It has too many characters.
    TooLong {
        /// How many it has.
        characters: usize,
    },
    /// A macro has too few arguments.
    MacroArguments {
        /// The macro.
        name: String,
    },
    /// The first argument of a macro is not a variable.
    MacroVariable {
        /// The macro.
        name: String,
    },
    /// There is no such variable.
    UnknownVariable {
        /// Its name.
        name: String,
        /// The variables in scope.
        known: Vec<String>,
        /// Whether `self` has a field of that name.
        is_field: bool,
    },
    /// There is no such function.
    UnknownFunction {
        /// Its name, with that of its library.
        name: String,
    },
    /// An object has no such field.
    UndefinedField {
        /// Its name.
        field: String,
        /// The fields that there are.
        known: Vec<String>,
        /// Whether the schema has it, without a type.
        is_hidden: bool,
    },
    /// A value without fields is asked for one.
    NoFields {
        /// The field's name.
        field: String,
        /// The value's type.
        ty: Type<'d>,
    },
    /// No signature of a function fits.
    NoOverload {
        /// The function.
        function: String,
        /// How it is called.
        style: Style,
        /// The types of receiver and arguments.
        types: Vec<Type<'d>>,
        /// The signatures that there are.
        overloads: &'static [Overload],
    },
    /// `?` stands before a value that is always there.
    NotOptional {
        /// The value's type.
        ty: Type<'d>,
    },
    /// The parts of a list or map are of different types.
    Mixed {
        /// Such as `items of a list`.
        parts: &'static str,
        /// The type of the first ones.
        before: Type<'d>,
        /// The type that does not fit them.
        ty: Type<'d>,
    },
    /// A value without items is gone through.
    NoItems {
        /// The value's type.
        ty: Type<'d>,
    },
    /// A value is of the wrong type.
    Mismatch {
        /// The type that it should have.
        expected: Type<'d>,
        /// The type that it has.
        found: Type<'d>,
    },
    /// A literal is not what its function parses.
    Literal(Unparsed),
    /// The result is of the wrong type.
    Outcome {
        /// The type that it should have.
        expected: Type<'d>,
        /// The type that it has.
        found: Type<'d>,
    },
}

/// A literal that its function cannot parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unparsed {
    /// Of `duration`.
    Duration(String),
    /// Of `timestamp`.
    Time(String),
    /// A regular expression.
    Pattern {
        /// The function that is called.
        function: &'static str,
        /// Go's error.
        error: String,
        /// Whether the server finds it only when it makes a program of the expression.
        is_late: bool,
    },
}

impl PartialEq for Fault<'_> {
    fn eq(&self, other: &Self) -> bool {
        format!("{self:?}") == format!("{other:?}")
    }
}

impl fmt::Display for Fault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mismatch = |f: &mut fmt::Formatter<'_>, expected: &Type<'_>, found: &Type<'_>| {
            let (expected, found) = (expected.go(), found.go());
            write!(f, "expected type '{expected}' but found '{found}'")
        };
        match self {
            Self::Syntax { message, .. } => f.write_str(message),
            Self::TooDeep => write!(
                f,
                "ERROR: <input>:-1:0: expression recursion limit exceeded: {MOST_DEEP}"
            ),
            Self::TooLong { characters } => write!(
                f,
                "ERROR: <input>:-1:0: expression code point size exceeds limit: size: {characters}, limit {MOST_CHARACTERS}"
            ),
            Self::MacroArguments { name } => f.write_str(&undeclared(name)),
            Self::MacroVariable { name } if name.starts_with("opt") => {
                write!(f, "{name}() variable name must be a simple identifier")
            }
            Self::MacroVariable { .. } => f.write_str("argument must be a simple name"),
            Self::UnknownVariable { name, .. } => f.write_str(&undeclared(name)),
            Self::UnknownFunction { name } => f.write_str(&undeclared(name)),
            Self::UndefinedField { field, .. } => write!(f, "undefined field '{field}'"),
            Self::NoFields { ty, .. } => {
                write!(f, "type '{}' does not support field selection", ty.go())
            }
            Self::NoOverload {
                function, types, ..
            } if matches!(function.as_str(), "_&&_" | "_||_") => {
                let wrong = types.iter().find(|ty| !ty.is(Scalar::Bool));
                mismatch(f, &Type::BOOL, wrong.unwrap_or(&Type::BOOL))
            }
            Self::NoOverload {
                function,
                style,
                types,
                ..
            } => {
                let call = Call(*style, types).go();
                write!(
                    f,
                    "found no matching overload for '{function}' applied to '{call}'"
                )
            }
            Self::NotOptional { ty } => {
                write!(f, "expected type 'optional_type' but found '{}'", ty.go())
            }
            Self::Mixed { before, ty, .. } => mismatch(f, before, ty),
            Self::NoItems { ty } => write!(
                f,
                "expression of type '{}' cannot be range of a comprehension (must be list, map, or dynamic)",
                ty.go()
            ),
            Self::Mismatch { expected, found } => mismatch(f, expected, found),
            Self::Literal(literal) => literal.fmt(f),
            Self::Outcome { expected, .. } => write!(f, "must evaluate to a {}", expected.go()),
        }
    }
}

/// The words for a name that is not there.
pub(crate) fn undeclared(name: &str) -> String {
    format!("undeclared reference to '{name}' (in container '')")
}

impl fmt::Display for Unparsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Duration(_) => f.write_str("invalid duration argument"),
            Self::Time(_) => f.write_str("invalid timestamp argument"),
            Self::Pattern {
                error,
                is_late: true,
                ..
            } => f.write_str(error),
            Self::Pattern { function, .. } => write!(f, "invalid {function} argument"),
        }
    }
}
