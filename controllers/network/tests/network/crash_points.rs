//! Ends a controller after its k-th call, for every k, and starts another one.

use std::collections::BTreeSet;
use std::sync::Arc;

use codegen_runtime::client::TypedClient;
use codegen_runtime::fake::crash::{Gate, every_crash_point};
use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;
use codegen_runtime::kube::api::{Patch, PatchParams};
use codegen_runtime::owner;
use network_controller::apis::samplecrd::v1::{Network, NetworkPhase as Phase};
use network_controller::backend::Backend;
use serde_json::json;

use crate::support::{Before, Rig, deployment, eventually, network};

/// A backend with a gate in front.
fn gated(rig: &Rig, gate: &Gate) -> Arc<dyn Backend> {
    let (backend, gate) = (rig.backend.clone(), gate.clone());
    let wait = move || {
        let gate = gate.clone();
        async move { gate.call(async {}).await }
    };
    Arc::new(Before { backend, wait })
}

/// The change to a network before the crash.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Task {
    Create,
    Gateway,
    Delete,
}

/// Returns whether the controller was still working when it crashed.
async fn crash(gate: Gate, task: Task, deleted_meanwhile: bool) -> bool {
    let (rig, point) = (Rig::new(), format!("{task:?} {gate:?}"));
    let blue = network("blue", "10.0.0.0/8", "10.0.0.1");
    if task == Task::Create {
        rig.create(&blue).await;
    } else {
        let running = rig.start();
        rig.create(&blue).await;
        rig.until("blue", Phase::Active, "Available").await;
        running.stop().await;
    }
    match task {
        Task::Create => {}
        Task::Gateway => rig.patch("blue", json!({ "gateway": "10.9.9.9" })).await,
        Task::Delete => rig.delete("blue").await,
    }
    gate.guard(&rig.tracker, "networks/*");
    let running = rig.start_on(gated(&rig, &gate));
    let crashed = gate
        .crashes_before(async { assert!(eventually(|| is_settled(&rig, task)).await, "{point}") })
        .await;
    running.kill().await;
    gate.open();

    let mut wanted = task;
    if deleted_meanwhile && rig.get("blue").is_some() {
        rig.delete("blue").await;
        wanted = Task::Delete;
    }
    let running = rig.start();
    let converged = eventually(|| is_settled(&rig, wanted)).await;
    assert!(
        converged,
        "{point}: {:#?} {:#?}",
        rig.get("blue"),
        rig.backend.state()
    );
    running.stop().await;
    assert!(rig.backend.state().created <= 1, "{point}: created twice");
    crashed
}

fn is_settled(rig: &Rig, task: Task) -> bool {
    let state = rig.backend.state();
    let Some(network) = rig.get("blue") else {
        return task == Task::Delete && state.networks.is_empty();
    };
    let status = network.status.unwrap_or_default();
    let gateways: Vec<String> = state
        .networks
        .values()
        .filter_map(|it| Some(it.addresses?.1.to_string()))
        .collect();
    task != Task::Delete
        && status.phase == Phase::Active
        && status.observed_generation == network.metadata.generation
        && gateways == [network.spec.gateway]
}

/// The change to Deployments before the crash.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    Labelled,
    Unlabelled,
}

const PER_DEPLOYMENT: &[&str] = &["--network-per-deployment"];
const DEPLOYMENTS: [&str; 2] = ["web", "api"];

/// Like [`crash`], for Deployments that request networks.
async fn crash_per_deployment(gate: Gate, change: Change) -> bool {
    let (rig, point) = (Rig::new(), format!("{change:?} {gate:?}"));
    let deployments =
        TypedClient::<Deployment>::namespaced(rig.clientset.client().clone(), "default").defaults();
    for name in DEPLOYMENTS {
        let asks = json!({ "labels": { "samplecrd.k8s.io/network": "auto" } });
        let deployment = deployment(name, asks);
        deployments.create(&deployment).await.unwrap();
    }
    if change == Change::Unlabelled {
        let running = rig.start_with(Arc::new(rig.backend.clone()), PER_DEPLOYMENT);
        assert!(eventually(|| have_networks(&rig)).await, "{point}");
        running.kill().await;
        for name in DEPLOYMENTS {
            let patch = json!({ "metadata": { "labels": null } });
            let (params, patch) = (PatchParams::default(), Patch::Merge(patch));
            deployments.patch(name, &params, &patch).await.unwrap();
        }
    }
    let is_settled = || match change {
        Change::Labelled => have_networks(&rig),
        Change::Unlabelled => {
            let names = DEPLOYMENTS.iter();
            names.filter_map(|name| rig.get(name)).count() == 0
                && rig.backend.state().networks.is_empty()
        }
    };
    gate.guard(&rig.tracker, "networks");
    gate.guard(&rig.tracker, "networks/*");
    let running = rig.start_with(gated(&rig, &gate), PER_DEPLOYMENT);
    let settled = async { assert!(eventually(is_settled).await, "{point}") };
    let crashed = gate.crashes_before(settled).await;
    running.kill().await;
    gate.open();

    let running = rig.start_with(Arc::new(rig.backend.clone()), PER_DEPLOYMENT);
    let state = || (DEPLOYMENTS.map(|it| rig.get(it)), rig.backend.state());
    assert!(eventually(is_settled).await, "{point}: {:#?}", state());
    running.stop().await;
    assert_eq!(rig.backend.state().created, 2, "{point}: created twice");
    crashed
}

/// Whether each of the Deployments has its own network, also at the backend, and there are no
/// others.
fn have_networks(rig: &Rig) -> bool {
    let all: Vec<Network> = rig.tracker.list("default");
    let is_whole = |name: &&str| {
        let deployment: Option<Deployment> = rig.tracker.get("default", name);
        let (Some(deployment), Some(network)) = (deployment, rig.get(name)) else {
            return false;
        };
        let status = network.status.clone().unwrap_or_default();
        owner::is_controlled_by(&network, &deployment) && status.phase == Phase::Active
    };
    let ranges: BTreeSet<&str> = all.iter().map(|it| it.spec.cidr.as_str()).collect();
    let count = DEPLOYMENTS.len();
    all.len() == count
        && ranges.len() == count
        && DEPLOYMENTS.iter().all(is_whole)
        && rig.backend.state().networks.len() == count
}

#[tokio::test]
async fn networks_of_deployments_survive_every_crash_point() {
    for change in [Change::Labelled, Change::Unlabelled] {
        let calls = every_crash_point(|gate| crash_per_deployment(gate, change)).await;
        assert!(calls >= 6, "{change:?} took {calls} calls");
    }
}

#[tokio::test]
async fn every_crash_point_is_survived() {
    for task in [Task::Create, Task::Gateway, Task::Delete] {
        let calls = every_crash_point(|gate| crash(gate, task, false)).await;
        assert!(calls >= 2, "{task:?} took {calls} calls");
    }
}

#[tokio::test]
async fn a_network_that_is_deleted_after_a_crash_leaves_nothing_behind() {
    for task in [Task::Create, Task::Gateway] {
        every_crash_point(|gate| crash(gate, task, true)).await;
    }
}
