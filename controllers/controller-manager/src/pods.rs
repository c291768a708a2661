//! The state of a pod, according to its status.

use std::time::Duration;

use codegen_runtime::k8s_openapi::api::core::v1::{
    Container, ContainerStatus, Pod, PodCondition, PodSpec, PodStatus,
};
use jiff::Timestamp;

/// The annotation with the deletion cost of a pod, a number.
pub const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// Whether the pod has terminated: none of its containers will run again.
pub fn is_finished(pod: &Pod) -> bool {
    matches!(phase(pod), "Succeeded" | "Failed")
}

/// Whether the pod counts as a replica: it has not terminated and is not being deleted.
pub fn is_active(pod: &Pod) -> bool {
    !is_finished(pod) && pod.metadata.deletion_timestamp.is_none()
}

/// Whether the pod is being deleted and has not terminated yet.
pub fn is_terminating(pod: &Pod) -> bool {
    !is_finished(pod) && pod.metadata.deletion_timestamp.is_some()
}

/// The phase; empty until one is set.
pub fn phase(pod: &Pod) -> &str {
    pod.status
        .as_ref()
        .and_then(|status| status.phase.as_deref())
        .unwrap_or_default()
}

/// The name of the node; empty until the pod is scheduled.
pub fn node(pod: &Pod) -> &str {
    pod.spec
        .as_ref()
        .and_then(|spec| spec.node_name.as_deref())
        .unwrap_or_default()
}

fn ready_condition(pod: &Pod) -> Option<&PodCondition> {
    let conditions = pod.status.as_ref()?.conditions.as_ref()?;
    conditions
        .iter()
        .find(|condition| condition.type_ == "Ready")
}

/// Whether the condition Ready is true.
pub fn is_ready(pod: &Pod) -> bool {
    ready_condition(pod).is_some_and(|condition| condition.status == "True")
}

/// Since when the pod has been ready; `None` if it is not ready, or has no transition time.
pub fn ready_since(pod: &Pod) -> Option<Timestamp> {
    let condition = ready_condition(pod).filter(|condition| condition.status == "True")?;
    condition.last_transition_time.as_ref().map(|time| time.0)
}

/// Returns how long until the pod has been ready for `min_ready_seconds`: zero if it is available
/// now, `None` if waiting alone does not make it available.
pub fn available_in(pod: &Pod, min_ready_seconds: i32, now: Timestamp) -> Option<Duration> {
    if !is_ready(pod) {
        return None;
    }
    let Ok(wait @ 1..) = u64::try_from(min_ready_seconds) else {
        return Some(Duration::ZERO);
    };
    let ready = Duration::try_from(now.duration_since(ready_since(pod)?)).unwrap_or_default();
    Some(Duration::from_secs(wait).saturating_sub(ready))
}

/// The deletion cost; zero if the annotation is missing or malformed.
pub fn deletion_cost(pod: &Pod) -> i32 {
    let annotations = pod.metadata.annotations.as_ref();
    annotations
        .and_then(|annotations| annotations.get(DELETION_COST))
        .filter(|cost| !cost.starts_with('+') && (*cost == "0" || !cost.starts_with('0')))
        .and_then(|cost| cost.parse().ok())
        .unwrap_or(0)
}

/// The highest restart count among the containers, and among the sidecars (restartable init
/// containers).
pub fn restarts(pod: &Pod) -> (i32, i32) {
    let Some(status) = &pod.status else {
        return (0, 0);
    };
    let regular = status.container_statuses.iter().flatten();
    let sidecar = |name: &str| {
        let init = pod
            .spec
            .iter()
            .flat_map(|spec| spec.init_containers.iter().flatten());
        init.into_iter().any(|container| {
            container.name == name && container.restart_policy.as_deref() == Some("Always")
        })
    };
    let sidecars = status.init_container_statuses.iter().flatten();
    let sidecars = sidecars.filter(|container| sidecar(&container.name));
    (
        regular.map(|it| it.restart_count).max().unwrap_or(0),
        sidecars.map(|it| it.restart_count).max().unwrap_or(0),
    )
}

/// Drops the fields of a pod that no loop reads, to save memory in the cache. The simulated kubelet
/// reads more.
pub fn trim(pod: &mut Pod) {
    if let Some(spec) = &mut pod.spec {
        let init = spec.init_containers.take().map(|all| {
            let named = all.into_iter().map(|it| Container {
                name: it.name,
                restart_policy: it.restart_policy,
                ..Container::default()
            });
            named.collect()
        });
        *spec = PodSpec {
            init_containers: init,
            node_name: spec.node_name.take(),
            ..PodSpec::default()
        };
    }
    if let Some(status) = &mut pod.status {
        let counted = |all: Option<Vec<ContainerStatus>>| {
            let restarted = all?.into_iter().filter(|it| it.restart_count > 0);
            let restarted = restarted.map(|it| ContainerStatus {
                name: it.name,
                restart_count: it.restart_count,
                ..ContainerStatus::default()
            });
            Some(restarted.collect())
        };
        let mut conditions = status.conditions.take();
        if let Some(conditions) = &mut conditions {
            conditions.retain(|it| it.type_ == "Ready");
            conditions.shrink_to_fit();
        }
        *status = PodStatus {
            phase: status.phase.take(),
            conditions,
            container_statuses: counted(status.container_statuses.take()),
            init_container_statuses: counted(status.init_container_statuses.take()),
            ..PodStatus::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn pod(value: Value) -> Pod {
        serde_json::from_value(value).expect("a pod")
    }

    #[test]
    fn a_pod_is_available_after_it_was_ready_long_enough() {
        let now: Timestamp = "2026-01-01T00:00:10Z".parse().expect("a time");
        let check = |ready: &str, min: i32, expected: Option<u64>| {
            let pod = pod(json!({"status": {"conditions": [
                {"type": "Ready", "status": ready, "lastTransitionTime": "2026-01-01T00:00:04Z"}]}}));
            assert_eq!(
                available_in(&pod, min, now),
                expected.map(Duration::from_secs),
                "{min}"
            );
        };
        check("True", 0, Some(0));
        check("True", 6, Some(0));
        check("True", 10, Some(4));
        check("False", 0, None);
    }

    #[test]
    fn a_malformed_deletion_cost_is_none() {
        let check = |cost: &str, expected: i32| {
            let pod = pod(json!({"metadata": {"annotations": {DELETION_COST: cost}}}));
            assert_eq!(deletion_cost(&pod), expected, "{cost}");
        };
        for (cost, expected) in [
            ("10", 10),
            ("-3", -3),
            ("0", 0),
            ("+5", 0),
            ("05", 0),
            ("x", 0),
            ("99999999999", 0),
        ] {
            check(cost, expected);
        }
    }

    #[test]
    fn pods_that_ended_or_are_deleted_are_not_active() {
        let check = |phase: &str, deleting: bool, expected: (bool, bool)| {
            let mut pod = pod(json!({"status": {"phase": phase}}));
            pod.metadata.deletion_timestamp = deleting.then_some({
                codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(
                    Timestamp::UNIX_EPOCH,
                )
            });
            assert_eq!((is_active(&pod), is_terminating(&pod)), expected, "{phase}");
        };
        check("Running", false, (true, false));
        check("Pending", true, (false, true));
        check("Failed", false, (false, false));
        check("Succeeded", true, (false, false));
    }
}
