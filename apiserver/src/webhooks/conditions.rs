//! Match conditions of webhooks and admission policies
//! (`k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions`).

use kube_schema::cel::{Scope, Undecided};
use serde_json::Value;

use crate::metadata::object::text;

/// The variables of a webhook's conditions.
pub(crate) const VARIABLES: [&str; 4] = ["object", "oldObject", "request", "authorizer"];

/// Returns the scope of expressions about a request, with variables besides its own.
///
/// # Errors
/// Why it cannot be evaluated here.
pub(crate) fn scope<'v>(
    request: &'v Value,
    more: &[(&'static str, &'v Value)],
) -> Result<Scope<'v>, Undecided> {
    let own = [
        ("object", &request["object"]),
        ("oldObject", &request["oldObject"]),
        ("request", request),
    ];
    Scope::new(&[&own, more].concat())
}

/// Whether all conditions hold. If one is false, the result is false even if others fail to
/// evaluate.
///
/// # Errors
/// Why conditions failed to evaluate, if none is false. Conditions that use unsupported variables
/// or functions, such as `authorizer`, fail.
pub(crate) fn hold(
    conditions: &[Value],
    scope: &Result<Scope<'_>, Undecided>,
) -> Result<bool, String> {
    let mut faults = Vec::new();
    for condition in conditions {
        let expression = text(condition, &["expression"]).trim();
        match holds(scope, expression) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(why) => faults.push(why),
        }
    }
    match faults.as_slice() {
        [] => Ok(true),
        [one] => Err(one.clone()),
        many => Err(format!("[{}]", many.join(", "))),
    }
}

/// Whether an expression holds.
///
/// # Errors
/// The API server's message.
pub(crate) fn holds(
    scope: &Result<Scope<'_>, Undecided>,
    expression: &str,
) -> Result<bool, String> {
    let outcome = scope.as_ref().map_err(Undecided::clone);
    let outcome = outcome.and_then(|scope| scope.holds(expression));
    outcome.map_err(|why| match why {
        Undecided::Error(why) => format!("expression '{expression}' resulted in error: {why}"),
        Undecided::Unsupported(why) => {
            tracing::warn!(expression, %why, "unsupported expression");
            format!("expression '{expression}' is not supported by the embedded server: {why}")
        }
    })
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
                hold(&conditions, &scope(&request, &[])).map_err(drop),
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
