//! Ends a controller after its k-th call, for every k, and starts another one.

use std::time::Duration;

use codegen_runtime::fake::Tracker;
use codegen_runtime::fake::crash::every_crash_point;
use codegen_runtime::k8s_openapi::api::core::v1::Pod;
use podbuggertool_controller::apis::tools::v1alpha1::PodBuggerTool;
use podbuggertool_controller::generated::clientset::fake;
use serde_json::json;

use crate::support::{containers, start, tool};

const PODS: i32 = 3;

fn pod(n: i32) -> Pod {
    serde_json::from_value(json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": format!("web-{n}"), "namespace": "default", "uid": n.to_string(),
            "labels": { "app": "web" },
        },
        "spec": { "containers": [{ "name": "main", "image": "busybox:1" }] },
        "status": { "phase": "Running" },
    }))
    .unwrap()
}

async fn settled(tracker: &Tracker, tools: usize) {
    let is = || {
        let all: Vec<PodBuggerTool> = tracker.list("");
        let is_told = |tool: &PodBuggerTool| {
            let status = tool.status.as_ref();
            status.is_some_and(|it| it.pods_with_tool == PODS && it.pods_matched == PODS)
        };
        all.len() == tools && all.iter().all(is_told)
    };
    tracker.until(is).await;
}

#[tokio::test(start_paused = true)]
async fn adding_two_tools_survives_every_crash_point_and_adds_each_once() {
    let calls = every_crash_point(|gate| async move {
        let (clientset, tracker) = fake::Clientset::empty();
        let client = clientset.client().clone();
        let tools = clientset.tools_v1alpha1().pod_bugger_tools().defaults();
        (0..PODS).for_each(|n| tracker.add(pod(n)).unwrap());
        for name in ["one", "two"] {
            tools.create(&tool(name, name)).await.unwrap();
        }
        for resource in ["pods/ephemeralcontainers", "pods", "podbuggertools/*"] {
            gate.guard(&tracker, resource);
        }
        let first = start(client.clone(), &[]);
        let crashed = gate.crashes_before(settled(&tracker, 2)).await;
        first.kill().await;
        gate.open();
        let second = start(client, &[]);
        settled(&tracker, 2).await;
        second.stop().await;
        for pod in tracker.list::<Pod>("default") {
            assert_eq!(containers(&pod).len(), 2);
        }
        crashed
    })
    .await;
    assert!(calls >= 11, "{calls}");
}

#[tokio::test(start_paused = true)]
async fn another_image_survives_every_crash_point_and_is_added_once() {
    let calls = every_crash_point(|gate| async move {
        let (clientset, tracker) = fake::Clientset::empty();
        let client = clientset.client().clone();
        let tools = clientset.tools_v1alpha1().pod_bugger_tools().defaults();
        (0..PODS).for_each(|n| tracker.add(pod(n)).unwrap());
        tools.create(&tool("one", "one:1")).await.unwrap();
        let before = start(client.clone(), &[]);
        settled(&tracker, 1).await;
        before.stop().await;
        let mut changed = tools.get("one").await.unwrap();
        changed.spec.image = "one:2".to_owned();
        tools.update(&changed).await.unwrap();

        for resource in ["pods/ephemeralcontainers", "pods", "podbuggertools/*"] {
            gate.guard(&tracker, resource);
        }
        let has_both = async || {
            let is_told = |it: &PodBuggerTool| {
                let status = it.status.clone().unwrap_or_default();
                status.observed_generation == it.metadata.generation
                    && (status.pods_with_tool, status.pods_with_earlier_versions) == (PODS, PODS)
            };
            while !tracker.list::<PodBuggerTool>("").iter().all(is_told) {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        let first = start(client.clone(), &[]);
        let crashed = gate.crashes_before(has_both()).await;
        first.kill().await;
        gate.open();
        let second = start(client, &[]);
        has_both().await;
        second.stop().await;
        for pod in tracker.list::<Pod>("default") {
            let mut images: Vec<_> = containers(&pod).into_iter().map(|it| it.image).collect();
            images.sort();
            assert_eq!(images, ["one:1", "one:2"].map(|it| Some(it.to_owned())));
        }
        crashed
    })
    .await;
    assert!(calls >= 7, "{calls}");
}
