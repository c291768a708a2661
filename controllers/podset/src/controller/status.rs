//! The status of a set: a pure function of the set, its pods, and the outcome for its Deployment.

use std::sync::Arc;

use codegen_runtime::condition;
use codegen_runtime::k8s_openapi::api::core::v1::Pod;

use super::deployment::labels;
use crate::apis::apps::v1alpha1::{PodSet, PodSetStatus};

/// The condition of a set.
pub(super) const READY: &str = "Ready";

/// Why a set does not have its Deployment: reason and message of the condition and the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) reason: &'static str,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(reason: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { reason, message }
    }
}

/// Computes the status of `set`; `pods` are the pods with its labels.
pub(super) fn observe(set: &PodSet, pods: &[Arc<Pod>], refusal: Option<&Refusal>) -> PodSetStatus {
    let old = set.status.clone().unwrap_or_default();
    let living: Vec<&Pod> = pods
        .iter()
        .map(|pod| &**pod)
        .filter(|it| lives(it))
        .collect();
    let mut nodes: Vec<String> = living
        .iter()
        .filter_map(|pod| pod.metadata.name.clone())
        .collect();
    nodes.sort_unstable();
    let count = |pods: usize| i32::try_from(pods).unwrap_or(i32::MAX);
    let size = count(living.len());
    let ready_replicas = count(living.iter().filter(|pod| is_ready(pod)).count());
    let wanted = set.spec.size;
    let (is_ready, reason, message) = match refusal {
        Some(refusal) => (false, refusal.reason, refusal.message.clone()),
        None if size != wanted || ready_replicas != wanted => {
            let message = format!("{size} of {wanted} pods exist, {ready_replicas} of them ready");
            (false, "Scaling", message)
        }
        None if wanted == 0 => (true, "ScaledToZero", "no pods are wanted".to_owned()),
        None => (
            true,
            "AllPodsReady",
            format!("{wanted} of {wanted} pods are ready"),
        ),
    };
    let generation = set.metadata.generation;
    let mut conditions = old.conditions;
    condition::set(
        &mut conditions,
        condition::new(READY, is_ready, reason, message, generation),
    );
    let name = set.metadata.name.as_deref().unwrap_or_default();
    let selector: Vec<String> = labels(name)
        .into_iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    PodSetStatus {
        nodes,
        size,
        ready_replicas,
        selector: selector.join(","),
        observed_generation: generation,
        conditions,
    }
}

/// Whether a pod has neither terminated nor is being deleted.
fn lives(pod: &Pod) -> bool {
    let phase = pod.status.as_ref().and_then(|it| it.phase.as_deref());
    pod.metadata.deletion_timestamp.is_none() && !matches!(phase, Some("Succeeded" | "Failed"))
}

fn is_ready(pod: &Pod) -> bool {
    let conditions = pod.status.iter().flat_map(|it| it.conditions.iter());
    conditions
        .flatten()
        .any(|it| it.type_ == "Ready" && it.status == "True")
}
