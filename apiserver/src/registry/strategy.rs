//! The strategy of a kind: its rules besides those of all kinds, as in Kubernetes' registry (`k8s.io/kubernetes/pkg/registry`).

use std::fmt::Debug;

use jiff::Timestamp;
use serde_json::Value;

use crate::field::FieldError;
use crate::table::{self, Printer};

/// The server state that a strategy may read besides the object itself.
pub(crate) trait Cluster {
    /// The time that goes into objects.
    fn now(&self) -> Timestamp;

    /// All stored objects of a built-in resource.
    fn stored(&self, group: &str, plural: &str) -> Vec<Value>;
}

/// How a kind's objects are written, validated, deleted and printed. The default is a kind without rules of its own.
pub(crate) trait Strategy: Debug + Sync {
    /// Fills in the defaults of an object that was decoded.
    fn set_defaults(&self, _object: &mut Value) {}

    /// Sets what the server decides about a new object.
    fn prepare_create(&self, _cluster: &dyn Cluster, _object: &mut Value) {}

    /// Sets what the server keeps or decides in an update, of the object or of a subresource.
    fn prepare_update(
        &self,
        _cluster: &dyn Cluster,
        _subresource: &str,
        _old: &Value,
        _new: &mut Value,
    ) {
    }

    /// Validates an object that is created or updated, by any kind of request.
    fn validate(&self, _object: &Value) -> Vec<FieldError> {
        Vec::new()
    }

    /// Validates what only a new object may not have.
    fn validate_create(&self, _object: &Value) -> Vec<FieldError> {
        Vec::new()
    }

    /// Validates the difference that an update makes.
    fn validate_update(&self, _old: &Value, _new: &Value) -> Vec<FieldError> {
        Vec::new()
    }

    /// Validates the difference that a write to the status makes.
    fn validate_status_update(&self, _old: &Value, _new: &Value) -> Vec<FieldError> {
        Vec::new()
    }

    /// Validates the difference that a write to a pod's ephemeral containers makes.
    fn validate_ephemeral_containers(&self, _old: &Value, _new: &Value) -> Vec<FieldError> {
        Vec::new()
    }

    /// Answers an object that is not stored: fills in its status.
    fn review(&self, _cluster: &dyn Cluster, _object: &mut Value) {}

    /// Sets what an object needs that a test stores directly.
    fn prepare_stored(&self, _object: &mut Value) {}

    /// Why an object of a name cannot be deleted.
    fn undeletable(&self, _name: &str) -> Option<&'static str> {
        None
    }

    /// Sets what a deletion changes in an object before it is marked.
    fn begin_deletion(&self, _cluster: &dyn Cluster, _object: &mut Value) {}

    /// Sets what shows that an object is being deleted.
    fn mark_deleted(&self, _object: &mut Value) {}

    /// Whether an object under deletion waits for more than its finalizers and its grace period.
    fn holds(&self, _object: &Value) -> bool {
        false
    }

    /// The grace period of a deletion in seconds, given the one that the client asked for.
    fn grace_period(&self, _object: &Value, _asked: Option<i64>) -> i64 {
        0
    }

    /// Whether a deletion sets the grace period and counts as a generation.
    fn records_grace(&self) -> bool {
        true
    }

    /// The error for a field selector on a field that cannot be selected.
    fn unknown_field(&self, _kind: &str, field: &str) -> String {
        format!(
            "\"{field}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        )
    }

    /// Where objects lie below the storage's root, if not at the plural name.
    fn storage_prefix(&self) -> Option<&'static str> {
        None
    }

    fn printer(&self) -> &'static Printer {
        &table::DEFAULT
    }
}

/// A kind without rules of its own.
#[derive(Debug)]
pub(crate) struct Plain;

impl Strategy for Plain {}

/// The text of errors about fields that cannot be selected, where a kind converts labels of fields.
pub(crate) fn label_not_supported(field: &str) -> String {
    format!("field label not supported: {field}")
}
