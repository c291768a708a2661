//! Infers the types of an expression's parts, and finds the faults that the API server would.
//!
//! The rules are those of cel-go's checker, which the API server runs with the declarations of
//! `decl` and the functions of `functions`. After a fault the type is `dyn`, so that each fault is
//! reported once.

mod calls;
pub(crate) mod literals;

use super::{
    Fault,
    decl::{Decl, Fields, Kind},
    functions::{Overload, Style},
    tree::{Access, Entry, Id, Literal, Loop, Node, Tree},
    types::{SCALARS, Scalar, Solver, Type},
};

/// The types and functions of an expression's parts, by node.
#[derive(Debug)]
pub(crate) struct Checked<'d> {
    pub(crate) types: Vec<Type<'d>>,
    /// The functions that calls resolve to.
    pub(crate) calls: Vec<Option<Resolved>>,
}

/// The function of a call.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    /// The qualified name; the call's target is part of it if it is called as a function.
    pub(crate) function: String,
    pub(crate) style: Style,
    /// The signatures that fit.
    pub(crate) overloads: Vec<&'static Overload>,
}

/// Names of types, which can be used like variables.
const TYPE_NAMES: [&str; 4] = ["list", "map", "optional_type", "dyn"];

/// The first parts of qualified type names, such as `google.protobuf.Timestamp`.
const PACKAGES: [&str; 3] = ["google", "net", "kubernetes"];

pub(crate) struct Checker<'t, 'd> {
    tree: &'t Tree,
    scope: Vec<(&'t str, Type<'d>)>,
    solver: Solver<'d>,
    checked: Checked<'d>,
    faults: Vec<(Fault<'d>, Id)>,
    /// The node that is being checked.
    at: Id,
    /// Whether the items of a list may have different types, as in the argument of `format`.
    mixed: bool,
    /// Whether the expression uses something unknown here, so that the result is meaningless.
    uncertain: bool,
}

/// The result of a check.
pub(crate) enum Outcome<'d> {
    /// The types of the parts, and that of the whole.
    Types(Checked<'d>, Type<'d>),
    /// Each fault with its node.
    Faults(Vec<(Fault<'d>, Id)>),
    /// Only the API server can decide.
    Uncertain,
}

impl<'t, 'd> Checker<'t, 'd> {
    /// Checks an expression with these variables.
    pub(crate) fn run(
        tree: &'t Tree,
        root: Id,
        variables: Vec<(&'t str, Type<'d>)>,
    ) -> Outcome<'d> {
        let count = tree.nodes.len();
        let mut checker = Self {
            tree,
            scope: variables,
            solver: Solver::new(),
            checked: Checked {
                types: vec![Type::Dyn; count],
                calls: vec![None; count],
            },
            faults: Vec::new(),
            at: root,
            mixed: false,
            uncertain: false,
        };
        let whole = checker.check(root);
        let whole = checker.solver.resolved(&whole);
        let mut checked = checker.checked;
        for ty in &mut checked.types {
            *ty = checker.solver.resolved(ty);
        }
        if checker.solver.is_exhausted() {
            return Outcome::Uncertain;
        }
        if !checker.faults.is_empty() {
            return Outcome::Faults(checker.faults);
        }
        if checker.uncertain {
            return Outcome::Uncertain;
        }
        Outcome::Types(checked, whole)
    }

    fn check(&mut self, id: Id) -> Type<'d> {
        let tree = self.tree;
        let around = std::mem::replace(&mut self.at, id);
        let ty = match tree.node(id) {
            Node::Literal(literal) => literal_type(literal),
            Node::Ident(name) => self.ident(name),
            Node::Select {
                operand,
                field,
                access,
            } => self.select(id, *operand, field, *access),
            Node::Call(call) => self.call(id, call),
            Node::List(entries) => {
                let items = self.joined(entries, "items of a list");
                Type::list(items)
            }
            Node::Map(entries) => {
                let keys: Vec<Entry> = entries.iter().map(|(key, _)| plain(*key)).collect();
                let values: Vec<Entry> = entries.iter().map(|(_, value)| *value).collect();
                let keys = self.joined(&keys, "keys of a map");
                let values = self.joined(&values, "values of a map");
                Type::map(keys, values)
            }
            Node::Loop(one) => self.repeat(one),
            Node::Message => {
                self.uncertain = true;
                Type::Dyn
            }
        };
        self.at = around;
        self.solver.count(&ty);
        if self.solver.is_exhausted() {
            return Type::Dyn;
        }
        if let Some(place) = self.checked.types.get_mut(id) {
            *place = ty.clone();
        }
        ty
    }

    /// Reports a fault of the node that is being checked.
    fn fault(&mut self, fault: Fault<'d>) -> Type<'d> {
        self.fault_at(self.at, fault)
    }

    fn fault_at(&mut self, id: Id, fault: Fault<'d>) -> Type<'d> {
        // Macros duplicate their receiver.
        let part = self.tree.part(id);
        let mut faults = self.faults.iter();
        if !faults.any(|(known, at)| self.tree.part(*at) == part && *known == fault) {
            self.faults.push((fault, id));
        }
        Type::Dyn
    }

    fn ident(&mut self, name: &str) -> Type<'d> {
        let mut scope = self.scope.iter().rev();
        if let Some((_, ty)) = scope.find(|(known, _)| *known == name) {
            return ty.clone();
        }
        let is_type = SCALARS.iter().any(|(known, _)| *known == name);
        if is_type || TYPE_NAMES.contains(&name) {
            return Type::Scalar(Scalar::Type);
        }
        let own = self.scope.first().map(|(_, ty)| ty.clone());
        let is_field = match own {
            Some(Type::Object(decl)) => {
                fields_of(decl).is_some_and(|it| it.seen.contains_key(name))
            }
            _ => false,
        };
        let known = self.scope.iter().map(|(name, _)| *name);
        let known = known.filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
        let known = known.map(str::to_owned).collect();
        self.fault(Fault::UnknownVariable {
            name: name.to_owned(),
            known,
            is_field,
        })
    }

    fn select(&mut self, id: Id, operand: Id, field: &str, access: Access) -> Type<'d> {
        if access == Access::Read
            && let Some(name) = self.tree.qualified_name(id)
            && let Some((first, _)) = name.split_once('.')
            && PACKAGES.contains(&first)
            && self.scope.iter().all(|(known, _)| *known != first)
        {
            return Type::Scalar(Scalar::Type);
        }
        let ty = self.check(operand);
        let selected = self.field(&ty, field);
        match access {
            Access::Test => Type::BOOL,
            Access::Read => selected,
        }
    }

    /// Returns the type of a field; of an optional's field, an optional.
    fn field(&mut self, owner: &Type<'d>, field: &str) -> Type<'d> {
        match self.solver.resolved(owner) {
            Type::Optional(value) => match self.field(&value, field) {
                Type::Optional(within) => Type::Optional(within),
                other => Type::optional(other),
            },
            Type::Map(_, values) => *values,
            Type::Object(decl) => self.field_of(decl, field),
            Type::Dyn | Type::Param(_) => Type::Dyn,
            ty => self.fault(Fault::NoFields {
                field: field.to_owned(),
                ty,
            }),
        }
    }

    fn field_of(&mut self, decl: &'d Decl, field: &str) -> Type<'d> {
        let Some(fields) = fields_of(decl) else {
            return Type::Dyn;
        };
        if let Some(found) = fields.get(field) {
            return found.ty();
        }
        self.fault(Fault::UndefinedField {
            field: field.to_owned(),
            known: fields.seen.keys().cloned().collect(),
            is_hidden: fields.hidden.contains(field),
        })
    }

    /// Returns the common type of all entries, the most general of theirs.
    fn joined(&mut self, entries: &[Entry], parts: &'static str) -> Type<'d> {
        let mut joined: Option<Type<'d>> = None;
        for entry in entries {
            let mut ty = self.check(entry.value);
            if entry.optional {
                ty = match self.solver.resolved(&ty) {
                    Type::Optional(value) => *value,
                    Type::Dyn => Type::Dyn,
                    ty => self.fault_at(entry.value, Fault::NotOptional { ty }),
                };
            }
            joined = Some(match joined {
                None => ty,
                Some(before) => match self.solver.join(before.clone(), ty.clone()) {
                    Some(joined) => joined,
                    None if self.mixed => Type::Dyn,
                    None => {
                        let (before, ty) =
                            (self.solver.resolved(&before), self.solver.resolved(&ty));
                        self.fault_at(entry.value, Fault::Mixed { parts, before, ty })
                    }
                },
            });
        }
        joined.unwrap_or_else(|| Type::Param(self.solver.fresh(1)))
    }

    fn repeat(&mut self, one: &'t Loop) -> Type<'d> {
        let range = self.check(one.range);
        let initial = self.check(one.initial);
        let (first, second) = match self.solver.resolved(&range) {
            Type::List(items) if one.second.is_some() => (Type::INT, *items),
            Type::List(items) => (*items, Type::Dyn),
            Type::Map(key, value) => (*key, *value),
            Type::Dyn | Type::Param(_) => (Type::Dyn, Type::Dyn),
            other => {
                let fault = self.fault_at(one.range, Fault::NoItems { ty: other });
                (fault, Type::Dyn)
            }
        };
        let depth = self.scope.len();
        self.scope.push((&one.accumulator, initial.clone()));
        self.scope.push((&one.variable, first));
        if let Some(variable) = &one.second {
            self.scope.push((variable, second));
        }
        let condition = self.check(one.condition);
        self.expect(&Type::BOOL, &condition);
        let step = self.check(one.step);
        self.expect(&initial, &step);
        self.scope.truncate(depth + 1);
        let result = self.check(one.result);
        self.scope.truncate(depth);
        self.solver.resolved(&result)
    }

    fn expect(&mut self, expected: &Type<'d>, found: &Type<'d>) {
        let fits = self
            .solver
            .fit(std::slice::from_ref(expected), std::slice::from_ref(found));
        if !fits {
            let (expected, found) = (self.solver.resolved(expected), self.solver.resolved(found));
            self.fault(Fault::Mismatch { expected, found });
        }
    }
}

fn fields_of(decl: &Decl) -> Option<&Fields> {
    match &decl.kind {
        Kind::Object(fields) => Some(fields),
        _ => None,
    }
}

fn plain(value: Id) -> Entry {
    Entry {
        value,
        optional: false,
    }
}

fn literal_type<'d>(literal: &Literal) -> Type<'d> {
    Type::Scalar(match literal {
        Literal::Null => Scalar::Null,
        Literal::Bool(_) => Scalar::Bool,
        Literal::Int(_) => Scalar::Int,
        Literal::Uint(_) => Scalar::Uint,
        Literal::Double(_) => Scalar::Double,
        Literal::String(_) => Scalar::String,
        Literal::Bytes(_) => Scalar::Bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cel::parse;

    fn outcome(rule: &str) -> &'static str {
        let (tree, root) = parse(rule).unwrap();
        match Checker::run(&tree, root, Vec::new()) {
            Outcome::Types(..) => "types",
            Outcome::Faults(_) => "faults",
            Outcome::Uncertain => "uncertain",
        }
    }

    /// Builds a list expression whose type contains 2^`levels` copies of the type of `first`.
    fn doubled(first: &str, levels: usize) -> String {
        let last = format!("x{levels}");
        let nested = (1..=levels).rev().fold(last, |within, at| {
            let before = at - 1;
            format!("[{{x{before}: x{before}}}].map(x{at}, {within})")
        });
        format!("[{first}].map(x0, {nested})")
    }

    #[test]
    fn types_that_double_at_each_level_are_given_up() {
        let rule = |levels| format!("size({}) > 0", doubled("1", levels));
        assert_eq!(outcome(&rule(4)), "types");
        assert_eq!(outcome(&rule(27)), "uncertain");
    }

    #[test]
    fn types_that_grow_when_a_later_type_is_known_are_given_up() {
        let rule = |levels| {
            let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| doubled(name, levels));
            format!(
                "[[]].all(a, [[]].all(b, [[]].all(c, [[]].all(d, size({a}) > 0 && a == [{b}] && b == [{c}] && c == [{d}]))))"
            )
        };
        assert_eq!(outcome(&rule(1)), "types");
        assert_eq!(outcome(&rule(9)), "uncertain");
    }
}
