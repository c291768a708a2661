//! Expressions about values without a schema: conditions of webhooks, and admission policies
//! (`k8s.io/apiserver/pkg/admission/plugin/cel`).

use serde_json::Value;

use super::check::{Checker, Outcome, literals};
use super::eval::{Program, Stop, Val};
use super::types::{Scalar, Type};
use super::{Fault, parse};

/// The fault of an expression that does not evaluate to a boolean.
pub const MUST_BE_BOOL: &str = "must evaluate to bool";

/// The maximum cost of one expression, as in the API server.
const MOST: u64 = 2_500_000;

/// The variable whose fields are the results of other expressions.
const COMPOSED: &str = "variables";

/// Why an expression has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// An error as the API server reports it.
    Error(String),
    /// The expression uses a feature that is not implemented here.
    Unsupported(String),
}

impl From<Stop> for Undecided {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Error(why) => Self::Error(why),
            Stop::Unsupported(why) => Self::Unsupported(why),
            Stop::OverBudget => {
                Self::Error("operation cancelled: actual cost limit exceeded".to_owned())
            }
        }
    }
}

/// Returns the faults that the API server would report for a condition whose variables have any
/// type; empty where only the server can decide.
#[must_use]
pub fn condition_faults(expression: &str, variables: &[&'static str]) -> Vec<String> {
    let (tree, root) = match parse(expression) {
        Ok(tree) => tree,
        Err(fault) => return fault.iter().map(Fault::to_string).collect(),
    };
    let variables = variables.iter().map(|name| (*name, Type::Dyn)).collect();
    let (checked, ty) = match Checker::run(&tree, root, variables) {
        Outcome::Types(checked, ty) => (checked, ty),
        Outcome::Faults(faults) => {
            return faults.iter().map(|(fault, _)| fault.to_string()).collect();
        }
        Outcome::Uncertain => return Vec::new(),
    };
    if !ty.is(Scalar::Bool) && !matches!(ty, Type::Dyn) {
        return vec![MUST_BE_BOOL.to_owned()];
    }
    let faults = literals::faults(&tree, &checked);
    let faults = faults.into_iter().map(|(fault, _)| Fault::Literal(fault));
    faults.map(|fault| fault.to_string()).collect()
}

/// The variables of expressions.
#[derive(Clone, Debug)]
pub struct Scope<'v> {
    variables: Vec<(&'static str, Val<'v>)>,
    /// The fields of `variables`.
    composed: Vec<(Val<'v>, Val<'v>)>,
    /// The fields of `variables` that have no value.
    failed: Vec<(String, Undecided)>,
}

impl<'v> Scope<'v> {
    /// Creates a scope with these variables.
    ///
    /// # Errors
    /// A value has a form that is not implemented here.
    pub fn new(variables: &[(&'static str, &'v Value)]) -> Result<Self, Undecided> {
        let variables = variables.iter();
        let variables = variables.map(|(name, value)| Ok((*name, Val::of(value, None)?)));
        Ok(Self {
            variables: variables.collect::<Result<_, Stop>>()?,
            composed: Vec::new(),
            failed: Vec::new(),
        })
    }

    /// Adds the result of an expression as `variables.<name>`, which later expressions can read.
    /// If it has none, those that read it fail.
    pub fn compose(&mut self, name: &str, expression: &str) {
        match self.evaluate(expression) {
            Ok(value) => self.composed.push((Val::text(name), value)),
            Err(why) => self.failed.push((name.to_owned(), why)),
        }
    }

    /// Whether a condition holds.
    ///
    /// # Errors
    /// Evaluation fails, costs too much, does not result in a boolean, or uses a feature that is
    /// not implemented here.
    pub fn holds(&self, condition: &str) -> Result<bool, Undecided> {
        match self.evaluate(condition)? {
            Val::Bool(outcome) => Ok(outcome),
            _ => Err(Undecided::Error(
                "cel expression must evaluate to a bool".to_owned(),
            )),
        }
    }

    /// Returns the text that an expression results in; `None` if it fails or is not a text.
    #[must_use]
    pub fn text(&self, expression: &str) -> Option<String> {
        match self.evaluate(expression) {
            Ok(Val::String(text)) => Some(text.as_ref().to_owned()),
            _ => None,
        }
    }

    fn evaluate(&self, expression: &str) -> Result<Val<'v>, Undecided> {
        let program = Program::new(expression).map_err(Undecided::Unsupported)?;
        let mut variables = self.variables.clone();
        variables.push((COMPOSED, Val::map(self.composed.clone())));
        let outcome = program.run(&variables, &mut MOST.clone());
        outcome.map_err(|stop| {
            let mut failed = self.failed.iter();
            match failed.find(|(name, _)| program.reads_field(COMPOSED, name)) {
                None => stop.into(),
                Some((_, Undecided::Unsupported(why))) => Undecided::Unsupported(why.clone()),
                Some((name, Undecided::Error(why))) => Undecided::Error(format!(
                    "composited variable {name:?} fails to evaluate: {why}"
                )),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn conditions_are_about_whatever_values_they_get() {
        let object = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"replicas": 3}});
        let check = |expression: &str, expected: Result<bool, &str>| {
            let variables = [("object", &object), ("oldObject", &Value::Null)];
            let mut scope = Scope::new(&variables).unwrap();
            scope.compose("replicas", "object.spec.replicas");
            scope.compose("double", "variables.replicas * 2");
            scope.compose("broken", "object.spec.none");
            let found = scope.holds(expression).map_err(|why| match why {
                Undecided::Error(why) | Undecided::Unsupported(why) => why,
            });
            assert_eq!(
                found.as_ref().copied().map_err(String::as_str),
                expected,
                "{expression}"
            );
        };
        check("object.spec.replicas > 2", Ok(true));
        check("has(object.metadata.labels.c)", Ok(false));
        check("oldObject == null", Ok(true));
        check("variables.double == 6", Ok(true));
        check("variables.double == 6 || variables.broken", Ok(true));
        check(
            "variables.broken == 1",
            Err("composited variable \"broken\" fails to evaluate: no such key: none"),
        );
        check("object.spec.none > 2", Err("no such key: none"));
        check(
            "object.spec.replicas",
            Err("cel expression must evaluate to a bool"),
        );
    }

    #[test]
    fn faults_are_found_before_anything_is_evaluated() {
        let check = |expression: &str, expected: usize| {
            assert_eq!(
                condition_faults(expression, &["object"]).len(),
                expected,
                "{expression}"
            );
        };
        check("object.spec.replicas > 2", 0);
        check("subject.spec == 1", 1);
        check("'text'", 1);
        check("object.matches('[')", 1);
    }
}
