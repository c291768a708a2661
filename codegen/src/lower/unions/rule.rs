//! Evaluates CEL rules given only assumptions about an object.
//!
//! A value that depends on anything else is [`Known::Nothing`]; a rule that is false nevertheless
//! rejects every such object. Rules therefore need no particular form: `has(self.a) != has(self.b)`
//! and `[has(self.a), has(self.b)].filter(x, x == true).size() == 1` give the same result.

use std::{cell::Cell, collections::BTreeMap};

use super::facts::{Budget, Count, Facts, Truth};
use crate::{
    cel::{
        self,
        names::escaped,
        tree::{Access, Call, Id, Literal, Loop, Node, Tree},
    },
    model::{CelRule, Field},
};

/// The maximum number of steps of one evaluation, since nested loops multiply.
const MOST_STEPS: u32 = 20_000;

/// A rule about which fields are set.
#[derive(Debug)]
pub(super) struct Rule {
    tree: Tree,
    root: Id,
    /// The index of the field that each expression reads or tests.
    reads: BTreeMap<Id, usize>,
}

/// The indices of fields by their names in rules: words that CEL reserves are also kept unescaped.
#[derive(Debug)]
pub(super) struct Names(BTreeMap<String, usize>);

impl Names {
    pub(super) fn of(fields: &[Field]) -> Self {
        let mut names = BTreeMap::new();
        for (position, field) in fields.iter().enumerate() {
            let written = [Some(field.json_name.clone()), escaped(&field.json_name)];
            for name in written.into_iter().flatten() {
                names.entry(name).or_insert(position);
            }
        }
        Self(names)
    }
}

/// What is known of a value.
#[derive(Clone, Debug)]
enum Known {
    Nothing,
    Truth(Truth),
    Number(Count),
    Text(String),
    List(Vec<Known>),
    /// A list with a number of items in the interval.
    Items(Count),
}

impl Rule {
    /// Parses a rule, if it tests whether fields are set. A transition rule does not constrain an
    /// object by itself.
    pub(super) fn of(rule: &CelRule, names: &Names) -> Option<Self> {
        // Searching for `has`, the only macro that tests fields, is much cheaper than parsing.
        if !rule.rule.contains("has") {
            return None;
        }
        let (tree, root) = cel::parse(&rule.rule).ok()?;
        let is_change = |node: &Node| matches!(node, Node::Ident(name) if name == "oldSelf");
        if tree.nodes.iter().any(is_change) {
            return None;
        }
        let is_self = |id: Id| matches!(tree.node(id), Node::Ident(name) if name == "self");
        let read = |node: &Node| match node {
            Node::Select { operand, field, .. } if is_self(*operand) => names.0.get(field).copied(),
            _ => None,
        };
        let nodes = tree.nodes.iter().enumerate();
        let reads = nodes.filter_map(|(id, node)| Some((id, read(node)?)));
        let reads = reads.collect();
        Some(Self { tree, root, reads })
    }

    /// Returns the indices of the fields that the rule reads or tests, with repetitions.
    pub(super) fn fields(&self) -> impl Iterator<Item = usize> {
        self.reads.values().copied()
    }

    /// Whether the object satisfies the rule.
    pub(super) fn holds(&self, facts: &Facts<'_>, fields: &[Field], budget: &Budget) -> Truth {
        let evaluation = Evaluation {
            rule: self,
            facts,
            fields,
            budget,
            steps: Cell::new(0),
        };
        evaluation.truth(self.root, &mut Vec::new())
    }
}

/// Variables and what is known of them, innermost last.
type Variables = Vec<(String, Known)>;

struct Evaluation<'e> {
    rule: &'e Rule,
    facts: &'e Facts<'e>,
    fields: &'e [Field],
    budget: &'e Budget,
    steps: Cell<u32>,
}

impl Evaluation<'_> {
    fn truth(&self, id: Id, variables: &mut Variables) -> Truth {
        match self.value(id, variables) {
            Known::Truth(truth) => truth,
            _ => Truth::Unknown,
        }
    }

    /// Consumes steps; returns `false` if none are left.
    fn take(&self, steps: u32) -> bool {
        self.steps.set(self.steps.get().saturating_add(steps));
        self.budget.spend(steps.into());
        self.steps.get() <= MOST_STEPS && !self.budget.is_spent()
    }

    fn value(&self, id: Id, variables: &mut Variables) -> Known {
        if !self.take(1) {
            return Known::Nothing;
        }
        match self.rule.tree.node(id) {
            Node::Literal(Literal::Bool(value)) => Known::Truth((*value).into()),
            Node::Literal(Literal::Int(value)) => Known::Number(Count::exactly(*value)),
            Node::Literal(Literal::String(value)) => Known::Text(value.clone()),
            Node::Ident(name) => {
                let mut known = variables.iter().rev();
                let known = known.find(|(variable, _)| variable == name);
                let known = known.filter(|(_, value)| self.take(value.weight()));
                known.map_or(Known::Nothing, |(_, value)| value.clone())
            }
            Node::Select { access, .. } => self.select(id, *access),
            Node::Call(call) => self.call(call, variables),
            Node::List(entries) if entries.iter().all(|entry| !entry.optional) => {
                let items = entries.iter();
                Known::List(
                    items
                        .map(|item| self.value(item.value, variables))
                        .collect(),
                )
            }
            Node::Loop(looped) => self.run(looped, variables),
            _ => Known::Nothing,
        }
    }

    fn select(&self, id: Id, access: Access) -> Known {
        let Some(&position) = self.rule.reads.get(&id) else {
            return Known::Nothing;
        };
        match access {
            Access::Test => Known::Truth(self.facts.has_at(position)),
            Access::Read => {
                let name = self.fields.get(position).map(|field| &field.json_name);
                let value = name.and_then(|name| self.facts.value(name));
                value.map_or(Known::Nothing, |value| Known::Text(value.to_owned()))
            }
        }
    }

    fn call(&self, call: &Call, variables: &mut Variables) -> Known {
        let args = call.target.iter().chain(&call.args);
        match (
            call.function.as_str(),
            args.copied().collect::<Vec<Id>>().as_slice(),
        ) {
            ("_?_:_", &[condition, then, otherwise]) => match self.truth(condition, variables) {
                Truth::Yes => self.value(then, variables),
                Truth::No => self.value(otherwise, variables),
                Truth::Unknown => {
                    let then = self.value(then, variables);
                    then.or(self.value(otherwise, variables))
                }
            },
            ("_&&_", args) => {
                let args = args.iter().map(|arg| self.truth(*arg, variables));
                Known::Truth(args.fold(Truth::Yes, Truth::and))
            }
            ("_||_", args) => {
                let args = args.iter().map(|arg| self.truth(*arg, variables));
                Known::Truth(args.fold(Truth::No, Truth::or))
            }
            ("!_", &[arg]) => Known::Truth(self.truth(arg, variables).not()),
            // Errors are unknown here, so the result is the argument.
            ("@not_strictly_false", &[arg]) => self.value(arg, variables),
            ("size", &[list]) => self.value(list, variables).size(),
            ("sum", &[list]) => match self.value(list, variables) {
                Known::List(items) => items
                    .into_iter()
                    .fold(Known::Number(Count::exactly(0)), Known::plus),
                _ => Known::Nothing,
            },
            (operator, &[left, right]) => {
                let (left, right) = (self.value(left, variables), self.value(right, variables));
                left.compared(operator, right)
            }
            _ => Known::Nothing,
        }
    }

    /// Runs a loop over a list with known items.
    fn run(&self, looped: &Loop, variables: &mut Variables) -> Known {
        let Known::List(items) = self.value(looped.range, variables) else {
            return Known::Nothing;
        };
        if looped.second.is_some() {
            return Known::Nothing;
        }
        let initial = self.value(looped.initial, variables);
        variables.push((looped.accumulator.clone(), initial));
        for item in items {
            if self.truth(looped.condition, variables) == Truth::No {
                break;
            }
            variables.push((looped.variable.clone(), item));
            let step = self.value(looped.step, variables);
            variables.pop();
            if let Some((_, gathered)) = variables.last_mut() {
                *gathered = step;
            }
        }
        let result = self.value(looped.result, variables);
        variables.pop();
        result
    }
}

impl Known {
    /// Returns what is known of a value that is one of two.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Truth(a), Self::Truth(b)) if a == b => Self::Truth(a),
            (Self::Text(a), Self::Text(b)) if a == b => Self::Text(a),
            (Self::Number(a), Self::Number(b)) => Self::Number(a.or(b)),
            (a, b) => match (a.size(), b.size()) {
                (Self::Number(a), Self::Number(b)) => Self::Items(a.or(b)),
                _ => Self::Nothing,
            },
        }
    }

    /// Returns the number of values in it, all of which are copied with it.
    fn weight(&self) -> u32 {
        match self {
            Self::List(items) => items.iter().map(Self::weight).fold(1, u32::saturating_add),
            _ => 1,
        }
    }

    /// Returns the number of items of a list.
    fn size(&self) -> Self {
        match self {
            Self::List(items) => Self::Number(Count::exactly(
                i64::try_from(items.len()).unwrap_or(i64::MAX),
            )),
            Self::Items(count) => Self::Number(*count),
            _ => Self::Nothing,
        }
    }

    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Self::Number(a.plus(b)),
            (Self::List(mut a), Self::List(b)) => {
                a.extend(b);
                Self::List(a)
            }
            (a, b) => match (a.size(), b.size()) {
                (Self::Number(a), Self::Number(b)) => Self::Items(a.plus(b)),
                _ => Self::Nothing,
            },
        }
    }

    /// Applies a comparison operator.
    fn compared(self, operator: &str, other: Self) -> Self {
        let truth = match (operator, self, other) {
            ("_+_", a, b) => return a.plus(b),
            ("_==_", a, b) => a.equals(&b),
            ("_!=_", a, b) => a.equals(&b).not(),
            ("_<_", Self::Number(a), Self::Number(b)) => a.is_below(b),
            ("_>_", Self::Number(a), Self::Number(b)) => b.is_below(a),
            ("_<=_", Self::Number(a), Self::Number(b)) => b.is_below(a).not(),
            ("_>=_", Self::Number(a), Self::Number(b)) => a.is_below(b).not(),
            ("@in", item, Self::List(items)) => items
                .iter()
                .map(|other| item.equals(other))
                .fold(Truth::No, Truth::or),
            _ => return Self::Nothing,
        };
        Self::Truth(truth)
    }

    fn equals(&self, other: &Self) -> Truth {
        match (self, other) {
            (Self::Truth(Truth::Yes), Self::Truth(b)) => *b,
            (Self::Truth(Truth::No), Self::Truth(b)) => b.not(),
            (Self::Truth(a), Self::Truth(Truth::Yes)) => *a,
            (Self::Truth(a), Self::Truth(Truth::No)) => a.not(),
            (Self::Number(a), Self::Number(b)) => a.equals(*b),
            (Self::Text(a), Self::Text(b)) => (a == b).into(),
            _ => Truth::Unknown,
        }
    }
}
