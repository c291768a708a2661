//! An expression, looked at as the API server looks at it when a CRD is created.
//!
//! It refuses a CRD of which a rule does not parse, names what is not there, has no boolean as result, or could cost too much.
//! What is not known here, the API server may know: it counts as right.

use std::collections::BTreeSet;

use super::{
    Fault,
    check::{Checker, Outcome, literals},
    cost::Coster,
    decl::Decl,
    parse,
    tree::Node,
    types::{Scalar, Type},
};

/// The purpose of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A rule, which is true or false.
    Rule,
    /// The message of a refusal.
    Message,
}

/// The type of `oldSelf`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OldSelf {
    /// That of `self`.
    Value,
    /// An optional, so that the rule also holds for new objects.
    Optional,
}

/// Findings about an expression.
#[derive(Debug)]
pub enum Verdict<'d> {
    /// What is wrong.
    Faults(Vec<Fault<'d>>),
    /// The most that it costs for one value, and what could be bounded to lower that: markers, and the paths of what they
    /// would bound.
    Cost(u64, BTreeSet<(&'static str, &'d str)>),
    /// Only the API server knows.
    Unknown,
}

/// Looks at an expression about values of a declaration.
pub fn examine<'d>(
    expression: &str,
    purpose: Purpose,
    old: OldSelf,
    decl: &'d Decl,
) -> Verdict<'d> {
    let (tree, root) = match parse(expression) {
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
    let expected = match purpose {
        Purpose::Rule => Scalar::Bool,
        Purpose::Message => Scalar::String,
    };
    if !ty.is(expected) {
        let expected = Type::Scalar(expected);
        let found = ty;
        return Verdict::Faults(vec![Fault::Outcome { expected, found }]);
    }
    let faults = literals::faults(&tree, &checked);
    if !faults.is_empty() {
        return Verdict::Faults(faults.into_iter().map(Fault::Literal).collect());
    }
    let (cost, unbounded) = Coster::run(&tree, root, &checked, decl);
    Verdict::Cost(cost, unbounded)
}

/// Whether an expression reads a variable; none if it does not parse.
#[must_use]
pub fn reads(expression: &str, variable: &str) -> Option<bool> {
    let (tree, _) = parse(expression).ok()?;
    let mut nodes = tree.nodes.iter();
    Some(nodes.any(|node| matches!(node, Node::Ident(name) if name == variable)))
}
