//! Dry runs: requests that are validated and answered, and change nothing.

use crate::harness::cases;
use crate::support::*;

cases![
    dry_run_create_is_answered_and_not_stored,
    dry_run_create_of_an_existing_name_is_refused,
    dry_run_create_is_validated,
    dry_run_update_is_answered_and_not_stored,
    dry_run_update_checks_the_resource_version,
    dry_run_patch_is_not_stored,
    dry_run_apply_is_not_stored,
    dry_run_delete_deletes_nothing,
    dry_run_delete_of_a_pod_shows_its_mark,
    dry_run_in_delete_options_deletes_nothing,
    dry_run_status_update_is_not_stored,
    unknown_dry_run_value_is_refused,
    dry_run_sends_no_event,
];

async fn dry_run_create_is_answered_and_not_stored(client: Client) {
    let maps = configmaps(&client).await;
    let answer = maps
        .created_with("dryRun=All", &maps.object("a", json!({"data": {"k": "v"}})))
        .await;
    check!(answer, "/data/k": "v");
    assert!(at(&answer, "/metadata/uid").is_string());
    check_absent(&answer, "/metadata/resourceVersion");
    maps.get("a").await.refused(404, "NotFound");
}

async fn dry_run_create_of_an_existing_name_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({})).await;
    maps.creation_with("dryRun=All", "a", json!({}))
        .await
        .refused(409, "AlreadyExists");
}

async fn dry_run_create_is_validated(client: Client) {
    let maps = configmaps(&client).await;
    maps.creation_with("dryRun=All", "Not_Valid", json!({}))
        .await
        .refused(422, "Invalid");
}

async fn dry_run_update_is_answered_and_not_stored(client: Client) {
    let maps = configmaps(&client).await;
    let created = maps.given("a", json!({})).await;
    let answer = maps
        .replaced(
            "a?dryRun=All",
            &maps.object("a", json!({"data": {"k": "v"}})),
        )
        .await;
    check!(answer, "/data/k": "v");
    assert_eq!(resource_version(&answer), resource_version(&created));
    assert_eq!(maps.get("a").await.is(200), created);
}

async fn dry_run_update_checks_the_resource_version(client: Client) {
    let maps = configmaps(&client).await;
    let stale = maps.given("a", json!({})).await;
    maps.merged("a", json!({"data": {"k": "v"}})).await;
    maps.put("a?dryRun=All", &stale)
        .await
        .refused(409, "Conflict");
}

async fn dry_run_patch_is_not_stored(client: Client) {
    let maps = configmaps(&client).await;
    let created = maps.given("a", json!({})).await;
    check!(maps.merged("a?dryRun=All", json!({"data": {"k": "v"}})).await, "/data/k": "v");
    assert_eq!(maps.get("a").await.is(200), created);
}

async fn dry_run_apply_is_not_stored(client: Client) {
    let maps = configmaps(&client).await;
    let answer = maps
        .apply_with(
            "a",
            "fieldManager=me&dryRun=All",
            json!({"data": {"k": "v"}}),
        )
        .await
        .is(201);
    check!(answer, "/data/k": "v");
    maps.get("a").await.refused(404, "NotFound");
}

async fn dry_run_delete_deletes_nothing(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({})).await;
    check!(maps.delete("a?dryRun=All").await.is(200), "/status": "Success");
    maps.get("a").await.is(200);
}

async fn dry_run_delete_of_a_pod_shows_its_mark(client: Client) {
    let pods = PODS.fresh(&client).await;
    let spec = json!({"spec": {"containers": [{"name": "c", "image": "i"}]}});
    pods.given("a", spec).await;
    let answer = pods.delete("a?dryRun=All").await.is(200);
    check!(answer, "/metadata/deletionGracePeriodSeconds": 0);
    assert!(at(&answer, "/metadata/deletionTimestamp").is_string());
    check_absent(&pods.get("a").await.is(200), "/metadata/deletionTimestamp");
}

async fn dry_run_in_delete_options_deletes_nothing(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({"metadata": {"finalizers": ["example.com/a"]}}))
        .await;
    maps.deleted_with("a", &json!({"dryRun": ["All"]})).await;
    let found = maps.get("a").await.is(200);
    check_absent(&found, "/metadata/deletionTimestamp");
    maps.release("a").await;
}

async fn dry_run_status_update_is_not_stored(client: Client) {
    let things = things_with(&client, json!({}), json!({"status": {}})).await;
    let created = things.given("a", json!({})).await;
    check!(things.merged("a/status?dryRun=All", json!({"status": {"k": "v"}})).await,
        "/status/k": "v");
    assert_eq!(things.get("a").await.is(200), created);
}

async fn unknown_dry_run_value_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let reply = maps.creation_with("dryRun=Some", "a", json!({})).await;
    reply.invalid_with("dryRun: Unsupported value: [\"Some\"]: supported values: \"All\"");
}

async fn dry_run_sends_no_event(client: Client) {
    let secrets = secrets(&client).await;
    let mut watch = secrets.watch_from_now("").await;
    secrets
        .created_with("dryRun=All", &secrets.object("dry", json!({})))
        .await;
    secrets.given("wet", json!({})).await;
    watch.expect("ADDED", "wet").await;
}
