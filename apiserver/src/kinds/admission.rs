//! Webhook configurations and admission policies.

use serde_json::{Map, Value, json};

use super::defaults::{objects, set};
use super::webhooks;
use crate::field::FieldError;
use crate::metadata::object::{child, fields, text};
use crate::registry::{ALL_FIXED_IN_STATUS, Strategy};
use crate::table::cells::{age, items, name};
use crate::table::{Printer, col, columns, num};

#[derive(Debug)]
pub(super) struct ValidatingWebhooks;

impl Strategy for ValidatingWebhooks {
    fn set_defaults(&self, object: &mut Value) {
        for webhook in objects(fields(object), "webhooks") {
            default_webhook(webhook);
        }
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        webhooks::validate(object)
    }

    fn printer(&self) -> &'static Printer {
        WEBHOOKS
    }
}

#[derive(Debug)]
pub(super) struct MutatingWebhooks;

impl Strategy for MutatingWebhooks {
    fn set_defaults(&self, object: &mut Value) {
        for webhook in objects(fields(object), "webhooks") {
            default_webhook(webhook);
            set(webhook, "reinvocationPolicy", "Never");
        }
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        webhooks::validate(object)
    }

    fn printer(&self) -> &'static Printer {
        WEBHOOKS
    }
}

static WEBHOOKS: &Printer = columns! { |o|
    col("Name") => name(o),
    num("Webhooks") => items(o, &["webhooks"]).len(),
    col("Age") => age(o),
};

fn default_webhook(webhook: &mut Map<String, Value>) {
    let client = child(webhook, "clientConfig");
    if let Some(Value::Object(service)) = client.get_mut("service") {
        set(service, "port", 443);
    }
    default_match(webhook, "rules");
    set(webhook, "failurePolicy", "Fail");
    set(webhook, "timeoutSeconds", 10);
}

/// Fills in the defaults of match criteria; `rules` is the field with the rules.
fn default_match(matched: &mut Map<String, Value>, rules: &str) {
    set(matched, "matchPolicy", "Equivalent");
    set(matched, "namespaceSelector", json!({}));
    set(matched, "objectSelector", json!({}));
    for rule in objects(matched, rules) {
        set(rule, "scope", "*");
    }
}

#[derive(Debug)]
pub(super) struct ValidatingAdmissionPolicy;

impl Strategy for ValidatingAdmissionPolicy {
    fn fixed_in_status(&self) -> &'static [&'static str] {
        ALL_FIXED_IN_STATUS
    }

    fn set_defaults(&self, object: &mut Value) {
        let spec = child(fields(object), "spec");
        set(spec, "failurePolicy", "Fail");
        if let Some(Value::Object(matched)) = spec.get_mut("matchConstraints") {
            default_match(matched, "resourceRules");
        }
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o| {
            let kind = match &o["spec"]["paramKind"] {
                Value::Null => "<unset>".to_owned(),
                kind => format!("{}/{}", text(kind, &["apiVersion"]), text(kind, &["kind"])),
            };
        }
            col("Name") => name(o),
            num("Validations") => items(o, &["spec", "validations"]).len(),
            col("ParamKind") => kind,
            col("Age") => age(o),
        }
    }
}

#[derive(Debug)]
pub(super) struct ValidatingAdmissionPolicyBinding;

impl Strategy for ValidatingAdmissionPolicyBinding {
    fn set_defaults(&self, object: &mut Value) {
        let spec = child(fields(object), "spec");
        if let Some(Value::Object(matched)) = spec.get_mut("matchResources") {
            default_match(matched, "resourceRules");
        }
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o|
            col("Name") => name(o),
            col("PolicyName") => text(o, &["spec", "policyName"]),
            col("ParamRef") => parameter(o),
            col("Age") => age(o),
        }
    }
}

/// Returns the named parameter of a policy's binding.
fn parameter(binding: &Value) -> String {
    let reference = &binding["spec"]["paramRef"];
    match (text(reference, &["namespace"]), text(reference, &["name"])) {
        (_, "") => "<unset>".to_owned(),
        ("", name) => format!("*/{name}"),
        (namespace, name) => format!("{namespace}/{name}"),
    }
}
