//! The scale subresource.

use crate::harness::cases;
use crate::support::*;

cases![
    scale_shows_replicas_and_selector,
    scale_update_changes_the_replicas,
    scale_patch_changes_the_replicas,
    scale_update_counts_a_generation,
    scale_update_with_a_stale_resource_version_conflicts,
    scale_of_a_custom_resource,
    scale_update_of_a_custom_resource,
    scale_without_the_subresource_is_not_found,
    negative_scale_is_refused,
    scale_of_a_missing_object_is_not_found,
];

async fn deployment(client: &Client, replicas: i64) -> Collection {
    let deployments = DEPLOYMENTS.fresh(client).await;
    let fields = json!({"spec": {
        "replicas": replicas,
        "selector": {"matchLabels": {"app": "a"}},
        "template": {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
    }});
    deployments.given("a", fields).await;
    deployments
}

async fn scaled_things(client: &Client) -> Collection {
    let subresources = json!({"status": {}, "scale": {
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.selector",
    }});
    things_with(
        client,
        json!({"replicas": {"type": "integer"}}),
        subresources,
    )
    .await
}

async fn scale_shows_replicas_and_selector(client: Client) {
    let deployments = deployment(&client, 3).await;
    let object = deployments.get("a").await.is(200);
    let scale = deployments.get("a/scale").await.is(200);
    check!(scale,
        "/kind": "Scale",
        "/apiVersion": "autoscaling/v1",
        "/spec": {"replicas": 3},
        "/status": {"replicas": 0, "selector": "app=a"});
    for field in [
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "creationTimestamp",
    ] {
        assert_eq!(
            scale["metadata"][field], object["metadata"][field],
            "{field}"
        );
    }
}

async fn scale_update_changes_the_replicas(client: Client) {
    let deployments = deployment(&client, 1).await;
    let mut scale = deployments.get("a/scale").await.is(200);
    scale["spec"]["replicas"] = json!(4);
    check!(deployments.replaced("a/scale", &scale).await, "/spec/replicas": 4);
    check!(deployments.get("a").await.is(200), "/spec/replicas": 4);
}

async fn scale_patch_changes_the_replicas(client: Client) {
    let deployments = deployment(&client, 1).await;
    check!(deployments.merged("a/scale", json!({"spec": {"replicas": 2}})).await,
        "/spec/replicas": 2);
    check!(deployments.get("a").await.is(200), "/spec/replicas": 2);
}

async fn scale_update_counts_a_generation(client: Client) {
    let deployments = deployment(&client, 1).await;
    deployments
        .merged("a/scale", json!({"spec": {"replicas": 2}}))
        .await;
    check!(deployments.get("a").await.is(200), "/metadata/generation": 2);
}

async fn scale_update_with_a_stale_resource_version_conflicts(client: Client) {
    let deployments = deployment(&client, 1).await;
    let mut scale = deployments.get("a/scale").await.is(200);
    deployments
        .merged("a", json!({"metadata": {"labels": {"l": "1"}}}))
        .await;
    scale["spec"]["replicas"] = json!(4);
    deployments.put("a/scale", &scale).await.fails_with(
        409,
        "Conflict",
        "the object has been modified",
    );
}

async fn scale_of_a_custom_resource(client: Client) {
    let things = scaled_things(&client).await;
    things.given("a", json!({"spec": {"replicas": 2}})).await;
    things
        .merged(
            "a/status",
            json!({"status": {"replicas": 1, "selector": "app=a"}}),
        )
        .await;
    let scale = things.get("a/scale").await.is(200);
    check!(scale,
        "/kind": "Scale",
        "/apiVersion": "autoscaling/v1",
        "/spec/replicas": 2,
        "/status": {"replicas": 1, "selector": "app=a"});
}

async fn scale_update_of_a_custom_resource(client: Client) {
    let things = scaled_things(&client).await;
    things.given("a", json!({"spec": {"replicas": 2}})).await;
    let scale = things
        .merged("a/scale", json!({"spec": {"replicas": 7}}))
        .await;
    check!(scale, "/spec/replicas": 7);
    let object = things.get("a").await.is(200);
    check!(object, "/spec/replicas": 7, "/metadata/generation": 2);
}

async fn scale_without_the_subresource_is_not_found(client: Client) {
    let things = things(&client, json!({})).await;
    things.given("a", json!({})).await;
    assert_eq!(things.get("a/scale").await.code, 404);
}

async fn negative_scale_is_refused(client: Client) {
    let deployments = deployment(&client, 1).await;
    deployments
        .merge("a/scale", json!({"spec": {"replicas": -1}}))
        .await
        .invalid_with("spec.replicas: Invalid value: -1: must be greater than or equal to 0");
}

async fn scale_of_a_missing_object_is_not_found(client: Client) {
    let deployments = deployment(&client, 1).await;
    deployments
        .get("b/scale")
        .await
        .not_found("deployments.apps \"b\" not found");
}
