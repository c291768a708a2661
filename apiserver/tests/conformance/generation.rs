//! `metadata.generation`: what counts as a change, by kind. And what else the kinds of this file
//! allow to change.

use http::Method;

use crate::harness::cases;
use crate::support::collection::unique;
use crate::support::*;

cases![
    annotations_of_a_deployment_count,
    labels_of_an_endpoint_slice_count,
    metadata_of_a_replica_set_does_not_count,
    whole_numbers_are_integers,
    a_whole_number_with_a_point_is_a_change,
    a_controller_revision_keeps_its_data,
    a_controller_revision_needs_data: create_invalid_with(
        CONTROLLER_REVISIONS, json!({"revision": 1}), "data: Required value: data is mandatory"),
    a_pod_template_has_the_defaults_of_pods,
    the_label_of_a_namespace_has_an_owner,
    the_phase_of_a_namespace_follows_its_deletion,
];

const CONTROLLER_REVISIONS: Resource<'_> =
    Resource("/apis/apps/v1", "controllerrevisions", "ControllerRevision");
const ENDPOINT_SLICES: Resource<'_> = Resource(
    "/apis/discovery.k8s.io/v1",
    "endpointslices",
    "EndpointSlice",
);
const POD_TEMPLATES: Resource<'_> = Resource("/api/v1", "podtemplates", "PodTemplate");
const NAMESPACES: Resource<'_> = Resource("/api/v1", "namespaces", "Namespace");

fn workload() -> Value {
    json!({"spec": {"selector": {"matchLabels": {"app": "a"}}, "template": template()}})
}

fn template() -> Value {
    json!({"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "main", "image": "busybox"}]}})
}

/// Returns the generations of an object after its labels, then its annotations, then again the same
/// annotations are set.
async fn generations(objects: &Collection, fields: Value) -> Vec<i64> {
    objects.given("a", fields).await;
    let mut found = Vec::new();
    for field in ["labels", "annotations", "annotations"] {
        let change = json!({"metadata": {field: {"example.com/a": "b"}}});
        let merged = objects.merged("a", change).await;
        found.extend(at(&merged, "/metadata/generation").as_i64());
    }
    found
}

async fn annotations_of_a_deployment_count(client: Client) {
    let deployments = DEPLOYMENTS.fresh(&client).await;
    assert_eq!(generations(&deployments, workload()).await, [1, 2, 2]);
}

async fn labels_of_an_endpoint_slice_count(client: Client) {
    let slices = ENDPOINT_SLICES.fresh(&client).await;
    let fields = json!({"addressType": "IPv4", "endpoints": []});
    assert_eq!(generations(&slices, fields).await, [2, 2, 2]);
}

async fn metadata_of_a_replica_set_does_not_count(client: Client) {
    let sets = REPLICA_SETS.fresh(&client).await;
    assert_eq!(generations(&sets, workload()).await, [1, 1, 1]);
}

/// Sends a merge patch as text, because the numbers of `Value` are written in one way.
async fn merge_text(things: &Collection, name: &str, body: &str) -> Value {
    let path = things.at(name);
    let headers = [("content-type", "application/merge-patch+json")];
    let sent = send(&things.client, Method::PATCH, &path, &headers, body.into());
    sent.await.is(200)
}

async fn numbers(client: &Client) -> Collection {
    let free = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let properties =
        json!({"whole": {"type": "integer"}, "real": {"type": "number"}, "free": free});
    let things = things(client, properties).await;
    things.given("a", json!({"spec": {"real": 2}})).await;
    things
}

async fn whole_numbers_are_integers(client: Client) {
    let things = numbers(&client).await;
    let body = r#"{"spec": {"whole": 1.0, "real": 3.0, "free": {"list": [1e3, -0.0, 1.5]}}}"#;
    let merged = merge_text(&things, "a", body).await;
    check!(merged, "/spec": {"whole": 1, "real": 3, "free": {"list": [1000, 0, 1.5]}});
    let found = things.get("a").await.is(200);
    check!(found, "/spec": {"whole": 1, "real": 3, "free": {"list": [1000, 0, 1.5]}});
}

/// The numbers are compared before they are stored: a controller that writes `2.0` again and again
/// changes its object each time.
async fn a_whole_number_with_a_point_is_a_change(client: Client) {
    let things = numbers(&client).await;
    for (body, generation) in [
        (r#"{"spec": {"real": 2.0}}"#, 2),
        (r#"{"spec": {"real": 2.0}}"#, 3),
        (r#"{"spec": {"real": 2}}"#, 3),
    ] {
        let merged = merge_text(&things, "a", body).await;
        check!(merged, "/spec/real": 2, "/metadata/generation": generation);
    }
    let applied = things
        .applied("a", "me", json!({"spec": {"real": 2.0}}))
        .await;
    check!(applied, "/spec/real": 2, "/metadata/generation": 3);
}

async fn a_controller_revision_keeps_its_data(client: Client) {
    let revisions = CONTROLLER_REVISIONS.fresh(&client).await;
    let mut object = revisions
        .given("a", json!({"revision": 1, "data": {"replicas": 1}}))
        .await;
    object["revision"] = json!(2);
    let mut newer = revisions.replaced("a", &object).await;
    check!(newer, "/revision": 2);
    newer["data"] = json!({"replicas": 2});
    revisions.put("a", &newer).await.invalid(
        "ControllerRevision.apps \"a\" is invalid: data: Invalid value: {\"replicas\":2}: field is immutable",
    );
}

async fn a_pod_template_has_the_defaults_of_pods(client: Client) {
    let templates = POD_TEMPLATES.fresh(&client).await;
    let created = templates.given("a", json!({"template": template()})).await;
    check!(created,
        "/template/spec/restartPolicy": "Always",
        "/template/spec/dnsPolicy": "ClusterFirst",
        "/template/spec/containers/0/imagePullPolicy": "Always");
    let nameless = json!({"template": {"spec": {"containers": [{"image": "busybox"}]}}});
    let refused = templates.creation("b", nameless).await;
    refused.invalid_with("template.spec.containers[0].name: Required value");
}

async fn the_label_of_a_namespace_has_an_owner(client: Client) {
    let namespaces = NAMESPACES.everywhere(&client);
    let object = namespaces.object(&unique(), json!({}));
    let created = namespaces.created_with("dryRun=All", &object).await;
    check!(created, "/metadata/managedFields/0/fieldsV1": {
        "f:metadata": {"f:labels": {".": {}, "f:kubernetes.io/metadata.name": {}}}});
    let mut generated = namespaces.object("", json!({"metadata": {"generateName": "generated-"}}));
    if let Some(metadata) = generated["metadata"].as_object_mut() {
        metadata.remove("name");
    }
    let created = namespaces.created_with("dryRun=All", &generated).await;
    check!(created, "/metadata/managedFields/0/fieldsV1": {"f:metadata": {"f:generateName": {}}});
}

async fn the_phase_of_a_namespace_follows_its_deletion(client: Client) {
    let name = namespace(&client).await;
    let namespaces = NAMESPACES.everywhere(&client);
    let status = format!("{name}/status");
    let phase = json!({"status": {"phase": "Terminating"}});
    namespaces.merge(&status, phase).await.invalid(&format!(
        "Namespace \"{name}\" is invalid: status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty"
    ));
    let condition = json!({"status": {"conditions": [{"type": "Mine", "status": "True"}]}});
    namespaces.merge(&status, condition).await.is(200);
}
