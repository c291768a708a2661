//! Invalid specs, vanishing pods and rejected requests: a condition with a reason, an event, and
//! few attempts.

use std::time::Duration;

use codegen_runtime::fake::{Action, ApiError, Reaction, Tracker};
use codegen_runtime::k8s_openapi::api::core::v1::Pod;
use codegen_runtime::k8s_openapi::api::events::v1::Event;
use controller_testing::cluster::{assert_readable, eventually};
use podbuggertool_controller::apis::tools::v1alpha1::PodBuggerTool;
use podbuggertool_controller::generated::clientset::{Clientset, fake};
use serde_json::{Value, json};

use crate::support::{containers, start, tool};

fn pod(name: &str) -> Pod {
    serde_json::from_value(json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": name, "namespace": "default", "uid": name, "labels": { "app": "web" } },
        "spec": { "containers": [{ "name": "main", "image": "busybox:1" }] },
        "status": { "phase": "Running" },
    }))
    .unwrap()
}

async fn create(clientset: &Clientset, tool: &PodBuggerTool) {
    let tools = clientset.tools_v1alpha1().pod_bugger_tools().defaults();
    tools.create(tool).await.unwrap();
}

fn reason(tracker: &Tracker, name: &str) -> Option<(String, String)> {
    let tool: PodBuggerTool = tracker.get("", name)?;
    let condition = tool.status?.conditions.into_iter().next()?;
    Some((condition.reason, condition.message))
}

#[tokio::test]
async fn a_spec_that_makes_no_sense_is_told_and_selects_nothing() {
    let (clientset, tracker) = fake::Clientset::empty();
    tracker.add(pod("web-1")).unwrap();
    let running = start(clientset.client().clone(), &[]);
    let near: Value = json!({ "matchExpressions": [{ "key": "app", "operator": "Near" }] });
    let mut unknown = tool("unknown", "busybox");
    unknown.spec.selector = serde_json::from_value(near).unwrap();
    create(&clientset, &unknown).await;
    create(&clientset, &tool("blank", " ")).await;
    for (name, start) in [("unknown", "spec.selector"), ("blank", "spec.image: write")] {
        let told = async || {
            reason(&tracker, name).is_some_and(|(reason, message)| {
                reason == "InvalidSpec" && message.starts_with(start)
            })
        };
        assert!(eventually(told).await, "{:?}", reason(&tracker, name));
        let has_event = async || {
            let events: Vec<Event> = tracker.list("");
            events.iter().any(|it| {
                it.reason.as_deref() == Some("InvalidSpec")
                    && it
                        .regarding
                        .as_ref()
                        .is_some_and(|it| it.name.as_deref() == Some(name))
            })
        };
        assert!(eventually(has_event).await);
    }
    let pod: Pod = tracker.get("default", "web-1").unwrap();
    assert!(containers(&pod).is_empty());
    running.stop().await;
}

#[tokio::test]
async fn a_pod_that_ends_before_it_gets_the_tool_is_let_go() {
    let (clientset, tracker) = fake::Clientset::empty();
    for name in ["web-1", "web-2"] {
        tracker.add(pod(name)).unwrap();
    }
    let inner = tracker.clone();
    tracker.prepend_reactor("patch", "pods/ephemeralcontainers", move |action| {
        if action.name == "web-1" {
            inner.remove::<Pod>("default", "web-1");
        }
        Reaction::Pass
    });
    create(&clientset, &tool("netshoot", "netshoot:1")).await;
    let running = start(clientset.client().clone(), &[]);
    let done = async || {
        let tool: Option<PodBuggerTool> = tracker.get("", "netshoot");
        let status = tool.and_then(|it| it.status).unwrap_or_default();
        (
            status.pods_matched,
            status.pods_with_tool,
            status.last_error.as_str(),
        ) == (1, 1, "")
    };
    assert!(eventually(done).await, "{:?}", reason(&tracker, "netshoot"));
    running.stop().await;
}

/// Returns how often a container is added in each of the first four minutes, if every attempt fails
/// with `error`.
async fn tries(error: ApiError) -> Vec<usize> {
    let (clientset, tracker) = fake::Clientset::empty();
    tracker.add(pod("web-1")).unwrap();
    let resource = "pods/ephemeralcontainers";
    tracker.prepend_reactor("patch", resource, move |_| Reaction::Fail(error.clone()));
    create(&clientset, &tool("netshoot", "netshoot:1")).await;
    let running = start(clientset.client().clone(), &[]);
    let mut tries = Vec::new();
    for _ in 0..4 {
        tracker.clear_actions();
        // The clock is paused.
        tokio::time::sleep(Duration::from_secs(60)).await;
        let is_try = |it: &&Action| it.subresource == "ephemeralcontainers";
        tries.push(tracker.actions().iter().filter(is_try).count());
    }
    let (reason, message) = reason(&tracker, "netshoot").unwrap();
    assert_eq!(reason, "SomePodsFailed");
    assert!(message.contains("default/web-1: "), "{message}");
    assert_readable(&message);
    running.stop().await;
    tries
}

#[tokio::test(start_paused = true)]
async fn tries_are_few() {
    let refused = tries(ApiError::new(403, "Forbidden", "no")).await;
    assert!(refused.iter().all(|it| (1..=2).contains(it)), "{refused:?}");
    let failing = tries(ApiError::internal("no")).await;
    // Resyncs retry as well, twice a minute.
    assert!(
        failing[0] <= 18 && failing[1..].iter().all(|it| *it <= 4),
        "{failing:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_the_server_fails_on_does_not_keep_others_off_the_pod() {
    let (clientset, tracker) = fake::Clientset::empty();
    tracker.add(pod("web-1")).unwrap();
    tracker.prepend_reactor("patch", "pods/ephemeralcontainers", |action| {
        if action.body.to_string().contains("broken:1") {
            Reaction::Fail(ApiError::internal("no"))
        } else {
            Reaction::Pass
        }
    });
    for (name, image) in [("first", "broken:1"), ("second", "busybox:1")] {
        create(&clientset, &tool(name, image)).await;
    }
    let running = start(clientset.client().clone(), &[]);
    let is_added = async || {
        let pod: Option<Pod> = tracker.get("default", "web-1");
        pod.is_some_and(|pod| containers(&pod).len() == 1)
    };
    assert!(eventually(is_added).await);
    let is_told = async || {
        let reason = |name| reason(&tracker, name).map(|(reason, _)| reason);
        reason("first").as_deref() == Some("SomePodsFailed")
            && reason("second").is_some_and(|reason| reason != "SomePodsFailed")
    };
    assert!(
        eventually(is_told).await,
        "{:?}",
        reason(&tracker, "second")
    );
    running.stop().await;
}
