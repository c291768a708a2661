//! Watches: start, order, bookmarks and end.

use crate::harness::cases;
use crate::support::crd::spec_schema;
use crate::support::watching::Watch;
use crate::support::*;

cases![
    watch_from_a_version_gives_what_came_after,
    watch_gives_added_modified_deleted,
    watch_replays_missed_events_in_order,
    watch_of_deletes_carries_the_last_state_with_a_new_version,
    watch_from_an_ancient_version_is_gone,
    watch_from_the_future_gives_nothing_or_an_error,
    watch_without_a_version_starts_with_what_is_there,
    watch_from_zero_starts_with_what_is_there,
    watch_ends_after_its_timeout,
    watch_of_one_namespace_leaves_out_others,
    watch_over_all_namespaces,
    watch_bookmarks_come_at_the_end,
    watch_of_custom_resources,
    watch_of_status_changes,
    watch_events_have_kinds,
    watch_of_a_finalized_delete,
    two_watches_see_the_same_order,
    watch_events_of_one_object_ascend,
    watch_with_a_version_that_is_no_number_is_an_error,
    watch_of_one_name,
    watch_path_of_old,
    watch_path_of_old_ends_with_a_name,
    watch_as_partial_object_metadata,
    no_event_for_an_update_without_a_change,
    watch_of_a_namespace_list_sees_a_new_namespace,
    watch_sees_the_end_of_its_crd,
];

async fn watch_from_a_version_gives_what_came_after(client: Client) {
    let secrets = secrets(&client).await;
    let version = resource_version(&secrets.given("a", json!({})).await);
    secrets.given("b", json!({})).await;
    let mut watch = secrets.watch(&format!("resourceVersion={version}")).await;
    watch.expect("ADDED", "b").await;
}

async fn watch_gives_added_modified_deleted(client: Client) {
    let secrets = secrets(&client).await;
    let mut watch = secrets.watch_from_now("").await;
    let created = secrets.given("a", json!({})).await;
    let updated = secrets.merged("a", json!({"stringData": {"k": "v"}})).await;
    secrets.delete("a").await.is(200);
    assert_eq!(watch.expect("ADDED", "a").await, created);
    assert_eq!(watch.expect("MODIFIED", "a").await, updated);
    check!(watch.expect("DELETED", "a").await, "/data/k": "dg==");
}

async fn watch_replays_missed_events_in_order(client: Client) {
    let secrets = secrets(&client).await;
    let version = secrets.version().await;
    secrets.given("a", json!({})).await;
    secrets.given("b", json!({})).await;
    secrets.delete("a").await.is(200);
    secrets.given("a", json!({})).await;
    let mut watch = secrets.watch(&format!("resourceVersion={version}")).await;
    for (event_type, name) in [
        ("ADDED", "a"),
        ("ADDED", "b"),
        ("DELETED", "a"),
        ("ADDED", "a"),
    ] {
        watch.expect(event_type, name).await;
    }
}

async fn watch_of_deletes_carries_the_last_state_with_a_new_version(client: Client) {
    let secrets = secrets(&client).await;
    let mut watch = secrets.watch_from_now("").await;
    let created = secrets.given("a", json!({})).await;
    secrets.delete("a").await.is(200);
    watch.expect("ADDED", "a").await;
    let gone = watch.expect("DELETED", "a").await;
    assert_eq!(at(&gone, "/metadata/uid"), at(&created, "/metadata/uid"));
    let number = |object: &Value| resource_version(object).parse::<u64>().expect("a number");
    assert!(number(&gone) > number(&created));
}

async fn watch_from_an_ancient_version_is_gone(client: Client) {
    // The history of a new resource starts later than the server's.
    let things = things(&client, json!({})).await;
    let mut watch = things.watch("resourceVersion=1").await;
    let status = watch.expect_error(410, "Expired").await;
    let message = at(&status, "/message").as_str().unwrap_or_default();
    assert!(
        message.starts_with("too old resource version: 1 ("),
        "{message}"
    );
    assert!(
        watch.next().await.is_none(),
        "the stream ends after an error"
    );
}

async fn watch_from_the_future_gives_nothing_or_an_error(client: Client) {
    let secrets = secrets(&client).await;
    let now: u64 = secrets.version().await.parse().expect("a number");
    let reply = secrets
        .list(&format!(
            "watch=true&timeoutSeconds=1&resourceVersion={}",
            now + 1_000_000
        ))
        .await;
    // The watch cache waits for the revision, then reports that it is too large; the message is
    // part of the API.
    assert!(
        reply.text.contains("Too large resource version") || reply.text.is_empty(),
        "{} {}",
        reply.code,
        reply.text
    );
}

async fn watch_without_a_version_starts_with_what_is_there(client: Client) {
    let secrets = secrets(&client).await;
    secrets.given("a", json!({})).await;
    let mut watch = secrets.watch("").await;
    watch.expect("ADDED", "a").await;
    secrets.given("b", json!({})).await;
    watch.expect("ADDED", "b").await;
}

async fn watch_from_zero_starts_with_what_is_there(client: Client) {
    let secrets = secrets(&client).await;
    let version = resource_version(&secrets.given("a", json!({})).await);
    // A read at that revision ensures that a cache has seen it.
    secrets.listed(&format!("resourceVersion={version}")).await;
    let mut watch = secrets.watch("resourceVersion=0").await;
    watch.expect("ADDED", "a").await;
    secrets.merged("a", json!({"stringData": {"k": "v"}})).await;
    watch.expect("MODIFIED", "a").await;
}

async fn watch_ends_after_its_timeout(client: Client) {
    let secrets = secrets(&client).await;
    let mut watch = secrets.watch_from_now("timeoutSeconds=1").await;
    assert_eq!(watch.next().await, None);
}

async fn watch_of_one_namespace_leaves_out_others(client: Client) {
    let (here, there) = (secrets(&client).await, secrets(&client).await);
    let mut watch = here.watch_from_now("").await;
    there.given("a", json!({})).await;
    here.given("b", json!({})).await;
    watch.expect("ADDED", "b").await;
}

async fn watch_over_all_namespaces(client: Client) {
    let things = things(&client, json!({})).await;
    let other = Resource(&format!("/apis/{}", things.api_version), "things", "Thing")
        .within(&client, &namespace(&client).await);
    let everywhere =
        Resource(&format!("/apis/{}", things.api_version), "things", "Thing").everywhere(&client);
    let mut watch = everywhere.watch_from_now("").await;
    things.given("a", json!({})).await;
    other.given("b", json!({})).await;
    watch.expect("ADDED", "a").await;
    watch.expect("ADDED", "b").await;
}

async fn watch_bookmarks_come_at_the_end(client: Client) {
    let secrets = secrets(&client).await;
    let version = secrets.version().await;
    let written = resource_version(&secrets.given("a", json!({})).await);
    // Bookmarks are sent at the latest a few seconds before the timeout.
    let mut watch = secrets
        .watch(&format!(
            "resourceVersion={version}&timeoutSeconds=4&allowWatchBookmarks=true"
        ))
        .await;
    let (events, bookmark) = watch.until_bookmark().await;
    assert_eq!(events.len(), 1);
    check!(bookmark, "/kind": "Secret", "/apiVersion": "v1");
    let number = |version: &str| version.parse::<u64>().expect("a number");
    assert!(number(&resource_version(&bookmark)) >= number(&written));
    check_absent(&bookmark, "/metadata/name");
}

async fn watch_of_custom_resources(client: Client) {
    let things = things(&client, json!({"size": {"type": "integer"}})).await;
    let mut watch = things.watch_from_now("").await;
    things.given("a", json!({"spec": {"size": 1}})).await;
    let added = watch.expect("ADDED", "a").await;
    check!(added, "/kind": "Thing", "/spec/size": 1);
}

async fn watch_of_status_changes(client: Client) {
    let things = things_with(&client, json!({}), json!({"status": {}})).await;
    things.given("a", json!({})).await;
    let mut watch = things.watch_from_now("").await;
    things
        .merged("a/status", json!({"status": {"ready": true}}))
        .await;
    check!(watch.expect("MODIFIED", "a").await, "/status/ready": true);
}

async fn watch_events_have_kinds(client: Client) {
    let secrets = secrets(&client).await;
    let mut watch = secrets.watch_from_now("").await;
    secrets.given("a", json!({})).await;
    let added = watch.expect("ADDED", "a").await;
    check!(added, "/kind": "Secret", "/apiVersion": "v1");
}

async fn watch_of_a_finalized_delete(client: Client) {
    let secrets = secrets(&client).await;
    secrets
        .given("a", json!({"metadata": {"finalizers": ["example.com/a"]}}))
        .await;
    let mut watch = secrets.watch_from_now("").await;
    secrets.delete("a").await.is(200);
    let deleting = watch.expect("MODIFIED", "a").await;
    assert!(at(&deleting, "/metadata/deletionTimestamp").is_string());
    secrets.release("a").await;
    let gone = watch.expect("DELETED", "a").await;
    // The last stored state, which is before the update that removed it.
    check!(gone, "/metadata/finalizers": ["example.com/a"]);
}

async fn two_watches_see_the_same_order(client: Client) {
    let secrets = secrets(&client).await;
    let (mut first, mut second) = (
        secrets.watch_from_now("").await,
        secrets.watch_from_now("").await,
    );
    futures::future::join_all((0..10).map(|n| {
        let secrets = &secrets;
        async move { secrets.given(&format!("s{n}"), json!({})).await }
    }))
    .await;
    for _ in 0..10 {
        assert_eq!(first.next().await, second.next().await);
    }
}

async fn watch_events_of_one_object_ascend(client: Client) {
    let secrets = secrets(&client).await;
    secrets.given("a", json!({})).await;
    let mut watch = secrets.watch_from_now("").await;
    for n in 0..5 {
        secrets
            .merged("a", json!({"metadata": {"labels": {"n": n.to_string()}}}))
            .await;
    }
    let mut last = 0;
    for n in 0..5 {
        let seen = watch.expect("MODIFIED", "a").await;
        check!(seen, "/metadata/labels/n": n.to_string());
        let version: u64 = resource_version(&seen).parse().expect("a number");
        assert!(version > last);
        last = version;
    }
}

async fn watch_with_a_version_that_is_no_number_is_an_error(client: Client) {
    let secrets = secrets(&client).await;
    let reply = secrets.list("watch=true&resourceVersion=soon").await;
    let message = "resourceVersion: Invalid value: \"soon\": strconv.ParseUint: parsing \"soon\": invalid syntax";
    reply.fails(500, "", message);
}

async fn watch_of_one_name(client: Client) {
    let secrets = secrets(&client).await;
    let mut watch = secrets
        .watch_from_now("fieldSelector=metadata.name%3Da")
        .await;
    secrets.given("b", json!({})).await;
    secrets.given("a", json!({})).await;
    watch.expect("ADDED", "a").await;
}

async fn watch_path_of_old(client: Client) {
    let secrets = secrets(&client).await;
    let version = secrets.version().await;
    let path = secrets.path.replace("/api/v1/", "/api/v1/watch/");
    let mut watch = Watch::start(&client, &format!("{path}?resourceVersion={version}")).await;
    secrets.given("a", json!({})).await;
    watch.expect("ADDED", "a").await;
}

async fn watch_path_of_old_ends_with_a_name(client: Client) {
    let secrets = secrets(&client).await;
    secrets.given("a", json!({})).await;
    secrets.given("b", json!({})).await;
    let path = secrets.path.replace("/api/v1/", "/api/v1/watch/");
    let mut watch = Watch::start(&client, &format!("{path}/b?timeoutSeconds=1")).await;
    watch.expect("ADDED", "b").await;
    assert_eq!(watch.next().await, None);
}

async fn watch_as_partial_object_metadata(client: Client) {
    let secrets = secrets(&client).await;
    let path = format!(
        "{}?watch=true&resourceVersion={}",
        secrets.path,
        secrets.version().await
    );
    let mut watch = Watch::start_accepting(
        &client,
        &path,
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    )
    .await;
    secrets.given("a", json!({"stringData": {"k": "v"}})).await;
    let added = watch.expect("ADDED", "a").await;
    check!(added, "/kind": "PartialObjectMetadata");
    check_absent(&added, "/data");
}

async fn no_event_for_an_update_without_a_change(client: Client) {
    let secrets = secrets(&client).await;
    let created = secrets.given("a", json!({})).await;
    let mut watch = secrets.watch_from_now("").await;
    secrets.replaced("a", &created).await;
    secrets.merged("a", json!({})).await;
    secrets.given("b", json!({})).await;
    watch.expect("ADDED", "b").await;
}

async fn watch_of_a_namespace_list_sees_a_new_namespace(client: Client) {
    let namespaces = Resource("/api/v1", "namespaces", "Namespace").everywhere(&client);
    let mut watch = namespaces.watch_from_now("").await;
    let name = namespace(&client).await;
    loop {
        let event = watch.next().await.expect("an event");
        if event["type"] == "ADDED" && event["object"]["metadata"]["name"] == name.as_str() {
            break;
        }
    }
}

async fn watch_sees_the_end_of_its_crd(client: Client) {
    let crd = Crd::new(spec_schema(json!({})));
    let things = crd.install(&client).await;
    things.given("a", json!({})).await;
    let mut watch = things.watch("").await;
    watch.expect("ADDED", "a").await;
    delete(&client, &crd.path()).await.is(200);
    watch.expect("DELETED", "a").await;
    assert!(watch.next().await.is_none(), "the watch ends with its CRD");
}
