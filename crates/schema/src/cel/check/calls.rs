//! Resolves calls of functions and operators to the signatures that fit the types of their
//! arguments.

use super::{Checker, Resolved};
use crate::cel::{
    fault::Fault,
    functions::{self, Overload, Style},
    tree::{Call, Id, Literal, Node},
    types::{Scalar, Type},
};

impl<'t, 'd> Checker<'t, 'd> {
    pub(super) fn call(&mut self, id: Id, call: &'t Call) -> Type<'d> {
        if call.function == "_?._" {
            return self.optional_field(id, call);
        }
        let mut types: Vec<Type<'d>> = Vec::new();
        let mut function = call.function.clone();
        let mut style = Style::Global;
        if let Some(target) = call.target {
            let prefix = self.tree.qualified_name(target);
            let whole = prefix.map(|prefix| format!("{prefix}.{function}"));
            match whole.filter(|whole| functions::overloads(whole).is_some()) {
                Some(whole) => function = whole,
                None => {
                    let is_namespace = matches!(
                        self.tree.node(target),
                        Node::Ident(name) if self.is_namespace(name)
                    );
                    if is_namespace {
                        let namespace = self.tree.qualified_name(target).unwrap_or_default();
                        return self.unknown_function(&format!("{namespace}.{function}"));
                    }
                    style = Style::Member;
                    types.push(self.check(target));
                }
            }
        }
        let before = std::mem::replace(&mut self.mixed, function == "format");
        for arg in &call.args {
            types.push(self.check(*arg));
        }
        self.mixed = before;
        let Some(overloads) = functions::overloads(&function) else {
            return self.unknown_function(&function);
        };
        self.resolve(id, function, style, types, overloads)
    }

    /// Whether a name is merely the first part of function names, such as `sets`.
    fn is_namespace(&self, name: &str) -> bool {
        let start = format!("{name}.");
        self.scope.iter().all(|(known, _)| *known != name)
            && functions::names().any(|known| known.starts_with(&start))
            && functions::overloads(name).is_none()
    }

    fn unknown_function(&mut self, function: &str) -> Type<'d> {
        self.fault(Fault::UnknownFunction {
            name: function.to_owned(),
        })
    }

    fn optional_field(&mut self, id: Id, call: &'t Call) -> Type<'d> {
        let (Some(operand), Some(Node::Literal(Literal::String(field)))) = (
            call.args.first().copied(),
            call.args.get(1).map(|arg| self.tree.node(*arg)),
        ) else {
            self.uncertain = true;
            return Type::Dyn;
        };
        let ty = self.check(operand);
        if let Some(name) = call.args.get(1) {
            self.check(*name);
        }
        self.resolved(id, call.function.clone(), Style::Global, Vec::new());
        match self.field(&ty, field) {
            Type::Optional(within) => Type::Optional(within),
            other => Type::optional(other),
        }
    }

    fn resolve(
        &mut self,
        id: Id,
        function: String,
        style: Style,
        types: Vec<Type<'d>>,
        overloads: &'static [Overload],
    ) -> Type<'d> {
        let mut fitting = Vec::new();
        let mut result: Option<Type<'d>> = None;
        for overload in overloads.iter().filter(|one| one.style == style) {
            let first = self.solver.fresh(overload.params);
            let expected: Vec<Type<'d>> = overload
                .args
                .iter()
                .map(|ty| ty.instantiated(first))
                .collect();
            if !self.solver.fit(&types, &expected) {
                continue;
            }
            fitting.push(overload);
            let ty = self.solver.resolved(&overload.result.instantiated(first));
            result = Some(match result {
                None => ty,
                Some(before) => self.solver.one_of(before, &ty),
            });
        }
        let Some(result) = result else {
            let types: Vec<_> = types.iter().map(|ty| self.solver.resolved(ty)).collect();
            let at = self.operand_at_fault(id, &function, &types);
            let fault = Fault::NoOverload {
                function,
                style,
                types,
                overloads,
            };
            return self.fault_at(at, fault);
        };
        self.resolved(id, function, style, fitting);
        result
    }

    /// Returns the node to report if no signature fits: of a conjunction or disjunction the operand
    /// that is not boolean, else the call.
    fn operand_at_fault(&self, id: Id, function: &str, types: &[Type<'d>]) -> Id {
        match self.tree.node(id) {
            Node::Call(call) if matches!(function, "_&&_" | "_||_") => {
                let wrong = types.iter().position(|ty| !ty.is(Scalar::Bool));
                let operand = wrong.and_then(|index| call.args.get(index));
                operand.copied().unwrap_or(id)
            }
            _ => id,
        }
    }

    fn resolved(
        &mut self,
        id: Id,
        function: String,
        style: Style,
        overloads: Vec<&'static Overload>,
    ) {
        if let Some(place) = self.checked.calls.get_mut(id) {
            *place = Some(Resolved {
                function,
                style,
                overloads,
            });
        }
    }
}
