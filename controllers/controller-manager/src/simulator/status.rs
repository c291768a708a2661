//! The status of a simulated pod.

use codegen_runtime::k8s_openapi::api::core::v1::{
    ContainerState, ContainerStateRunning, ContainerStateTerminated, ContainerStatus, Pod,
    PodCondition, PodStatus,
};
use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use jiff::Timestamp;

/// The state of a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Life {
    /// Running, ready or not.
    Running { ready: bool },
    /// Terminated with a phase.
    Ended(String),
}

/// Returns the status of `pod` in the state `life`. Timestamps of unchanged parts stay.
pub(super) fn status(pod: &Pod, life: &Life, restarts: i32, now: Timestamp) -> PodStatus {
    let mut status = pod.status.clone().unwrap_or_default();
    let ready = *life == Life::Running { ready: true };
    let phase = match life {
        Life::Running { .. } => "Running",
        Life::Ended(phase) => phase,
    };
    status.phase = Some(phase.to_owned());
    let started = status.start_time.get_or_insert(Time(now)).clone();
    for (kind, holds) in [
        ("Initialized", true),
        ("ContainersReady", ready),
        ("Ready", ready),
    ] {
        set_condition(&mut status, kind, holds, now);
    }
    let state = match life {
        Life::Running { .. } => ContainerState {
            running: Some(ContainerStateRunning {
                started_at: Some(started),
            }),
            ..ContainerState::default()
        },
        Life::Ended(phase) => ContainerState {
            terminated: Some(ContainerStateTerminated {
                exit_code: i32::from(phase != "Succeeded"),
                started_at: Some(started),
                ..ContainerStateTerminated::default()
            }),
            ..ContainerState::default()
        },
    };
    let known = status.container_statuses.take().unwrap_or_default();
    let containers = pod.spec.iter().flat_map(|spec| &spec.containers);
    let containers = containers.map(|container| {
        // Keep the fields that the server added; otherwise every reconciliation would find a
        // difference.
        let known = known.iter().find(|it| it.name == container.name);
        ContainerStatus {
            name: container.name.clone(),
            image: container.image.clone().unwrap_or_default(),
            ready,
            started: Some(ready),
            restart_count: restarts,
            state: Some(state.clone()),
            ..known.cloned().unwrap_or_default()
        }
    });
    status.container_statuses = Some(containers.collect());
    status
}

fn set_condition(status: &mut PodStatus, kind: &str, holds: bool, now: Timestamp) {
    let value = if holds { "True" } else { "False" };
    let conditions = status.conditions.get_or_insert_default();
    let new = PodCondition {
        type_: kind.to_owned(),
        status: value.to_owned(),
        last_transition_time: Some(Time(now)),
        ..PodCondition::default()
    };
    match conditions
        .iter_mut()
        .find(|condition| condition.type_ == kind)
    {
        Some(known) if known.status == value => {}
        Some(known) => *known = new,
        None => conditions.push(new),
    }
}
