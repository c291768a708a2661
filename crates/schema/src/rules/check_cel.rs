//! Words the faults of a CRD's rules as kube-apiserver does: expressions and costs.
//!
//! One difference: cel-go's names of object types depend on the current time.

use serde_json::Value;

use super::walk::{RuleFault, RuleFinding, walk_rules};
use crate::cel::{
    Fault, Unparsed,
    budget::{MOST_OF_A_RULE, MOST_OF_ALL, factor},
    examine::{Found, Purpose},
    fault::undeclared,
};
use crate::field::{FieldError, FieldErrorKind, Path, go_json};
use crate::props::Props;

/// The number of the most expensive expressions to report.
const NAMED: usize = 4;

/// Returns the rule violations of a schema without other violations.
pub(crate) fn check_cel(root: Props<'_>, path: &Path<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    walk_rules(root, path, &mut |found| worded(&found, &mut errors));
    errors
}

/// Adds the errors of a fault.
fn worded(found: &RuleFinding<'_>, errors: &mut Vec<FieldError>) {
    let list = found.path.child("x-kubernetes-validations");
    let (index, rule) = found.rule.unwrap_or((0, &Value::Null));
    let here = list.index(index);
    let text = |key: &str| rule.get(key).and_then(Value::as_str).unwrap_or_default();
    let error = match &found.fault {
        RuleFault::Untyped => {
            let detail = "internal error: failed to construct type information for x-kubernetes-validations rules: \
                          unable to convert structural schema to CEL declarations";
            FieldError::new(list.field(), FieldErrorKind::Internal, detail)
        }
        RuleFault::Expression(purpose, faults) => {
            let (key, subject, prefix) = match purpose {
                Purpose::Rule => ("rule", "cel expression", ""),
                Purpose::Message => (
                    "messageExpression",
                    "messageExpression",
                    "messageExpression ",
                ),
            };
            let detail = compile_error(text(key), subject, prefix, faults);
            let detail = format!("{}: {detail}", shown(rule));
            FieldError::new(here.field_of(key), FieldErrorKind::Invalid, detail)
        }
        RuleFault::Expensive(purpose, cost, _) => {
            let (key, what) = match purpose {
                Purpose::Rule => ("rule", "estimated rule cost"),
                Purpose::Message => ("messageExpression", "estimated messageExpression cost"),
            };
            FieldError::forbidden(here.field_of(key), over_budget(what, *cost, MOST_OF_A_RULE))
        }
        RuleFault::Uncorrelatable(within) => {
            let detail = format!(
                "oldSelf cannot be used on the uncorrelatable portion of the schema within {}",
                within.render()
            );
            FieldError::invalid(here.field_of("rule"), text("rule"), detail)
        }
        RuleFault::UnusedOptional(optional) => {
            let detail = "may not be set if oldSelf is not used in rule";
            FieldError::invalid(here.field_of("optionalOldSelf"), *optional, detail)
        }
        RuleFault::ExpensiveTogether(total, charges) => {
            for charge in charges.iter().take(NAMED) {
                let detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
                errors.push(FieldError::forbidden(charge.path.as_str(), detail));
            }
            let what =
                "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
            let detail = over_budget(what, *total, MOST_OF_ALL);
            FieldError::forbidden(found.path.field(), detail)
        }
    };
    errors.push(error);
}

fn over_budget(what: &str, cost: u64, budget: u64) -> String {
    format!(
        "{what} exceeds budget by factor of {}x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength \
         where arrays, maps, and strings are declared)",
        factor(cost, budget)
    )
}

/// Formats a rule as in errors: the server's own type, with its fields in order.
fn shown(rule: &Value) -> String {
    let or_null = |key: &str| go_json(rule.get(key).unwrap_or(&Value::Null));
    let text = |key: &str| {
        go_json(
            rule.get(key)
                .filter(|it| it.is_string())
                .unwrap_or(&"".into()),
        )
    };
    format!(
        r#"{{"Rule":{},"Message":{},"MessageExpression":{},"Reason":{},"FieldPath":{},"OptionalOldSelf":{}}}"#,
        text("rule"),
        text("message"),
        text("messageExpression"),
        or_null("reason"),
        text("fieldPath"),
        or_null("optionalOldSelf"),
    )
}

fn compile_error(expression: &str, subject: &str, prefix: &str, faults: &[Found<'_>]) -> String {
    if let [Found { fault, .. }] = faults
        && matches!(fault, Fault::Outcome { .. })
    {
        return format!("{subject} {fault}");
    }
    let is_late = |one: &Found<'_>| {
        let Fault::Literal(Unparsed::Pattern { is_late, .. }) = one.fault else {
            return false;
        };
        is_late
    };
    // The first of them ends the creation of the program, which follows the checks.
    if let Some(Found { fault, .. }) = faults.first().filter(|_| faults.iter().all(is_late)) {
        return format!("program instantiation failed: {fault}");
    }
    let faults = faults.iter().filter(|one| !is_late(one));
    let issues: Vec<String> = faults.map(|fault| issue(expression, fault)).collect();
    format!("{prefix}compilation failed: {}", issues.join("\n"))
}

/// Formats a fault like cel-go.
fn issue(expression: &str, Found { fault, place }: &Found<'_>) -> String {
    let Some(place) = place else {
        return fault.to_string();
    };
    match fault {
        Fault::Syntax { message, .. } => {
            // The parser has its own wording for some of them.
            let message = message.trim_start_matches("Syntax error: ");
            placed(expression, &format!("Syntax error: {message}"), place.start)
        }
        // The server also looks up the library as a variable.
        Fault::UnknownFunction { name } if name.contains('.') => {
            let (library, function) = name.rsplit_once('.').unwrap_or_default();
            let before = expression.get(..place.start).unwrap_or_default();
            let at = before.rfind(library).unwrap_or(place.start);
            let library = placed(expression, &undeclared(library), at);
            let function = placed(expression, &undeclared(function), place.start);
            format!("{library}\n{function}")
        }
        fault => placed(
            expression,
            &fault.to_string(),
            opening(expression, place.start),
        ),
    }
}

/// Returns cel-go's position: for a call its parenthesis, where the parser here returns the
/// function's name.
fn opening(expression: &str, at: usize) -> usize {
    let rest = expression.get(at..).unwrap_or_default();
    let name = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let behind = name.trim_start();
    if behind.starts_with('(') {
        expression.len() - behind.len()
    } else {
        at
    }
}

/// Formats an issue with its position, like cel-go.
fn placed(expression: &str, message: &str, at: usize) -> String {
    let (before, rest) = expression.split_at_checked(at).unwrap_or((expression, ""));
    let line = before.matches('\n').count() + 1;
    let start = before.rsplit('\n').next().unwrap_or_default();
    let end = rest.split('\n').next().unwrap_or_default();
    let text = format!("{start}{end}").replace('\t', " ");
    let column = start.chars().count();
    let is_wide = |c: char| c.len_utf8() > 1;
    let dots: String = start
        .chars()
        .map(|c| if is_wide(c) { '．' } else { '.' })
        .collect();
    let mark = if end.starts_with(is_wide) { '＾' } else { '^' };
    let column = column + 1;
    format!("ERROR: <input>:{line}:{column}: {message}\n | {text}\n | {dots}{mark}")
}
