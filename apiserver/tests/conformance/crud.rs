//! Create, read, update and delete of a single object.

use crate::harness::cases;
use crate::support::*;

cases![
    the_namespace_of_a_cluster_scoped_object_is_dropped,
    create_fills_in_metadata,
    create_returns_what_get_returns,
    create_ignores_server_owned_metadata,
    create_of_a_name_that_exists_is_refused,
    create_with_another_namespace_in_the_body_is_refused: create_fails(
        CONFIG_MAPS, json!({"metadata": {"namespace": "elsewhere"}}), 400, "BadRequest",
        "the namespace of the provided object does not match the namespace sent on the request"),
    create_with_a_resource_version_is_refused: create_fails(
        CONFIG_MAPS, json!({"metadata": {"resourceVersion": "7"}}), 500, "",
        "resourceVersion should not be set on objects to be created"),
    create_without_a_name_is_refused,
    create_with_an_invalid_name_is_refused,
    create_with_another_kind_is_refused,
    create_in_a_namespace_that_is_missing_is_refused,
    get_of_a_missing_object_is_not_found,
    get_of_a_cluster_scoped_object,
    update_keeps_identity_and_moves_the_resource_version,
    update_without_a_change_keeps_the_resource_version,
    update_of_a_missing_object_is_not_found,
    update_with_another_name_in_the_body_is_refused,
    update_replaces_the_whole_object,
    update_of_an_immutable_field_is_refused,
    delete_returns_a_status_with_the_uid,
    delete_of_a_missing_object_is_not_found,
    deleted_object_can_be_created_again_with_another_uid,
    generation_counts_changes_of_the_spec,
    generation_does_not_count_changes_of_metadata,
    config_map_data_survives_a_round_trip,
    secret_string_data_becomes_data,
    label_values_are_validated,
    immutable_config_map_keeps_its_data,
    custom_resource_round_trip,
    custom_resource_of_cluster_scope,
];

async fn create_fills_in_metadata(client: Client) {
    let maps = configmaps(&client).await;
    let created = maps
        .creation("a", json!({"data": {"k": "v"}}))
        .await
        .is(201);
    check!(created,
        "/kind": "ConfigMap",
        "/apiVersion": "v1",
        "/metadata/namespace": maps.namespace.clone().unwrap_or_default());
    assert_eq!(
        at(&created, "/metadata/uid").as_str().map(str::len),
        Some(36)
    );
    resource_version(&created);
    let stamp = at(&created, "/metadata/creationTimestamp")
        .as_str()
        .unwrap_or_default();
    assert!(
        stamp.len() == 20 && stamp.ends_with('Z'),
        "whole seconds in UTC: {stamp}"
    );
}

async fn create_returns_what_get_returns(client: Client) {
    let maps = configmaps(&client).await;
    let created = maps.given("a", json!({"data": {"k": "v"}})).await;
    assert_eq!(maps.get("a").await.is(200), created);
}

async fn create_ignores_server_owned_metadata(client: Client) {
    let maps = configmaps(&client).await;
    let created = maps
        .given("a", json!({"metadata": {"uid": "mine", "creationTimestamp": "2001-01-01T00:00:00Z", "deletionTimestamp": "2001-01-01T00:00:00Z", "selfLink": "/x", "generation": 7}}))
        .await;
    assert_ne!(at(&created, "/metadata/uid"), "mine");
    assert_ne!(
        at(&created, "/metadata/creationTimestamp"),
        "2001-01-01T00:00:00Z"
    );
    check_absent(&created, "/metadata/deletionTimestamp");
    check_absent(&created, "/metadata/selfLink");
}

async fn create_of_a_name_that_exists_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({})).await;
    let reply = maps.creation("a", json!({})).await;
    let status = reply.fails(409, "AlreadyExists", "configmaps \"a\" already exists");
    check!(status, "/details": {"name": "a", "kind": "configmaps"});
}

async fn create_without_a_name_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}});
    let status = maps.create(&object).await.invalid("ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is required");
    check!(status,
        "/details/kind": "ConfigMap",
        "/details/causes": [{"reason": "FieldValueRequired", "message": "Required value: name or generateName is required", "field": "metadata.name"}]);
}

async fn create_with_an_invalid_name_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let reply = maps.creation("Not_Valid", json!({})).await;
    reply.invalid("ConfigMap \"Not_Valid\" is invalid: metadata.name: Invalid value: \"Not_Valid\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
}

async fn create_with_another_kind_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let object = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}});
    maps.create(&object).await.refused(400, "BadRequest");
}

async fn create_in_a_namespace_that_is_missing_is_refused(client: Client) {
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
    let reply = post(
        &client,
        "/api/v1/namespaces/conformance-missing/configmaps",
        &object,
    )
    .await;
    let status = reply.not_found("namespaces \"conformance-missing\" not found");
    check!(status, "/details": {"name": "conformance-missing", "kind": "namespaces"});
}

async fn get_of_a_missing_object_is_not_found(client: Client) {
    let deployments = DEPLOYMENTS.fresh(&client).await;
    let status = deployments
        .get("a")
        .await
        .not_found("deployments.apps \"a\" not found");
    check!(status,
        "/details": {"name": "a", "group": "apps", "kind": "deployments"},
        "/metadata": {});
}

async fn get_of_a_cluster_scoped_object(client: Client) {
    let found = get(&client, "/api/v1/namespaces/default").await.is(200);
    check!(found, "/kind": "Namespace");
    check_absent(&found, "/metadata/namespace");
    check!(found, "/status/phase": "Active");
}

async fn update_keeps_identity_and_moves_the_resource_version(client: Client) {
    let maps = configmaps(&client).await;
    let created = maps.given("a", json!({"data": {"k": "v"}})).await;
    let updated = maps
        .replaced("a", &maps.object("a", json!({"data": {"k": "w"}})))
        .await;
    check!(updated, "/data/k": "w");
    assert_eq!(at(&updated, "/metadata/uid"), at(&created, "/metadata/uid"));
    assert_eq!(
        at(&updated, "/metadata/creationTimestamp"),
        at(&created, "/metadata/creationTimestamp")
    );
    assert_ne!(resource_version(&updated), resource_version(&created));
}

async fn update_without_a_change_keeps_the_resource_version(client: Client) {
    let maps = configmaps(&client).await;
    let created = maps.given("a", json!({"data": {"k": "v"}})).await;
    let updated = maps.replaced("a", &created).await;
    assert_eq!(resource_version(&updated), resource_version(&created));
}

async fn update_of_a_missing_object_is_not_found(client: Client) {
    let maps = configmaps(&client).await;
    maps.put("a", &maps.object("a", json!({})))
        .await
        .not_found("configmaps \"a\" not found");
}

async fn update_with_another_name_in_the_body_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({})).await;
    maps.put("a", &maps.object("b", json!({})))
        .await
        .bad_request("the name of the object (b) does not match the name on the URL (a)");
}

async fn update_replaces_the_whole_object(client: Client) {
    let maps = configmaps(&client).await;
    maps.given(
        "a",
        json!({"data": {"k": "v"}, "metadata": {"labels": {"l": "1"}}}),
    )
    .await;
    let updated = maps
        .replaced("a", &maps.object("a", json!({"data": {"other": "v"}})))
        .await;
    check!(updated, "/data": {"other": "v"});
    check_absent(&updated, "/metadata/labels");
}

async fn update_of_an_immutable_field_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let mut created = maps.given("a", json!({})).await;
    created["metadata"]["uid"] = json!("00000000-0000-0000-0000-000000000000");
    maps.put("a", &created).await.fails_with(
        409,
        "Conflict",
        "Precondition failed: UID in precondition: 00000000-0000-0000-0000-000000000000",
    );
}

async fn delete_returns_a_status_with_the_uid(client: Client) {
    let maps = configmaps(&client).await;
    let created = maps.given("a", json!({})).await;
    let status = maps.delete("a").await.is(200);
    check!(status,
        "/kind": "Status",
        "/apiVersion": "v1",
        "/status": "Success",
        "/details": {"name": "a", "kind": "configmaps", "uid": created["metadata"]["uid"]});
    maps.get("a").await.refused(404, "NotFound");
}

async fn delete_of_a_missing_object_is_not_found(client: Client) {
    let maps = configmaps(&client).await;
    maps.delete("a")
        .await
        .not_found("configmaps \"a\" not found");
}

async fn deleted_object_can_be_created_again_with_another_uid(client: Client) {
    let maps = configmaps(&client).await;
    let first = maps.given("a", json!({})).await;
    maps.delete("a").await.is(200);
    let second = maps.given("a", json!({})).await;
    assert_ne!(at(&first, "/metadata/uid"), at(&second, "/metadata/uid"));
}

async fn generation_counts_changes_of_the_spec(client: Client) {
    let things = things(&client, json!({"size": {"type": "integer"}})).await;
    let created = things.given("a", json!({"spec": {"size": 1}})).await;
    check!(created, "/metadata/generation": 1);
    let updated = things.merged("a", json!({"spec": {"size": 2}})).await;
    check!(updated, "/metadata/generation": 2);
}

async fn generation_does_not_count_changes_of_metadata(client: Client) {
    let things = things(&client, json!({"size": {"type": "integer"}})).await;
    things.given("a", json!({"spec": {"size": 1}})).await;
    let updated = things
        .merged("a", json!({"metadata": {"labels": {"l": "1"}}}))
        .await;
    check!(updated, "/metadata/generation": 1);
}

async fn config_map_data_survives_a_round_trip(client: Client) {
    let maps = configmaps(&client).await;
    let fields = json!({"data": {"text": "ä\n\"quoted\" 𝄞", "empty": ""}, "binaryData": {"bytes": "AAEC/w=="}});
    maps.given("a", fields.clone()).await;
    let found = maps.get("a").await.is(200);
    check!(found, "/data": fields["data"], "/binaryData": fields["binaryData"]);
}

async fn secret_string_data_becomes_data(client: Client) {
    let secrets = SECRETS.fresh(&client).await;
    let created = secrets
        .given("a", json!({"stringData": {"password": "hunter2"}}))
        .await;
    check!(created, "/data": {"password": "aHVudGVyMg=="});
    check_absent(&created, "/stringData");
    check!(created, "/type": "Opaque");
}

async fn label_values_are_validated(client: Client) {
    let maps = configmaps(&client).await;
    let reply = maps
        .creation("a", json!({"metadata": {"labels": {"l": "not valid"}}}))
        .await;
    let status = reply.invalid_with(
        "metadata.labels: Invalid value: \"not valid\": a valid label must be an empty string",
    );
    check!(status, "/details/causes/0/field": "metadata.labels");
}

async fn immutable_config_map_keeps_its_data(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({"immutable": true, "data": {"k": "v"}}))
        .await;
    let reply = maps.merge("a", json!({"data": {"k": "w"}})).await;
    reply.invalid(
        "ConfigMap \"a\" is invalid: data: Forbidden: field is immutable when `immutable` is set",
    );
}

async fn custom_resource_round_trip(client: Client) {
    let things = things(&client, json!({"size": {"type": "integer"}, "ratio": {"type": "number"}, "on": {"type": "boolean"}})).await;
    let created = things
        .given("a", json!({"spec": {"size": 3, "ratio": 0.5, "on": false}}))
        .await;
    check!(created, "/spec": {"size": 3, "ratio": 0.5, "on": false});
    assert_eq!(things.get("a").await.is(200), created);
    let status = things.delete("a").await.is(200);
    check!(status,
        "/details/kind": "things",
        "/details/group": things.api_version.trim_end_matches("/v1"));
}

async fn custom_resource_of_cluster_scope(client: Client) {
    let mut crd = Crd::new(json!({"type": "object"}));
    crd.body["spec"]["scope"] = json!("Cluster");
    crd.install(&client).await;
    let things =
        Resource(&format!("/apis/{}/v1", crd.group), "things", "Thing").everywhere(&client);
    let created = things.given("a", json!({})).await;
    check_absent(&created, "/metadata/namespace");
    check!(things.listed("").await, "/kind": "ThingList");
}

async fn the_namespace_of_a_cluster_scoped_object_is_dropped(client: Client) {
    let roles = CLUSTER_ROLES.everywhere(&client);
    let name = collection::unique();
    cleanup::delete_at_end(roles.at(&name));
    let elsewhere = || json!({"metadata": {"namespace": "elsewhere", "labels": {"l": "v"}}});
    let created = roles.given(&name, elsewhere()).await;
    check_absent(&created, "/metadata/namespace");
    let object = roles.object(&name, elsewhere());
    let replaced = roles.replaced(&name, &object).await;
    check_absent(&replaced, "/metadata/namespace");
    let merged = roles.merged(&name, elsewhere()).await;
    check_absent(&merged, "/metadata/namespace");
    let applied = roles.forced(&name, "me", elsewhere()).await;
    check_absent(&applied, "/metadata/namespace");
}
