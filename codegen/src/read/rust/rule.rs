//! Rules and merge strategies in the form that kube-derive accepts: expressions of `kube::core`
//! types.

use serde_json::{Value, json};
use syn::{Expr, ExprMethodCall, Member};

use super::{literal::Literal, syntax::ident_text};
use crate::model::CelRule;

/// Parses a rule: `"rule"`, `("rule", "message")` or `Rule::new("rule").message("…")`.
pub(super) fn rule(expr: &Expr) -> Option<CelRule> {
    match expr {
        Expr::Paren(inner) => rule(&inner.expr),
        Expr::Group(inner) => rule(&inner.expr),
        Expr::Tuple(tuple) => {
            let mut parts = tuple.elems.iter().map(text);
            let (Some(text), Some(message), None) = (parts.next(), parts.next(), parts.next())
            else {
                return None;
            };
            Some(CelRule {
                message: Some(message?),
                ..plain(text?)
            })
        }
        Expr::Call(call) if ["new", "from"].contains(&last(&call.func)?.as_str()) => {
            rule(call.args.first()?)
        }
        Expr::MethodCall(call) => adjusted(call),
        Expr::Struct(body) => of_struct(body),
        other => text(other).map(plain),
    }
}

fn plain(rule: String) -> CelRule {
    CelRule {
        rule,
        ..CelRule::default()
    }
}

fn text(expr: &Expr) -> Option<String> {
    Literal::of(expr).text()
}

/// Parses a rule with one property set by a method.
fn adjusted(call: &ExprMethodCall) -> Option<CelRule> {
    let mut found = rule(&call.receiver)?;
    let value = call.args.first();
    match (call.method.to_string().as_str(), value) {
        ("into" | "clone" | "to_owned" | "to_string", None) => {}
        ("message", Some(value)) => message(value, &mut found)?,
        ("reason", Some(value)) => found.reason = Some(reason(value)?),
        ("field_path", Some(value)) => found.field_path = Some(text(value)?),
        ("optional_old_self", Some(value)) => found.optional_old_self = Some(flag(value)?),
        _ => return None,
    }
    Some(found)
}

/// Parses `Rule { rule: …, message: …, ..Default::default() }`.
fn of_struct(body: &syn::ExprStruct) -> Option<CelRule> {
    let mut found = CelRule::default();
    for field in &body.fields {
        let Member::Named(name) = &field.member else {
            return None;
        };
        let value = match unwrapped(&field.expr) {
            Some(value) => value,
            None => continue,
        };
        match ident_text(name).as_str() {
            "rule" => found.rule = text(value)?,
            "message" => message(value, &mut found)?,
            "reason" => found.reason = Some(reason(value)?),
            "field_path" => found.field_path = Some(text(value)?),
            "optional_old_self" => found.optional_old_self = Some(flag(value)?),
            _ => return None,
        }
    }
    (!found.rule.is_empty()).then_some(found)
}

/// Unwraps `Some(value)`; returns `None` for `None`, and any other expression unchanged.
fn unwrapped(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Call(call) if last(&call.func).as_deref() == Some("Some") => call.args.first(),
        Expr::Path(_) if last(expr).as_deref() == Some("None") => None,
        other => Some(other),
    }
}

/// Parses a string or a `Message`.
fn message(expr: &Expr, rule: &mut CelRule) -> Option<()> {
    match expr {
        Expr::MethodCall(call) if call.method == "into" => return message(&call.receiver, rule),
        Expr::Call(call) if last(&call.func).as_deref() == Some("Expression") => {
            rule.message_expression = Some(text(call.args.first()?)?);
        }
        Expr::Call(call) if last(&call.func).as_deref() == Some("Message") => {
            rule.message = Some(text(call.args.first()?)?);
        }
        other => rule.message = Some(text(other)?),
    }
    Some(())
}

/// Parses `Reason::FieldValueForbidden`.
fn reason(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Call(call) if last(&call.func)? == "default" => Some("FieldValueInvalid".to_owned()),
        other => last(other).filter(|name| name.starts_with("FieldValue")),
    }
}

fn flag(expr: &Expr) -> Option<bool> {
    match Literal::of(expr) {
        Literal::Known(value) => value.as_bool(),
        _ => None,
    }
}

/// Returns the last segment of a path.
fn last(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Path(path) => Some(ident_text(&path.path.segments.last()?.ident)),
        _ => None,
    }
}

/// Returns the keywords for a merge strategy: `ListMerge::Set`,
/// `ListMerge::Map(vec!["name".into()])`, `MapMerge::Atomic`.
pub(super) fn merge_strategy(expr: &Expr) -> Option<Vec<(&'static str, Value)>> {
    const LIST: &str = "x-kubernetes-list-type";
    const MAP: &str = "x-kubernetes-map-type";
    let (path, keys) = match expr {
        Expr::Call(call) => (&*call.func, call.args.first()),
        other => (other, None),
    };
    let Expr::Path(path) = path else { return None };
    let names: Vec<String> = path
        .path
        .segments
        .iter()
        .map(|one| ident_text(&one.ident))
        .collect();
    let mut names = names.iter().rev().map(String::as_str);
    Some(match (names.next()?, names.next()?, keys) {
        ("Atomic", "ListMerge", None) => vec![(LIST, json!("atomic"))],
        ("Set", "ListMerge", None) => vec![(LIST, json!("set"))],
        ("Map", "ListMerge", Some(keys)) => vec![
            (LIST, json!("map")),
            ("x-kubernetes-list-map-keys", texts(keys)?),
        ],
        // Kubernetes uses the same keyword for both.
        ("Atomic", "MapMerge" | "StructMerge", None) => vec![(MAP, json!("atomic"))],
        ("Granular", "MapMerge" | "StructMerge", None) => vec![(MAP, json!("granular"))],
        // `MergeStrategy::ListType(…)`
        (_, "MergeStrategy", Some(inner)) => return merge_strategy(inner),
        _ => return None,
    })
}

/// Evaluates the strings in `vec!["a".into()]` or an array.
fn texts(expr: &Expr) -> Option<Value> {
    match Literal::of(expr) {
        Literal::Known(value) => {
            let is_text = |value: &Value| value.is_string();
            value.as_array()?.iter().all(is_text).then_some(value)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<Value>) {
        let found = rule(&syn::parse_str(text).unwrap());
        let found = found.map(|rule| serde_json::to_value(rule).unwrap());
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn rules_are_read_in_all_forms_that_kube_takes() {
        rows![check:
            ("\"self > 1\"", Some(json!({"rule": "self > 1"}))),
            ("\"self > 1\".into()", Some(json!({"rule": "self > 1"}))),
            ("(\"a\", \"b\")", Some(json!({"rule": "a", "message": "b"}))),
            ("Rule::new(\"a\").message(\"b\").reason(Reason::FieldValueForbidden).field_path(\".c\").optional_old_self(true)",
                Some(json!({"rule": "a", "message": "b", "reason": "FieldValueForbidden", "fieldPath": ".c", "optionalOldSelf": true}))),
            ("Rule::new(\"a\").message(Message::Expression(\"'b'\".into()))",
                Some(json!({"rule": "a", "messageExpression": "'b'"}))),
            ("Rule { rule: \"a\".into(), message: Some(\"b\".into()), reason: None, ..Default::default() }",
                Some(json!({"rule": "a", "message": "b"}))),
            ("Rule::new(format!(\"{A}\"))", None),
            ("my_rule()", None),
        ];
    }

    #[test]
    fn merge_strategies_are_keywords() {
        let check = |text: &str, expected: Option<Value>| {
            let found = merge_strategy(&syn::parse_str(text).unwrap());
            let found = found.map(|found| found.into_iter().collect::<Value>());
            assert_eq!(found, expected, "{text}");
        };
        check(
            "ListMerge::Map(vec![\"name\".into()])",
            Some(json!({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]})),
        );
        check(
            "kube::core::MapMerge::Atomic",
            Some(json!({"x-kubernetes-map-type": "atomic"})),
        );
        check("ListMerge::Map(keys())", None);
        check("strategy()", None);
    }
}
