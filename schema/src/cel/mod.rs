//! Expressions in CEL: parsed by the `cel` crate, which kube uses too, and as a tree without macros.

pub(crate) mod eval;
pub mod tree;

use cel::{IdedExpr, parser::PrattParser};

/// How deep an expression may nest, as for the API server.
const MOST_DEEP: u16 = 250;

/// A fault of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// In one line: what is wrong.
    pub message: String,
    /// The suggested replacement; may be empty.
    pub help: String,
}

/// Parses an expression.
///
/// # Errors
///
/// Where it is not CEL.
pub fn parse(expression: &str) -> Result<IdedExpr, Fault> {
    let parser = PrattParser::new()
        .max_recursion_depth(MOST_DEEP)
        .enable_optional_syntax(true)
        .enable_ident_escape_syntax(true);
    parser.parse(expression).map_err(|errors| {
        let first = errors.errors.first();
        let (line, column) = first.map_or((1, 0), |error| error.pos);
        let message = first.map_or("not CEL", |error| error.msg.as_str());
        let message = message.lines().next().unwrap_or_default();
        Fault {
            message: format!("it does not parse: {message}"),
            help: format!("look at line {line}, column {}, of the rule", column.max(0)),
        }
    })
}
