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
    scale_write_without_a_change_takes_the_replicas_from_updaters,
    scale_write_with_a_change_owns_the_replicas,
    scale_write_without_a_change_leaves_the_replicas_to_appliers,
    apply_to_a_custom_scale_that_nobody_owns_fails,
    apply_to_a_custom_scale_that_somebody_owns_fails,
    scales_are_printed_as_tables,
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

/// Returns the managers that own the replicas.
fn owners(object: &Value) -> Vec<&str> {
    let entries = at(object, "/metadata/managedFields").as_array();
    let owning = |entry: &&Value| !at(entry, "/fieldsV1/f:spec/f:replicas").is_null();
    let owning = entries.into_iter().flatten().filter(owning);
    owning
        .filter_map(|entry| entry["manager"].as_str())
        .collect()
}

const NONE: [&str; 0] = [];

/// Scales an object, and changes a label: kube-apiserver forgets an entry when it reads it again.
async fn scaled(objects: &Collection, manager: &str, replicas: i64) -> Value {
    let path = format!("a/scale?fieldManager={manager}");
    let spec = json!({"spec": {"replicas": replicas}});
    objects.merged(&path, spec).await;
    let labels = json!({"metadata": {"labels": {"l": replicas.to_string()}}});
    objects.merged("a", labels).await
}

async fn scale_write_without_a_change_takes_the_replicas_from_updaters(client: Client) {
    let deployments = deployment(&client, 1).await;
    assert_eq!(owners(&deployments.get("a").await.is(200)).len(), 1);
    assert_eq!(owners(&scaled(&deployments, "scaler", 1).await), NONE);
    // What nobody owns gets no owner.
    assert_eq!(owners(&scaled(&deployments, "scaler", 2).await), NONE);
}

async fn scale_write_with_a_change_owns_the_replicas(client: Client) {
    let deployments = deployment(&client, 1).await;
    assert_eq!(owners(&scaled(&deployments, "scaler", 2).await), ["scaler"]);
}

async fn scale_write_without_a_change_leaves_the_replicas_to_appliers(client: Client) {
    let things = scaled_things(&client).await;
    let spec = json!({"spec": {"replicas": 2}});
    things.apply("a", "applier", spec).await.is(201);
    assert_eq!(owners(&scaled(&things, "scaler", 2).await), ["applier"]);
    assert_eq!(owners(&scaled(&things, "scaler", 3).await), ["scaler"]);
}

async fn apply_to_a_custom_scale_that_nobody_owns_fails(client: Client) {
    let things = scaled_things(&client).await;
    things.given("a", json!({"spec": {"replicas": 2}})).await;
    let scale = json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": {"replicas": 3}});
    let path = things.at("a/scale?fieldManager=m");
    let media_type = "application/apply-patch+yaml";
    let reply = patch(&client, &path, media_type, &scale).await;
    reply.refused(409, "Conflict");
    assert_eq!(owners(&scaled(&things, "scaler", 2).await), NONE);
    let reply = patch(&client, &path, media_type, &scale).await;
    reply.fails_with(
        500,
        "",
        "failed to create manager for existing fields: failed to convert live object",
    );
}

async fn apply_to_a_custom_scale_that_somebody_owns_fails(client: Client) {
    let things = scaled_things(&client).await;
    things.given("a", json!({"spec": {"replicas": 2}})).await;
    let scale = json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": {"replicas": 3}});
    let path = things.at("a/scale?fieldManager=m&force=true");
    let reply = patch(&client, &path, "application/apply-patch+yaml", &scale).await;
    reply.fails_with(500, "", "failed to convert new object");
    check!(things.get("a").await.is(200), "/spec/replicas": 2);
}

async fn scales_are_printed_as_tables(client: Client) {
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    let things = scaled_things(&client).await;
    things.given("a", json!({"spec": {"replicas": 2}})).await;
    for collection in [deployment(&client, 2).await, things] {
        let reply = get_accepting(&client, &collection.at("a/scale"), table).await;
        let shown = reply.is(200);
        let columns = at(&shown, "/columnDefinitions").as_array();
        let columns = columns.into_iter().flatten();
        let names: Vec<&str> = columns.filter_map(|it| it["name"].as_str()).collect();
        assert_eq!(names, ["Name", "Desired", "Available", "Age"]);
        check!(shown, "/kind": "Table", "/rows/0/cells/0": "a", "/rows/0/cells/1": 2, "/rows/0/cells/2": 0);
    }
}
