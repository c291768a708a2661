//! Checks a CRD's rules, except for their expressions
//! (`apiextensions-apiserver/pkg/apis/apiextensions/validation`).

use serde_json::Value;

use crate::field::{FieldError, FieldErrorKind, Path, go_quote};
use crate::json_path::{self, Brackets};
use crate::props::Props;

const REASONS: [&str; 4] = [
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
];

/// Reports the violations of a node's rules; the raw schema is needed for their paths.
pub(crate) fn check_form(node: Props<'_>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let list = path.child("x-kubernetes-validations");
    let rules = node.list("x-kubernetes-validations").iter();
    for (i, rule) in rules.filter_map(Props::new).enumerate() {
        let here = list.index(i);
        texts(rule, &here, errors);
        let reason = rule.text("reason");
        if rule.has("reason") && !REASONS.contains(&reason) {
            let supported = REASONS.map(go_quote).join(", ");
            errors.push(FieldError::with_value(
                here.field_of("reason"),
                FieldErrorKind::NotSupported,
                reason.into(),
                format!("supported values: {supported}"),
            ));
        }
        field_path(rule.text("fieldPath"), node, &here, errors);
    }
}

fn texts(rule: Props<'_>, here: &Path<'_>, errors: &mut Vec<FieldError>) {
    let expression = rule.text("rule").trim();
    let message = rule.text("message");
    let mut require = |key: &str, detail: &str| {
        errors.push(FieldError::required(here.field_of(key), detail));
    };
    let message_expression = rule.text("messageExpression");
    if expression.is_empty() {
        require("rule", "rule is not specified");
    } else if has_lines(expression) && message.is_empty() {
        let detail = "message must be specified if rule contains line breaks";
        require("message", detail);
    }
    if !message_expression.is_empty() && message_expression.trim().is_empty() {
        let detail = "messageExpression must be non-empty if specified";
        require("messageExpression", detail);
    }
    let fault = match message.trim() {
        "" if !message.is_empty() => "must be non-empty if specified",
        text if has_lines(text) => "must not contain line breaks",
        _ => return,
    };
    if !expression.is_empty() {
        errors.push(FieldError::invalid(
            here.field_of("message"),
            message,
            fault,
        ));
    }
}

fn field_path(given: &str, node: Props<'_>, here: &Path<'_>, errors: &mut Vec<FieldError>) {
    if given.is_empty() {
        return;
    }
    let mut refuse = |detail: &str| {
        errors.push(FieldError::invalid(
            here.field_of("fieldPath"),
            given,
            detail,
        ));
    };
    if given.trim().is_empty() {
        refuse("must be non-empty if specified");
    }
    if has_lines(given) {
        refuse("must not contain line breaks");
    }
    let schema = Value::Object(node.map().clone());
    if json_path::find(&schema, given, Brackets::Allowed).is_err() {
        refuse("must be a valid path");
    }
}

fn has_lines(text: &str) -> bool {
    text.contains(['\n', '\r'])
}
