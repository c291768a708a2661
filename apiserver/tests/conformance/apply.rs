//! Server-side apply: field ownership.

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

/// Returns the managers of an object, sorted: `NAME OPERATION KEYS`, with the keys of `data`, or
/// else all fields as JSON.
fn managers(object: &Value) -> Vec<String> {
    let entries = at(object, "/metadata/managedFields").as_array();
    let line = |entry: &Value| {
        let text = |field: &str| entry[field].as_str().unwrap_or_default();
        let fields = &entry["fieldsV1"];
        let keys = || {
            let keys = fields["f:data"].as_object()?.keys();
            let keys: Vec<&str> = keys.filter_map(|key| key.strip_prefix("f:")).collect();
            (data(&keys) == *fields).then(|| keys.join(","))
        };
        let fields = keys().unwrap_or_else(|| fields.to_string());
        format!("{} {} {fields}", text("manager"), text("operation"))
    };
    let mut found: Vec<String> = entries.into_iter().flatten().map(line).collect();
    found.sort();
    found
}

fn data(keys: &[&str]) -> Value {
    let fields: Value = keys
        .iter()
        .map(|key| (format!("f:{key}"), json!({})))
        .collect();
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
    assert_eq!(managers(&second), ["me Apply k"]);
}

async fn apply_removes_what_it_no_longer_names(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v", "l": "w"}}))
        .await;
    let second = maps.applied("a", "me", json!({"data": {"l": "w"}})).await;
    check!(second, "/data": {"l": "w"});
    assert_eq!(managers(&second), ["me Apply l"]);
}

async fn apply_leaves_what_others_own(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    let both = maps.applied("a", "you", json!({"data": {"l": "w"}})).await;
    check!(both, "/data": {"k": "v", "l": "w"});
    assert_eq!(managers(&both), ["me Apply k", "you Apply l"]);
    let less = maps.applied("a", "me", json!({"data": {}})).await;
    check!(less, "/data": {"l": "w"});
}

async fn apply_of_the_same_value_shares_ownership(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    let shared = maps.applied("a", "you", json!({"data": {"k": "v"}})).await;
    assert_eq!(managers(&shared), ["me Apply k", "you Apply k"]);
}

async fn shared_field_stays_until_the_last_owner_leaves(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    maps.applied("a", "you", json!({"data": {"k": "v"}})).await;
    let one = maps.applied("a", "me", json!({})).await;
    check!(one, "/data/k": "v");
    assert_eq!(managers(&one), ["you Apply k"]);
    let none = maps.applied("a", "you", json!({})).await;
    check_absent(&none, "/data");
}

async fn apply_of_another_managers_value_conflicts(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    let status = maps
        .apply("a", "you", json!({"data": {"k": "w"}}))
        .await
        .conflicts("Apply failed with 1 conflict: conflict with \"me\": .data.k");
    let causes = json!([{"reason": "FieldManagerConflict", "message": "conflict with \"me\"", "field": ".data.k"}]);
    check!(status, "/details/causes": causes);
    check!(maps.get("a").await.is(200), "/data/k": "v");
}

async fn conflict_names_every_field_and_manager(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v", "l": "v"}}))
        .await;
    maps.applied("a", "she", json!({"data": {"m": "v"}})).await;
    maps.apply("a", "you", json!({"data": {"k": "w", "l": "w", "m": "w"}})).await.conflicts("Apply failed with 3 conflicts: conflicts with \"me\":\n- .data.k\n- .data.l\nconflicts with \"she\":\n- .data.m");
}

async fn conflict_with_an_update_names_its_version(client: Client) {
    let maps = configmaps(&client).await;
    let object = maps.object("a", json!({"data": {"k": "v"}}));
    maps.created_with("fieldManager=me", &object).await;
    maps.apply("a", "you", json!({"data": {"k": "w"}}))
        .await
        .conflicts("Apply failed with 1 conflict: conflict with \"me\" using v1: .data.k");
}

async fn forced_apply_takes_ownership(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v", "l": "v"}}))
        .await;
    let forced = maps.forced("a", "you", json!({"data": {"k": "w"}})).await;
    check!(forced, "/data": {"k": "w", "l": "v"});
    assert_eq!(managers(&forced), ["me Apply l", "you Apply k"]);
}

async fn loser_of_a_forced_apply_can_apply_without_the_field(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    maps.forced("a", "you", json!({"data": {"k": "w"}})).await;
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
    assert_eq!(managers(&updated), ["me Apply l", "you Update k"]);
}

async fn update_does_not_own_what_it_leaves(client: Client) {
    let maps = configmaps(&client).await;
    let object = maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    let updated = maps.replaced("a?fieldManager=you", &object).await;
    assert_eq!(managers(&updated), ["me Apply k"]);
}

async fn patch_records_its_manager_as_an_update(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    let patched = maps
        .merged("a?fieldManager=you", json!({"data": {"l": "w"}}))
        .await;
    assert_eq!(managers(&patched), ["me Apply k", "you Update l"]);
}

async fn removed_field_leaves_managed_fields(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v", "l": "v"}}))
        .await;
    let patched = maps
        .merged("a?fieldManager=you", json!({"data": {"k": null}}))
        .await;
    assert_eq!(managers(&patched), ["me Apply l"]);
}

async fn apply_of_an_object_that_was_created_without_apply(client: Client) {
    let maps = configmaps(&client).await;
    maps.created_with(
        "fieldManager=you",
        &maps.object("a", json!({"data": {"k": "v"}})),
    )
    .await;
    let applied = maps
        .applied("a", "me", json!({"data": {"k": "v", "l": "w"}}))
        .await;
    assert_eq!(
        managers(&applied),
        ["me Apply k,l", r#"you Update {"f:data":{".":{},"f:k":{}}}"#]
    );
}

async fn metadata_of_the_server_has_no_owner(client: Client) {
    let maps = configmaps(&client).await;
    let mut object = maps
        .given_by("a", "me", json!({"metadata": {"annotations": {"x": "1"}}}))
        .await;
    assert_eq!(
        managers(&object),
        [r#"me Apply {"f:metadata":{"f:annotations":{"f:x":{}}}}"#]
    );
    object["metadata"]["generation"] = json!(9);
    let updated = maps.replaced("a?fieldManager=you", &object).await;
    assert_eq!(managers(&updated).len(), 1);
}
