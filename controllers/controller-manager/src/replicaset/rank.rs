//! Ranks pods for deletion when there are too many.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;
use std::sync::Arc;

use codegen_runtime::k8s_openapi::api::core::v1::Pod;
use jiff::Timestamp;

use crate::pods::{deletion_cost, is_active, is_ready, node, phase, ready_since, restarts};

/// Returns the `count` of `pods` to delete. `related` are the pods of all replica sets of the same
/// owner, which count for the crowding of nodes.
///
/// In this order: pods without a node; pending before running; not ready; lower deletion cost; on a
/// node with more related pods; ready for a shorter time; more restarts; younger. Ages are compared
/// by their logarithm, so that among pods of similar age it is not always the same one that is
/// deleted; the uid breaks ties.
///
/// kube-controller-manager compares the uids of two pods that became ready at different times of
/// one bucket before their restarts, which is not a total order; here restarts come first.
pub fn victims(
    mut pods: Vec<Arc<Pod>>,
    related: &[Arc<Pod>],
    count: usize,
    now: Timestamp,
) -> Vec<Arc<Pod>> {
    if count < pods.len() {
        let mut crowd: BTreeMap<&str, usize> = BTreeMap::new();
        for pod in related.iter().filter(|pod| is_active(pod)) {
            *crowd.entry(node(pod)).or_default() += 1;
        }
        let rank = |pod: &Pod| Rank::of(pod, crowd.get(node(pod)).copied().unwrap_or(0), now);
        pods.sort_by_cached_key(|pod| rank(pod));
        pods.truncate(count);
    }
    pods
}

/// The criteria in order; the lowest is deleted first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    assigned: bool,
    phase: Phase,
    ready: bool,
    cost: i32,
    crowd: Reverse<usize>,
    ready_age: Age,
    restarts: Reverse<(i32, i32)>,
    age: Age,
    uid: String,
}

impl Rank {
    fn of(pod: &Pod, crowd: usize, now: Timestamp) -> Self {
        let ready = is_ready(pod);
        let created = pod.metadata.creation_timestamp.as_ref().map(|time| time.0);
        Self {
            assigned: !node(pod).is_empty(),
            phase: match phase(pod) {
                "Running" => Phase::Running,
                "Unknown" => Phase::Unknown,
                _ => Phase::Pending,
            },
            ready,
            cost: deletion_cost(pod),
            crowd: Reverse(crowd),
            ready_age: if ready {
                Age::since(ready_since(pod), now)
            } else {
                Age(0)
            },
            restarts: Reverse(restarts(pod)),
            age: Age::since(created, now),
            uid: pod.metadata.uid.clone().unwrap_or_default(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Pending,
    Unknown,
    Running,
}

/// The position of the highest bit of an age in nanoseconds; zero without an age.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Age(u32);

impl Age {
    fn since(start: Option<Timestamp>, now: Timestamp) -> Self {
        let Some(start) = start else { return Self(0) };
        let age = now.as_nanosecond().saturating_sub(start.as_nanosecond());
        match age.cmp(&0) {
            Ordering::Greater => Self(2 + age.ilog2()),
            Ordering::Less | Ordering::Equal => Self(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::pods::{DELETION_COST, trim};

    const NOW: &str = "2026-01-01T01:00:00Z";

    fn now() -> Timestamp {
        NOW.parse().expect("a time")
    }

    /// A ready pod on a node, created an hour ago, changed by `patch`.
    fn pod(name: &str, patch: &dyn Fn(&mut Value)) -> Arc<Pod> {
        let mut value = json!({
            "metadata": {"name": name, "uid": name, "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"nodeName": format!("node-of-{name}"), "containers": []},
            "status": {"phase": "Running",
                "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}],
                "containerStatuses": [{"name": "c", "image": "i", "imageID": "", "ready": true, "restartCount": 0}]},
        });
        patch(&mut value);
        let mut pod = serde_json::from_value(value).expect("a pod");
        trim(&mut pod);
        Arc::new(pod)
    }

    /// Checks that a pod with `patch` is deleted before an unchanged one, whatever their names.
    fn goes_first(what: &str, patch: &dyn Fn(&mut Value)) {
        for (changed, left) in [("a", "b"), ("b", "a")] {
            let pods = vec![pod(left, &|_| {}), pod(changed, patch)];
            let victims = victims(pods.clone(), &pods, 1, now());
            assert_eq!(victims[0].metadata.name.as_deref(), Some(changed), "{what}");
        }
    }

    #[test]
    fn each_criterion_ranks_by_itself() {
        goes_first("unassigned", &|pod| pod["spec"]["nodeName"] = json!(""));
        goes_first("pending", &|pod| pod["status"]["phase"] = json!("Pending"));
        goes_first("not ready", &|pod| {
            pod["status"]["conditions"][0]["status"] = json!("False")
        });
        goes_first("deletion cost", &|pod| {
            pod["metadata"]["annotations"] = json!({DELETION_COST: "-1"})
        });
        goes_first("ready later", &|pod| {
            pod["status"]["conditions"][0]["lastTransitionTime"] = json!("2026-01-01T00:50:00Z");
        });
        goes_first("restarts", &|pod| {
            pod["status"]["containerStatuses"][0]["restartCount"] = json!(2)
        });
        goes_first("younger", &|pod| {
            pod["metadata"]["creationTimestamp"] = json!("2026-01-01T00:50:00Z")
        });
    }

    #[test]
    fn an_earlier_criterion_beats_all_later_ones() {
        let cheap = pod("cheap", &|pod| {
            pod["metadata"]["annotations"] = json!({DELETION_COST: "-100"})
        });
        let pending = pod("pending", &|pod| pod["status"]["phase"] = json!("Pending"));
        let pods = vec![cheap, pending];
        let first = victims(pods.clone(), &pods, 1, now());
        assert_eq!(first[0].metadata.name.as_deref(), Some("pending"));
    }

    #[test]
    fn pods_doubled_up_on_a_node_go_first() {
        let on = |name: &str, node: &str| {
            let node = node.to_owned();
            pod(name, &move |pod| pod["spec"]["nodeName"] = json!(node))
        };
        let pods = vec![on("a", "n1"), on("b", "n2"), on("c", "n2")];
        let first = victims(pods.clone(), &pods, 1, now());
        assert_ne!(first[0].metadata.name.as_deref(), Some("a"));
        // A pod of a sibling replica set counts as well.
        let sibling = on("sibling", "n1");
        let pods = vec![on("a", "n1"), on("b", "n2")];
        let related = [&pods[..], &[sibling]].concat();
        let first = victims(pods, &related, 1, now());
        assert_eq!(first[0].metadata.name.as_deref(), Some("a"));
    }

    #[test]
    fn all_go_without_being_sorted() {
        let pods = vec![pod("b", &|_| {}), pod("a", &|_| {})];
        assert_eq!(victims(pods, &[], 2, now()).len(), 2);
    }
}
