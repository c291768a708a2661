//! Expressions in CEL.
//!
//! The `cel` crate, which kube uses too, parses them; `tree` is an expression without macros. `functions` is the registry of functions.
//! From it derive [`check`] (types, against what `decl` says of a schema), [`cost`] (the estimate) and `eval`. [`examine`] is what the API
//! server does with an expression when a CRD is created, and [`Fault`] what it can find.

pub mod budget;
pub mod check;
pub mod cost;
pub mod decl;
pub(crate) mod eval;
pub mod examine;
mod fault;
pub mod functions;
pub mod names;
pub(crate) mod time;
pub mod tree;
pub mod types;
pub mod view;

pub use self::fault::{Fault, Unparsed};

use cel::{IdedExpr, parser::PrattParser};

/// How deep an expression may nest, as for the API server.
const MOST_DEEP: u16 = 250;

/// Parses an expression.
///
/// # Errors
///
/// Where it is not CEL.
pub fn parse(expression: &str) -> Result<IdedExpr, Fault<'static>> {
    let parser = PrattParser::new()
        .max_recursion_depth(MOST_DEEP)
        .enable_optional_syntax(true)
        .enable_ident_escape_syntax(true);
    parser.parse(expression).map_err(|errors| {
        let first = errors.errors.first();
        let (line, column) = first.map_or((1, 0), |error| error.pos);
        let message = first.map_or("not CEL", |error| error.msg.as_str());
        let message = message.lines().next().unwrap_or_default();
        Fault::Syntax {
            message: message.to_owned(),
            line: line.unsigned_abs(),
            column: column.max(0).unsigned_abs(),
        }
    })
}
