//! The status of a deployment, and the progress of its rollout.

use std::time::Duration;

use codegen_runtime::k8s_openapi::api::apps::v1::{
    Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet,
};
use jiff::Timestamp;

use super::conditions::{self, AVAILABLE, PROGRESSING, REPLICA_FAILURE, reason};
use super::limits::Limits;
use super::sets::{Set, actual, available, ready, total};
use crate::replicaset::status::REPLICA_FAILURE as SET_FAILURE;

/// Computes the parts of the status of `deployment` that do not depend on progress.
pub fn counts(
    deployment: &Deployment,
    new: Option<&Set>,
    sets: &[Set],
    now: Timestamp,
) -> DeploymentStatus {
    let former = deployment.status.clone().unwrap_or_default();
    let sum = |count: fn(&ReplicaSet) -> i32| {
        sets.iter()
            .map(|set| count(set))
            .fold(0, i32::saturating_add)
    };
    let nonzero = |count: i32| Some(count).filter(|count| *count != 0);
    let all_available = sum(available);
    let mut status = DeploymentStatus {
        observed_generation: deployment.metadata.generation,
        replicas: nonzero(sum(actual)),
        updated_replicas: nonzero(new.map_or(0, |set| actual(set))),
        ready_replicas: nonzero(sum(ready)),
        available_replicas: nonzero(all_available),
        unavailable_replicas: nonzero((total(sets) - all_available).max(0)),
        terminating_replicas: terminating(sets),
        collision_count: former.collision_count,
        conditions: former
            .conditions
            .filter(|conditions| !conditions.is_empty()),
    };
    let (value, reason, message) = if all_available >= Limits::of(deployment).fewest_available() {
        (
            "True",
            "MinimumReplicasAvailable",
            "Deployment has minimum availability.",
        )
    } else {
        (
            "False",
            "MinimumReplicasUnavailable",
            "Deployment does not have minimum availability.",
        )
    };
    conditions::set(
        &mut status,
        conditions::new(AVAILABLE, value, reason, message, now),
    );
    status
}

/// Returns the number of terminating pods of all sets; `None` if the status of an observed one
/// lacks it.
fn terminating(sets: &[Set]) -> Option<i32> {
    let count = |set: &Set| {
        let status = set.status.as_ref();
        let observed = status
            .and_then(|status| status.observed_generation)
            .unwrap_or(0);
        status
            .and_then(|status| status.terminating_replicas)
            .or((observed == 0).then_some(0))
    };
    sets.iter()
        .map(count)
        .try_fold(0, |sum, count| Some(sum + count?))
}

/// Computes [`counts`] and the rollout's conditions Progressing and ReplicaFailure.
pub fn rollout(
    deployment: &Deployment,
    new: Option<&Set>,
    sets: &[Set],
    now: Timestamp,
) -> DeploymentStatus {
    let mut status = counts(deployment, new, sets, now);
    if deadline(deployment).is_none() {
        conditions::remove(&mut status, PROGRESSING);
    }
    let was_complete = status.replicas == status.updated_replicas
        && conditions::reason_of(&former(deployment), PROGRESSING) == Some(reason::COMPLETE);
    if deadline(deployment).is_some() && !was_complete {
        progress(deployment, new, &mut status, now);
    }
    match failure(new, sets) {
        Some(failure) => conditions::set(&mut status, failure),
        None => conditions::remove(&mut status, REPLICA_FAILURE),
    }
    status
}

fn progress(
    deployment: &Deployment,
    new: Option<&Set>,
    status: &mut DeploymentStatus,
    now: Timestamp,
) {
    let name = |object: Option<&String>| object.map_or("", String::as_str).to_owned();
    let subject = match new {
        Some(set) => format!("ReplicaSet {:?}", name(set.metadata.name.as_ref())),
        None => format!("Deployment {:?}", name(deployment.metadata.name.as_ref())),
    };
    let condition = |value, reason, what: &str| {
        conditions::new(
            PROGRESSING,
            value,
            reason,
            format!("{subject} {what}."),
            now,
        )
    };
    if is_complete(deployment, status) {
        conditions::set(
            status,
            condition("True", reason::COMPLETE, "has successfully progressed"),
        );
    } else if is_progressing(deployment, status) {
        let mut condition = condition("True", reason::UPDATED, "is progressing");
        // Each step restarts the deadline, even if the reason stays the same.
        let before = former(deployment);
        if let Some(current) = conditions::get(&before, PROGRESSING) {
            if current.status.as_deref() == Some("True") {
                condition.last_transition_time = current.last_transition_time.clone();
            }
            conditions::remove(status, PROGRESSING);
        }
        conditions::set(status, condition);
    } else if has_timed_out(deployment, status, now) {
        conditions::set(
            status,
            condition("False", reason::TIMED_OUT, "has timed out progressing"),
        );
    }
}

/// Returns the failure of the new replica set, or of any other.
fn failure(new: Option<&Set>, sets: &[Set]) -> Option<DeploymentCondition> {
    let of = |set: &Set| {
        let conditions = set.status.as_ref()?.conditions.as_ref()?;
        let failure = conditions
            .iter()
            .find(|condition| condition.type_.as_deref() == Some(SET_FAILURE))?;
        Some(DeploymentCondition {
            type_: failure.type_.clone(),
            status: failure.status.clone(),
            reason: failure.reason.clone(),
            message: failure.message.clone(),
            last_transition_time: failure.last_transition_time.clone(),
            last_update_time: failure.last_transition_time.clone(),
        })
    };
    new.and_then(of).or_else(|| sets.iter().find_map(of))
}

/// Whether every pod has the new template and is available, and no old pods remain.
pub fn is_complete(deployment: &Deployment, status: &DeploymentStatus) -> bool {
    let wanted = Limits::of(deployment).replicas;
    let all = [
        status.updated_replicas,
        status.replicas,
        status.available_replicas,
    ];
    all.iter().all(|count| count.unwrap_or(0) == wanted)
        && status.observed_generation >= deployment.metadata.generation
}

fn is_progressing(deployment: &Deployment, new: &DeploymentStatus) -> bool {
    let old = former(deployment);
    let get = |count: Option<i32>| count.unwrap_or(0);
    let left = |status: &DeploymentStatus| get(status.replicas) - get(status.updated_replicas);
    get(new.updated_replicas) > get(old.updated_replicas)
        || left(new) < left(&old)
        || get(new.ready_replicas) > get(old.ready_replicas)
        || get(new.available_replicas) > get(old.available_replicas)
}

fn has_timed_out(deployment: &Deployment, status: &DeploymentStatus, now: Timestamp) -> bool {
    match conditions::reason_of(status, PROGRESSING) {
        None | Some(reason::COMPLETE) => false,
        Some(reason::TIMED_OUT) => true,
        Some(_) => since_progress(status, now)
            .zip(deadline(deployment))
            .is_some_and(|(since, deadline)| since > deadline),
    }
}

fn since_progress(status: &DeploymentStatus, now: Timestamp) -> Option<Duration> {
    let updated = conditions::get(status, PROGRESSING)?
        .last_update_time
        .as_ref()?;
    Some(Duration::try_from(now.duration_since(updated.0)).unwrap_or_default())
}

/// Returns `progressDeadlineSeconds`; `None` if it is unset or the largest number, which means no
/// deadline.
pub fn deadline(deployment: &Deployment) -> Option<Duration> {
    let seconds = deployment
        .spec
        .progress_deadline_seconds
        .filter(|seconds| *seconds != i32::MAX)?;
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
}

/// Returns when to check a rollout that is neither progressing nor complete: a second after its
/// deadline.
pub fn next_check(
    deployment: &Deployment,
    status: &DeploymentStatus,
    now: Timestamp,
) -> Option<Duration> {
    let reason = conditions::reason_of(status, PROGRESSING)?;
    if is_complete(deployment, status)
        || reason == reason::TIMED_OUT
        || deployment.spec.paused == Some(true)
    {
        return None;
    }
    let left = deadline(deployment)?.saturating_sub(since_progress(status, now)?);
    Some(left + Duration::from_secs(1))
}

/// Whether writing `new` over the status of `deployment` would change anything. An absent number
/// equals zero.
pub fn differs(deployment: &Deployment, new: &DeploymentStatus) -> bool {
    let mut old = former(deployment);
    let counts = [
        &mut old.replicas,
        &mut old.updated_replicas,
        &mut old.ready_replicas,
        &mut old.available_replicas,
        &mut old.unavailable_replicas,
    ];
    for count in counts {
        *count = count.filter(|count| *count != 0);
    }
    old.conditions = old.conditions.filter(|conditions| !conditions.is_empty());
    old != *new
}

fn former(deployment: &Deployment) -> DeploymentStatus {
    deployment.status.clone().unwrap_or_default()
}
