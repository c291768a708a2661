//! CEL expressions.
//!
//! The `cel` crate, which kube also uses, parses them; `tree` is an expression with macros
//! expanded. `functions` is the registry of functions. [`check`] (types, given the declarations of
//! `decl`), [`cost`] (the estimate) and `eval` derive from it. [`examine`] does what the API server
//! does with an expression when a CRD is created, and [`Fault`] is what it can find.

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
mod scalar;
pub(crate) mod time;
pub mod tree;
pub mod types;
pub mod view;

pub use self::{
    condition::{MUST_BE_BOOL, Scope, Undecided, condition_faults},
    fault::{Fault, Unparsed},
    parse::parse,
};

/// The maximum nesting depth of an expression, as in the API server. Chains of operators and calls
/// count as nesting; those of `&&` and `||` do not.
pub const MOST_DEEP: u16 = 250;

/// The maximum number of characters of an expression, as in the API server.
pub const MOST_CHARACTERS: usize = 100_000;
