//! The kind CustomResourceDefinition.

use serde_json::Value;

use crate::crd;
use crate::field::{FieldError, go_quote};
use crate::metadata::object::{self, child, fields};
use crate::registry::{Cluster, Strategy};
use crate::types::scalars::rfc3339;
use kube_schema::definition;

/// The finalizer that keeps a definition until its objects are deleted.
pub(crate) const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

#[derive(Debug)]
pub(super) struct CustomResourceDefinition;

impl Strategy for CustomResourceDefinition {
    fn set_defaults(&self, object: &mut Value) {
        crd::set_defaults(object);
    }

    fn prepare_create(&self, _cluster: &dyn Cluster, object: &mut Value) {
        crd::set_defaults(object);
    }

    fn prepare_update(&self, _old: &Value, new: &mut Value) {
        crd::record_storage_version(new);
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        crd::validate(object)
    }

    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        crd::validate_update(old, new)
    }

    fn warnings(&self, old: Option<&Value>, new: &Value) -> Vec<String> {
        let known = old.map(definition::unknown_formats).unwrap_or_default();
        let mut formats = definition::unknown_formats(new);
        formats.retain(|format| !known.contains(format));
        let warning = |format: &String| format!("unrecognized format {}", go_quote(format));
        formats.iter().map(warning).collect()
    }

    /// The first deletion only marks the definition.
    fn propagates(&self, object: &Value) -> bool {
        object::is_deleting(object)
    }

    /// Adds the finalizer that waits for the definition's objects.
    fn begin_deletion(&self, cluster: &dyn Cluster, object: &mut Value) {
        let mut finalizers: Vec<String> = object::finalizers(object)
            .into_iter()
            .map(str::to_owned)
            .collect();
        if object::is_deleting(object) || finalizers.iter().any(|f| f == CLEANUP) {
            return;
        }
        finalizers.push(CLEANUP.to_owned());
        object::set_finalizers(object, &finalizers);
        let terminating = crd::Condition {
            kind: "Terminating",
            holds: true,
            reason: "InstanceDeletionPending",
            message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
            now: &rfc3339(cluster.now()),
        };
        crd::set_condition(child(fields(object), "status"), &terminating);
    }

    fn records_grace(&self) -> bool {
        false
    }
}
