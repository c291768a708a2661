//! Optimistic concurrency and preconditions.

use futures::future::join_all;

use crate::harness::cases;
use crate::support::*;

cases![
    update_with_a_stale_resource_version_conflicts,
    update_without_a_resource_version_wins,
    update_with_the_current_resource_version_wins,
    update_of_a_custom_resource_needs_a_resource_version,
    patch_with_a_stale_resource_version_conflicts,
    patch_with_another_uid_is_refused,
    delete_with_another_uid_conflicts,
    delete_with_a_stale_resource_version_conflicts,
    delete_with_matching_preconditions_deletes,
    update_of_an_object_that_was_recreated_conflicts,
    of_many_updates_from_one_version_one_wins,
    of_many_creates_of_one_name_one_wins,
    merge_patches_at_once_are_all_kept,
    update_of_an_object_that_is_gone_is_not_found,
    resource_version_that_is_no_number_is_an_error,
];

const STALE: &str = "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please apply your changes to the latest version and try again";

async fn update_with_a_stale_resource_version_conflicts(client: Client) {
    let maps = configmaps(&client).await;
    let mut stale = maps.given("a", json!({})).await;
    maps.merged("a", json!({"data": {"k": "v"}})).await;
    stale["data"] = json!({"k": "w"});
    let status = maps.put("a", &stale).await.conflicts(STALE);
    check!(status, "/details": {"name": "a", "kind": "configmaps"});
    check!(maps.get("a").await.is(200), "/data/k": "v");
}

async fn update_without_a_resource_version_wins(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({})).await;
    maps.merged("a", json!({"data": {"k": "v"}})).await;
    let updated = maps
        .replaced("a", &maps.object("a", json!({"data": {"k": "w"}})))
        .await;
    check!(updated, "/data/k": "w");
}

async fn update_with_the_current_resource_version_wins(client: Client) {
    let maps = configmaps(&client).await;
    let mut current = maps.given("a", json!({})).await;
    current["data"] = json!({"k": "v"});
    maps.replaced("a", &current).await;
}

async fn update_of_a_custom_resource_needs_a_resource_version(client: Client) {
    let things = things(&client, json!({})).await;
    things.given("a", json!({})).await;
    things
        .put("a", &things.object("a", json!({})))
        .await
        .invalid_with(
            "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
        );
}

async fn patch_with_a_stale_resource_version_conflicts(client: Client) {
    let maps = configmaps(&client).await;
    let stale = resource_version(&maps.given("a", json!({})).await);
    maps.merged("a", json!({"data": {"k": "v"}})).await;
    let reply = maps
        .merge(
            "a",
            json!({"metadata": {"resourceVersion": stale}, "data": {"k": "w"}}),
        )
        .await;
    reply.conflicts(STALE);
}

async fn patch_with_another_uid_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({})).await;
    let reply = maps
        .merge(
            "a",
            json!({"metadata": {"uid": "other"}, "data": {"k": "w"}}),
        )
        .await;
    reply.invalid(
        "ConfigMap \"a\" is invalid: metadata.uid: Invalid value: \"other\": field is immutable",
    );
}

async fn delete_with_another_uid_conflicts(client: Client) {
    let maps = configmaps(&client).await;
    let created = maps.given("a", json!({})).await;
    let uid = at(&created, "/metadata/uid")
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let options = json!({"preconditions": {"uid": "other"}});
    let message = format!(
        "Operation cannot be fulfilled on ConfigMap \"a\": the UID in the precondition (other) does not match the UID in record ({uid}). The object might have been deleted and then recreated"
    );
    maps.delete_with("a", &options).await.conflicts(&message);
    maps.get("a").await.is(200);
}

async fn delete_with_a_stale_resource_version_conflicts(client: Client) {
    let maps = configmaps(&client).await;
    let stale = resource_version(&maps.given("a", json!({})).await);
    let current = resource_version(&maps.merged("a", json!({"data": {"k": "v"}})).await);
    let options = json!({"preconditions": {"resourceVersion": stale}});
    let message = format!(
        "Operation cannot be fulfilled on ConfigMap \"a\": the ResourceVersion in the precondition ({stale}) does not match the ResourceVersion in record ({current}). The object might have been modified"
    );
    maps.delete_with("a", &options).await.conflicts(&message);
}

async fn delete_with_matching_preconditions_deletes(client: Client) {
    let maps = configmaps(&client).await;
    let created = maps.given("a", json!({})).await;
    let preconditions = json!({"uid": created["metadata"]["uid"], "resourceVersion": created["metadata"]["resourceVersion"]});
    maps.deleted_with("a", &json!({"preconditions": preconditions}))
        .await;
    maps.get("a").await.refused(404, "NotFound");
}

async fn update_of_an_object_that_was_recreated_conflicts(client: Client) {
    let maps = configmaps(&client).await;
    let mut first = maps.given("a", json!({})).await;
    maps.delete("a").await.is(200);
    maps.given("a", json!({})).await;
    first["data"] = json!({"k": "v"});
    maps.put("a", &first).await.refused(409, "Conflict");
}

async fn of_many_updates_from_one_version_one_wins(client: Client) {
    let maps = configmaps(&client).await;
    let base = maps.given("a", json!({})).await;
    let replies = join_all((0..8).map(|n| {
        let mut object = base.clone();
        object["data"] = json!({"winner": n.to_string()});
        let maps = &maps;
        async move { maps.put("a", &object).await.code }
    }))
    .await;
    assert_eq!(
        replies.iter().filter(|code| **code == 200).count(),
        1,
        "{replies:?}"
    );
    assert_eq!(
        replies.iter().filter(|code| **code == 409).count(),
        7,
        "{replies:?}"
    );
}

async fn of_many_creates_of_one_name_one_wins(client: Client) {
    let maps = configmaps(&client).await;
    let object = maps.object("a", json!({}));
    let replies = join_all((0..8).map(|_| async { maps.create(&object).await.code })).await;
    assert_eq!(
        replies.iter().filter(|code| **code == 201).count(),
        1,
        "{replies:?}"
    );
    assert_eq!(
        replies.iter().filter(|code| **code == 409).count(),
        7,
        "{replies:?}"
    );
}

async fn merge_patches_at_once_are_all_kept(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({})).await;
    join_all((0..4).map(|n| {
        let maps = &maps;
        async move {
            maps.merged("a", json!({"data": {format!("k{n}"): "v"}}))
                .await
        }
    }))
    .await;
    check!(maps.get("a").await.is(200), "/data": {"k0": "v", "k1": "v", "k2": "v", "k3": "v"});
}

async fn update_of_an_object_that_is_gone_is_not_found(client: Client) {
    let maps = configmaps(&client).await;
    let created = maps.given("a", json!({})).await;
    maps.delete("a").await.is(200);
    maps.put("a", &created).await.refused(404, "NotFound");
}

async fn resource_version_that_is_no_number_is_an_error(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({})).await;
    let object = maps.object("a", json!({"metadata": {"resourceVersion": "soon"}}));
    maps.put("a", &object).await.fails(
        500,
        "",
        "strconv.ParseUint: parsing \"soon\": invalid syntax",
    );
}
