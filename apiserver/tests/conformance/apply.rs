//! Server-side apply: who owns what.

use crate::harness::cases;
use crate::support::*;

cases![
    apply_creates,
    apply_records_its_manager,
    apply_again_changes_nothing,
    apply_of_another_value_by_the_same_manager,
    apply_removes_what_it_no_longer_names,
    apply_leaves_what_others_own,
    apply_of_the_same_value_shares_ownership,
    shared_field_stays_until_the_last_owner_leaves,
    apply_of_another_managers_value_conflicts,
    conflict_names_every_field_and_manager,
    conflict_with_an_update_names_its_version,
    forced_apply_takes_ownership,
    loser_of_a_forced_apply_can_apply_without_the_field,
    update_takes_ownership_of_what_it_changes,
    update_does_not_own_what_it_leaves,
    patch_records_its_manager_as_an_update,
    manager_name_comes_from_the_user_agent,
    apply_without_a_manager_is_refused,
    apply_with_managed_fields_is_refused,
    apply_of_another_name_is_refused,
    apply_of_another_kind_is_refused,
    force_without_apply_is_refused,
    apply_of_the_status_is_its_own_manager,
    apply_of_yaml,
    apply_counts_a_generation,
    managed_fields_can_be_cleared,
    removed_field_leaves_managed_fields,
    apply_of_an_object_that_was_created_without_apply,
    metadata_of_the_server_has_no_owner,
    apply_with_a_stale_resource_version_conflicts,
    apply_with_a_uid_does_not_create,
];

/// The managers of an object: name, operation and fields of each entry, sorted by name.
fn managers(object: &Value) -> Vec<(String, String, Value)> {
    let entries = at(object, "/metadata/managedFields")
        .as_array()
        .cloned()
        .unwrap_or_default();
    let text = |entry: &Value, field: &str| entry[field].as_str().unwrap_or_default().to_owned();
    let mut found: Vec<_> = entries
        .iter()
        .map(|entry| {
            (
                text(entry, "manager"),
                text(entry, "operation"),
                entry["fieldsV1"].clone(),
            )
        })
        .collect();
    found.sort_by(|left, right| left.0.cmp(&right.0));
    found
}

fn check_managers(object: &Value, expected: &[(&str, &str, Value)]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|(name, operation, fields)| {
            ((*name).to_owned(), (*operation).to_owned(), fields.clone())
        })
        .collect();
    assert_eq!(managers(object), expected);
}

fn data(keys: &[&str]) -> Value {
    let mut fields = json!({});
    for key in keys {
        fields[format!("f:{key}")] = json!({});
    }
    json!({"f:data": fields})
}

async fn apply_creates(client: Client) {
    let maps = configmaps(&client).await;
    let created = maps
        .apply("a", "me", json!({"data": {"k": "v"}}))
        .await
        .is(201);
    check(&created, "/data", json!({"k": "v"}));
    maps.get("a").await.is(200);
}

async fn apply_records_its_manager(client: Client) {
    let maps = configmaps(&client).await;
    let created = maps
        .apply(
            "a",
            "me",
            json!({"data": {"k": "v"}, "metadata": {"labels": {"l": "1"}}}),
        )
        .await
        .is(201);
    let entry = at(&created, "/metadata/managedFields/0");
    check(entry, "/manager", "me");
    check(entry, "/operation", "Apply");
    check(entry, "/apiVersion", "v1");
    check(entry, "/fieldsType", "FieldsV1");
    check(
        entry,
        "/fieldsV1",
        json!({"f:data": {"f:k": {}}, "f:metadata": {"f:labels": {"f:l": {}}}}),
    );
    assert!(at(entry, "/time").is_string());
    check_absent(entry, "/subresource");
}

async fn apply_again_changes_nothing(client: Client) {
    let maps = configmaps(&client).await;
    let first = maps
        .apply("a", "me", json!({"data": {"k": "v"}}))
        .await
        .is(201);
    let second = maps
        .apply("a", "me", json!({"data": {"k": "v"}}))
        .await
        .is(200);
    assert_eq!(first, second);
}

async fn apply_of_another_value_by_the_same_manager(client: Client) {
    let maps = configmaps(&client).await;
    maps.apply("a", "me", json!({"data": {"k": "v"}}))
        .await
        .is(201);
    let second = maps
        .apply("a", "me", json!({"data": {"k": "w"}}))
        .await
        .is(200);
    check(&second, "/data/k", "w");
    check_managers(&second, &[("me", "Apply", data(&["k"]))]);
}

async fn apply_removes_what_it_no_longer_names(client: Client) {
    let maps = configmaps(&client).await;
    maps.apply("a", "me", json!({"data": {"k": "v", "l": "w"}}))
        .await
        .is(201);
    let second = maps
        .apply("a", "me", json!({"data": {"l": "w"}}))
        .await
        .is(200);
    check(&second, "/data", json!({"l": "w"}));
    check_managers(&second, &[("me", "Apply", data(&["l"]))]);
}

async fn apply_leaves_what_others_own(client: Client) {
    let maps = configmaps(&client).await;
    maps.apply("a", "me", json!({"data": {"k": "v"}}))
        .await
        .is(201);
    let both = maps
        .apply("a", "you", json!({"data": {"l": "w"}}))
        .await
        .is(200);
    check(&both, "/data", json!({"k": "v", "l": "w"}));
    check_managers(
        &both,
        &[
            ("me", "Apply", data(&["k"])),
            ("you", "Apply", data(&["l"])),
        ],
    );
    let less = maps.apply("a", "me", json!({"data": {}})).await.is(200);
    check(&less, "/data", json!({"l": "w"}));
}

async fn apply_of_the_same_value_shares_ownership(client: Client) {
    let maps = configmaps(&client).await;
    maps.apply("a", "me", json!({"data": {"k": "v"}}))
        .await
        .is(201);
    let shared = maps
        .apply("a", "you", json!({"data": {"k": "v"}}))
        .await
        .is(200);
    check_managers(
        &shared,
        &[
            ("me", "Apply", data(&["k"])),
            ("you", "Apply", data(&["k"])),
        ],
    );
}

async fn shared_field_stays_until_the_last_owner_leaves(client: Client) {
    let maps = configmaps(&client).await;
    maps.apply("a", "me", json!({"data": {"k": "v"}}))
        .await
        .is(201);
    maps.apply("a", "you", json!({"data": {"k": "v"}}))
        .await
        .is(200);
    let one = maps.apply("a", "me", json!({})).await.is(200);
    check(&one, "/data/k", "v");
    check_managers(&one, &[("you", "Apply", data(&["k"]))]);
    let none = maps.apply("a", "you", json!({})).await.is(200);
    check_absent(&none, "/data");
}

async fn apply_of_another_managers_value_conflicts(client: Client) {
    let maps = configmaps(&client).await;
    maps.apply("a", "me", json!({"data": {"k": "v"}}))
        .await
        .is(201);
    let status = maps
        .apply("a", "you", json!({"data": {"k": "w"}}))
        .await
        .fails(
            409,
            "Conflict",
            "Apply failed with 1 conflict: conflict with \"me\": .data.k",
        );
    let causes = json!([{"reason": "FieldManagerConflict", "message": "conflict with \"me\"", "field": ".data.k"}]);
    check(&status, "/details/causes", causes);
    check(&maps.get("a").await.is(200), "/data/k", "v");
}

async fn conflict_names_every_field_and_manager(client: Client) {
    let maps = configmaps(&client).await;
    maps.apply("a", "me", json!({"data": {"k": "v", "l": "v"}}))
        .await
        .is(201);
    maps.apply("a", "she", json!({"data": {"m": "v"}}))
        .await
        .is(200);
    maps.apply("a", "you", json!({"data": {"k": "w", "l": "w", "m": "w"}})).await.fails(
        409,
        "Conflict",
        "Apply failed with 3 conflicts: conflicts with \"me\":\n- .data.k\n- .data.l\nconflicts with \"she\":\n- .data.m",
    );
}

async fn conflict_with_an_update_names_its_version(client: Client) {
    let maps = configmaps(&client).await;
    let object = maps.object("a", json!({"data": {"k": "v"}}));
    maps.create_with("fieldManager=me", &object).await.is(201);
    maps.apply("a", "you", json!({"data": {"k": "w"}}))
        .await
        .fails(
            409,
            "Conflict",
            "Apply failed with 1 conflict: conflict with \"me\" using v1: .data.k",
        );
}

async fn forced_apply_takes_ownership(client: Client) {
    let maps = configmaps(&client).await;
    maps.apply("a", "me", json!({"data": {"k": "v", "l": "v"}}))
        .await
        .is(201);
    let forced = maps
        .apply_forced("a", "you", json!({"data": {"k": "w"}}))
        .await
        .is(200);
    check(&forced, "/data", json!({"k": "w", "l": "v"}));
    check_managers(
        &forced,
        &[
            ("me", "Apply", data(&["l"])),
            ("you", "Apply", data(&["k"])),
        ],
    );
}

async fn loser_of_a_forced_apply_can_apply_without_the_field(client: Client) {
    let maps = configmaps(&client).await;
    maps.apply("a", "me", json!({"data": {"k": "v"}}))
        .await
        .is(201);
    maps.apply_forced("a", "you", json!({"data": {"k": "w"}}))
        .await
        .is(200);
    let applied = maps
        .apply("a", "me", json!({"data": {"l": "v"}}))
        .await
        .is(200);
    check(&applied, "/data", json!({"k": "w", "l": "v"}));
}

async fn update_takes_ownership_of_what_it_changes(client: Client) {
    let maps = configmaps(&client).await;
    let mut object = maps
        .apply("a", "me", json!({"data": {"k": "v", "l": "v"}}))
        .await
        .is(201);
    object["data"]["k"] = json!("w");
    let updated = maps.put("a?fieldManager=you", &object).await.is(200);
    check_managers(
        &updated,
        &[
            ("me", "Apply", data(&["l"])),
            ("you", "Update", data(&["k"])),
        ],
    );
}

async fn update_does_not_own_what_it_leaves(client: Client) {
    let maps = configmaps(&client).await;
    let object = maps
        .apply("a", "me", json!({"data": {"k": "v"}}))
        .await
        .is(201);
    let updated = maps.put("a?fieldManager=you", &object).await.is(200);
    check_managers(&updated, &[("me", "Apply", data(&["k"]))]);
}

async fn patch_records_its_manager_as_an_update(client: Client) {
    let maps = configmaps(&client).await;
    maps.apply("a", "me", json!({"data": {"k": "v"}}))
        .await
        .is(201);
    let patched = maps
        .merge("a?fieldManager=you", json!({"data": {"l": "w"}}))
        .await
        .is(200);
    check_managers(
        &patched,
        &[
            ("me", "Apply", data(&["k"])),
            ("you", "Update", data(&["l"])),
        ],
    );
}

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
    check_managers(&created, &[("kube-tester", "Update", manager)]);
}

async fn apply_without_a_manager_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let reply = maps.apply_with("a", "", json!({})).await;
    reply.fails_with(
        422,
        "Invalid",
        "fieldManager: Required value: is required for apply patch",
    );
}

async fn apply_with_managed_fields_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let entry = json!({"manager": "x", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {}});
    let reply = maps
        .apply("a", "me", json!({"metadata": {"managedFields": [entry]}}))
        .await;
    reply.fails_with(400, "BadRequest", "metadata.managedFields must be nil");
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
    reply.fails_with(
        400,
        "BadRequest",
        "the name of the object (b) does not match the name on the URL (a)",
    );
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
    reply.fails_with(
        422,
        "Invalid",
        "force: Forbidden: may not be specified for non-apply patch",
    );
}

async fn apply_of_the_status_is_its_own_manager(client: Client) {
    let things = things_with(
        &client,
        json!({"n": {"type": "integer"}}),
        json!({"status": {}}),
    )
    .await;
    things
        .apply("a", "me", json!({"spec": {"n": 1}}))
        .await
        .is(201);
    let applied = things
        .apply_with(
            "a/status",
            "fieldManager=me",
            json!({"status": {"ready": true}}),
        )
        .await
        .is(200);
    check(&applied, "/spec/n", 1);
    check(&applied, "/status/ready", true);
    let entries = at(&applied, "/metadata/managedFields")
        .as_array()
        .cloned()
        .unwrap_or_default();
    let status = entries
        .iter()
        .find(|entry| entry["subresource"] == "status")
        .expect("an entry of the status");
    check(status, "/fieldsV1", json!({"f:status": {"f:ready": {}}}));
    assert_eq!(entries.len(), 2);
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
    check(&created, "/data/k", "two\nlines\n");
}

async fn apply_counts_a_generation(client: Client) {
    let things = things(&client, json!({"n": {"type": "integer"}})).await;
    check(
        &things
            .apply("a", "me", json!({"spec": {"n": 1}}))
            .await
            .is(201),
        "/metadata/generation",
        1,
    );
    check(
        &things
            .apply("a", "me", json!({"spec": {"n": 2}}))
            .await
            .is(200),
        "/metadata/generation",
        2,
    );
}

async fn managed_fields_can_be_cleared(client: Client) {
    let maps = configmaps(&client).await;
    maps.apply("a", "me", json!({"data": {"k": "v"}}))
        .await
        .is(201);
    let cleared = maps
        .merge("a", json!({"metadata": {"managedFields": [{}]}}))
        .await
        .is(200);
    check_absent(&cleared, "/metadata/managedFields");
}

async fn removed_field_leaves_managed_fields(client: Client) {
    let maps = configmaps(&client).await;
    maps.apply("a", "me", json!({"data": {"k": "v", "l": "v"}}))
        .await
        .is(201);
    let patched = maps
        .merge("a?fieldManager=you", json!({"data": {"k": null}}))
        .await
        .is(200);
    check_managers(&patched, &[("me", "Apply", data(&["l"]))]);
}

async fn apply_of_an_object_that_was_created_without_apply(client: Client) {
    let maps = configmaps(&client).await;
    maps.create_with(
        "fieldManager=you",
        &maps.object("a", json!({"data": {"k": "v"}})),
    )
    .await
    .is(201);
    let applied = maps
        .apply("a", "me", json!({"data": {"k": "v", "l": "w"}}))
        .await
        .is(200);
    let created = json!({"f:data": {".": {}, "f:k": {}}});
    check_managers(
        &applied,
        &[
            ("me", "Apply", data(&["k", "l"])),
            ("you", "Update", created),
        ],
    );
}

async fn metadata_of_the_server_has_no_owner(client: Client) {
    let maps = configmaps(&client).await;
    let mut object = maps
        .apply("a", "me", json!({"metadata": {"annotations": {"x": "1"}}}))
        .await
        .is(201);
    check_managers(
        &object,
        &[(
            "me",
            "Apply",
            json!({"f:metadata": {"f:annotations": {"f:x": {}}}}),
        )],
    );
    object["metadata"]["generation"] = json!(9);
    let updated = maps.put("a?fieldManager=you", &object).await.is(200);
    assert_eq!(managers(&updated).len(), 1);
}

async fn apply_with_a_stale_resource_version_conflicts(client: Client) {
    let maps = configmaps(&client).await;
    let stale = resource_version(
        &maps
            .apply("a", "me", json!({"data": {"k": "v"}}))
            .await
            .is(201),
    );
    maps.apply("a", "me", json!({"data": {"k": "w"}}))
        .await
        .is(200);
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
