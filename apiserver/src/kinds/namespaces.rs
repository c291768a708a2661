//! Namespaces.

use serde_json::{Value, json};

use crate::field::FieldError;
use crate::metadata::object::{self, child, fields, metadata, text};
use crate::registry::{Cluster, Strategy, label_not_supported};
use crate::table::cells::{age, name};
use crate::table::{Printer, col, columns};

/// The namespaces that every cluster has.
pub(crate) const SYSTEM: &[&str] = &["default", "kube-node-lease", "kube-public", "kube-system"];

#[derive(Debug)]
pub(super) struct Namespace;

impl Strategy for Namespace {
    /// The label has an owner, unless the name is yet to be generated.
    fn set_defaults(&self, object: &mut Value) {
        if !object::name(object).is_empty() {
            label(object);
        }
    }

    fn prepare_create(&self, _cluster: &dyn Cluster, object: &mut Value) {
        begin(object);
    }

    fn prepare_update(&self, old: &Value, new: &mut Value) {
        if let Some(list) = old["spec"].get("finalizers").cloned() {
            child(fields(new), "spec").insert("finalizers".into(), list);
        }
        label(new);
    }

    fn validate_status_update(&self, _old: &Value, new: &Value) -> Vec<FieldError> {
        let (phase, detail) = if object::is_deleting(new) {
            let detail = "may only be 'Terminating' if `deletionTimestamp` is not empty";
            ("Terminating", detail)
        } else {
            (
                "Active",
                "may only be 'Active' if `deletionTimestamp` is empty",
            )
        };
        let given = text(new, &["status", "phase"]);
        let invalid = || FieldError::invalid("status.Phase", given, detail);
        (given != phase).then(invalid).into_iter().collect()
    }

    fn prepare_stored(&self, object: &mut Value) {
        if object.get("status").is_none() {
            begin(object);
        }
    }

    fn undeletable(&self, name: &str) -> Option<&'static str> {
        matches!(name, "default" | "kube-system" | "kube-public")
            .then_some("this namespace may not be deleted")
    }

    fn mark_deleted(&self, object: &mut Value) {
        if object::is_deleting(object) {
            child(fields(object), "status").insert("phase".into(), json!("Terminating"));
        }
    }

    /// A namespace remains until the finalizers in its spec are removed, which wait for its
    /// content.
    fn holds(&self, object: &Value) -> bool {
        object["spec"]["finalizers"]
            .as_array()
            .is_some_and(|list| !list.is_empty())
    }

    fn records_grace(&self) -> bool {
        false
    }

    fn selects_namespace(&self) -> bool {
        false
    }

    fn unknown_field(&self, _kind: &str, field: &str) -> String {
        label_not_supported(field)
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o|
            col("Name") => name(o),
            col("Status") => text(o, &["status", "phase"]),
            col("Age") => age(o),
        }
    }
}

/// Sets the initial fields of a namespace.
fn begin(namespace: &mut Value) {
    label(namespace);
    child(fields(namespace), "spec").insert("finalizers".into(), json!(["kubernetes"]));
    fields(namespace).insert("status".into(), json!({"phase": "Active"}));
}

/// Labels a namespace with its name.
fn label(namespace: &mut Value) {
    let name = object::name(namespace).to_owned();
    child(metadata(namespace), "labels").insert("kubernetes.io/metadata.name".into(), json!(name));
}
