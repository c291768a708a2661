//! Authentication and authorization reviews, which are answered but not stored.
//!
//! The server has a single user who may do everything. To answer a review differently, add a
//! reactor on `create`.

use serde_json::{Value, json};

use super::tokens;
use crate::field::FieldError;
use crate::metadata::object::{fields, text};
use crate::registry::{Cluster, Strategy};
use crate::types::scalars::rfc3339;

/// The user that all requests are attributed to.
fn user() -> Value {
    json!({"username": "admin", "groups": ["system:masters", "system:authenticated"]})
}

fn set_status(review: &mut Value, status: Value) {
    fields(review).insert("status".to_owned(), status);
}

/// `TokenReview`: who a token belongs to.
#[derive(Debug)]
pub(super) struct Token;

impl Strategy for Token {
    fn review(&self, cluster: &dyn Cluster, object: &mut Value) {
        let status = match tokens::user(cluster, text(object, &["spec", "token"])) {
            Some((user, audiences)) => {
                json!({"authenticated": true, "user": user, "audiences": audiences})
            }
            None => json!({"user": {}, "error": "invalid bearer token"}),
        };
        set_status(object, status);
    }
}

/// `SelfSubjectReview`: who makes the request.
#[derive(Debug)]
pub(super) struct SelfSubject;

impl Strategy for SelfSubject {
    fn review(&self, cluster: &dyn Cluster, object: &mut Value) {
        object["metadata"]["creationTimestamp"] = json!(rfc3339(cluster.now()));
        set_status(object, json!({"userInfo": user()}));
    }
}

/// The reviews of a single access, such as `SubjectAccessReview`.
#[derive(Debug)]
pub(super) struct Access;

impl Strategy for Access {
    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let spec = &object["spec"];
        let both = [&spec["resourceAttributes"], &spec["nonResourceAttributes"]];
        let detail = match both.iter().filter(|part| !part.is_null()).count() {
            1 => return Vec::new(),
            0 => "exactly one of nonResourceAttributes or resourceAttributes must be specified",
            _ => "cannot be specified in combination with resourceAttributes",
        };
        let path = if both[0].is_null() || both[1].is_null() {
            "spec.resourceAttributes"
        } else {
            "spec.nonResourceAttributes"
        };
        let value = if both[0].is_null() {
            Value::Null
        } else {
            both[1].clone()
        };
        vec![FieldError::invalid(path, value, detail)]
    }

    fn review(&self, _cluster: &dyn Cluster, object: &mut Value) {
        set_status(object, json!({"allowed": true}));
    }
}

/// `SelfSubjectRulesReview`: what the user may do (everything).
#[derive(Debug)]
pub(super) struct Rules;

impl Strategy for Rules {
    fn review(&self, _cluster: &dyn Cluster, object: &mut Value) {
        object["spec"] = json!({});
        set_status(
            object,
            json!({
                "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
                "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
                "incomplete": false,
            }),
        );
    }
}
