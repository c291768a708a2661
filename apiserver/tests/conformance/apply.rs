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
    removed_field_leaves_managed_fields,
    apply_of_an_object_that_was_created_without_apply,
    metadata_of_the_server_has_no_owner,
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
    let created = maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    check!(created, "/data": {"k": "v"});
    maps.get("a").await.is(200);
}

async fn apply_records_its_manager(client: Client) {
    let maps = configmaps(&client).await;
    let created = maps
        .given_by(
            "a",
            "me",
            json!({"data": {"k": "v"}, "metadata": {"labels": {"l": "1"}}}),
        )
        .await;
    let entry = at(&created, "/metadata/managedFields/0");
    check!(entry,
        "/manager": "me",
        "/operation": "Apply",
        "/apiVersion": "v1",
        "/fieldsType": "FieldsV1",
        "/fieldsV1": {"f:data": {"f:k": {}}, "f:metadata": {"f:labels": {"f:l": {}}}});
    assert!(at(entry, "/time").is_string());
    check_absent(entry, "/subresource");
}

async fn apply_again_changes_nothing(client: Client) {
    let maps = configmaps(&client).await;
    let first = maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    let second = maps.applied("a", "me", json!({"data": {"k": "v"}})).await;
    assert_eq!(first, second);
}

async fn apply_of_another_value_by_the_same_manager(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    let second = maps.applied("a", "me", json!({"data": {"k": "w"}})).await;
    check!(second, "/data/k": "w");
    check_managers(&second, &[("me", "Apply", data(&["k"]))]);
}

async fn apply_removes_what_it_no_longer_names(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v", "l": "w"}}))
        .await;
    let second = maps.applied("a", "me", json!({"data": {"l": "w"}})).await;
    check!(second, "/data": {"l": "w"});
    check_managers(&second, &[("me", "Apply", data(&["l"]))]);
}

async fn apply_leaves_what_others_own(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    let both = maps.applied("a", "you", json!({"data": {"l": "w"}})).await;
    check!(both, "/data": {"k": "v", "l": "w"});
    check_managers(
        &both,
        &[
            ("me", "Apply", data(&["k"])),
            ("you", "Apply", data(&["l"])),
        ],
    );
    let less = maps.applied("a", "me", json!({"data": {}})).await;
    check!(less, "/data": {"l": "w"});
}

async fn apply_of_the_same_value_shares_ownership(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    let shared = maps.applied("a", "you", json!({"data": {"k": "v"}})).await;
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
    maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    maps.applied("a", "you", json!({"data": {"k": "v"}})).await;
    let one = maps.applied("a", "me", json!({})).await;
    check!(one, "/data/k": "v");
    check_managers(&one, &[("you", "Apply", data(&["k"]))]);
    let none = maps.applied("a", "you", json!({})).await;
    check_absent(&none, "/data");
}

async fn apply_of_another_managers_value_conflicts(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    let status = maps
        .apply("a", "you", json!({"data": {"k": "w"}}))
        .await
        .fails(
            409,
            "Conflict",
            "Apply failed with 1 conflict: conflict with \"me\": .data.k",
        );
    let causes = json!([{"reason": "FieldManagerConflict", "message": "conflict with \"me\"", "field": ".data.k"}]);
    check!(status, "/details/causes": causes);
    check!(maps.get("a").await.is(200), "/data/k": "v");
}

async fn conflict_names_every_field_and_manager(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v", "l": "v"}}))
        .await;
    maps.applied("a", "she", json!({"data": {"m": "v"}})).await;
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
    maps.given_by("a", "me", json!({"data": {"k": "v", "l": "v"}}))
        .await;
    let forced = maps
        .apply_forced("a", "you", json!({"data": {"k": "w"}}))
        .await
        .is(200);
    check!(forced, "/data": {"k": "w", "l": "v"});
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
    maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    maps.apply_forced("a", "you", json!({"data": {"k": "w"}}))
        .await
        .is(200);
    let applied = maps.applied("a", "me", json!({"data": {"l": "v"}})).await;
    check!(applied, "/data": {"k": "w", "l": "v"});
}

async fn update_takes_ownership_of_what_it_changes(client: Client) {
    let maps = configmaps(&client).await;
    let mut object = maps
        .given_by("a", "me", json!({"data": {"k": "v", "l": "v"}}))
        .await;
    object["data"]["k"] = json!("w");
    let updated = maps.replaced("a?fieldManager=you", &object).await;
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
    let object = maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    let updated = maps.replaced("a?fieldManager=you", &object).await;
    check_managers(&updated, &[("me", "Apply", data(&["k"]))]);
}

async fn patch_records_its_manager_as_an_update(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    let patched = maps
        .merged("a?fieldManager=you", json!({"data": {"l": "w"}}))
        .await;
    check_managers(
        &patched,
        &[
            ("me", "Apply", data(&["k"])),
            ("you", "Update", data(&["l"])),
        ],
    );
}

async fn removed_field_leaves_managed_fields(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v", "l": "v"}}))
        .await;
    let patched = maps
        .merged("a?fieldManager=you", json!({"data": {"k": null}}))
        .await;
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
        .applied("a", "me", json!({"data": {"k": "v", "l": "w"}}))
        .await;
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
        .given_by("a", "me", json!({"metadata": {"annotations": {"x": "1"}}}))
        .await;
    check_managers(
        &object,
        &[(
            "me",
            "Apply",
            json!({"f:metadata": {"f:annotations": {"f:x": {}}}}),
        )],
    );
    object["metadata"]["generation"] = json!(9);
    let updated = maps.replaced("a?fieldManager=you", &object).await;
    assert_eq!(managers(&updated).len(), 1);
}
