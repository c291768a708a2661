//! Invalid specs and rejected requests: a condition with a reason, an event, and few attempts.

use std::time::Duration;

use codegen_runtime::client::TypedClient;
use codegen_runtime::fake::{ApiError, Reaction};
use codegen_runtime::k8s_openapi::api::events::v1::Event;
use controller_testing::cluster::{assert_readable, eventually};
use podset_controller::generated::clientset::fake;
use serde_json::json;

use crate::support::{Rig, set, start};

#[tokio::test]
async fn a_negative_size_that_was_stored_before_is_told_and_can_be_mended() {
    let (clientset, tracker) = fake::Clientset::empty();
    let running = start(clientset.client().clone(), &[]);
    let sets = clientset.apps_v1alpha1().pod_sets("default").defaults();
    sets.create(&set("web", 0)).await.unwrap();
    let mut bad = sets.get("web").await.unwrap();
    bad.spec.size = -3;
    bad.metadata.generation = Some(9);
    bad.metadata.resource_version = None;
    tracker.add(bad).unwrap();
    let ready = async |reason: &str| {
        let status = sets.get("web").await.unwrap().status.unwrap_or_default();
        status.conditions.into_iter().find(|it| it.reason == reason)
    };
    assert!(eventually(async || ready("InvalidSpec").await.is_some()).await);
    let condition = ready("InvalidSpec").await.unwrap();
    assert_eq!(condition.message, "spec.size: write 0 or more, not -3");
    let told = async || {
        let events: Vec<Event> = tracker.list("default");
        events
            .iter()
            .any(|it| it.reason.as_deref() == Some("InvalidSpec"))
    };
    assert!(eventually(told).await);
    let mut good = sets.get("web").await.unwrap();
    good.spec.size = 0;
    sets.update(&good).await.unwrap();
    assert!(eventually(async || ready("ScaledToZero").await.is_some()).await);
    running.stop().await;
}

#[tokio::test]
async fn what_the_server_refuses_is_told() {
    let rig = Rig::new().await;
    let running = rig.start();
    let name = "x".repeat(64); // too long for a label value
    rig.create(&name, 1).await;
    let status = rig.until(&name, "DeploymentRefused").await;
    let message = &status.conditions[0].message;
    assert!(message.contains("must be no more than 63"), "{message}");
    assert_readable(message);
    let events =
        TypedClient::<Event>::namespaced(rig.cluster.client.clone(), &rig.cluster.namespace);
    let events = events.defaults();
    let notes = async || -> Vec<String> {
        let events = events.list().await.unwrap();
        events.into_iter().filter_map(|it| it.note).collect()
    };
    assert!(
        eventually(async || notes().await.contains(message)).await,
        "{:?}",
        notes().await
    );
    running.stop().await;
}

/// Returns how often a Deployment is applied in each of the first minutes, if every apply fails
/// with `error`.
async fn tries(error: ApiError) -> Vec<usize> {
    let (clientset, tracker) = fake::Clientset::empty();
    let running = start(clientset.client().clone(), &[]);
    tracker.prepend_reactor("patch", "deployments", move |_| {
        Reaction::Fail(error.clone())
    });
    let sets = clientset.apps_v1alpha1().pod_sets("default").defaults();
    sets.create(&set("web", 1)).await.unwrap();
    let mut tries = Vec::new();
    for _ in 0..4 {
        tracker.clear_actions();
        // The clock is paused.
        tokio::time::sleep(Duration::from_secs(60)).await;
        let is_try = |it: &&codegen_runtime::fake::Action| {
            it.resource == "deployments" && it.verb == "patch"
        };
        tries.push(tracker.actions().iter().filter(is_try).count());
    }
    running.stop().await;
    tries
}

#[tokio::test(start_paused = true)]
async fn tries_are_few() {
    let refused = tries(ApiError::new(422, "Invalid", "no")).await;
    assert!(refused.iter().all(|it| (1..=3).contains(it)), "{refused:?}");
    let failing = tries(ApiError::internal("no")).await;
    // Resyncs retry as well, twice a minute.
    assert!(
        failing[0] <= 18 && failing[1..].iter().all(|it| *it <= 4),
        "{failing:?}"
    );
}

#[tokio::test]
async fn an_object_that_does_not_decode_stops_nobody_else() {
    let (clientset, tracker) = fake::Clientset::empty();
    let running = start(clientset.client().clone(), &[]);
    let nonsense = json!({
        "apiVersion": "apps.jicki.cn/v1alpha1",
        "kind": "PodSet",
        "metadata": { "name": "nonsense", "namespace": "default", "uid": "1" },
        "spec": { "size": "large" },
    });
    let object = codegen_runtime::fake::Object::from_value(nonsense);
    tracker.add(object).unwrap();
    let sets = clientset.apps_v1alpha1().pod_sets("default").defaults();
    sets.create(&set("web", 1)).await.unwrap();
    let is_seen = async || sets.get("web").await.unwrap().status.is_some();
    assert!(eventually(is_seen).await);
    running.stop().await;
}
