//! Expressions in CEL, as syntax: parsed, and with their macros expanded.
//!
//! The parser is the `cel` crate's, which kube uses too. `emit::manifests::cel` checks their types and estimates their cost,
//! `lower::unions` finds out which fields they permit together.

pub(crate) mod names;
pub(crate) mod tree;

use cel::{IdedExpr, parser::PrattParser};

/// How deep an expression may nest, as for the API server.
const MOST_DEEP: u16 = 250;

/// A fault of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// In one line: what is wrong.
    pub(crate) message: String,
    /// The suggested replacement; may be empty.
    pub(crate) help: String,
}

/// The expression that a text is.
///
/// # Errors
///
/// The parser's first finding.
pub(crate) fn parse(expression: &str) -> Result<IdedExpr, Fault> {
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
