//! Scenarios of tools and pods, on an embedded API server or a real one.

use serde_json::json;

use crate::support::{Rig, containers};

#[tokio::test]
async fn running_pods_that_are_selected_get_the_tool_once() {
    let rig = Rig::new().await;
    let running = rig.start();
    rig.web("web-1").await;
    rig.cluster
        .pod(
            "db-1",
            json!({ "app": "db" }),
            json!({ "phase": "Running" }),
        )
        .await;
    rig.cluster
        .pod(
            "web-2",
            json!({ "app": "web" }),
            json!({ "phase": "Pending" }),
        )
        .await;
    let mut tool = crate::support::tool("netshoot", "netshoot:1");
    tool.spec.namespaces = vec![rig.cluster.namespace.clone()];
    tool.spec.command = vec!["sleep".to_owned(), "infinity".to_owned()];
    tool.spec.target_container = Some("main".to_owned());
    rig.tools.create(&tool).await.unwrap();
    rig.until_images("web-1", &["netshoot:1"]).await;
    let added = containers(&rig.cluster.pods().get("web-1").await.unwrap()).remove(0);
    assert!(added.name.starts_with("netshoot-"), "{}", added.name);
    assert_eq!(added.command, Some(tool.spec.command));
    assert_eq!(added.target_container_name.as_deref(), Some("main"));
    rig.until("netshoot", "AllPodsHaveTool").await;
    rig.until_counts("netshoot", 1, 1).await;
    // The pod starts to run, is selected later, and is deselected again.
    rig.cluster
        .pod_status("web-2", json!({ "phase": "Running" }))
        .await;
    rig.until_images("web-2", &["netshoot:1"]).await;
    let label = |app: &str| {
        codegen_runtime::kube::api::Patch::Merge(
            json!({ "metadata": { "labels": { "app": app } } }),
        )
    };
    let pods = rig.cluster.pods();
    pods.patch("db-1", &Default::default(), &label("web"))
        .await
        .unwrap();
    rig.until_images("db-1", &["netshoot:1"]).await;
    rig.until_counts("netshoot", 3, 3).await;
    pods.patch("db-1", &Default::default(), &label("db"))
        .await
        .unwrap();
    rig.until_counts("netshoot", 2, 2).await;
    rig.cluster.delete_pod("web-1").await;
    rig.until_counts("netshoot", 1, 1).await;
    rig.cluster
        .pod_status("web-2", json!({ "phase": "Succeeded" }))
        .await;
    rig.until("netshoot", "NoPodsMatch").await;
    running.stop().await;
}

#[tokio::test]
async fn a_restart_adds_nothing_and_keeps_the_status() {
    let rig = Rig::new().await;
    let first = rig.start();
    rig.web("web-1").await;
    rig.tool("netshoot", "netshoot:1").await;
    rig.until_counts("netshoot", 1, 1).await;
    first.stop().await;
    let before = rig.cluster.pods().get("web-1").await.unwrap();
    let tool = rig.tools.get("netshoot").await.unwrap();
    let second = rig.start();
    rig.web("web-2").await;
    rig.until_counts("netshoot", 2, 2).await;
    second.stop().await;
    assert_eq!(rig.cluster.pods().get("web-1").await.unwrap(), before);
    let after = rig.tools.get("netshoot").await.unwrap();
    assert_eq!(after.metadata.generation, tool.metadata.generation);
    // Recreated under the same name, it is the same tool.
    rig.tools.delete("netshoot").await.unwrap();
    rig.tool("netshoot", "netshoot:1").await;
    let third = rig.start();
    rig.until_counts("netshoot", 2, 2).await;
    assert_eq!(rig.images("web-1").await, ["netshoot:1"]);
    third.stop().await;
}

#[tokio::test]
async fn two_tools_on_one_pod_and_names_that_are_taken() {
    let rig = Rig::new().await;
    let first = rig.start();
    rig.web("web-1").await;
    rig.tool("one", "one:1").await;
    rig.tool("two", "two:1").await;
    rig.until_images("web-1", &["one:1", "two:1"]).await;
    first.stop().await;
    // A foreign container with exactly the name that the tool's would have.
    let name = containers(&rig.cluster.pods().get("web-1").await.unwrap())
        .into_iter()
        .find(|it| it.image.as_deref() == Some("one:1"))
        .unwrap()
        .name;
    rig.web("web-2").await;
    let theirs =
        json!({ "spec": { "ephemeralContainers": [{ "name": name, "image": "theirs" }] } });
    let patch = codegen_runtime::kube::api::Patch::Strategic(theirs);
    let patched: codegen_runtime::k8s_openapi::api::core::v1::Pod = rig
        .cluster
        .pods()
        .patch_subresource("web-2", "ephemeralcontainers", &Default::default(), &patch)
        .await
        .unwrap();
    assert_eq!(containers(&patched).len(), 1);
    let second = rig.start();
    rig.until_images("web-2", &["one:1", "theirs", "two:1"])
        .await;
    rig.until_counts("one", 2, 2).await;
    second.stop().await;
}

#[tokio::test]
async fn another_image_is_added_beside_the_old_one_and_told() {
    let rig = Rig::new().await;
    let running = rig.start();
    rig.web("web-1").await;
    rig.tool("netshoot", "netshoot:1").await;
    rig.until_counts("netshoot", 1, 1).await;
    rig.patch("netshoot", json!({ "spec": { "image": "netshoot:2" } }))
        .await;
    rig.until_images("web-1", &["netshoot:1", "netshoot:2"])
        .await;
    let status = rig.until("netshoot", "AllPodsHaveTool").await;
    assert_eq!(status.pods_with_earlier_versions, 1);
    assert_eq!(
        status.conditions[0].message,
        "1 of 1 pods still have a container of an earlier version"
    );
    // Back to the first version, which the pod already has.
    rig.patch("netshoot", json!({ "spec": { "image": "netshoot:1" } }))
        .await;
    rig.until("netshoot", "AllPodsHaveTool").await;
    rig.until_images("web-1", &["netshoot:1", "netshoot:2"])
        .await;
    running.stop().await;
}

#[tokio::test]
async fn a_target_that_a_pod_has_not_is_told() {
    let rig = Rig::new().await;
    let running = rig.start();
    rig.web("web-1").await;
    rig.tool("netshoot", "netshoot:1").await;
    rig.until_counts("netshoot", 1, 1).await;
    rig.patch(
        "netshoot",
        json!({ "spec": { "targetContainer": "other" } }),
    )
    .await;
    let status = rig.until("netshoot", "SomePodsFailed").await;
    let expected = format!(
        "{}/web-1: spec.targetContainer: no container is named \"other\"; the pod has main",
        rig.cluster.namespace
    );
    assert_eq!(status.last_error, expected);
    assert_eq!((status.pods_matched, status.pods_with_tool), (1, 0));
    rig.patch("netshoot", json!({ "spec": { "targetContainer": "main" } }))
        .await;
    let status = rig.until("netshoot", "AllPodsHaveTool").await;
    assert_eq!(status.last_error, "");
    running.stop().await;
}

#[tokio::test]
async fn a_status_that_someone_else_changed_is_written_again() {
    let rig = Rig::new().await;
    let running = rig.start();
    rig.web("web-1").await;
    rig.tool("netshoot", "netshoot:1").await;
    rig.until_counts("netshoot", 1, 1).await;
    let mut tool = rig.tools.get("netshoot").await.unwrap();
    tool.status.as_mut().unwrap().pods_with_tool = 7;
    rig.tools.update_status(&tool).await.unwrap();
    assert_eq!(rig.status("netshoot").await.pods_with_tool, 7);
    // At the next resync, within 30 s.
    rig.until_counts("netshoot", 1, 1).await;
    running.stop().await;
}

#[tokio::test]
async fn a_tool_reaches_only_pods_of_the_namespaces_that_the_program_is_told() {
    let rig = Rig::new().await;
    rig.web("web-1").await;
    rig.tool("netshoot", "netshoot:1").await;
    let namespace = rig.cluster.namespace.clone();
    let client = rig.cluster.client.clone();
    let start = |targets: &str| {
        let targets = format!("--target-namespaces={targets}");
        let args = ["--namespace", &namespace, &targets];
        crate::support::start(client.clone(), &args)
    };
    let running = start("elsewhere");
    rig.until("netshoot", "NoPodsMatch").await;
    running.stop().await;
    assert_eq!(rig.images("web-1").await, [""; 0]);
    let running = start(&format!("elsewhere,{namespace}"));
    rig.until_images("web-1", &["netshoot:1"]).await;
    running.stop().await;
}
