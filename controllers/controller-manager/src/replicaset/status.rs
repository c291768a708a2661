//! The status of a replica set.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::k8s_openapi::api::apps::v1::{
    ReplicaSet, ReplicaSetCondition, ReplicaSetStatus,
};
use codegen_runtime::k8s_openapi::api::core::v1::Pod;
use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use jiff::Timestamp;

use crate::pods::{available_in, is_ready};

/// The condition of a replica set that could not create or delete a pod.
pub const REPLICA_FAILURE: &str = "ReplicaFailure";

/// A failure to create or delete pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// `FailedCreate` or `FailedDelete`.
    pub reason: &'static str,
    /// The server's message.
    pub message: String,
}

/// Computes the status of `set` from its `active` pods, the number of `terminating` ones, which do
/// not count as replicas, and the failure, if any.
pub fn status(
    set: &ReplicaSet,
    active: &[Arc<Pod>],
    terminating: usize,
    failure: Option<&Failure>,
    now: Timestamp,
) -> ReplicaSetStatus {
    let min_ready = min_ready_seconds(set);
    let template = set
        .spec
        .template
        .as_ref()
        .and_then(|template| template.metadata.as_ref());
    let labels = template.and_then(|meta| meta.labels.as_ref());
    let labelled = |pod: &Pod| {
        let own = pod.metadata.labels.as_ref();
        labels.is_none_or(|wanted| {
            wanted
                .iter()
                .all(|(key, value)| own.and_then(|own| own.get(key)) == Some(value))
        })
    };
    let count = |test: &dyn Fn(&Pod) -> bool| active.iter().filter(|pod| test(pod)).count();
    let available = |pod: &Pod| available_in(pod, min_ready, now) == Some(Duration::ZERO);
    let former = set.status.clone().unwrap_or_default();
    ReplicaSetStatus {
        replicas: number(active.len()),
        fully_labeled_replicas: nonzero(count(&labelled)),
        ready_replicas: nonzero(count(&is_ready)),
        available_replicas: nonzero(count(&available)),
        terminating_replicas: Some(number(terminating)),
        observed_generation: set.metadata.generation,
        conditions: conditions(former.conditions.unwrap_or_default(), failure, now),
    }
}

/// Sets or removes the condition ReplicaFailure. One that is already set keeps its time and
/// message.
fn conditions(
    mut conditions: Vec<ReplicaSetCondition>,
    failure: Option<&Failure>,
    now: Timestamp,
) -> Option<Vec<ReplicaSetCondition>> {
    let is_failure =
        |condition: &ReplicaSetCondition| condition.type_.as_deref() == Some(REPLICA_FAILURE);
    let fails = conditions.iter().any(is_failure);
    match failure {
        None => conditions.retain(|condition| !is_failure(condition)),
        Some(failure) if !fails => conditions.push(ReplicaSetCondition {
            type_: Some(REPLICA_FAILURE.to_owned()),
            status: Some("True".to_owned()),
            reason: Some(failure.reason.to_owned()),
            message: Some(failure.message.clone()),
            last_transition_time: Some(Time(now)),
        }),
        Some(_) => {}
    }
    (!conditions.is_empty()).then_some(conditions)
}

/// Whether writing `new` over `old` would change anything. An absent number equals zero.
pub fn differs(old: Option<&ReplicaSetStatus>, new: &ReplicaSetStatus) -> bool {
    let mut old = old.cloned().unwrap_or_default();
    for count in [
        &mut old.fully_labeled_replicas,
        &mut old.ready_replicas,
        &mut old.available_replicas,
    ] {
        *count = count.filter(|count| *count != 0);
    }
    old.conditions = old.conditions.filter(|conditions| !conditions.is_empty());
    old != *new
}

/// Returns when to check again for a pod that becomes available by waiting alone.
pub fn next_check(set: &ReplicaSet, active: &[Arc<Pod>], now: Timestamp) -> Option<Duration> {
    let min_ready = min_ready_seconds(set);
    let waits = active
        .iter()
        .filter_map(|pod| available_in(pod, min_ready, now));
    waits.filter(|wait| !wait.is_zero()).min()
}

fn min_ready_seconds(set: &ReplicaSet) -> i32 {
    set.spec.min_ready_seconds.unwrap_or(0)
}

fn number(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

fn nonzero(count: usize) -> Option<i32> {
    Some(number(count)).filter(|count| *count != 0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn now() -> Timestamp {
        "2026-01-01T00:01:00Z".parse().expect("a time")
    }

    fn set() -> ReplicaSet {
        serde_json::from_value(json!({
            "metadata": {"name": "web", "generation": 3},
            "spec": {"minReadySeconds": 30, "selector": {}, "template": {"metadata": {"labels": {"app": "web", "tier": "a"}}}},
        }))
        .expect("a replica set")
    }

    fn pod(labels: serde_json::Value, ready_at: Option<&str>) -> Arc<Pod> {
        let status = match ready_at {
            Some(at) => {
                json!({"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": at}]})
            }
            None => json!({}),
        };
        Arc::new(
            serde_json::from_value(json!({"metadata": {"labels": labels}, "status": status}))
                .expect("a pod"),
        )
    }

    #[test]
    fn counts_follow_labels_readiness_and_time() {
        let all = json!({"app": "web", "tier": "a", "more": "yes"});
        let pods = [
            pod(all.clone(), Some("2026-01-01T00:00:00Z")),
            pod(all, Some("2026-01-01T00:00:50Z")),
            pod(json!({"app": "web"}), None),
        ];
        let status = status(&set(), &pods, 2, None, now());
        assert_eq!(status.replicas, 3);
        assert_eq!(status.fully_labeled_replicas, Some(2));
        assert_eq!(status.ready_replicas, Some(2));
        assert_eq!(status.available_replicas, Some(1));
        assert_eq!(status.terminating_replicas, Some(2));
        assert_eq!(status.observed_generation, Some(3));
        assert_eq!(
            next_check(&set(), &pods, now()),
            Some(Duration::from_secs(20))
        );
    }

    #[test]
    fn a_failure_is_set_once_and_removed() {
        let mut set = set();
        let failure = |message: &str| Failure {
            reason: "FailedCreate",
            message: message.to_owned(),
        };
        let first = status(&set, &[], 0, Some(&failure("quota")), now());
        set.status = Some(first.clone());
        let second = status(
            &set,
            &[],
            0,
            Some(&failure("another")),
            now() + Duration::from_secs(9),
        );
        assert!(!differs(Some(&first), &second));
        let last = status(&set, &[], 0, None, now());
        assert_eq!(last.conditions, None);
        assert!(differs(Some(&first), &last));
    }

    #[test]
    fn an_absent_zero_is_no_difference() {
        let new = status(&set(), &[], 0, None, now());
        let old = ReplicaSetStatus {
            ready_replicas: Some(0),
            conditions: Some(vec![]),
            ..new.clone()
        };
        assert!(!differs(Some(&old), &new));
    }
}
