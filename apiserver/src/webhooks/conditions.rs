//! Match conditions of webhooks (`k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions`).

use kube_schema::cel::{Condition, Undecided};
use serde_json::Value;

use crate::metadata::object::text;

/// The variables of conditions.
pub(crate) const VARIABLES: [&str; 4] = ["object", "oldObject", "request", "authorizer"];

/// Whether all conditions hold. If one is false, the result is false even if others fail to
/// evaluate.
///
/// # Errors
/// Why conditions failed to evaluate, if none is false. Conditions that use unsupported variables
/// or functions, such as `authorizer`, fail.
pub(crate) fn hold(conditions: &[Value], request: &Value) -> Result<bool, String> {
    let mut faults = Vec::new();
    for condition in conditions {
        let (name, expression) = (text(condition, &["name"]), text(condition, &["expression"]));
        match evaluate(expression.trim(), request) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(Undecided::Error(why)) => {
                faults.push(format!(
                    "expression '{}' resulted in error: {why}",
                    expression.trim()
                ));
            }
            Err(Undecided::Unsupported(why)) => {
                tracing::warn!(condition = name, %why, "unsupported match condition");
                faults.push(format!(
                    "expression '{}' is not supported by the embedded server: {why}",
                    expression.trim()
                ));
            }
        }
    }
    match faults.as_slice() {
        [] => Ok(true),
        [one] => Err(one.clone()),
        many => Err(format!("[{}]", many.join(", "))),
    }
}

fn evaluate(expression: &str, request: &Value) -> Result<bool, Undecided> {
    let condition = Condition::new(expression).map_err(Undecided::Unsupported)?;
    condition.evaluate(&[
        ("object", &request["object"]),
        ("oldObject", &request["oldObject"]),
        ("request", request),
    ])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_false_condition_decides_and_errors_count_otherwise() {
        let check = |expressions: &[&str], expected: Result<bool, ()>| {
            let conditions: Vec<Value> = expressions
                .iter()
                .map(|it| json!({"name": "c", "expression": it}))
                .collect();
            let request = json!({"object": {"a": 1}, "operation": "CREATE"});
            assert_eq!(
                hold(&conditions, &request).map_err(drop),
                expected,
                "{expressions:?}"
            );
        };
        check(&[], Ok(true));
        check(
            &["object.a == 1", "request.operation == 'CREATE'"],
            Ok(true),
        );
        check(&["object.b == 1", "oldObject != null"], Ok(false));
        check(&["object.b == 1", "object.a == 1"], Err(()));
        check(
            &["authorizer.group('').resource('pods').check('get').allowed()"],
            Err(()),
        );
    }
}
