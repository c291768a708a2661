//! Cluster-level kinds: API services, certificate signing requests, and priority and runtime
//! classes.

use serde_json::{Value, json};

use super::check::{immutable, one_of};
use super::defaults::set;
use crate::field::FieldError;
use crate::metadata::object::{child, fields, name as object_name, set_meta, text};
use crate::registry::{Cluster, Strategy};
use crate::table::cells::{self, age, flag, items, name, number};
use crate::table::{Printer, boolean, col, columns, human, num};
use crate::types::base64;

#[derive(Debug)]
pub(super) struct ApiService;

impl Strategy for ApiService {
    fn set_defaults(&self, object: &mut Value) {
        let spec = child(fields(object), "spec");
        if let Some(Value::Object(service)) = spec.get_mut("service") {
            set(service, "port", 443);
        }
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let spec = &object["spec"];
        let expected = format!("{}.{}", text(spec, &["version"]), text(spec, &["group"]));
        if object_name(object) != expected {
            let detail = format!("must be `spec.version+\".\"+spec.group`: \"{expected}\"");
            errors.push(FieldError::invalid(
                "metadata.name",
                object_name(object),
                detail,
            ));
        }
        for (field, most) in [("groupPriorityMinimum", 20000), ("versionPriority", 1000)] {
            let given = spec[field].as_i64().unwrap_or_default();
            if !(1..=most).contains(&given) {
                let detail = format!("must be positive and less than {most}");
                errors.push(FieldError::invalid(format!("spec.{field}"), given, detail));
            }
        }
        errors
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o|
            col("Name") => name(o),
            col("Service") => service(o),
            col("Available") => available(o),
            col("Age") => age(o),
        }
    }
}

fn service(o: &Value) -> String {
    let service = &o["spec"]["service"];
    match service.is_null() {
        true => "Local".to_owned(),
        false => format!(
            "{}/{}",
            text(service, &["namespace"]),
            text(service, &["name"])
        ),
    }
}

fn available(o: &Value) -> String {
    let mut conditions = items(o, &["status", "conditions"]).iter();
    let Some(condition) = conditions.find(|c| text(c, &["type"]) == "Available") else {
        return "Unknown".to_owned();
    };
    match (text(condition, &["status"]), text(condition, &["reason"])) {
        (status @ "True", _) | (status, "") => status.to_owned(),
        (status, reason) => format!("{status} ({reason})"),
    }
}

#[derive(Debug)]
pub(super) struct CertificateSigningRequest;

impl Strategy for CertificateSigningRequest {
    fn prepare_create(&self, _cluster: &dyn Cluster, object: &mut Value) {
        let spec = child(fields(object), "spec");
        spec.insert("username".into(), json!("admin"));
        let groups = json!(["system:masters", "system:authenticated"]);
        spec.insert("groups".into(), groups);
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let spec = &object["spec"];
        let request = text(spec, &["request"]);
        let pem = base64::decode(request).unwrap_or_default();
        if !pem.starts_with(b"-----BEGIN CERTIFICATE REQUEST-----") {
            let detail = "PEM block type must be CERTIFICATE REQUEST";
            errors.push(FieldError::invalid("spec.request", request, detail));
        }
        if spec["usages"].as_array().is_none_or(Vec::is_empty) {
            let detail = "usages must contain at least one value";
            errors.push(FieldError::required("spec.usages", detail));
        }
        errors
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o| {
            let seconds = o["spec"]["expirationSeconds"].as_i64();
            let seconds = seconds.and_then(|seconds| i32::try_from(seconds).ok());
        }
            col("Name") => name(o),
            col("Age") => age(o),
            col("SignerName") => cells::text(o, &["spec", "signerName"]),
            col("Requestor") => text(o, &["spec", "username"]),
            col("RequestedDuration") => seconds.map_or("<none>".to_owned(), |seconds| human(seconds.into())),
            col("Condition") => request_condition(o),
        }
    }
}

fn request_condition(o: &Value) -> String {
    let conditions = items(o, &["status", "conditions"]);
    let is = |kind: &str| conditions.iter().any(|c| text(c, &["type"]) == kind);
    let mut shown = match () {
        () if is("Denied") => "Denied",
        () if is("Approved") => "Approved",
        () => "Pending",
    }
    .to_owned();
    if is("Failed") {
        shown.push_str(",Failed");
    }
    if !text(o, &["status", "certificate"]).is_empty() {
        shown.push_str(",Issued");
    }
    shown
}

/// The highest value of a priority class that is not Kubernetes' own.
const HIGHEST_PRIORITY: i64 = 1_000_000_000;

/// Returns why a priority class is none of Kubernetes' own, if it is not.
fn system_class_fault(class: &Value) -> Option<String> {
    let name = object_name(class);
    let value = match name {
        "system-node-critical" => 2_000_001_000,
        "system-cluster-critical" => 2_000_000_000,
        _ => return Some(format!("{name} is not a known system priority class")),
    };
    if number(class, &["value"]) != value {
        return Some(format!("value of {name} PriorityClass must be {value}"));
    }
    (class["globalDefault"] == json!(true))
        .then(|| format!("globalDefault of {name} PriorityClass must be false"))
}

#[derive(Debug)]
pub(super) struct PriorityClass;

impl Strategy for PriorityClass {
    fn set_defaults(&self, object: &mut Value) {
        set(fields(object), "preemptionPolicy", "PreemptLowerPriority");
    }

    /// The generation never changes.
    fn prepare_create(&self, _cluster: &dyn Cluster, object: &mut Value) {
        set_meta(object, "generation", Some(json!(1)));
    }

    /// Values are immutable, so only new ones are validated.
    fn validate_create(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let class = object_name(object);
        if class.starts_with("system-") {
            if let Some(fault) = system_class_fault(object) {
                let detail = format!(
                    "priority class names with 'system-' prefix are reserved for system use only. error: {fault}"
                );
                errors.push(FieldError::forbidden("metadata.name", detail));
            }
        } else if number(object, &["value"]) > HIGHEST_PRIORITY {
            let detail =
                format!("maximum allowed value of a user defined priority is {HIGHEST_PRIORITY}");
            errors.push(FieldError::forbidden("value", detail));
        }
        one_of(
            "preemptionPolicy".to_owned(),
            &object["preemptionPolicy"],
            &["PreemptLowerPriority", "Never"],
            &mut errors,
        );
        errors
    }

    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        let mut errors = Vec::new();
        if number(old, &["value"]) != number(new, &["value"]) {
            let detail = "may not be changed in an update.";
            errors.push(FieldError::forbidden("value", detail));
        }
        immutable("preemptionPolicy", old, new, &mut errors);
        errors
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o|
            col("Name") => name(o),
            num("Value") => number(o, &["value"]),
            boolean("Global-Default") => flag(o, &["globalDefault"]),
            col("Age") => age(o),
            col("PreemptionPolicy") => text(o, &["preemptionPolicy"]),
        }
    }
}

#[derive(Debug)]
pub(super) struct RuntimeClass;

impl Strategy for RuntimeClass {
    fn printer(&self) -> &'static Printer {
        columns! { |o|
            col("Name") => name(o),
            col("Handler") => text(o, &["handler"]),
            col("Age") => age(o),
        }
    }
}
