//! Cluster-level kinds: API services, certificate signing requests, CSI drivers, and storage, priority and runtime classes.

use serde_json::{Value, json};

use super::defaults::set;
use crate::field::FieldError;
use crate::metadata::object::{child, fields, name as object_name, text};
use crate::registry::{Cluster, Strategy};
use crate::table::cells::{age, name};
use crate::table::{Printer, col};
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
}

#[derive(Debug)]
pub(super) struct CsiDriver;

impl Strategy for CsiDriver {
    fn set_defaults(&self, object: &mut Value) {
        let spec = child(fields(object), "spec");
        set(spec, "attachRequired", true);
        set(spec, "podInfoOnMount", false);
        set(spec, "storageCapacity", false);
        set(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
        set(spec, "requiresRepublish", false);
        set(spec, "seLinuxMount", false);
        set(spec, "volumeLifecycleModes", json!(["Persistent"]));
    }
}

#[derive(Debug)]
pub(super) struct PriorityClass;

impl Strategy for PriorityClass {
    fn set_defaults(&self, object: &mut Value) {
        set(fields(object), "preemptionPolicy", "PreemptLowerPriority");
    }
}

#[derive(Debug)]
pub(super) struct StorageClass;

impl Strategy for StorageClass {
    fn set_defaults(&self, object: &mut Value) {
        set(fields(object), "reclaimPolicy", "Delete");
        set(fields(object), "volumeBindingMode", "Immediate");
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        match text(object, &["provisioner"]) {
            "" => vec![FieldError::required("provisioner", "")],
            _ => Vec::new(),
        }
    }
}

#[derive(Debug)]
pub(super) struct RuntimeClass;

impl Strategy for RuntimeClass {
    fn printer(&self) -> &'static Printer {
        static PRINTER: Printer = Printer::new(&[col("Name"), col("Handler"), col("Age")], |o| {
            vec![name(o), json!(text(o, &["handler"])), age(o)]
        });
        &PRINTER
    }
}
