//! Expressions in CEL.
//!
//! The `cel` crate, which kube uses too, parses them; `tree` is an expression without macros. `functions` is the registry of functions.
//! From it derive [`check`] (types, against what `decl` says of a schema), [`cost`] (the estimate) and `eval`. [`examine`] is what the API
//! server does with an expression when a CRD is created, and [`Fault`] what it can find.

pub mod budget;
pub mod check;
mod condition;
pub mod cost;
pub mod decl;
pub(crate) mod eval;
pub mod examine;
pub(crate) mod fault;
pub mod functions;
pub mod names;
mod parse;
pub(crate) mod time;
pub mod tree;
pub mod types;
pub mod view;

pub use self::{
    condition::{Condition, MUST_BE_BOOL, Undecided},
    fault::{Fault, Unparsed},
    parse::parse,
};

/// How deep an expression may nest, as for the API server. Chains of operators and of calls nest, too; those of `&&` and `||` do not.
pub const MOST_DEEP: u16 = 250;

/// The most characters of an expression, as for the API server.
pub const MOST_CHARACTERS: usize = 100_000;
