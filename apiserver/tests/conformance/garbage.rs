//! Owner references and the garbage collector.

use crate::harness::cases;
use crate::support::cleanup::delete_at_end;
use crate::support::collection::unique;
use crate::support::expect::eventually;
use crate::support::*;
use crate::webhook_server::{Scene, Stage, refuse_two_deletions, rule};

cases![
    controllers:
    background_deletion_deletes_dependents_after_the_owner,
    foreground_deletion_deletes_the_owner_last,
    orphan_deletion_removes_owner_references,
    dependent_with_another_owner_stays,
    dependent_of_a_missing_owner_is_deleted,
    dependent_of_an_owner_with_another_uid_is_deleted,
    grandchildren_are_deleted_too,
    foreground_deletion_waits_only_for_blocking_dependents,
    custom_resource_owns_a_config_map,
    dependent_in_another_namespace_than_its_owner_is_deleted,
    circle_of_blocking_owners_is_deleted_in_the_foreground,
    dependent_of_an_unknown_kind_stays,
    dependent_in_no_namespace_of_an_owner_in_one_stays,
    long_chain_of_owners_is_collected,
    owner_with_many_dependents_is_collected,
    a_deletion_that_a_webhook_refuses_is_tried_again,
];

fn owned_by(owner: &Value, blocking: bool) -> Value {
    json!({"metadata": {"ownerReferences": [reference(owner, blocking)]}})
}

fn reference(owner: &Value, blocking: bool) -> Value {
    json!({
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "blockOwnerDeletion": blocking,
    })
}

async fn gone(objects: &Collection, name: &str) {
    eventually(&format!("{} is gone", objects.at(name)), || async {
        (objects.get(name).await.code == 404).then_some(())
    })
    .await;
}

async fn background_deletion_deletes_dependents_after_the_owner(client: Client) {
    let maps = configmaps(&client).await;
    let owner = maps.given("owner", json!({})).await;
    maps.given("child", owned_by(&owner, false)).await;
    maps.deleted_with("owner", &json!({"propagationPolicy": "Background"}))
        .await;
    maps.get("owner").await.refused(404, "NotFound");
    gone(&maps, "child").await;
}

async fn foreground_deletion_deletes_the_owner_last(client: Client) {
    let maps = configmaps(&client).await;
    let owner = maps.given("owner", json!({})).await;
    let mut child = owned_by(&owner, true);
    child["metadata"]["finalizers"] = json!(["example.com/a"]);
    maps.given("child", child).await;
    maps.deleted_with("owner", &json!({"propagationPolicy": "Foreground"}))
        .await;
    eventually("the child is being deleted", || async {
        maps.get("child")
            .await
            .json()
            .pointer("/metadata/deletionTimestamp")
            .map(|_| ())
    })
    .await;
    check!(maps.get("owner").await.is(200), "/metadata/finalizers": ["foregroundDeletion"]);
    maps.release("child").await;
    gone(&maps, "child").await;
    gone(&maps, "owner").await;
}

async fn orphan_deletion_removes_owner_references(client: Client) {
    let maps = configmaps(&client).await;
    let owner = maps.given("owner", json!({})).await;
    maps.given("child", owned_by(&owner, false)).await;
    maps.deleted_with("owner", &json!({"propagationPolicy": "Orphan"}))
        .await;
    gone(&maps, "owner").await;
    let child = maps.get("child").await.is(200);
    check_absent(&child, "/metadata/ownerReferences");
    check_absent(&child, "/metadata/deletionTimestamp");
}

async fn dependent_with_another_owner_stays(client: Client) {
    let maps = configmaps(&client).await;
    let first = maps.given("first", json!({})).await;
    let second = maps.given("second", json!({})).await;
    let owners = json!([reference(&first, false), reference(&second, false)]);
    maps.given("child", json!({"metadata": {"ownerReferences": owners}}))
        .await;
    maps.given("only", owned_by(&first, false)).await;
    maps.delete("first").await.is(200);
    // The collector handles both children of the first owner: once the other is gone, this one has
    // been handled, too.
    gone(&maps, "only").await;
    eventually(
        "the child loses the reference to its first owner",
        || async {
            let child = maps.get("child").await.is(200);
            (child["metadata"]["ownerReferences"] == json!([reference(&second, false)]))
                .then_some(())
        },
    )
    .await;
}

async fn dependent_of_a_missing_owner_is_deleted(client: Client) {
    let maps = configmaps(&client).await;
    let ghost = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "ghost", "uid": "00000000-0000-0000-0000-000000000001"}});
    maps.given("child", owned_by(&ghost, false)).await;
    gone(&maps, "child").await;
}

async fn dependent_of_an_owner_with_another_uid_is_deleted(client: Client) {
    let maps = configmaps(&client).await;
    let mut owner = maps.given("owner", json!({})).await;
    owner["metadata"]["uid"] = json!("00000000-0000-0000-0000-000000000002");
    maps.given("child", owned_by(&owner, false)).await;
    gone(&maps, "child").await;
    maps.get("owner").await.is(200);
}

async fn grandchildren_are_deleted_too(client: Client) {
    let maps = configmaps(&client).await;
    let owner = maps.given("owner", json!({})).await;
    let child = maps.given("child", owned_by(&owner, false)).await;
    maps.given("grandchild", owned_by(&child, false)).await;
    maps.delete("owner").await.is(200);
    gone(&maps, "grandchild").await;
    gone(&maps, "child").await;
}

async fn foreground_deletion_waits_only_for_blocking_dependents(client: Client) {
    let maps = configmaps(&client).await;
    let owner = maps.given("owner", json!({})).await;
    let mut child = owned_by(&owner, false);
    child["metadata"]["finalizers"] = json!(["example.com/a"]);
    maps.given("child", child).await;
    maps.deleted_with("owner", &json!({"propagationPolicy": "Foreground"}))
        .await;
    gone(&maps, "owner").await;
    maps.release("child").await;
    gone(&maps, "child").await;
}

async fn custom_resource_owns_a_config_map(client: Client) {
    let things = things(&client, json!({})).await;
    let owner = things.given("owner", json!({})).await;
    let namespace = things.namespace.clone().unwrap_or_default();
    let maps = CONFIG_MAPS.within(&client, &namespace);
    maps.given("child", owned_by(&owner, false)).await;
    things.delete("owner").await.is(200);
    gone(&maps, "child").await;
}

async fn dependent_in_another_namespace_than_its_owner_is_deleted(client: Client) {
    let here = configmaps(&client).await;
    let there = configmaps(&client).await;
    let owner = there.given("owner", json!({})).await;
    here.given("child", owned_by(&owner, false)).await;
    gone(&here, "child").await;
    there.get("owner").await.is(200);
}

async fn circle_of_blocking_owners_is_deleted_in_the_foreground(client: Client) {
    let maps = configmaps(&client).await;
    let first = maps.given("first", json!({})).await;
    let second = maps.given("second", owned_by(&first, true)).await;
    maps.merged("first", owned_by(&second, true)).await;
    maps.deleted_with("first", &json!({"propagationPolicy": "Foreground"}))
        .await;
    gone(&maps, "first").await;
    gone(&maps, "second").await;
}

async fn dependent_of_an_unknown_kind_stays(client: Client) {
    let maps = configmaps(&client).await;
    let ghost = |kind: &str| json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": "ghost", "uid": "00000000-0000-0000-0000-000000000003"}});
    let owners = json!([
        reference(&ghost("Unheard"), false),
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "other", "uid": "00000000-0000-0000-0000-000000000004"},
    ]);
    let kept = maps
        .given("kept", json!({"metadata": {"ownerReferences": owners}}))
        .await;
    maps.given("child", owned_by(&ghost("ConfigMap"), false))
        .await;
    gone(&maps, "child").await;
    let found = maps.get("kept").await.is(200);
    assert_eq!(resource_version(&found), resource_version(&kept));
}

async fn dependent_in_no_namespace_of_an_owner_in_one_stays(client: Client) {
    let maps = configmaps(&client).await;
    let roles = CLUSTER_ROLES.everywhere(&client);
    let owner = maps.given("owner", json!({})).await;
    let name = unique();
    roles.given(&name, owned_by(&owner, false)).await;
    delete_at_end(roles.at(&name));
    maps.given("child", owned_by(&owner, false)).await;
    maps.delete("owner").await.is(200);
    gone(&maps, "child").await;
    let role = roles.get(&name).await.is(200);
    check!(role, "/metadata/ownerReferences/0/name": "owner");
}

async fn long_chain_of_owners_is_collected(client: Client) {
    let maps = configmaps(&client).await;
    let first = maps.given("c0", json!({})).await;
    let mut owner = first;
    for n in 1..60 {
        owner = maps.given(&format!("c{n}"), owned_by(&owner, false)).await;
    }
    maps.delete("c0").await.is(200);
    gone(&maps, "c59").await;
}

async fn owner_with_many_dependents_is_collected(client: Client) {
    let maps = secrets(&client).await;
    let owner = maps.given("owner", json!({})).await;
    for n in 0..60 {
        maps.given(&format!("c{n}"), owned_by(&owner, true)).await;
    }
    maps.deleted_with("owner", &json!({"propagationPolicy": "Foreground"}))
        .await;
    gone(&maps, "owner").await;
    check!(maps.listed("").await, "/items": []);
}

async fn a_deletion_that_a_webhook_refuses_is_tried_again(client: Client) {
    let scene = Scene::start(&client, refuse_two_deletions()).await;
    let maps = &scene.maps;
    let owner = maps.given("owner", json!({})).await;
    maps.given("child", owned_by(&owner, false)).await;
    let rules = json!([rule(&["DELETE"], "", "v1", &["configmaps"])]);
    let webhook = scene.server.webhook("a", json!({"rules": rules}));
    scene.install(Stage::Validating, &[webhook]).await;
    for _ in 0..2 {
        let refused = maps.delete("owner").await;
        refused.fails_with(403, "", "not yet");
    }
    maps.delete("owner").await.is(200);
    gone(maps, "child").await;
    let calls = scene.server.calls("/a");
    let calls = calls.iter().filter(|call| call["name"] == "child");
    assert_eq!(calls.count(), 3);
}
