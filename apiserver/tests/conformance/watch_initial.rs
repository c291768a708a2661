//! Streamed lists: watches that start with the current state.

use crate::harness::cases;
use crate::support::watching::Watch;
use crate::support::*;

cases![
    initial_events_end_with_a_marked_bookmark,
    initial_events_without_bookmarks_come_unmarked,
    initial_events_follow_a_label_selector,
    initial_events_of_nothing_are_a_bookmark,
    initial_events_go_on_with_changes,
    initial_events_need_a_match: list_refused(
        "watch=true&sendInitialEvents=true&allowWatchBookmarks=true", 422, "Invalid",
        "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
    initial_events_need_not_older_than: list_refused(
        "watch=true&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1", 422, "Invalid",
        "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
    match_without_initial_events_is_refused: list_refused(
        "watch=true&resourceVersionMatch=NotOlderThan&resourceVersion=1", 422, "Invalid",
        "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"),
    initial_events_of_custom_resources,
    initial_events_from_a_version_see_the_write,
    initial_events_from_the_future_are_refused_in_the_stream,
    no_initial_events_on_request,
    a_watch_from_any_version_marks_the_end_of_its_start,
    a_watch_from_any_version_has_no_continue_token: list_refused(
        "watch=true&continue=x", 422, "Invalid",
        "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided"),
    the_mark_of_a_table_is_in_its_row,
    initial_events_on_a_list_are_refused: list_refused(
        "sendInitialEvents=true&resourceVersionMatch=NotOlderThan", 422, "Invalid",
        "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"),
];

const STREAMED: &str =
    "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

async fn initial(watch: &mut Watch) -> (Vec<String>, Value) {
    let (events, bookmark) = watch.until_bookmark().await;
    let mut found = Vec::new();
    for event in &events {
        check!(event, "/type": "ADDED");
        found.push(
            at(event, "/object/metadata/name")
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        );
    }
    found.sort();
    (found, bookmark)
}

async fn two(client: &Client) -> Collection {
    let secrets = secrets(client).await;
    secrets
        .given("a", json!({"metadata": {"labels": {"color": "red"}}}))
        .await;
    secrets.given("b", json!({})).await;
    secrets
}

async fn initial_events_end_with_a_marked_bookmark(client: Client) {
    let secrets = two(&client).await;
    let (found, bookmark) = initial(&mut secrets.watch(STREAMED).await).await;
    assert_eq!(found, ["a", "b"]);
    check!(bookmark,
        "/metadata/annotations": {"k8s.io/initial-events-end": "true"},
        "/kind": "Secret");
    resource_version(&bookmark);
}

async fn initial_events_without_bookmarks_come_unmarked(client: Client) {
    let secrets = two(&client).await;
    let reply = secrets
        .list(
            "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=2",
        )
        .await;
    let events: Vec<Value> = reply
        .text
        .lines()
        .map(|line| serde_json::from_str(line).expect("an event"))
        .collect();
    assert_eq!(events.len(), 2);
    assert!(events.iter().all(|event| event["type"] == "ADDED"));
}

async fn initial_events_follow_a_label_selector(client: Client) {
    let secrets = two(&client).await;
    let (found, _) = initial(
        &mut secrets
            .watch(&format!("{STREAMED}&labelSelector=color%3Dred"))
            .await,
    )
    .await;
    assert_eq!(found, ["a"]);
}

async fn initial_events_of_nothing_are_a_bookmark(client: Client) {
    let secrets = secrets(&client).await;
    let (found, bookmark) = initial(&mut secrets.watch(STREAMED).await).await;
    assert_eq!(found, Vec::<String>::new());
    check!(bookmark, "/metadata/annotations": {"k8s.io/initial-events-end": "true"});
}

async fn initial_events_go_on_with_changes(client: Client) {
    let secrets = two(&client).await;
    let mut watch = secrets.watch(STREAMED).await;
    initial(&mut watch).await;
    secrets
        .merged("a", json!({"metadata": {"labels": {"x": "1"}}}))
        .await;
    watch.expect("MODIFIED", "a").await;
    secrets.given("c", json!({})).await;
    watch.expect("ADDED", "c").await;
}

async fn initial_events_of_custom_resources(client: Client) {
    let things = things(&client, json!({})).await;
    things.given("a", json!({})).await;
    let (found, bookmark) = initial(&mut things.watch(STREAMED).await).await;
    assert_eq!(found, ["a"]);
    check!(bookmark,
        "/kind": "Thing",
        "/metadata/annotations": {"k8s.io/initial-events-end": "true"});
}

async fn initial_events_from_a_version_see_the_write(client: Client) {
    let secrets = two(&client).await;
    let version = resource_version(&secrets.given("c", json!({})).await);
    let (found, bookmark) = initial(
        &mut secrets
            .watch(&format!("{STREAMED}&resourceVersion={version}"))
            .await,
    )
    .await;
    assert_eq!(found, ["a", "b", "c"]);
    let number = |version: &str| version.parse::<u64>().expect("a number");
    assert!(number(&resource_version(&bookmark)) >= number(&version));
}

async fn initial_events_from_the_future_are_refused_in_the_stream(client: Client) {
    let secrets = two(&client).await;
    let now = secrets.version().await;
    let future = now.parse::<u64>().expect("a number") + 1_000_000;
    let query = format!("{STREAMED}&resourceVersion={future}");
    let status = secrets
        .watch(&query)
        .await
        .expect_error(504, "Timeout")
        .await;
    let message = at(&status, "/message").as_str().unwrap_or_default();
    let expected = format!("Timeout: Too large resource version: {future}, current: ");
    assert!(message.starts_with(&expected), "{message}");
    check!(status, "/details/causes/0/reason": "ResourceVersionTooLarge");
}

async fn no_initial_events_on_request(client: Client) {
    let secrets = two(&client).await;
    let version = secrets.version().await;
    let query = format!(
        "sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion={version}"
    );
    let mut watch = secrets.watch(&query).await;
    secrets.given("c", json!({})).await;
    watch.expect("ADDED", "c").await;
}

/// Without `sendInitialEvents`, too: that is its default for such a watch.
async fn a_watch_from_any_version_marks_the_end_of_its_start(client: Client) {
    let secrets = two(&client).await;
    for query in ["", "&resourceVersion=", "&resourceVersion=0"] {
        let query = format!("allowWatchBookmarks=true{query}");
        let (found, bookmark) = initial(&mut secrets.watch(&query).await).await;
        assert_eq!(found, ["a", "b"], "{query}");
        check!(bookmark, "/metadata/annotations": {"k8s.io/initial-events-end": "true"});
    }
}

async fn the_mark_of_a_table_is_in_its_row(client: Client) {
    let secrets = secrets(&client).await;
    let path = format!("{}?watch=true&{STREAMED}", secrets.path);
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    let mut watch = Watch::start_accepting(&client, &path, table).await;
    let (events, bookmark) = watch.until_bookmark().await;
    assert!(events.is_empty());
    check!(bookmark,
        "/kind": "Table",
        "/rows/0/cells": ["", "", 0, "<unknown>"],
        "/rows/0/object/metadata/annotations": {"k8s.io/initial-events-end": "true"});
    check_absent(&bookmark, "/metadata/annotations");
    resource_version(&bookmark);
}
