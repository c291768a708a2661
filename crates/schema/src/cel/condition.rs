//! Expressions about values without a schema, such as webhook conditions
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

/// A condition that can be evaluated.
#[derive(Debug)]
pub struct Condition(Program);

/// Why a condition has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// An error as the API server reports it.
    Error(String),
    /// The condition uses a feature that is not implemented here.
    Unsupported(String),
}

impl Condition {
    /// Parses a condition.
    ///
    /// # Errors
    /// The expression does not parse or cannot be evaluated here.
    pub fn new(expression: &str) -> Result<Self, String> {
        Program::new(expression).map(Self)
    }

    /// Returns the faults that the API server would report for a condition whose variables have any
    /// type; empty where only the server can decide.
    #[must_use]
    pub fn faults(expression: &str, variables: &[&'static str]) -> Vec<String> {
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

    /// Evaluates the condition with these variables.
    ///
    /// # Errors
    /// Evaluation fails, costs too much, does not result in a boolean, or uses a feature that is
    /// not implemented here.
    pub fn evaluate(&self, variables: &[(&str, &Value)]) -> Result<bool, Undecided> {
        let stopped = |stop| match stop {
            Stop::Error(why) => Undecided::Error(why),
            Stop::Unsupported(why) => Undecided::Unsupported(why),
            Stop::OverBudget => {
                Undecided::Error("operation cancelled: actual cost limit exceeded".to_owned())
            }
        };
        let mut values = Vec::new();
        for (name, value) in variables {
            values.push((*name, Val::of(value, None).map_err(stopped)?));
        }
        match self.0.run(&values, &mut MOST.clone()).map_err(stopped)? {
            Val::Bool(outcome) => Ok(outcome),
            _ => Err(Undecided::Error(
                "cel expression must evaluate to a bool".to_owned(),
            )),
        }
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
            let condition = Condition::new(expression).unwrap();
            let found = condition.evaluate(&[("object", &object), ("oldObject", &Value::Null)]);
            let found = found.map_err(|why| match why {
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
                Condition::faults(expression, &["object"]).len(),
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
