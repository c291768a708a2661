//! Webhook configurations, from the webhook markers of a crate.
//!
//! ```yaml
//! apiVersion: admissionregistration.k8s.io/v1
//! kind: MutatingWebhookConfiguration
//! metadata:
//!   name: mutating-webhook-configuration
//! webhooks:
//! - admissionReviewVersions:
//!   - v1
//!   clientConfig:
//!     service:
//!       name: webhook-service
//!       namespace: system
//!       path: /mutate-cloudnative-czs-v1alpha1-virtualmachine
//!   failurePolicy: Fail
//!   name: mvirtualmachine-v1alpha1.kb.io
//!   …
//! ```

mod client;
mod patch;

use serde_json::{Map, Value, json};

pub(crate) use self::client::client_config;
use crate::{
    emit::manifests::input::{Input, file},
    model::{ApiSet, Webhook},
    output::Tree,
};

/// The file of webhook configurations.
pub(super) fn emit(input: &Input<'_>, path: &str) -> Tree {
    file(path, &webhook_configurations(input.api))
}

/// The MutatingWebhookConfiguration and the ValidatingWebhookConfiguration, each only if it has webhooks. Webhooks are sorted by
/// name; those with equal names stay in input order.
#[must_use]
pub fn webhook_configurations(api: &ApiSet) -> Vec<Value> {
    let kinds = [
        (
            true,
            "MutatingWebhookConfiguration",
            "mutating-webhook-configuration",
        ),
        (
            false,
            "ValidatingWebhookConfiguration",
            "validating-webhook-configuration",
        ),
    ];
    let mut configurations = Vec::new();
    for (mutating, kind, default_name) in kinds {
        let of_kind = api.webhooks.iter().filter(|it| it.mutating == mutating);
        let mut webhooks: Vec<&Webhook> = of_kind.collect();
        let Some(first) = webhooks.first() else {
            continue;
        };
        let name = first.configuration.as_deref().unwrap_or(default_name);
        webhooks.sort_by(|a, b| a.name.cmp(&b.name));
        let webhooks: Vec<Value> = webhooks.into_iter().map(webhook).collect();
        configurations.push(json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": kind,
            "metadata": { "name": name },
            "webhooks": webhooks,
        }));
    }
    configurations
}

fn webhook(webhook: &Webhook) -> Value {
    let mut object = Map::new();
    let mut set = |key: &str, value: Value| {
        if !value.is_null() {
            object.insert(key.to_owned(), value);
        }
    };
    set(
        "admissionReviewVersions",
        json!(webhook.admission_review_versions),
    );
    set("clientConfig", client_config(&webhook.endpoint));
    set("failurePolicy", json!(webhook.failure_policy));
    set("matchPolicy", json!(webhook.match_policy));
    set("name", json!(webhook.name));
    set("reinvocationPolicy", json!(webhook.reinvocation_policy));
    set("rules", rules(webhook));
    set("sideEffects", json!(webhook.side_effects));
    set("timeoutSeconds", json!(webhook.timeout_seconds));
    if let Some(Value::Object(patch)) = &webhook.patch {
        patch::apply(&mut object, patch);
    }
    Value::Object(object)
}

fn rules(webhook: &Webhook) -> Value {
    let mut rule = Map::new();
    let lists = [
        ("apiGroups", &webhook.groups),
        ("apiVersions", &webhook.versions),
        ("resources", &webhook.resources),
    ];
    for (key, list) in lists {
        if !list.is_empty() {
            rule.insert(key.to_owned(), json!(list));
        }
    }
    rule.insert("operations".to_owned(), json!(webhook.verbs));
    json!([rule])
}
