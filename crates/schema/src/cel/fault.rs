//! The faults of an expression.

use std::fmt;

use super::{
    MOST_CHARACTERS, MOST_DEEP,
    functions::{Call, Overload, Style},
    types::{Scalar, Type},
};

/// A fault of an expression. Its `Display` is cel-go's message, which the API server quotes; `'d`
/// is the lifetime of the declarations.
#[derive(Clone, Debug)]
pub enum Fault<'d> {
    /// The expression does not parse.
    Syntax {
        /// The parser's message.
        message: String,
        /// The position of the first unexpected byte.
        at: usize,
    },
    /// The expression is nested too deeply.
    TooDeep,
    /// The expression has too many characters.
    TooLong {
        /// The number of characters.
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
    /// The variable does not exist.
    UnknownVariable {
        /// The variable's name.
        name: String,
        /// The variables in scope.
        known: Vec<String>,
        /// Whether `self` has a field with that name.
        is_field: bool,
    },
    /// The function does not exist.
    UnknownFunction {
        /// The function's name, qualified by its library.
        name: String,
    },
    /// The object has no such field.
    UndefinedField {
        /// The field's name.
        field: String,
        /// The existing fields.
        known: Vec<String>,
        /// Whether the schema declares the field, but without a type.
        is_hidden: bool,
    },
    /// A field is selected from a value without fields.
    NoFields {
        /// The field's name.
        field: String,
        /// The value's type.
        ty: Type<'d>,
    },
    /// No signature of a function fits the arguments.
    NoOverload {
        /// The function.
        function: String,
        /// The style of the call.
        style: Style,
        /// The types of the receiver and the arguments.
        types: Vec<Type<'d>>,
        /// The existing signatures.
        overloads: &'static [Overload],
    },
    /// `?` precedes a value that is not optional.
    NotOptional {
        /// The value's type.
        ty: Type<'d>,
    },
    /// The items of a list, or keys or values of a map, have different types.
    Mixed {
        /// A description of the parts, such as `items of a list`.
        parts: &'static str,
        /// The type of the first ones.
        before: Type<'d>,
        /// The type that differs.
        ty: Type<'d>,
    },
    /// A macro iterates over a value without items.
    NoItems {
        /// The value's type.
        ty: Type<'d>,
    },
    /// A value has the wrong type.
    Mismatch {
        /// The expected type.
        expected: Type<'d>,
        /// The actual type.
        found: Type<'d>,
    },
    /// A literal is invalid for the function that parses it.
    Literal(Unparsed),
    /// The result has the wrong type.
    Outcome {
        /// The expected type.
        expected: Type<'d>,
        /// The actual type.
        found: Type<'d>,
    },
}

/// A literal that its function cannot parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unparsed {
    /// The argument of `duration`.
    Duration(String),
    /// The argument of `timestamp`.
    Time(String),
    /// A regular expression.
    Pattern {
        /// The function.
        function: &'static str,
        /// Go's error.
        error: String,
        /// Whether the server detects it only when it creates a program from the expression.
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

/// Formats the message for an undeclared name.
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
