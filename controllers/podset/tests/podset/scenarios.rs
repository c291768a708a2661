//! The lifecycle of a set, on an embedded API server or a real one.

use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;
use codegen_runtime::kube::api::{DeleteParams, Patch, PatchParams};
use controller_testing::cluster::eventually;
use serde_json::{Value, json};

use crate::support::Rig;

#[tokio::test]
async fn a_set_gets_a_deployment_of_its_name() {
    let rig = Rig::new().await;
    let running = rig.start();
    rig.create("web", 3).await;
    rig.until("web", "Scaling").await;
    let deployment = rig.deployments().get("web").await.unwrap();
    let value = serde_json::to_value(&deployment).unwrap();
    let labels = json!({ "app": "podSet", "podSet_cr": "web" });
    assert_eq!(value["metadata"]["labels"], labels);
    let owner = &value["metadata"]["ownerReferences"][0];
    assert_eq!(
        (&owner["kind"], &owner["controller"]),
        (&json!("PodSet"), &json!(true))
    );
    let spec = &value["spec"];
    assert_eq!(spec["replicas"], 3);
    assert_eq!(spec["selector"]["matchLabels"], labels);
    assert_eq!(spec["template"]["metadata"]["labels"], labels);
    let container = &spec["template"]["spec"]["containers"][0];
    let told = ["name", "image", "command"].map(|field| &container[field]);
    assert_eq!(
        told,
        [
            &json!("podset"),
            &json!("busybox"),
            &json!(["sleep", "3600"])
        ]
    );
    assert_eq!(container["ports"][0]["containerPort"], 1234);
    let token = &spec["template"]["spec"]["automountServiceAccountToken"];
    assert_eq!(token, false);
    running.stop().await;
}

#[tokio::test]
async fn nodes_follow_pods_and_not_the_deployment() {
    let rig = Rig::new().await;
    let running = rig.start();
    rig.create("web", 2).await;
    rig.pod("web-2", "web", true).await;
    rig.pod("web-1", "web", false).await;
    rig.pod("other-1", "other", true).await;
    rig.cluster
        .pod("stray", json!({ "podSet_cr": "web" }), json!({}))
        .await;
    rig.until_nodes("web", &["web-1", "web-2"]).await;
    let status = rig.until_counts("web", 2, 1).await;
    rig.until("web", "Scaling").await;
    assert_eq!(status.selector, "app=podSet,podSet_cr=web");
    let ready = json!({ "conditions": [{ "type": "Ready", "status": "True" }] });
    rig.cluster.pod_status("web-1", ready).await;
    rig.until("web", "AllPodsReady").await;
    rig.cluster
        .pod_status("web-2", json!({ "phase": "Failed" }))
        .await;
    rig.until_nodes("web", &["web-1"]).await;
    rig.cluster.delete_pod("web-1").await;
    rig.until_nodes("web", &[]).await;
    running.stop().await;
}

#[tokio::test]
async fn scaling_goes_through_the_scale_subresource_and_down_to_nothing() {
    let rig = Rig::new().await;
    let running = rig.start();
    rig.create("web", 1).await;
    rig.until_replicas("web", 1).await;
    let sets = rig.sets();
    let scale = |replicas: i32| Patch::Merge(json!({ "spec": { "replicas": replicas } }));
    let scaled: Value = sets
        .patch_subresource("web", "scale", &PatchParams::default(), &scale(4))
        .await
        .unwrap();
    assert_eq!(scaled["spec"]["replicas"], 4);
    rig.until_replicas("web", 4).await;
    rig.pod("web-1", "web", true).await;
    rig.until_nodes("web", &["web-1"]).await;
    rig.until_counts("web", 1, 1).await;
    let status = rig.until("web", "Scaling").await;
    assert_eq!(
        status.conditions[0].message,
        "1 of 4 pods exist, 1 of them ready"
    );
    let scaled: Value = sets.get_subresource("web", "scale").await.unwrap();
    assert_eq!(scaled["status"]["replicas"], 1);
    assert_eq!(scaled["status"]["selector"], "app=podSet,podSet_cr=web");
    rig.patch("web", json!({ "spec": { "size": 0 } })).await;
    rig.until_replicas("web", 0).await;
    rig.cluster.delete_pod("web-1").await;
    rig.until("web", "ScaledToZero").await;
    running.stop().await;
}

#[tokio::test]
async fn drift_is_taken_back_and_what_others_set_stays() {
    let rig = Rig::new().await;
    let running = rig.start();
    rig.create("web", 2).await;
    rig.until_replicas("web", 2).await;
    let theirs = json!({
        "metadata": { "annotations": { "team": "a" }, "labels": { "app": "mine", "team": "a" } },
        "spec": { "replicas": 7, "minReadySeconds": 5 },
    });
    let params = PatchParams::default();
    let patched = rig
        .deployments()
        .patch("web", &params, &Patch::Merge(theirs))
        .await;
    assert_eq!(patched.unwrap().spec.replicas, Some(7));
    rig.until_replicas("web", 2).await;
    let deployment = serde_json::to_value(rig.deployments().get("web").await.unwrap()).unwrap();
    assert_eq!(deployment["metadata"]["annotations"]["team"], "a");
    let labels = json!({ "app": "podSet", "podSet_cr": "web", "team": "a" });
    assert_eq!(deployment["metadata"]["labels"], labels);
    assert_eq!(deployment["spec"]["minReadySeconds"], 5);
    // Deleted by another client, it is recreated.
    let background = DeleteParams::background();
    rig.deployments().delete("web", &background).await.unwrap();
    rig.until_replicas("web", 2).await;
    running.stop().await;
}

#[tokio::test]
async fn a_set_that_is_being_deleted_says_so_and_makes_nothing_any_more() {
    let rig = Rig::new().await;
    let running = rig.start();
    rig.create("web", 2).await;
    rig.until("web", "Scaling").await;
    let hold = |finalizers: Value| json!({ "metadata": { "finalizers": finalizers } });
    rig.patch("web", hold(json!(["example.com/hold"]))).await;
    let sets = rig.sets();
    let background = DeleteParams::background();
    sets.delete("web", &background).await.unwrap();
    rig.until("web", "Terminating").await;
    // Later changes are noticed, and the Deployment is not created again.
    rig.deployments().delete("web", &background).await.unwrap();
    rig.pod("web-1", "web", true).await;
    rig.until_nodes("web", &["web-1"]).await;
    assert!(rig.deployments().get_opt("web").await.unwrap().is_none());
    rig.patch("web", hold(json!(null))).await;
    let is_gone = async || sets.get_opt("web").await.unwrap().is_none();
    assert!(eventually(is_gone).await);
    running.stop().await;
}

/// A foreign Deployment, with a controller or without.
fn foreign(controller: Option<Value>) -> Deployment {
    let labels = json!({ "app": "theirs" });
    let deployment = json!({
        "metadata": { "name": "web", "ownerReferences": controller.into_iter().collect::<Vec<_>>() },
        "spec": {
            "replicas": 1,
            "selector": { "matchLabels": labels },
            "template": {
                "metadata": { "labels": labels },
                "spec": { "containers": [{ "name": "main", "image": "nginx" }] },
            },
        },
    });
    serde_json::from_value(deployment).unwrap()
}

#[tokio::test]
async fn a_deployment_of_somebody_else_is_not_touched_and_in_the_way_until_it_is_gone() {
    let rig = Rig::new().await;
    let running = rig.start();
    // The owner must exist, or the garbage collector deletes the Deployment.
    let namespace = codegen_runtime::client::TypedClient::<
        codegen_runtime::k8s_openapi::api::core::v1::ConfigMap,
    >::namespaced(rig.cluster.client.clone(), &rig.cluster.namespace);
    let owner = serde_json::from_value(json!({ "metadata": { "name": "owner" } })).unwrap();
    let owner = namespace.defaults().create(&owner).await.unwrap();
    let reference = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "controller": true,
        "uid": owner.metadata.uid,
    });
    for controller in [Some(reference), None] {
        let theirs = foreign(controller);
        let created = rig.deployments().defaults().create(&theirs).await.unwrap();
        rig.create("web", 3).await;
        let status = rig.until("web", "DeploymentTaken").await;
        let message = &status.conditions[0].message;
        assert!(message.starts_with("Deployment web "), "{message}");
        let after = rig.deployments().get("web").await.unwrap();
        assert_eq!(after, created);
        let background = DeleteParams::background();
        rig.deployments().delete("web", &background).await.unwrap();
        rig.until_replicas("web", 3).await;
        rig.until("web", "Scaling").await;
        let sets = rig.sets();
        sets.delete("web", &background).await.unwrap();
        let is_gone = async || rig.deployments().get_opt("web").await.unwrap().is_none();
        assert!(eventually(is_gone).await, "the garbage collector takes it");
    }
    running.stop().await;
}

#[tokio::test]
async fn an_orphaned_deployment_is_adopted_by_a_set_of_its_name() {
    let rig = Rig::new().await;
    let running = rig.start();
    rig.create("web", 2).await;
    rig.until("web", "Scaling").await;
    let sets = rig.sets();
    sets.delete("web", &DeleteParams::orphan()).await.unwrap();
    let is_gone = async || sets.get_opt("web").await.unwrap().is_none();
    assert!(eventually(is_gone).await);
    let is_orphan = async || {
        let deployment = rig.deployments().get("web").await.unwrap();
        deployment
            .metadata
            .owner_references
            .is_none_or(|it| it.is_empty())
    };
    assert!(eventually(is_orphan).await);
    let before = rig.deployments().get("web").await.unwrap().metadata.uid;
    rig.create("web", 5).await;
    rig.until_replicas("web", 5).await;
    assert_eq!(
        rig.deployments().get("web").await.unwrap().metadata.uid,
        before
    );
    running.stop().await;
}

#[tokio::test]
async fn a_deployment_of_an_earlier_set_of_the_name_is_told_apart() {
    let rig = Rig::new().await;
    let owner = json!({
        "apiVersion": "apps.jicki.cn/v1alpha1",
        "kind": "PodSet",
        "name": "web",
        "uid": "0b0e2f3c-earlier",
        "controller": true,
    });
    let labels = json!({ "app": "podSet", "podSet_cr": "web" });
    let earlier: Deployment = serde_json::from_value(json!({
        "metadata": { "name": "web", "ownerReferences": [owner], "finalizers": ["example.com/hold"] },
        "spec": {
            "selector": { "matchLabels": labels },
            "template": {
                "metadata": { "labels": labels },
                "spec": { "containers": [{ "name": "main", "image": "busybox:1" }] },
            },
        },
    }))
    .unwrap();
    let deployments = rig.deployments();
    deployments.defaults().create(&earlier).await.unwrap();
    let running = rig.start();
    rig.create("web", 1).await;
    let status = rig.until("web", "DeploymentTaken").await;
    assert_eq!(
        status.conditions[0].message,
        "Deployment web is controlled by an earlier PodSet web (uid 0b0e2f3c-earlier): the set gets its own once the garbage \
         collector has deleted it"
    );
    let release = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
    let params = PatchParams::default();
    deployments.patch("web", &params, &release).await.unwrap();
    drop(deployments.delete("web", &DeleteParams::default()).await);
    rig.until("web", "Scaling").await;
    running.stop().await;
}
