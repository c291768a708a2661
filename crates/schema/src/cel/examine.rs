//! Examines an expression as the API server does when a CRD is created.
//!
//! The server refuses a CRD with a rule that does not parse, refers to unknown names, does not
//! result in a boolean, or could cost too much. Where this module cannot decide, the expression
//! counts as valid, since the server may accept it.

use std::{collections::BTreeSet, ops::Range};

use super::{
    Fault,
    check::{Checker, Outcome, literals},
    cost::Coster,
    decl::Decl,
    parse,
    parse::places,
    tree::{Id, Node, Tree},
    types::{Scalar, Type},
};

/// The purpose of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A rule, which is true or false.
    Rule,
    /// The message expression of a rule.
    Message,
}

/// The type of `oldSelf`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OldSelf {
    /// The same as `self`.
    Value,
    /// An optional, so that the rule also holds for new objects.
    Optional,
}

/// The findings about an expression.
#[derive(Debug)]
pub enum Verdict<'d> {
    /// The faults, in the order of the source.
    Faults(Vec<Found<'d>>),
    /// The maximum cost for one value, and what could be bounded to lower it: markers, and the
    /// paths that they would bound.
    Cost(u64, BTreeSet<(&'static str, &'d str)>),
    /// Only the API server can decide.
    Unknown,
}

/// Examines an expression about values of a declaration.
pub fn examine<'d>(
    expression: &str,
    purpose: Purpose,
    old: OldSelf,
    decl: &'d Decl,
) -> Verdict<'d> {
    let (tree, root) = match parse(expression) {
        Ok(tree) => tree,
        Err(Some(fault)) => return Verdict::Faults(vec![Found::of(fault)]),
        Err(None) => return Verdict::Unknown,
    };
    let own = decl.ty();
    let before = match old {
        OldSelf::Value => own.clone(),
        OldSelf::Optional => Type::optional(own.clone()),
    };
    let variables = vec![("self", own), ("oldSelf", before)];
    let placed = |faults| Verdict::Faults(placed(expression, &tree, faults));
    let (checked, ty) = match Checker::run(&tree, root, variables) {
        Outcome::Types(checked, ty) => (checked, ty),
        Outcome::Faults(faults) => return placed(faults),
        Outcome::Uncertain => return Verdict::Unknown,
    };
    let expected = match purpose {
        Purpose::Rule => Scalar::Bool,
        Purpose::Message => Scalar::String,
    };
    if !ty.is(expected) {
        let expected = Type::Scalar(expected);
        let found = ty;
        return Verdict::Faults(vec![Found::of(Fault::Outcome { expected, found })]);
    }
    let faults = literals::faults(&tree, &checked);
    if !faults.is_empty() {
        let faults = faults.into_iter();
        return placed(
            faults
                .map(|(fault, id)| (Fault::Literal(fault), id))
                .collect(),
        );
    }
    let (cost, unbounded) = Coster::run(&tree, root, &checked, decl);
    Verdict::Cost(cost, unbounded)
}

/// A fault and its position.
#[derive(Clone, Debug)]
pub struct Found<'d> {
    /// The fault.
    pub fault: Fault<'d>,
    /// The affected bytes of the expression, if known.
    pub place: Option<Range<usize>>,
}

impl<'d> Found<'d> {
    /// Creates a finding for the whole expression, or with the fault's own position.
    const fn of(fault: Fault<'d>) -> Self {
        let place = match fault {
            Fault::Syntax { at, .. } => Some(at..at),
            _ => None,
        };
        Self { fault, place }
    }
}

/// Sorts faults by their position.
fn placed<'d>(expression: &str, tree: &Tree, faults: Vec<(Fault<'d>, Id)>) -> Vec<Found<'d>> {
    let place_of = places(expression);
    let faults = faults.into_iter();
    let mut found: Vec<Found<'d>> = faults
        .map(|(fault, id)| Found {
            fault,
            place: place_of(tree.part(id))
                .map(|place| with_field(expression, place, tree.node(id))),
        })
        .collect();
    found.sort_by_key(|one| one.place.as_ref().map(|place| place.start));
    found
}

/// Returns the range of a node; for a field access, from the dot to the end of the field's name.
fn with_field(expression: &str, place: Range<usize>, node: &Node) -> Range<usize> {
    let Node::Select { field, .. } = node else {
        return place;
    };
    let rest = expression.get(place.end..).unwrap_or_default();
    let is_next = rest.starts_with(field.as_str());
    let end = place.end + if is_next { field.len() } else { 0 };
    place.start..end
}

/// Whether an expression reads a variable; `None` if it does not parse.
#[must_use]
pub fn reads(expression: &str, variable: &str) -> Option<bool> {
    let (tree, _) = parse(expression).ok()?;
    let mut nodes = tree.nodes.iter();
    Some(nodes.any(|node| matches!(node, Node::Ident(name) if name == variable)))
}
