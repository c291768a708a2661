//! Ends a controller after its k-th call, for every k, and starts another one.

use codegen_runtime::client::TypedClient;
use codegen_runtime::fake::Tracker;
use codegen_runtime::fake::crash::{Gate, every_crash_point};
use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;
use codegen_runtime::kube::Client;
use podset_controller::apis::apps::v1alpha1::PodSet;
use podset_controller::generated::clientset::fake;

use crate::support::{set, start};

async fn settled(tracker: &Tracker, size: i32) {
    let is = || {
        let deployment: Option<Deployment> = tracker.get("default", "web");
        let set: Option<PodSet> = tracker.get("default", "web");
        let status = set.as_ref().and_then(|it| it.status.as_ref());
        let generation = set.as_ref().and_then(|it| it.metadata.generation);
        deployment.is_some_and(|it| it.spec.replicas == Some(size))
            && status.is_some_and(|it| it.observed_generation == generation)
    };
    tracker.until(is).await;
}

/// Runs a controller that ends at the gate, then another one, until the set has 3 pods; returns
/// whether the first one ended.
async fn ends_and_is_replaced(gate: Gate, client: Client, tracker: &Tracker) -> bool {
    for resource in ["deployments", "podsets/*"] {
        gate.guard(tracker, resource);
    }
    let first = start(client.clone(), &[]);
    let crashed = gate.crashes_before(settled(tracker, 3)).await;
    first.kill().await;
    gate.open();
    let second = start(client, &[]);
    settled(tracker, 3).await;
    second.stop().await;
    assert_eq!(tracker.list::<Deployment>("").len(), 1);
    crashed
}

#[tokio::test]
async fn creation_and_scaling_survive_every_crash_point() {
    for from in [None, Some(1)] {
        let calls = every_crash_point(|gate| async move {
            let (clientset, tracker) = fake::Clientset::empty();
            let client = clientset.client().clone();
            let sets = clientset.apps_v1alpha1().pod_sets("default").defaults();
            if let Some(size) = from {
                sets.create(&set("web", size)).await.unwrap();
                let running = start(client.clone(), &[]);
                settled(&tracker, size).await;
                running.stop().await;
                let mut set = sets.get("web").await.unwrap();
                set.spec.size = 3;
                sets.update(&set).await.unwrap();
            } else {
                sets.create(&set("web", 3)).await.unwrap();
            }
            ends_and_is_replaced(gate, client, &tracker).await
        })
        .await;
        assert!(calls >= 2, "{calls}");
    }
}

#[tokio::test]
async fn taking_back_what_others_changed_survives_every_crash_point() {
    let calls = every_crash_point(|gate| async move {
        let (clientset, tracker) = fake::Clientset::empty();
        let client = clientset.client().clone();
        let sets = clientset.apps_v1alpha1().pod_sets("default").defaults();
        let created = sets.create(&set("web", 3)).await;
        created.unwrap();
        let before = start(client.clone(), &[]);
        settled(&tracker, 3).await;
        before.stop().await;
        let deployments =
            TypedClient::<Deployment>::namespaced(client.clone(), "default").defaults();
        let mut theirs = deployments.get("web").await.unwrap();
        theirs.spec.replicas = Some(7);
        deployments.update(&theirs).await.unwrap();

        ends_and_is_replaced(gate, client, &tracker).await
    })
    .await;
    assert!(calls >= 1, "{calls}");
}
