//! Expressions in CEL, looked at as the API server looks at them when a CRD is created.
//!
//! It refuses a CRD of which a rule does not parse, names what is not there, has no boolean as result, or could cost too much.
//! `decl` is what an expression sees of a schema, `functions` what it can call, `check` its types, `literals` the texts that
//! functions parse, and `cost` the estimate. What is not known here, the API server may know: it counts as right.

mod call_cost;
mod check;
mod cost;
mod decl;
mod functions;
mod literals;
mod path;
mod size;
#[cfg(test)]
mod tests;
mod types;
mod wording;

pub(super) use self::decl::{Decl, Level, MAX_REQUEST, bound};
use self::{
    check::{Checker, Outcome},
    cost::Coster,
    types::{Scalar, Type},
};
use crate::cel::{
    Fault, parse,
    tree::{Node, Tree},
};

/// The purpose of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A rule, which is true or false.
    Rule,
    /// The message of a refusal.
    Message,
}

/// The type of `oldSelf`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OldSelf {
    Value,
    /// An optional, so that the rule also holds for new objects.
    Optional,
}

/// Findings about an expression.
#[derive(Debug)]
pub(super) enum Verdict<'d> {
    Faults(Vec<Fault>),
    /// The most that it costs for one value, and what could be bounded to lower that: markers, and the paths of what they
    /// would bound.
    Cost(u64, Vec<(&'static str, &'d str)>),
    /// Only the API server knows.
    Unknown,
}

/// Looks at an expression about values of a declaration.
pub(super) fn examine<'d>(
    expression: &str,
    purpose: Purpose,
    old: OldSelf,
    decl: &'d Decl,
) -> Verdict<'d> {
    let parsed = match parse(expression) {
        Ok(parsed) => parsed,
        Err(fault) => return Verdict::Faults(vec![fault]),
    };
    let (tree, root) = match Tree::of(&parsed) {
        Ok(tree) => tree,
        Err(Some(fault)) => return Verdict::Faults(vec![fault]),
        Err(None) => return Verdict::Unknown,
    };
    let own = decl.ty();
    let before = match old {
        OldSelf::Value => own.clone(),
        OldSelf::Optional => Type::optional(own.clone()),
    };
    let variables = vec![("self", own), ("oldSelf", before)];
    let (checked, ty) = match Checker::run(&tree, root, variables) {
        Outcome::Types(checked, ty) => (checked, ty),
        Outcome::Faults(faults) => return Verdict::Faults(faults),
        Outcome::Uncertain => return Verdict::Unknown,
    };
    let faults = literals::faults(&tree, &checked);
    if !faults.is_empty() {
        return Verdict::Faults(faults);
    }
    if let Some(fault) = misfit(purpose, &ty) {
        return Verdict::Faults(vec![fault]);
    }
    let (cost, unbounded) = Coster::run(&tree, root, &checked, decl);
    Verdict::Cost(cost, unbounded.into_iter().collect())
}

/// The fault of a result's type.
fn misfit(purpose: Purpose, ty: &Type<'_>) -> Option<Fault> {
    let (expected, what, help) = match purpose {
        Purpose::Rule => (
            Scalar::Bool,
            "a rule",
            "write a condition, such as `self.min <= self.max`",
        ),
        Purpose::Message => (
            Scalar::String,
            "a message",
            "write a text, such as `'must be at most ' + self.limit`; a text that never changes is a `message`",
        ),
    };
    (!ty.is(expected)).then(|| Fault {
        message: format!(
            "{what} must be of type {}, and this is of type {ty}",
            Type::Scalar(expected)
        ),
        help: help.to_owned(),
    })
}

/// Whether an expression reads a variable; none if it does not parse.
pub(super) fn reads(expression: &str, variable: &str) -> Option<bool> {
    let (tree, _) = Tree::of(&parse(expression).ok()?).ok()?;
    let mut nodes = tree.nodes.iter();
    Some(nodes.any(|node| matches!(node, Node::Ident(name) if name == variable)))
}
