//! Conditions of a deployment, and their reasons.

use codegen_runtime::k8s_openapi::api::apps::v1::{DeploymentCondition, DeploymentStatus};
use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use jiff::Timestamp;

/// Enough pods are available.
pub const AVAILABLE: &str = "Available";
/// The rollout is progressing, complete or stuck.
pub const PROGRESSING: &str = "Progressing";
/// A replica set cannot create or delete pods.
pub const REPLICA_FAILURE: &str = "ReplicaFailure";

/// Reasons of [`PROGRESSING`].
pub mod reason {
    /// The rollout is progressing: new pods are created or old ones deleted.
    pub const UPDATED: &str = "ReplicaSetUpdated";
    /// The new replica set could not be created.
    pub const CREATE_ERROR: &str = "ReplicaSetCreateError";
    /// The new replica set was created.
    pub const CREATED: &str = "NewReplicaSetCreated";
    /// A replica set with the current template already existed.
    pub const FOUND: &str = "FoundNewReplicaSet";
    /// The rollout is complete.
    pub const COMPLETE: &str = "NewReplicaSetAvailable";
    /// No progress for `progressDeadlineSeconds`. `kubectl rollout status` looks for this reason.
    pub const TIMED_OUT: &str = "ProgressDeadlineExceeded";
    /// The deployment is paused; the deadline does not run.
    pub const PAUSED: &str = "DeploymentPaused";
    /// The deployment was resumed.
    pub const RESUMED: &str = "DeploymentResumed";
}

/// Creates a condition whose update and transition times are `now`.
pub fn new(
    kind: &str,
    status: &str,
    reason: &str,
    message: impl Into<String>,
    now: Timestamp,
) -> DeploymentCondition {
    DeploymentCondition {
        type_: Some(kind.to_owned()),
        status: Some(status.to_owned()),
        reason: Some(reason.to_owned()),
        message: Some(message.into()),
        last_update_time: Some(Time(now)),
        last_transition_time: Some(Time(now)),
    }
}

/// Returns the condition of type `kind`.
pub fn get<'a>(status: &'a DeploymentStatus, kind: &str) -> Option<&'a DeploymentCondition> {
    let conditions = status.conditions.as_ref()?;
    conditions
        .iter()
        .find(|condition| condition.type_.as_deref() == Some(kind))
}

/// Returns the reason of the condition of type `kind`.
pub fn reason_of<'a>(status: &'a DeploymentStatus, kind: &str) -> Option<&'a str> {
    get(status, kind)?.reason.as_deref()
}

/// Sets a condition. If status and reason are unchanged, the old condition stays; if only the
/// status is, its transition time does.
pub fn set(status: &mut DeploymentStatus, mut condition: DeploymentCondition) {
    let kind = condition.type_.clone().unwrap_or_default();
    if let Some(current) = get(status, &kind).filter(|current| current.status == condition.status) {
        if current.reason == condition.reason {
            return;
        }
        condition.last_transition_time = current.last_transition_time.clone();
    }
    remove(status, &kind);
    status.conditions.get_or_insert_default().push(condition);
}

/// Removes the condition of type `kind`.
pub fn remove(status: &mut DeploymentStatus, kind: &str) {
    if let Some(conditions) = &mut status.conditions {
        conditions.retain(|condition| condition.type_.as_deref() != Some(kind));
        if conditions.is_empty() {
            status.conditions = None;
        }
    }
}
