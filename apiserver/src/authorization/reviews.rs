//! Answers access reviews by the roles.

use serde_json::{Value, json};

use super::{authorize, rules_for};
use crate::core::{AuthorizationMode, Core};
use crate::metadata::object::{self, text};
use crate::rbac::access::{Access, Target};
use crate::rbac::rules::texts;
use crate::rbac::user::User;

/// Replaces the answer to a review, which allows everything, by what the roles say. Other kinds are
/// left alone.
pub(crate) fn answer(core: &Core, by: &User, kind: &str, review: &mut Value) {
    let is_open = core.options.authorization == AuthorizationMode::AlwaysAllow;
    let status = match kind {
        "SelfSubjectReview" if !by.name.is_empty() => json!({"userInfo": by.info()}),
        _ if is_open => return,
        "SelfSubjectAccessReview" => access_status(core, by, review),
        "SubjectAccessReview" | "LocalSubjectAccessReview" => {
            access_status(core, &subject(review), review)
        }
        "SelfSubjectRulesReview" => rules_status(core, by, review),
        _ => return,
    };
    object::fields(review).insert("status".to_owned(), status);
}

/// Returns the user that a review asks about.
fn subject(review: &Value) -> User {
    let spec = &review["spec"];
    User {
        name: text(spec, &["user"]).to_owned(),
        uid: text(spec, &["uid"]).to_owned(),
        groups: texts(spec, "groups").map(str::to_owned).collect(),
    }
}

fn access_status(core: &Core, user: &User, review: &Value) -> Value {
    let spec = &review["spec"];
    let resource = &spec["resourceAttributes"];
    let field = |field: &str| text(resource, &[field]).to_owned();
    let access = Access {
        verb: field("verb"),
        group: field("group"),
        resource: field("resource"),
        subresource: field("subresource"),
        namespace: field("namespace"),
        name: field("name"),
    };
    let url = &spec["nonResourceAttributes"];
    let decision = match resource.is_null() {
        true => {
            let (verb, path) = (text(url, &["verb"]), text(url, &["path"]));
            authorize(core, user, Target::Path { verb, path })
        }
        false => authorize(core, user, Target::Resource(&access)),
    };
    let mut status = json!({ "allowed": decision.allowed });
    if !decision.reason.is_empty() {
        status["reason"] = json!(decision.reason);
    }
    status
}

fn rules_status(core: &Core, user: &User, review: &Value) -> Value {
    let namespace = text(review, &["spec", "namespace"]);
    let (mut resources, mut urls) = (Vec::new(), Vec::new());
    for rule in rules_for(core, user, namespace) {
        let has = |field: &str| texts(&rule, field).next().is_some();
        if has("resources") {
            resources.push(part(
                &rule,
                &["verbs", "apiGroups", "resources", "resourceNames"],
            ));
        }
        if has("nonResourceURLs") {
            urls.push(part(&rule, &["verbs", "nonResourceURLs"]));
        }
    }
    json!({ "resourceRules": resources, "nonResourceRules": urls, "incomplete": false })
}

/// Returns some fields of a rule.
fn part(rule: &Value, fields: &[&str]) -> Value {
    let fields = fields.iter().filter(|field| !rule[**field].is_null());
    fields
        .map(|field| ((*field).to_owned(), rule[*field].clone()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}
