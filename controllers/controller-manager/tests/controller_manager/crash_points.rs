//! Loops that end after their k-th write, for every k; then others take over, and nothing is doubled or left.

use std::time::Duration;

use codegen_runtime::fake::crash::{Gate, every_crash_point};
use codegen_runtime::fake::{self, Reaction, Tracker};
use codegen_runtime::k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use codegen_runtime::k8s_openapi::api::core::v1::Pod;
use codegen_runtime::kube::api::{Api, Patch, PatchParams, PostParams};
use codegen_runtime::kube::{Client, ResourceExt};
use controller_manager::deployment::revision::revision;
use controller_manager::pods::is_active;
use controller_manager::simulator::Options;
use controller_manager::testing::ControlPlane;
use serde_json::json;

/// The work under way when the loops end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Task {
    Create,
    Roll,
    Scale,
}

impl Task {
    /// The sizes of the replica sets in the end, by revision.
    fn sizes(self) -> &'static [(i64, i32)] {
        match self {
            Self::Create => &[(1, 2)],
            Self::Roll => &[(1, 0), (2, 2)],
            Self::Scale => &[(1, 1)],
        }
    }
}

fn loops(client: &Client, selection: &str) -> ControlPlane {
    let simulator = Options {
        ready_after: Duration::ZERO,
        ..Options::default()
    };
    let selection = selection.parse().expect("it never fails");
    ControlPlane::start_with(client.clone(), &selection, simulator).expect("loops")
}

const LOOPS: &str = "deployment,replicaset";

async fn crash(gate: Gate, task: Task) -> bool {
    let point = format!("{task:?} {gate:?}");
    let (client, tracker) = fake::serve(&[], Vec::<fake::Object>::new());
    let kubelet = loops(&client, "pod-simulator");
    let deployments = Api::<Deployment>::namespaced(client.clone(), "default");
    let deployment: Deployment = serde_json::from_value(json!({"metadata": {"name": "web"}, "spec": {"replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "a"}]}}}}))
    .expect("a deployment");
    deployments
        .create(&PostParams::default(), &deployment)
        .await
        .expect("it is created");
    if task != Task::Create {
        let before = loops(&client, LOOPS);
        settled(&tracker, Task::Create, &point).await;
        before.stop().await.expect("no failure");
        let patch = match task {
            Task::Scale => json!({"spec": {"replicas": 1}}),
            _ => {
                json!({"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "b"}]}}}})
            }
        };
        let params = PatchParams::default();
        deployments
            .patch("web", &params, &Patch::Strategic(patch))
            .await
            .expect("it is changed");
    }
    guard(&gate, &tracker);
    let first = loops(&client, LOOPS);
    let crashed = gate.crashes_before(settled(&tracker, task, &point)).await;
    first.kill().await;
    gate.open();
    let second = loops(&client, LOOPS);
    settled(&tracker, task, &point).await;
    // Duplicates would appear now.
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(state(&tracker), Ok(task.sizes().to_vec()), "{point}");
    second.stop().await.expect("no failure");
    kubelet.stop().await.expect("no failure");
    crashed
}

/// Counts the writes of the loops. The kubelet creates no pods.
fn guard(gate: &Gate, tracker: &Tracker) {
    gate.guard(tracker, "deployments/*");
    gate.guard(tracker, "replicasets/*");
    for verb in ["create", "delete"] {
        let gate = gate.clone();
        tracker.prepend_reactor(verb, "pods", move |_| match gate.passes() {
            true => Reaction::Pass,
            false => Reaction::Fail(fake::ApiError::internal("the process has ended")),
        });
    }
}

async fn settled(tracker: &Tracker, task: Task, point: &str) {
    let end = tokio::time::Instant::now() + Duration::from_secs(60);
    while state(tracker).as_deref() != Ok(task.sizes()) {
        assert!(
            tokio::time::Instant::now() < end,
            "{point}: {:?}",
            state(tracker)
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The sizes of all replica sets by revision, if the status of each and the number of pods agree with them.
fn state(tracker: &Tracker) -> Result<Vec<(i64, i32)>, String> {
    let pods = tracker.list::<Pod>("default");
    let mut sizes = Vec::new();
    for set in tracker.list::<ReplicaSet>("default") {
        let size = set.spec.replicas.unwrap_or(1);
        let owned = pods.iter().filter(|pod| {
            is_active(pod)
                && pod
                    .owner_references()
                    .iter()
                    .any(|it| Some(&it.uid) == set.metadata.uid.as_ref())
        });
        let owned = i32::try_from(owned.count()).unwrap_or(i32::MAX);
        let available = set
            .status
            .as_ref()
            .and_then(|status| status.available_replicas)
            .unwrap_or(0);
        if (owned, available) != (size, size) {
            return Err(format!(
                "{} has {owned} pods, {available} available, of {size}",
                set.name_any()
            ));
        }
        sizes.push((revision(&set).unwrap_or(0), size));
    }
    sizes.sort_unstable();
    let total: i32 = sizes.iter().map(|(_, size)| size).sum();
    let web = tracker
        .get::<Deployment>("default", "web")
        .ok_or("no deployment")?;
    let status = serde_json::to_value(&web.status).unwrap_or_default();
    let agrees = ["replicas", "updatedReplicas", "availableReplicas"]
        .iter()
        .all(|count| status[count] == total);
    if !agrees || status["observedGeneration"] != json!(web.metadata.generation) {
        return Err(format!("the deployment's status is {status}"));
    }
    Ok(sizes)
}

#[tokio::test]
async fn creation_survives_an_end_at_every_write() {
    let calls = every_crash_point(|gate| crash(gate, Task::Create)).await;
    assert!(calls >= 6, "{calls}");
}

#[tokio::test]
async fn a_rollout_survives_an_end_at_every_write() {
    let calls = every_crash_point(|gate| crash(gate, Task::Roll)).await;
    assert!(calls >= 10, "{calls}");
}

#[tokio::test]
async fn scaling_survives_an_end_at_every_write() {
    let calls = every_crash_point(|gate| crash(gate, Task::Scale)).await;
    assert!(calls >= 4, "{calls}");
}
