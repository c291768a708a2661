//! Kills the loops before their k-th write, for every k, and starts others: no object is duplicated
//! or left over.

use std::time::Duration;

use codegen_runtime::fake::crash::{Gate, every_crash_point};
use codegen_runtime::fake::{self, Reaction, Tracker};
use codegen_runtime::k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use codegen_runtime::k8s_openapi::api::core::v1::Pod;
use codegen_runtime::kube::api::{Api, Patch, PatchParams, PostParams};
use codegen_runtime::kube::{Client, ResourceExt};
use codegen_runtime::owner::{controller_of, is_controlled_by};
use controller_manager::deployment::revision::revision;
use controller_manager::pods::is_active;
use controller_manager::simulator::Options;
use controller_manager::testing::ControlPlane;
use serde_json::{Value, json};

/// The work in progress when the loops are killed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Task {
    Create,
    Roll,
    Recreate,
    /// A rollout with an old replica set that the history limit does not keep.
    Forget,
    Undo,
    Scale,
    Adopt,
}

/// The sizes of all replica sets, by revision.
type Sizes = &'static [(i64, i32)];

/// A user's change to the Deployment `web`, or to an object that it owns.
#[derive(Clone, Copy, Debug)]
enum Change {
    Replicas(i32),
    Image(&'static str),
    /// Its replica set and one of its pods lose their controller references.
    Orphan,
}

/// The sizes after creation.
const CREATED: Sizes = &[(1, 2)];

impl Task {
    /// Additional spec fields of the Deployment.
    fn spec(self) -> Value {
        match self {
            Self::Recreate => json!({"strategy": {"type": "Recreate"}}),
            Self::Forget => json!({"revisionHistoryLimit": 0}),
            _ => json!({}),
        }
    }

    /// The changes after creation, with the sizes that each leads to. The loops are killed during
    /// the last one, or during creation if there are none.
    fn changes(self) -> &'static [(Change, Sizes)] {
        match self {
            Self::Create => &[],
            Self::Roll | Self::Recreate => &[(Change::Image("b"), &[(1, 0), (2, 2)])],
            Self::Forget => &[(Change::Image("b"), &[(2, 2)])],
            Self::Undo => &[
                (Change::Image("b"), &[(1, 0), (2, 2)]),
                (Change::Image("a"), &[(2, 0), (3, 2)]),
            ],
            Self::Scale => &[(Change::Replicas(1), &[(1, 1)])],
            Self::Adopt => &[(Change::Orphan, CREATED)],
        }
    }
}

impl Change {
    async fn make(self, client: &Client, tracker: &Tracker) {
        let spec = match self {
            Self::Replicas(count) => json!({"replicas": count}),
            Self::Image(image) => {
                json!({"template": {"spec": {"containers": [{"name": "c", "image": image}]}}})
            }
            Self::Orphan => {
                for mut set in tracker.list::<ReplicaSet>("default") {
                    set.metadata.owner_references = None;
                    tracker.add(set).expect("it is stored");
                }
                let mut pod = tracker.list::<Pod>("default").remove(0);
                pod.metadata.owner_references = None;
                return tracker.add(pod).expect("it is stored");
            }
        };
        let deployments = Api::<Deployment>::namespaced(client.clone(), "default");
        let patch = Patch::Strategic(json!({"spec": spec}));
        let params = PatchParams::default();
        let patched = deployments.patch("web", &params, &patch).await;
        drop(patched.expect("it is changed"));
    }
}

fn loops(client: &Client, selection: &str) -> ControlPlane {
    let simulator = Options {
        ready_after: Duration::ZERO,
        ..Options::default()
    };
    let selection = selection.parse().expect("infallible");
    ControlPlane::start_with(client.clone(), &selection, simulator).expect("loops")
}

const LOOPS: &str = "deployment,replicaset";

/// The objects that exist before the loops under test start, and the sizes that they should reach.
struct Before {
    deployments: Vec<Deployment>,
    sets: Vec<ReplicaSet>,
    pods: Vec<Pod>,
    sizes: Sizes,
}

impl Before {
    /// The state before the last change of `task`; if it has no changes, the Deployment alone.
    /// Computed once, since it is the same for every crash point.
    async fn of(task: Task) -> Self {
        let (client, tracker) = fake::serve(&[], Vec::<fake::Object>::new());
        let mut spec = json!({"replicas": 2, "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "a"}]}}});
        for (field, value) in task.spec().as_object().into_iter().flatten() {
            spec[field] = value.clone();
        }
        let deployment: Deployment =
            serde_json::from_value(json!({"metadata": {"name": "web"}, "spec": spec}))
                .expect("a deployment");
        let deployments = Api::<Deployment>::namespaced(client.clone(), "default");
        deployments
            .create(&PostParams::default(), &deployment)
            .await
            .expect("it is created");
        let mut sizes = CREATED;
        if let Some(((_, end), changes)) = task.changes().split_last() {
            let kubelet = loops(&client, "pod-simulator");
            let before = loops(&client, LOOPS);
            settled(&tracker, sizes, "before").await;
            for (change, sizes) in changes {
                change.make(&client, &tracker).await;
                settled(&tracker, sizes, "before").await;
            }
            before.stop().await.expect("no failure");
            kubelet.stop().await.expect("no failure");
            sizes = end;
        }
        Self {
            deployments: tracker.list("default"),
            sets: tracker.list("default"),
            pods: tracker.list("default"),
            sizes,
        }
    }

    /// Starts a fake server with these objects.
    fn serve(&self) -> (Client, Tracker) {
        let deployments = self.deployments.iter().cloned().map(fake::Object::from);
        let sets = self.sets.iter().cloned().map(fake::Object::from);
        let pods = self.pods.iter().cloned().map(fake::Object::from);
        fake::serve(&[], deployments.chain(sets).chain(pods))
    }
}

async fn crash(gate: Gate, task: Task, before: &Before) -> bool {
    let point = format!("{task:?} {gate:?}");
    let sizes = before.sizes;
    let (client, tracker) = before.serve();
    let kubelet = loops(&client, "pod-simulator");
    if let Some((last, _)) = task.changes().last() {
        last.make(&client, &tracker).await;
    }
    guard(&gate, &tracker);
    let first = loops(&client, LOOPS);
    let crashed = gate.crashes_before(settled(&tracker, sizes, &point)).await;
    first.kill().await;
    gate.open();
    let second = loops(&client, LOOPS);
    settled(&tracker, sizes, &point).await;
    // Leave time for duplicates to appear.
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(state(&tracker), Ok(sizes.to_vec()), "{point}");
    second.stop().await.expect("no failure");
    kubelet.stop().await.expect("no failure");
    crashed
}

/// Kills the loops before each of their writes; returns the number of writes.
async fn every_write(task: Task) -> u64 {
    let before = Before::of(task).await;
    every_crash_point(|gate| crash(gate, task, &before)).await
}

/// Counts the writes of the loops. The simulated kubelet creates no pods.
fn guard(gate: &Gate, tracker: &Tracker) {
    gate.guard(tracker, "deployments/*");
    gate.guard(tracker, "replicasets/*");
    for verb in ["create", "delete", "patch"] {
        let gate = gate.clone();
        tracker.prepend_reactor(verb, "pods", move |_| match gate.passes() {
            true => Reaction::Pass,
            false => Reaction::Fail(fake::ApiError::internal("the process has ended")),
        });
    }
}

async fn settled(tracker: &Tracker, sizes: Sizes, point: &str) {
    let agrees = || state(tracker).as_deref() == Ok(sizes);
    let settled = tokio::time::timeout(Duration::from_secs(60), tracker.until(agrees)).await;
    assert!(settled.is_ok(), "{point}: {:?}", state(tracker));
}

/// Returns the sizes of all replica sets by revision, if every status and the number of pods agree
/// with them, and every object has its controller.
fn state(tracker: &Tracker) -> Result<Vec<(i64, i32)>, String> {
    let pods = tracker.list::<Pod>("default");
    let web = tracker
        .get::<Deployment>("default", "web")
        .ok_or("no deployment")?;
    if let Some(orphan) = pods.iter().find(|pod| controller_of(*pod).is_none()) {
        return Err(format!("{} has no controller", orphan.name_any()));
    }
    let mut sizes = Vec::new();
    for set in tracker.list::<ReplicaSet>("default") {
        if !is_controlled_by(&set, &web) {
            return Err(format!("web does not control {}", set.name_any()));
        }
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
    let status = serde_json::to_value(&web.status).unwrap_or_default();
    let agrees = ["replicas", "updatedReplicas", "availableReplicas"]
        .iter()
        .all(|count| status[count] == total);
    if !agrees || status["observedGeneration"] != json!(web.metadata.generation) {
        return Err(format!("the deployment's status is {status}"));
    }
    Ok(sizes)
}

#[tokio::test(start_paused = true)]
async fn creation_survives_an_end_at_every_write() {
    let calls = every_write(Task::Create).await;
    assert!(calls >= 6, "{calls}");
}

#[tokio::test(start_paused = true)]
async fn a_rollout_survives_an_end_at_every_write() {
    let calls = every_write(Task::Roll).await;
    assert!(calls >= 10, "{calls}");
}

#[tokio::test(start_paused = true)]
async fn a_recreation_survives_an_end_at_every_write() {
    let calls = every_write(Task::Recreate).await;
    assert!(calls >= 8, "{calls}");
}

#[tokio::test(start_paused = true)]
async fn a_rollout_without_a_history_survives_an_end_at_every_write() {
    let calls = every_write(Task::Forget).await;
    assert!(calls >= 11, "{calls}");
}

#[tokio::test(start_paused = true)]
async fn a_rollback_survives_an_end_at_every_write() {
    let calls = every_write(Task::Undo).await;
    assert!(calls >= 9, "{calls}");
}

#[tokio::test(start_paused = true)]
async fn adoption_survives_an_end_at_every_write() {
    let calls = every_write(Task::Adopt).await;
    assert!(calls >= 2, "{calls}");
}

#[tokio::test(start_paused = true)]
async fn scaling_survives_an_end_at_every_write() {
    let calls = every_write(Task::Scale).await;
    assert!(calls >= 4, "{calls}");
}
