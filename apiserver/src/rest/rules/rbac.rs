//! What makes roles and their bindings invalid.

use serde_json::{Value, json};

use crate::object::text;
use crate::registry::Served;
use crate::schema::{FieldError, FieldErrorKind};

fn is_empty(rule: &Value, field: &str) -> bool {
    rule[field].as_array().is_none_or(Vec::is_empty)
}

/// The rules of a role name verbs, and what they are for.
pub(crate) fn role(served: &Served, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (index, rule) in object["rules"].as_array().into_iter().flatten().enumerate() {
        let mut require = |field: &str, detail: &str| {
            let path = format!("rules[{index}].{field}");
            errors.push(FieldError::new(path, FieldErrorKind::Required, detail));
        };
        if is_empty(rule, "verbs") {
            require("verbs", "verbs must contain at least one value");
        }
        if is_empty(rule, "nonResourceURLs") {
            if is_empty(rule, "apiGroups") {
                require(
                    "apiGroups",
                    "resource rules must supply at least one api group",
                );
            }
            if is_empty(rule, "resources") {
                require(
                    "resources",
                    "resource rules must supply at least one resource",
                );
            }
        } else if served.resource.namespaced {
            errors.push(FieldError::with_value(
                format!("rules[{index}].nonResourceURLs"),
                FieldErrorKind::Invalid,
                rule["nonResourceURLs"].clone(),
                "namespaced rules cannot apply to non-resource URLs",
            ));
        }
    }
    errors
}

/// A binding names a role and subjects of known kinds, and keeps its role.
pub(crate) fn binding(served: &Served, old: Option<&Value>, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let unsupported = |path: String, value: &str, supported: &str| {
        let detail = format!("supported values: {supported}");
        FieldError::with_value(path, FieldErrorKind::NotSupported, json!(value), detail)
    };
    let role = &object["roleRef"];
    let group = text(role, &["apiGroup"]);
    if group != "rbac.authorization.k8s.io" {
        let supported = "\"rbac.authorization.k8s.io\"";
        errors.push(unsupported("roleRef.apiGroup".to_owned(), group, supported));
    }
    let kind = text(role, &["kind"]);
    let (known, supported) = match served.resource.namespaced {
        true => (
            matches!(kind, "Role" | "ClusterRole"),
            "\"Role\", \"ClusterRole\"",
        ),
        false => (kind == "ClusterRole", "\"ClusterRole\""),
    };
    if !known {
        errors.push(unsupported("roleRef.kind".to_owned(), kind, supported));
    }
    if text(role, &["name"]).is_empty() {
        errors.push(FieldError::new(
            "roleRef.name",
            FieldErrorKind::Required,
            "",
        ));
    }
    for (index, subject) in object["subjects"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        if text(subject, &["name"]).is_empty() {
            errors.push(FieldError::new(
                format!("subjects[{index}].name"),
                FieldErrorKind::Required,
                "",
            ));
        }
        let kind = text(subject, &["kind"]);
        if !matches!(kind, "ServiceAccount" | "User" | "Group") {
            let supported = "\"ServiceAccount\", \"User\", \"Group\"";
            errors.push(unsupported(
                format!("subjects[{index}].kind"),
                kind,
                supported,
            ));
        }
    }
    if old.is_some_and(|old| old["roleRef"] != *role) {
        let shown =
            json!({"APIGroup": role["apiGroup"], "Kind": role["kind"], "Name": role["name"]});
        errors.push(FieldError::with_value(
            "roleRef",
            FieldErrorKind::Invalid,
            shown,
            "cannot change roleRef",
        ));
    }
    errors
}
