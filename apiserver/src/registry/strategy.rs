//! The strategy of a kind: the rules specific to it, as in Kubernetes' registry
//! (`k8s.io/kubernetes/pkg/registry`).

use std::fmt::Debug;

use jiff::Timestamp;
use serde_json::Value;

use super::services::ServiceRange;
use crate::field::FieldError;
use crate::status::ApiError;
use crate::table::{self, Printer};

/// The server state that a strategy may read besides the object itself.
pub(crate) trait Cluster {
    /// Returns the current time, for timestamps in objects.
    fn now(&self) -> Timestamp;

    /// Returns all stored objects of a built-in resource.
    fn stored(&self, group: &str, plural: &str) -> Vec<Value>;

    /// Returns the issuer of the tokens of service accounts.
    fn issuer(&self) -> &str;

    /// Returns the range of the addresses of services.
    fn service_range(&self) -> ServiceRange;
}

/// How objects of a kind are written, validated, deleted and printed. The defaults suit a kind
/// without specific rules.
pub(crate) trait Strategy: Debug + Sync {
    /// Fills in the defaults of a decoded object.
    fn set_defaults(&self, _object: &mut Value) {}

    /// Allocates what objects share, such as addresses; `old` is the state before an update.
    fn allocate(
        &self,
        _cluster: &dyn Cluster,
        _old: Option<&Value>,
        _new: &mut Value,
    ) -> Result<(), ApiError> {
        Ok(())
    }

    /// Sets server-owned fields of a new object.
    fn prepare_create(&self, _cluster: &dyn Cluster, _object: &mut Value) {}

    /// Sets the fields that the server keeps or owns in an update of the object itself.
    fn prepare_update(&self, _old: &Value, _new: &mut Value) {}

    /// Validates an object on create and update, for every kind of request.
    fn validate(&self, _object: &Value) -> Vec<FieldError> {
        Vec::new()
    }

    /// Validates the additional rules of new objects.
    fn validate_create(&self, _object: &Value) -> Vec<FieldError> {
        Vec::new()
    }

    /// Validates the changes of an update.
    fn validate_update(&self, _old: &Value, _new: &Value) -> Vec<FieldError> {
        Vec::new()
    }

    /// Returns warnings about a valid object; `old` is the state before an update.
    fn warnings(&self, _old: Option<&Value>, _new: &Value) -> Vec<String> {
        Vec::new()
    }

    /// The metadata that a write of the status cannot change.
    fn fixed_in_status(&self) -> &'static [&'static str] {
        &[]
    }

    /// Validates the changes of a status write.
    fn validate_status_update(&self, _old: &Value, _new: &Value) -> Vec<FieldError> {
        Vec::new()
    }

    /// Validates the changes of a write to a pod's ephemeral containers.
    fn validate_ephemeral_containers(&self, _old: &Value, _new: &Value) -> Vec<FieldError> {
        Vec::new()
    }

    /// Answers a virtual object by filling in its status.
    fn review(&self, _cluster: &dyn Cluster, _object: &mut Value) {}

    /// Sets the fields that an object needs when a test stores it directly.
    fn prepare_stored(&self, _object: &mut Value) {}

    /// Returns why the object with this name cannot be deleted, if it cannot.
    fn undeletable(&self, _name: &str) -> Option<&'static str> {
        None
    }

    /// Whether a deletion leaves the dependents alone if the request does not say what happens to
    /// them.
    fn orphans(&self) -> bool {
        false
    }

    /// Whether a deletion of an object sets the finalizers of its propagation policy.
    fn propagates(&self, _object: &Value) -> bool {
        true
    }

    /// Changes an object at the start of its deletion, before it is marked.
    fn begin_deletion(&self, _cluster: &dyn Cluster, _object: &mut Value) {}

    /// Records in an object that it is being deleted.
    fn mark_deleted(&self, _object: &mut Value) {}

    /// Whether an object under deletion waits for a controller, besides its finalizers and grace
    /// period.
    fn holds(&self, _object: &Value) -> bool {
        false
    }

    /// Returns the grace period of a deletion, given the one the client asked for, both in seconds.
    fn grace_period(&self, _object: &Value, _asked: Option<i64>) -> i64 {
        0
    }

    /// Whether a deletion sets the grace period and increments the generation.
    fn records_grace(&self) -> bool {
        true
    }

    /// Whether a deletion is written to the object before it is removed, even without a grace
    /// period, so that watches see it.
    fn marks_before_removal(&self) -> bool {
        false
    }

    /// Whether field selectors may name the namespace, even if the kind is cluster-scoped.
    fn selects_namespace(&self) -> bool {
        true
    }

    /// Returns the error message for a field that cannot be selected.
    fn unknown_field(&self, _kind: &str, field: &str) -> String {
        format!(
            "\"{field}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        )
    }

    /// Returns the path of the objects under the storage root, if it is not the plural name.
    fn storage_prefix(&self) -> Option<&'static str> {
        None
    }

    fn printer(&self) -> &'static Printer {
        table::DEFAULT
    }
}

/// The metadata that newer kinds protect from writes of the status (`ResetObjectMetaForStatus` in
/// `k8s.io/apimachinery`).
pub(crate) const ALL_FIXED_IN_STATUS: &[&str] =
    &["labels", "annotations", "finalizers", "ownerReferences"];

/// A kind without specific rules.
#[derive(Debug)]
pub(crate) struct Plain;

impl Strategy for Plain {}

/// Returns the message for unsupported field labels, for kinds that convert field labels.
pub(crate) fn label_not_supported(field: &str) -> String {
    format!("field label not supported: {field}")
}
