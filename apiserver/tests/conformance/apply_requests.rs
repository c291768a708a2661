//! Server-side apply: valid requests, and their further effects.

use crate::harness::cases;
use crate::support::*;

cases![
    manager_name_comes_from_the_user_agent,
    apply_without_a_manager_is_refused,
    apply_with_managed_fields_is_refused,
    apply_of_another_name_is_refused,
    apply_of_another_kind_is_refused,
    force_without_apply_is_refused,
    apply_of_yaml,
    apply_counts_a_generation,
    managed_fields_can_be_cleared,
    apply_with_a_stale_resource_version_conflicts,
    apply_with_a_uid_does_not_create,
    apply_is_validated,
    apply_of_null_takes_the_default,
    apply_of_the_status_is_its_own_manager,
    apply_into_a_missing_namespace_is_refused,
    apply_to_a_missing_status_is_not_found,
    apply_of_a_dry_run_changes_nothing,
    apply_to_a_terminating_object,
    manager_names_have_a_longest_length,
];

async fn manager_name_comes_from_the_user_agent(client: Client) {
    let maps = configmaps(&client).await;
    let headers = [
        ("content-type", "application/json"),
        ("user-agent", "kube-tester/1.2 (linux) extra"),
    ];
    let body = maps
        .object("a", json!({"data": {"k": "v"}}))
        .to_string()
        .into_bytes();
    let created = send(&client, http::Method::POST, &maps.path, &headers, body)
        .await
        .is(201);
    let manager = json!({"f:data": {".": {}, "f:k": {}}});
    let entry = at(&created, "/metadata/managedFields/0");
    check!(entry, "/manager": "kube-tester", "/operation": "Update", "/fieldsV1": manager);
}

async fn apply_without_a_manager_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let reply = maps.apply_with("a", "", json!({})).await;
    reply.invalid_with("fieldManager: Required value: is required for apply patch");
}

async fn apply_with_managed_fields_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let entry = json!({"manager": "x", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {}});
    let reply = maps
        .apply("a", "me", json!({"metadata": {"managedFields": [entry]}}))
        .await;
    reply.bad_request_with("metadata.managedFields must be nil");
}

async fn apply_of_another_name_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let path = maps.at("a?fieldManager=me");
    let reply = patch(
        &client,
        &path,
        wire::patch_type::APPLY,
        &maps.object("b", json!({})),
    )
    .await;
    reply.bad_request_with("the name of the object (b) does not match the name on the URL (a)");
}

async fn apply_of_another_kind_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let path = maps.at("a?fieldManager=me");
    let object = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}});
    patch(&client, &path, wire::patch_type::APPLY, &object)
        .await
        .refused(400, "BadRequest");
}

async fn force_without_apply_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({})).await;
    let reply = maps.merge("a?force=true", json!({})).await;
    reply.invalid_with("force: Forbidden: may not be specified for non-apply patch");
}

async fn apply_of_yaml(client: Client) {
    let maps = configmaps(&client).await;
    let body = b"# a comment\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: |\n    two\n    lines\n".to_vec();
    let headers = [("content-type", wire::patch_type::APPLY)];
    let created = send(
        &client,
        http::Method::PATCH,
        &maps.at("a?fieldManager=me"),
        &headers,
        body,
    )
    .await
    .is(201);
    check!(created, "/data/k": "two\nlines\n");
}

async fn apply_counts_a_generation(client: Client) {
    let things = things(&client, json!({"n": {"type": "integer"}})).await;
    check!(things.given_by("a", "me", json!({"spec": {"n": 1}})).await, "/metadata/generation": 1);
    check!(things.applied("a", "me", json!({"spec": {"n": 2}})).await, "/metadata/generation": 2);
}

async fn managed_fields_can_be_cleared(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    let cleared = maps
        .merged("a", json!({"metadata": {"managedFields": [{}]}}))
        .await;
    check_absent(&cleared, "/metadata/managedFields");
}

async fn apply_with_a_stale_resource_version_conflicts(client: Client) {
    let maps = configmaps(&client).await;
    let stale = resource_version(&maps.given_by("a", "me", json!({"data": {"k": "v"}})).await);
    maps.applied("a", "me", json!({"data": {"k": "w"}})).await;
    let reply = maps
        .apply(
            "a",
            "me",
            json!({"metadata": {"resourceVersion": stale}, "data": {"k": "x"}}),
        )
        .await;
    reply.fails_with(409, "Conflict", "the object has been modified");
}

async fn apply_with_a_uid_does_not_create(client: Client) {
    let maps = configmaps(&client).await;
    let reply = maps
        .apply(
            "a",
            "me",
            json!({"metadata": {"uid": "00000000-0000-0000-0000-000000000000"}}),
        )
        .await;
    reply.refused(409, "Conflict");
}

async fn apply_is_validated(client: Client) {
    let things = things(&client, json!({"n": {"type": "integer", "maximum": 9}})).await;
    let reply = things.apply("a", "me", json!({"spec": {"n": 10}})).await;
    reply.invalid_with("spec.n in body should be less than or equal to 9");
    things.get("a").await.refused(404, "NotFound");
}

async fn apply_into_a_missing_namespace_is_refused(client: Client) {
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
    let path = "/api/v1/namespaces/conformance-missing/configmaps/a?fieldManager=me";
    let reply = patch(&client, path, wire::patch_type::APPLY, &object).await;
    reply.not_found("namespaces \"conformance-missing\" not found");
}

async fn apply_to_a_missing_status_is_not_found(client: Client) {
    let things = things_with(&client, json!({}), json!({"status": {}})).await;
    let reply = things
        .apply_with(
            "a/status",
            "fieldManager=me",
            json!({"status": {"ready": true}}),
        )
        .await;
    reply.fails_with(404, "NotFound", "\"a\" not found");
}

async fn apply_of_a_dry_run_changes_nothing(client: Client) {
    let maps = configmaps(&client).await;
    let before = maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    let answer = maps
        .apply_with(
            "a",
            "fieldManager=me&dryRun=All",
            json!({"data": {"k": "w"}}),
        )
        .await
        .is(200);
    check!(answer, "/data/k": "w");
    assert_eq!(maps.get("a").await.is(200), before);
}

async fn apply_to_a_terminating_object(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by(
        "a",
        "me",
        json!({"metadata": {"finalizers": ["example.com/a"]}}),
    )
    .await;
    maps.delete("a").await.is(200);
    let applied = maps
        .applied(
            "a",
            "me",
            json!({"metadata": {"finalizers": ["example.com/a"]}, "data": {"k": "v"}}),
        )
        .await;
    check!(applied, "/data/k": "v");
    assert!(at(&applied, "/metadata/deletionTimestamp").is_string());
    maps.applied("a", "me", json!({})).await;
    maps.get("a").await.refused(404, "NotFound");
}

async fn manager_names_have_a_longest_length(client: Client) {
    let maps = configmaps(&client).await;
    let reply = maps.apply("a", &"m".repeat(129), json!({})).await;
    reply.invalid_with("fieldManager: Too long: may not be more than 128 bytes");
}

async fn apply_of_the_status_is_its_own_manager(client: Client) {
    let things = things_with(
        &client,
        json!({"n": {"type": "integer"}}),
        json!({"status": {}}),
    )
    .await;
    things.given_by("a", "me", json!({"spec": {"n": 1}})).await;
    let applied = things
        .apply_with(
            "a/status",
            "fieldManager=me",
            json!({"status": {"ready": true}}),
        )
        .await
        .is(200);
    check!(applied, "/spec/n": 1, "/status/ready": true);
    let entries = at(&applied, "/metadata/managedFields")
        .as_array()
        .cloned()
        .unwrap_or_default();
    let status = entries
        .iter()
        .find(|entry| entry["subresource"] == "status")
        .expect("an entry of the status");
    check!(status, "/fieldsV1": {"f:status": {"f:ready": {}}});
    assert_eq!(entries.len(), 2);
}

async fn apply_of_null_takes_the_default(client: Client) {
    let size = json!({"size": {"type": "integer", "default": 3}, "plain": {"type": "string"}});
    let things = things(&client, size).await;
    let applied = things
        .apply("a", "me", json!({"spec": {"size": null}}))
        .await
        .is(201);
    check!(applied, "/spec/size": 3);
    let managed = json!({"f:spec": {"f:size": {}}});
    check!(applied, "/metadata/managedFields/0/fieldsV1": managed);
    let plain = json!({"spec": {"plain": null}});
    let reply = things.apply("a", "me", plain).await;
    reply.invalid_with("spec.plain: Invalid value: \"null\"");
}
