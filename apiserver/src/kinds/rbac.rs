//! Roles and bindings.

use serde_json::{Map, Value, json};

use super::defaults::{objects, set};
use crate::field::FieldError;
use crate::metadata::object::{child, fields, text};
use crate::registry::Strategy;
use crate::table::cells::{age, items, name};
use crate::table::{Printer, col, columns, wide};

const GROUP: &str = "rbac.authorization.k8s.io";

/// Whether a role or binding is namespaced or cluster-wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Namespace,
    Cluster,
}

#[derive(Debug)]
pub(super) struct Role(pub(super) Reach);

impl Strategy for Role {
    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let rules = object["rules"].as_array().into_iter().flatten();
        rules
            .enumerate()
            .flat_map(|(index, rule)| validate_rule(self.0, &format!("rules[{index}]"), rule))
            .collect()
    }
}

#[derive(Debug)]
pub(super) struct Binding(pub(super) Reach);

impl Strategy for Binding {
    fn set_defaults(&self, object: &mut Value) {
        default_groups(fields(object));
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        validate_binding(self.0, object)
    }

    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        let role = &new["roleRef"];
        if old["roleRef"] == *role {
            return Vec::new();
        }
        let shown =
            json!({"APIGroup": role["apiGroup"], "Kind": role["kind"], "Name": role["name"]});
        vec![FieldError::invalid(
            "roleRef",
            shown,
            "cannot change roleRef",
        )]
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o| {
            let subjects = |kind: &str| {
                let names: Vec<String> = items(o, &["subjects"])
                    .iter()
                    .filter(|s| text(s, &["kind"]) == kind)
                    .map(|s| match text(s, &["namespace"]) {
                        "" => text(s, &["name"]).to_owned(),
                        namespace => format!("{namespace}/{}", text(s, &["name"])),
                    })
                    .collect();
                json!(names.join(", "))
            };
        }
            col("Name") => name(o),
            col("Role") => format!("{}/{}", text(o, &["roleRef", "kind"]), text(o, &["roleRef", "name"])),
            col("Age") => age(o),
            wide("Users") => subjects("User"),
            wide("Groups") => subjects("Group"),
            wide("ServiceAccounts") => subjects("ServiceAccount"),
        }
    }
}

/// Sets the default API groups of subjects: RBAC's for users and groups, the core group for service
/// accounts.
fn default_groups(fields: &mut Map<String, Value>) {
    let role = child(fields, "roleRef");
    if role
        .get("apiGroup")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .is_empty()
    {
        role.insert("apiGroup".into(), json!(GROUP));
    }
    for subject in objects(fields, "subjects") {
        if matches!(
            subject.get("kind").and_then(Value::as_str),
            Some("User" | "Group")
        ) {
            set(subject, "apiGroup", GROUP);
        }
    }
}

fn is_empty(rule: &Value, field: &str) -> bool {
    rule[field].as_array().is_none_or(Vec::is_empty)
}

/// Validates a rule: it must have verbs, and resources or URLs.
fn validate_rule(reach: Reach, path: &str, rule: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut require = |field: &str, detail: &str| {
        errors.push(FieldError::required(format!("{path}.{field}"), detail));
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
    } else if reach == Reach::Namespace {
        errors.push(FieldError::invalid(
            format!("{path}.nonResourceURLs"),
            rule["nonResourceURLs"].clone(),
            "namespaced rules cannot apply to non-resource URLs",
        ));
    }
    errors
}

/// Validates a binding: it must reference a role, and subjects of known kinds.
fn validate_binding(reach: Reach, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let role = &object["roleRef"];
    let group = text(role, &["apiGroup"]);
    if group != GROUP {
        errors.push(FieldError::unsupported("roleRef.apiGroup", group, &[GROUP]));
    }
    let kinds: &[&str] = match reach {
        Reach::Namespace => &["Role", "ClusterRole"],
        Reach::Cluster => &["ClusterRole"],
    };
    let kind = text(role, &["kind"]);
    if !kinds.contains(&kind) {
        errors.push(FieldError::unsupported("roleRef.kind", kind, kinds));
    }
    if text(role, &["name"]).is_empty() {
        errors.push(FieldError::required("roleRef.name", ""));
    }
    let subjects = object["subjects"].as_array().into_iter().flatten();
    for (index, subject) in subjects.enumerate() {
        let here = format!("subjects[{index}]");
        if text(subject, &["name"]).is_empty() {
            errors.push(FieldError::required(format!("{here}.name"), ""));
        }
        let kinds = &["ServiceAccount", "User", "Group"];
        let kind = text(subject, &["kind"]);
        if !kinds.contains(&kind) {
            errors.push(FieldError::unsupported(format!("{here}.kind"), kind, kinds));
        }
    }
    errors
}
