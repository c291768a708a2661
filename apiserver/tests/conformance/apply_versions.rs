//! Server-side apply across versions, defaults, validation and other writers.

use crate::harness::cases;
use crate::support::*;

cases![
    managed_fields_name_the_version_that_wrote,
    conflict_names_another_version,
    apply_in_another_version_takes_over_the_entry,
    removed_field_with_a_default_is_defaulted_again,
    applied_default_is_owned,
    apply_with_unknown_fields_under_preserve_owns_them,
    apply_of_labels_shares_them_with_an_update,
    update_that_removes_a_field_removes_its_owners,
    json_patch_takes_ownership,
    apply_after_managed_fields_were_cleared,
    apply_keeps_what_the_server_added,
    apply_of_a_list_in_another_order_changes_nothing,
    apply_creates_with_the_status_dropped,
    scale_update_takes_ownership_of_the_replicas,
    create_records_its_manager_name,
    apply_of_a_null_label_applies_an_empty_one,
];

fn entries(object: &Value) -> Vec<(String, String, String)> {
    let text = |entry: &Value, field: &str| entry[field].as_str().unwrap_or_default().to_owned();
    let entries = at(object, "/metadata/managedFields")
        .as_array()
        .cloned()
        .unwrap_or_default();
    let mut found: Vec<_> = entries
        .iter()
        .map(|entry| {
            (
                text(entry, "manager"),
                text(entry, "operation"),
                text(entry, "apiVersion"),
            )
        })
        .collect();
    found.sort();
    found
}

fn entry(manager: &str, operation: &str, version: &str) -> (String, String, String) {
    (manager.to_owned(), operation.to_owned(), version.to_owned())
}

async fn both(client: &Client) -> (Collection, Collection) {
    let schema = crd::spec_schema(json!({"n": {"type": "integer"}, "m": {"type": "integer"}}));
    let crd = Crd::new(schema.clone()).and_version("v2", schema);
    let first = crd.install(client).await;
    let second = crd.things(client, first.namespace.as_deref().unwrap_or_default(), "v2");
    (first, second)
}

async fn managed_fields_name_the_version_that_wrote(client: Client) {
    let (first, second) = both(&client).await;
    first.given_by("a", "me", json!({"spec": {"n": 1}})).await;
    let applied = second.applied("a", "you", json!({"spec": {"m": 1}})).await;
    assert_eq!(
        entries(&applied),
        [
            entry("me", "Apply", &first.api_version),
            entry("you", "Apply", &second.api_version)
        ]
    );
}

async fn conflict_names_another_version(client: Client) {
    let (first, second) = both(&client).await;
    first
        .created_with(
            "fieldManager=me",
            &first.object("a", json!({"spec": {"n": 1}})),
        )
        .await;
    second
        .apply("a", "you", json!({"spec": {"n": 2}}))
        .await
        .conflicts(&format!(
            "Apply failed with 1 conflict: conflict with \"me\" using {}: .spec.n",
            first.api_version
        ));
}

async fn apply_in_another_version_takes_over_the_entry(client: Client) {
    let (first, second) = both(&client).await;
    first
        .given_by("a", "me", json!({"spec": {"n": 1, "m": 1}}))
        .await;
    let applied = second.applied("a", "me", json!({"spec": {"n": 1}})).await;
    check!(applied, "/spec": {"n": 1});
    assert_eq!(
        entries(&applied),
        [entry("me", "Apply", &second.api_version)]
    );
}

async fn defaulted(client: &Client) -> Collection {
    things(
        client,
        json!({"n": {"type": "integer", "default": 3, "maximum": 9}, "m": {"type": "integer"}}),
    )
    .await
}

async fn removed_field_with_a_default_is_defaulted_again(client: Client) {
    let things = defaulted(&client).await;
    things
        .given_by("a", "me", json!({"spec": {"n": 5, "m": 1}}))
        .await;
    let applied = things.applied("a", "me", json!({"spec": {"m": 1}})).await;
    check!(applied, "/spec": {"n": 3, "m": 1});
}

async fn applied_default_is_owned(client: Client) {
    let things = defaulted(&client).await;
    let applied = things.given_by("a", "me", json!({"spec": {"m": 1}})).await;
    check!(applied,
        "/spec": {"n": 3, "m": 1},
        "/metadata/managedFields/0/fieldsV1": {"f:spec": {"f:m": {}}});
    let other = things.applied("a", "you", json!({"spec": {"n": 4}})).await;
    check!(other, "/spec": {"n": 4, "m": 1});
}

async fn apply_with_unknown_fields_under_preserve_owns_them(client: Client) {
    let things = things(
        &client,
        json!({"any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}),
    )
    .await;
    let applied = things
        .given_by("a", "me", json!({"spec": {"any": {"x": {"y": 1}}}}))
        .await;
    check!(applied,
        "/metadata/managedFields/0/fieldsV1": {"f:spec": {"f:any": {"f:x": {".": {}, "f:y": {}}}}});
}

async fn apply_of_labels_shares_them_with_an_update(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"metadata": {"labels": {"l": "1"}}}))
        .await;
    let patched = maps
        .merged(
            "a?fieldManager=you",
            json!({"metadata": {"labels": {"m": "1"}}}),
        )
        .await;
    check!(patched, "/metadata/labels": {"l": "1", "m": "1"});
    let less = maps.applied("a", "me", json!({})).await;
    check!(less, "/metadata/labels": {"m": "1"});
}

async fn update_that_removes_a_field_removes_its_owners(client: Client) {
    let maps = configmaps(&client).await;
    let mut object = maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    object["data"] = json!({});
    let updated = maps.replaced("a?fieldManager=you", &object).await;
    assert!(
        !entries(&updated).iter().any(|found| found.0 == "me"),
        "{updated:#}"
    );
}

async fn json_patch_takes_ownership(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    let operations = json!([{"op": "replace", "path": "/data/k", "value": "w"}]);
    let patched = maps
        .json_patch("a?fieldManager=you", operations)
        .await
        .is(200);
    let owner = at(&patched, "/metadata/managedFields")
        .as_array()
        .cloned()
        .unwrap_or_default();
    let yours = owner
        .iter()
        .find(|found| found["manager"] == "you")
        .expect("an entry");
    check!(yours, "/fieldsV1": {"f:data": {"f:k": {}}}, "/operation": "Update");
}

async fn apply_after_managed_fields_were_cleared(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    maps.merged("a", json!({"metadata": {"managedFields": [{}]}}))
        .await;
    // From then on, a manager of the server owns the fields without an owner.
    let status = maps
        .apply("a", "you", json!({"data": {"k": "w"}}))
        .await
        .refused(409, "Conflict");
    check!(status, "/details/causes/0/message": "conflict with \"before-first-apply\" using v1");
}

async fn apply_keeps_what_the_server_added(client: Client) {
    let services = SERVICES.fresh(&client).await;
    let spec = json!({"spec": {"ports": [{"port": 80}]}});
    let first = services.given_by("a", "me", spec.clone()).await;
    let second = services.applied("a", "me", spec).await;
    assert_eq!(at(&second, "/spec"), at(&first, "/spec"));
    assert_eq!(resource_version(&second), resource_version(&first));
}

async fn apply_of_a_list_in_another_order_changes_nothing(client: Client) {
    let list =
        json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}});
    let things = things(&client, json!({"l": list})).await;
    things
        .given_by("a", "me", json!({"spec": {"l": ["x", "y", "z"]}}))
        .await;
    let turned = things
        .applied("a", "me", json!({"spec": {"l": ["z", "x", "y"]}}))
        .await;
    check!(turned, "/spec/l": ["z", "x", "y"]);
}

async fn apply_creates_with_the_status_dropped(client: Client) {
    let things = things_with(
        &client,
        json!({"n": {"type": "integer"}}),
        json!({"status": {}}),
    )
    .await;
    let created = things
        .given_by(
            "a",
            "me",
            json!({"spec": {"n": 1}, "status": {"ready": true}}),
        )
        .await;
    check_absent(&created, "/status");
    check!(created, "/metadata/managedFields/0/fieldsV1": {"f:spec": {"f:n": {}}});
}

async fn scale_update_takes_ownership_of_the_replicas(client: Client) {
    let scale = json!({"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"});
    let things = things_with(
        &client,
        json!({"n": {"type": "integer"}}),
        json!({"status": {}, "scale": scale}),
    )
    .await;
    things.given_by("a", "me", json!({"spec": {"n": 1}})).await;
    things
        .merged(
            "a/scale?fieldManager=scaler",
            json!({"spec": {"replicas": 5}}),
        )
        .await;
    let status = things
        .apply("a", "me", json!({"spec": {"n": 1}}))
        .await
        .refused(409, "Conflict");
    let message = at(&status, "/message").as_str().unwrap_or_default();
    assert!(
        message.starts_with("Apply failed with 1 conflict: conflict with \"scaler\"")
            && message.ends_with(": .spec.n"),
        "{message}"
    );
}

async fn create_records_its_manager_name(client: Client) {
    let maps = configmaps(&client).await;
    let created = maps
        .created_with(
            "fieldManager=me",
            &maps.object("a", json!({"data": {"k": "v"}})),
        )
        .await;
    assert_eq!(entries(&created), [entry("me", "Update", "v1")]);
}

async fn apply_of_a_null_label_applies_an_empty_one(client: Client) {
    let maps = configmaps(&client).await;
    let applied = maps
        .apply("a", "me", json!({"metadata": {"labels": {"l": null}}}))
        .await;
    let created = applied.is(201);
    check!(created, "/metadata/labels/l": "");
}
