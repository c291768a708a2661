//! The status subresource: status and the other fields are written separately.

use crate::harness::cases;
use crate::support::*;

cases![
    write_of_a_status_keeps_the_kind,
    create_drops_the_status,
    update_of_the_object_leaves_the_status,
    update_of_the_status_leaves_the_rest,
    update_of_the_status_does_not_count_a_generation,
    update_of_the_status_checks_the_resource_version,
    patch_of_the_status_leaves_the_rest,
    json_patch_of_the_status,
    get_of_the_status_gives_the_whole_object,
    status_without_the_subresource_is_a_plain_field,
    status_of_a_missing_object_is_not_found,
    status_without_the_subresource_is_not_found,
    status_is_validated,
    deployment_status_is_apart,
    namespace_status_is_apart,
    metadata_changes_through_status_are_dropped,
    metadata_of_a_built_in_kind_changes_through_the_status,
    last_finalizer_can_be_removed_through_the_status,
    owners_of_a_pod_and_labels_of_a_deployment_are_kept_by_a_status_write,
    annotation_through_the_status_does_not_count_a_generation,
    metadata_in_the_status_is_validated,
];

async fn with_status(client: &Client) -> Collection {
    things_with(
        client,
        json!({"size": {"type": "integer"}}),
        json!({"status": {}}),
    )
    .await
}

async fn create_drops_the_status(client: Client) {
    let things = with_status(&client).await;
    let created = things
        .given("a", json!({"spec": {"size": 1}, "status": {"ready": true}}))
        .await;
    check_absent(&created, "/status");
    check!(created, "/spec/size": 1);
}

async fn update_of_the_object_leaves_the_status(client: Client) {
    let things = with_status(&client).await;
    things.given("a", json!({"spec": {"size": 1}})).await;
    let mut object = things
        .merged("a/status", json!({"status": {"ready": true}}))
        .await;
    object["spec"]["size"] = json!(2);
    object["status"]["ready"] = json!(false);
    let updated = things.replaced("a", &object).await;
    check!(updated, "/spec/size": 2, "/status/ready": true);
}

async fn update_of_the_status_leaves_the_rest(client: Client) {
    let things = with_status(&client).await;
    let mut object = things.given("a", json!({"spec": {"size": 1}})).await;
    object["spec"]["size"] = json!(2);
    object["status"] = json!({"ready": true});
    let updated = things.replaced("a/status", &object).await;
    check!(updated, "/spec/size": 1, "/status/ready": true);
    assert_eq!(things.get("a").await.is(200), updated);
}

async fn update_of_the_status_does_not_count_a_generation(client: Client) {
    let things = with_status(&client).await;
    let created = things.given("a", json!({"spec": {"size": 1}})).await;
    let updated = things
        .merged("a/status", json!({"status": {"ready": true}}))
        .await;
    check!(updated, "/metadata/generation": 1);
    assert_ne!(resource_version(&created), resource_version(&updated));
}

async fn update_of_the_status_checks_the_resource_version(client: Client) {
    let things = with_status(&client).await;
    let mut stale = things.given("a", json!({"spec": {"size": 1}})).await;
    things.merged("a", json!({"spec": {"size": 2}})).await;
    stale["status"] = json!({"ready": true});
    things.put("a/status", &stale).await.fails_with(
        409,
        "Conflict",
        "the object has been modified",
    );
}

async fn patch_of_the_status_leaves_the_rest(client: Client) {
    let things = with_status(&client).await;
    things.given("a", json!({"spec": {"size": 1}})).await;
    let patched = things
        .merged(
            "a/status",
            json!({"spec": {"size": 2}, "status": {"phase": "Up"}}),
        )
        .await;
    check!(patched, "/spec/size": 1, "/status/phase": "Up");
}

async fn json_patch_of_the_status(client: Client) {
    let things = with_status(&client).await;
    things.given("a", json!({"spec": {"size": 1}})).await;
    let patched = things
        .json_patch(
            "a/status",
            json!([{"op": "add", "path": "/status", "value": {"phase": "Up"}}]),
        )
        .await;
    check!(patched.is(200), "/status/phase": "Up");
}

async fn get_of_the_status_gives_the_whole_object(client: Client) {
    let things = with_status(&client).await;
    let created = things.given("a", json!({"spec": {"size": 1}})).await;
    assert_eq!(things.get("a/status").await.is(200), created);
}

async fn status_without_the_subresource_is_a_plain_field(client: Client) {
    let things = things(&client, json!({})).await;
    let created = things.given("a", json!({"status": {"ready": true}})).await;
    check!(created, "/status/ready": true);
    let updated = things
        .merged("a", json!({"status": {"ready": false}}))
        .await;
    check!(updated, "/metadata/generation": 2);
}

async fn status_of_a_missing_object_is_not_found(client: Client) {
    let things = with_status(&client).await;
    things
        .merge("a/status", json!({"status": {}}))
        .await
        .fails_with(404, "NotFound", "\"a\" not found");
}

async fn status_without_the_subresource_is_not_found(client: Client) {
    let things = things(&client, json!({})).await;
    things.given("a", json!({})).await;
    assert_eq!(things.get("a/status").await.code, 404);
}

async fn status_is_validated(client: Client) {
    let status = json!({"type": "object", "properties": {"count": {"type": "integer"}}});
    let crd = Crd::new(json!({"type": "object", "properties": {"status": status}}));
    let things = crd
        .with("subresources", json!({"status": {}}))
        .install(&client)
        .await;
    things.given("a", json!({})).await;
    // The path in the message is relative to the status, unlike for whole objects.
    things.merge("a/status", json!({"status": {"count": "many"}})).await.invalid_with("status.count: Invalid value: \"string\": count in body must be of type integer: \"string\"");
}

async fn deployment_status_is_apart(client: Client) {
    let deployments = DEPLOYMENTS.fresh(&client).await;
    let fields = json!({
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": {"app": "a"}},
            "template": {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
        },
        "status": {"observedGeneration": 9},
    });
    let created = deployments.given("a", fields).await;
    check!(created, "/status": {});
    let updated = deployments
        .merge(
            "a/status",
            json!({"spec": {"replicas": 5}, "status": {"replicas": 0, "observedGeneration": 1}}),
        )
        .await;
    let updated = updated.is(200);
    check!(updated,
        "/spec/replicas": 0,
        "/status/observedGeneration": 1,
        "/metadata/generation": 1);
}

async fn namespace_status_is_apart(client: Client) {
    let name = namespace(&client).await;
    let namespaces = Resource("/api/v1", "namespaces", "Namespace").everywhere(&client);
    let updated = namespaces
        .merged(&name, json!({"status": {"phase": "Terminating"}}))
        .await;
    check!(updated, "/status/phase": "Active");
}

async fn metadata_changes_through_status_are_dropped(client: Client) {
    let things = with_status(&client).await;
    things.given("a", json!({})).await;
    let patched = things
        .merged(
            "a/status",
            json!({"metadata": {"labels": {"l": "1"}}, "status": {"ready": true}}),
        )
        .await;
    check_absent(&patched, "/metadata/labels");
    check!(patched, "/status/ready": true);
}

/// A pod that nothing runs.
fn pod() -> Value {
    json!({"spec": {"containers": [{"name": "c", "image": "i"}]}})
}

fn deployment() -> Value {
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    json!({"spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}})
}

async fn metadata_of_a_built_in_kind_changes_through_the_status(client: Client) {
    let pods = PODS.fresh(&client).await;
    pods.given("a", pod()).await;
    let metadata = json!({"finalizers": ["example.com/hold"], "labels": {"x": "y"}});
    let changed = json!({"metadata": metadata});
    let written = pods.merged("a/status?fieldManager=kubelet", changed).await;
    check!(written, "/metadata/finalizers": ["example.com/hold"], "/metadata/labels": {"x": "y"});
    let entries = at(&written, "/metadata/managedFields").as_array();
    let entry = entries
        .into_iter()
        .flatten()
        .find(|entry| entry["subresource"] == "status");
    let fields = json!({"f:metadata": {
        "f:finalizers": {".": {}, "v:\"example.com/hold\"": {}},
        "f:labels": {".": {}, "f:x": {}},
    }});
    assert_eq!(entry.map(|entry| &entry["fieldsV1"]), Some(&fields));
    let freed = json!({"metadata": {"finalizers": null}});
    pods.merge("a", freed).await.is(200);
}

async fn last_finalizer_can_be_removed_through_the_status(client: Client) {
    let pods = PODS.fresh(&client).await;
    let mut held = pod();
    held["metadata"] = json!({"finalizers": ["example.com/hold"]});
    pods.given("a", held).await;
    pods.delete("a").await.is(200);
    let freed = json!({"metadata": {"finalizers": null}});
    pods.merge("a/status", freed).await.is(200);
    pods.get("a").await.refused(404, "NotFound");
}

async fn owners_of_a_pod_and_labels_of_a_deployment_are_kept_by_a_status_write(client: Client) {
    let owner = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "u"});
    let owned = json!({"metadata": {"ownerReferences": [owner], "labels": {"x": "y"}}});
    let pods = PODS.fresh(&client).await;
    pods.given("a", pod()).await;
    let written = pods.merged("a/status", owned).await;
    check_absent(&written, "/metadata/ownerReferences");
    let deployments = DEPLOYMENTS.fresh(&client).await;
    deployments.given("a", deployment()).await;
    let labelled = json!({"metadata": {"labels": {"x": "y"}}});
    let written = deployments.merged("a/status", labelled).await;
    check_absent(&written, "/metadata/labels");
}

async fn annotation_through_the_status_does_not_count_a_generation(client: Client) {
    let deployments = DEPLOYMENTS.fresh(&client).await;
    deployments.given("a", deployment()).await;
    let annotated = json!({"metadata": {"annotations": {"k": "v"}}});
    let written = deployments.merged("a/status", annotated).await;
    check!(written, "/metadata/generation": 1, "/metadata/annotations/k": "v");
}

async fn metadata_in_the_status_is_validated(client: Client) {
    let pods = PODS.fresh(&client).await;
    pods.given("a", pod()).await;
    let labels = json!({"metadata": {"labels": {"a b": "c"}}});
    let reply = pods.merge("a/status", labels).await;
    reply.invalid_with("metadata.labels: Invalid value: \"a b\": name part must consist of");
}

async fn write_of_a_status_keeps_the_kind(client: Client) {
    let things = things_with(&client, json!({}), json!({"status": {}})).await;
    let mut object = things.given("a", json!({})).await;
    object["kind"] = json!("Other");
    check!(things.put("a/status", &object).await.is(200), "/kind": "Thing");
    things
        .put("a", &object)
        .await
        .invalid_with("kind: Invalid value: \"Other\"");
}
