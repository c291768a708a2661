//! Estimates the maximum cost of an expression, as the API server does before it accepts a rule.
//!
//! The rules are cel-go's (`checker/cost.go`) and those of Kubernetes' functions
//! (`k8s.io/apiserver/pkg/cel/library/cost.go`): reading a variable or field costs 1, traversing a
//! string 0.1 per character, a loop its body per item. Sizes come from `decl`. Kubernetes never
//! changes these costs, since accepted rules must stay valid.

use std::collections::BTreeSet;

mod call;
mod path;
mod size;

use self::{
    path::{Path, Step},
    size::Size,
};
use super::{
    check::{Checked, Resolved},
    decl::Decl,
    functions::{Cost, Style},
    tree::{Access, Call, Entry, Id, Literal, Loop, Node, Tree},
    types::{Scalar, Type},
};

/// The cost of traversing a character of a string.
pub(crate) const CHARACTER: f64 = 0.1;

/// The cost per character of a regular expression, for each cost unit of the string.
pub(crate) const PATTERN: f64 = 0.25;

pub(crate) const NEW_LIST: u64 = 10;
const NEW_MAP: u64 = 30;

/// The number of characters of the longest regular expression of a named format.
pub(crate) const FORMAT_PATTERN: f64 = 128.0;

/// The number of characters of the longest format name.
pub(crate) const FORMAT_NAME: u64 = 64;

/// The sizes of the keys and values of a list or map that an expression creates.
#[derive(Clone, Copy, Debug)]
struct Entries {
    is_list: bool,
    key: Size,
    value: Size,
}

/// The declaration of a variable.
#[derive(Debug)]
struct Local<'t, 'd> {
    name: &'t str,
    path: Path<'d>,
    size: Option<Size>,
    entries: Option<Entries>,
}

/// The cost of a call without its arguments, and the size of its result.
pub(crate) struct CallCost {
    pub(crate) cost: u64,
    pub(crate) size: Option<Size>,
}

pub(crate) struct Coster<'t, 'd> {
    pub(crate) tree: &'t Tree,
    pub(crate) checked: &'t Checked<'d>,
    root: &'d Decl,
    paths: Vec<Path<'d>>,
    sizes: Vec<Option<Size>>,
    entries: Vec<Option<Entries>>,
    locals: Vec<Local<'t, 'd>>,
    unbounded: BTreeSet<(&'static str, &'d str)>,
}

impl<'t, 'd> Coster<'t, 'd> {
    /// Returns the cost of an expression about a value, and what could be bounded to lower it:
    /// markers, and the paths that they would bound.
    pub(crate) fn run(
        tree: &'t Tree,
        id: Id,
        checked: &'t Checked<'d>,
        root: &'d Decl,
    ) -> (u64, BTreeSet<(&'static str, &'d str)>) {
        let count = tree.nodes.len();
        let mut coster = Self {
            tree,
            checked,
            root,
            paths: vec![Path::Nowhere; count],
            sizes: vec![None; count],
            entries: vec![None; count],
            locals: Vec::new(),
            unbounded: BTreeSet::new(),
        };
        let cost = coster.cost(id);
        (cost, coster.unbounded)
    }

    fn cost(&mut self, id: Id) -> u64 {
        match self.tree.node(id) {
            Node::Literal(_) | Node::Message => 0,
            Node::Ident(name) => {
                let local = self.local(name);
                let path = local.map_or(Path::At(Some(self.root)), |local| local.path);
                self.put_path(id, path);
                1
            }
            Node::Select {
                operand,
                field,
                access,
            } => self.select(id, *operand, field, *access),
            Node::Call(call) => self.call(id, call),
            Node::List(entries) => self.list(id, entries),
            Node::Map(entries) => self.map(id, entries),
            Node::Loop(one) => match self.bound_variable(one) {
                true => self.bind(id, one),
                false => self.repeat(id, one),
            },
        }
    }

    fn select(&mut self, id: Id, operand: Id, field: &str, access: Access) -> u64 {
        let is_name = matches!(self.ty(id), Type::Scalar(Scalar::Type));
        if is_name && self.tree.qualified_name(id).is_some() && self.is_unread(operand) {
            return 1;
        }
        let cost = self.cost(operand);
        if access == Access::Test {
            return cost;
        }
        let path = self.below(self.path(operand), Step::Field(field));
        self.put_path(id, path);
        match self.ty(operand) {
            Type::Map(..) | Type::Object(_) | Type::Param(_) => cost.saturating_add(1),
            _ => cost,
        }
    }

    /// Whether an expression is the package of a type name for which no type was found.
    fn is_unread(&self, id: Id) -> bool {
        matches!(self.ty(id), Type::Dyn)
    }

    fn list(&mut self, id: Id, entries: &[Entry]) -> u64 {
        let mut sum = NEW_LIST;
        let mut value: Option<Size> = None;
        for entry in entries {
            sum = sum.saturating_add(self.cost(entry.value));
            let size = self.size_or_unknown(entry.value);
            value = Some(value.map_or(size, |value| value.or(size)));
        }
        let entries = Entries {
            is_list: true,
            key: Size::fixed(1),
            value: value.unwrap_or(Size::fixed(0)),
        };
        self.put_entries(id, Some(entries));
        sum
    }

    fn map(&mut self, id: Id, entries: &[(Id, Entry)]) -> u64 {
        let mut sum = NEW_MAP;
        let mut sizes: Option<(Size, Size)> = None;
        for (key, entry) in entries {
            sum = sum.saturating_add(self.cost(*key));
            sum = sum.saturating_add(self.cost(entry.value));
            let size = (
                self.size_or_unknown(*key),
                self.size_or_unknown(entry.value),
            );
            sizes = Some(sizes.map_or(size, |(key, value)| (key.or(size.0), value.or(size.1))));
        }
        let (key, value) = sizes.unwrap_or((Size::fixed(0), Size::fixed(0)));
        let is_list = false;
        self.put_entries(
            id,
            Some(Entries {
                is_list,
                key,
                value,
            }),
        );
        sum
    }

    /// Whether a loop is a variable that `optMap` or `sortBy` declares.
    fn bound_variable(&self, one: &Loop) -> bool {
        let never = matches!(
            self.tree.node(one.condition),
            Node::Literal(Literal::Bool(false))
        );
        let empty = matches!(self.tree.node(one.range), Node::List(entries) if entries.is_empty());
        never && empty
    }

    fn bind(&mut self, id: Id, one: &'t Loop) -> u64 {
        let mut sum = self.cost(one.range);
        sum = sum.saturating_add(self.cost(one.initial));
        self.push_value(&one.accumulator, one.initial);
        sum = sum.saturating_add(self.cost(one.result));
        self.locals.pop();
        let size = self.size(one.result);
        self.put_size(id, size);
        let entries = self.entries(one.result);
        self.put_entries(id, entries);
        sum
    }

    fn repeat(&mut self, id: Id, one: &'t Loop) -> u64 {
        let mut sum = self.cost(one.range);
        sum = sum.saturating_add(self.cost(one.initial));
        self.push_value(&one.accumulator, one.initial);
        let made = self.entries(one.range);
        let is_list = match made {
            Some(made) => made.is_list,
            None => matches!(self.ty(one.range), Type::List(_)),
        };
        let before = self.locals.len();
        let path = self.path(one.range);
        let key = (Step::Key, made.map(|made| made.key));
        let value = (Step::Element, made.map(|made| made.value));
        let mut push = |name: &'t str, (step, size): (Step<'_>, Option<Size>)| {
            let path = self.below(path, step);
            self.locals.push(Local {
                name,
                path,
                size,
                entries: None,
            });
        };
        match &one.second {
            Some(second) => {
                push(&one.variable, key);
                push(second, value);
            }
            None => push(&one.variable, if is_list { value } else { key }),
        }
        let condition = self.cost(one.condition);
        let step = self.cost(one.step);
        self.locals.truncate(before);
        sum = sum.saturating_add(self.cost(one.result));
        self.locals.pop();
        let count = self.size_or_unknown(one.range);
        let each = condition.saturating_add(step);
        sum = sum.saturating_add(count.max.saturating_mul(each));
        match self.tree.node(one.initial) {
            Node::Literal(_) => {
                let size = self.size(one.initial);
                self.put_size(id, size);
            }
            Node::List(_) | Node::Map(_) => {
                self.put_size(id, Some(count));
                let entries = self.entries(one.step);
                self.put_entries(id, entries);
            }
            _ => {}
        }
        sum
    }

    /// Declares a variable whose value is an expression.
    fn push_value(&mut self, name: &'t str, id: Id) {
        let (path, entries) = (self.path(id), self.entries(id));
        let size = self.size(id);
        self.locals.push(Local {
            name,
            path,
            size,
            entries,
        });
    }

    fn call(&mut self, id: Id, call: &'t Call) -> u64 {
        let checked = self.checked;
        let Some(Some(resolved)) = checked.calls.get(id) else {
            return 0;
        };
        if resolved.function == "dyn"
            && let [arg] = call.args.as_slice()
        {
            let cost = self.cost(*arg);
            let size = self.size(*arg);
            self.put_size(id, size);
            let entries = self.entries(*arg);
            self.put_entries(id, entries);
            return cost.saturating_add(1);
        }
        let costs: Vec<u64> = call.args.iter().map(|arg| self.cost(*arg)).collect();
        let mut sum = 0;
        let mut args = call.args.clone();
        if resolved.style == Style::Member
            && let Some(target) = call.target
        {
            sum = self.cost(target);
            args.insert(0, target);
        }
        let (cost, size) = self.overloads(id, resolved, &args, &costs);
        self.put_size(id, size);
        sum.saturating_add(cost)
    }

    /// Returns the maximum cost of the signatures that fit a call with its arguments, and its size.
    fn overloads(
        &mut self,
        id: Id,
        resolved: &Resolved,
        args: &[Id],
        costs: &[u64],
    ) -> (u64, Option<Size>) {
        let all = costs
            .iter()
            .fold(0_u64, |sum, cost| sum.saturating_add(*cost));
        let rule = resolved.overloads.first().map(|one| one.cost);
        let whole = match (rule, costs, args) {
            (Some(Cost::Logic), ..) => Some(CallCost {
                cost: all,
                size: None,
            }),
            (Some(Cost::Choice), [condition, yes, no], [_, a, b]) => {
                let size = self.size_or_unknown(*a).or(self.size_or_unknown(*b));
                if let (Some(a), Some(b)) = (self.entries(*a), self.entries(*b)) {
                    self.put_entries(id, Some(a.or(b)));
                }
                Some(CallCost {
                    cost: condition.saturating_add(*yes.max(no)),
                    size: Some(size),
                })
            }
            _ => None,
        };
        if let Some(CallCost { cost, size }) = whole {
            let size = size.or_else(|| self.size(id));
            return (cost, size);
        }
        // Optional field access has no signature.
        if resolved.overloads.is_empty() {
            return (all.saturating_add(1), self.size(id));
        }
        let mut most = 0;
        let mut size: Option<Size> = None;
        for overload in &resolved.overloads {
            let one = self.signature(id, overload, args);
            most = most.max(one.cost.saturating_add(all));
            if let Some(found) = one.size {
                size = Some(size.map_or(found, |size| size.or(found)));
            }
            // Indexing selects a part of the schema.
            if resolved.function == "_[_]"
                && let (Some(Type::List(_) | Type::Map(..)), [container, ..]) =
                    (overload.args.first(), args)
            {
                size = self.entries(*container).map(|made| made.value);
                let path = self.below(self.path(*container), Step::Element);
                self.put_path(id, path);
            }
            if size.is_none() {
                size = self.size(id);
            }
        }
        (most, size)
    }

    /// Records the entries of the sum of two lists.
    pub(crate) fn join_entries(&mut self, id: Id, a: Id, b: Id) {
        if let (Some(a), Some(b)) = (self.entries(a), self.entries(b)) {
            self.put_entries(id, Some(a.or(b)));
        }
    }

    pub(crate) fn ty(&self, id: Id) -> &Type<'d> {
        self.checked.types.get(id).unwrap_or(&Type::Dyn)
    }

    pub(crate) fn size_or_unknown(&mut self, id: Id) -> Size {
        self.size(id).unwrap_or(Size::UNKNOWN)
    }

    /// Returns the size of an item of a list.
    pub(crate) fn item_size(&mut self, list: Id) -> Size {
        let path = match self.path(list) {
            Path::Nowhere => Path::Nowhere,
            at @ Path::At(_) => self.below(at, Step::Element),
        };
        self.declared_size(path).unwrap_or(Size::UNKNOWN)
    }

    /// Returns the size of an expression's value: as computed, else of the literal, else as
    /// declared, else by its type.
    pub(crate) fn size(&mut self, id: Id) -> Option<Size> {
        if let Some(size) = self.sizes.get(id).copied().flatten() {
            return Some(size);
        }
        let written = match self.tree.node(id) {
            Node::Literal(literal) => Some(match literal {
                Literal::String(text) => text.chars().count() as u64,
                Literal::Bytes(bytes) => bytes.len() as u64,
                _ => 1,
            }),
            Node::List(entries) => Some(entries.len() as u64),
            Node::Map(entries) => Some(entries.len() as u64),
            _ => None,
        };
        if let Some(size) = written {
            return Some(Size::fixed(size));
        }
        if let Some(size) = self.declared_size(self.path(id)) {
            self.put_size(id, Some(size));
            return Some(size);
        }
        if is_scalar(self.ty(id)) {
            return Some(Size::fixed(1));
        }
        match self.tree.node(id) {
            Node::Ident(name) => self.local(name)?.size,
            _ => None,
        }
    }

    fn declared_size(&mut self, path: Path<'d>) -> Option<Size> {
        let Path::At(Some(decl)) = path else {
            return None;
        };
        if let Some((marker, at)) = &decl.unbounded {
            self.unbounded.insert((marker, at));
        }
        Some(Size::at_most(decl.max_elements))
    }

    fn entries(&self, id: Id) -> Option<Entries> {
        if let Some(entries) = self.entries.get(id).copied().flatten() {
            return Some(entries);
        }
        match self.tree.node(id) {
            Node::Ident(name) => self.local(name)?.entries,
            _ => None,
        }
    }

    fn local(&self, name: &str) -> Option<&Local<'t, 'd>> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    fn path(&self, id: Id) -> Path<'d> {
        if let Node::Ident(name) = self.tree.node(id)
            && let Some(local) = self.local(name)
        {
            return local.path;
        }
        self.paths.get(id).copied().unwrap_or(Path::Nowhere)
    }

    fn below(&self, path: Path<'d>, step: Step<'_>) -> Path<'d> {
        path.below(self.root, step)
    }

    fn put_path(&mut self, id: Id, path: Path<'d>) {
        if let Some(place) = self.paths.get_mut(id) {
            *place = path;
        }
    }

    fn put_size(&mut self, id: Id, size: Option<Size>) {
        if let (Some(place), Some(_)) = (self.sizes.get_mut(id), size) {
            *place = size;
        }
    }

    fn put_entries(&mut self, id: Id, entries: Option<Entries>) {
        if let (Some(place), Some(_)) = (self.entries.get_mut(id), entries) {
            *place = entries;
        }
    }
}

impl Entries {
    fn or(self, other: Self) -> Self {
        Self {
            is_list: self.is_list,
            key: self.key.or(other.key),
            value: self.value.or(other.value),
        }
    }
}

fn is_scalar(ty: &Type<'_>) -> bool {
    match ty {
        Type::Optional(value) => is_scalar(value),
        Type::Scalar(scalar) => matches!(
            scalar,
            Scalar::Bool
                | Scalar::Double
                | Scalar::Duration
                | Scalar::Int
                | Scalar::Timestamp
                | Scalar::Uint
        ),
        _ => false,
    }
}
