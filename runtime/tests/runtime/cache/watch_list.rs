//! The streamed initial list.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::Instant;

use crate::cache::support::objects::{cm, list};
use crate::cache::support::recorder::Reflecting;
use crate::cache::support::{Server, settle};

fn start(server: &Server) -> Reflecting {
    Reflecting::start_with(server, |_| {})
}

#[tokio::test(start_paused = true)]
async fn a_streamed_list_is_asked_for_by_default() {
    let server = Server::new();
    let _reflecting = start(&server);
    let call = server.watch_list().await;
    assert_eq!(call.query("resourceVersionMatch"), Some("NotOlderThan"));
    assert_eq!(call.query("allowWatchBookmarks"), Some("true"));
    assert_eq!(call.version(), None);
    let seconds: u64 = call.query("timeoutSeconds").unwrap().parse().unwrap();
    assert!((300..=600).contains(&seconds), "{seconds}");
}

#[tokio::test(start_paused = true)]
async fn the_store_is_replaced_at_the_closing_bookmark_and_not_before() {
    let server = Server::new();
    let reflecting = start(&server);
    let watch = server.watch_list().await.stream();
    watch.added(&cm("a", 1)).added(&cm("b", 2)).bookmark("2");
    settle().await;
    assert!(
        reflecting.names().is_empty(),
        "an ordinary bookmark does not close the list"
    );
    watch.initial_end("5");
    settle().await;
    assert_eq!(reflecting.names(), ["a@1", "b@2"]);
    assert_eq!(reflecting.store.resource_version(), "5");
}

#[tokio::test(start_paused = true)]
async fn the_stream_goes_on_as_the_watch_and_later_watches_are_plain() {
    let server = Server::new();
    let reflecting = start(&server);
    let watch = server.watch_list().await.stream();
    watch.added(&cm("a", 1)).initial_end("5");
    watch.modified(&cm("a", 6)).added(&cm("b", 7));
    settle().await;
    assert_eq!(reflecting.names(), ["a@6", "b@7"]);
    assert!(server.is_idle().await, "no second request");
    watch.close();
    let call = server.watch().await;
    assert_eq!(call.version(), Some("7"));
}

#[tokio::test(start_paused = true)]
async fn events_in_one_chunk_with_the_closing_bookmark_are_not_lost() {
    let server = Server::new();
    let reflecting = start(&server);
    let watch = server.watch_list().await.stream();
    let line = |kind: &str, object: &serde_json::Value| {
        format!("{}\n", serde_json::json!({"type": kind, "object": object}))
    };
    let end = serde_json::json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
        "resourceVersion": "5", "annotations": {"k8s.io/initial-events-end": "true"}}});
    let text = [
        line("ADDED", &cm("a", 1)),
        line("BOOKMARK", &end),
        line("MODIFIED", &cm("a", 6)),
    ]
    .concat();
    watch.raw(&text);
    settle().await;
    assert_eq!(reflecting.names(), ["a@6"]);
}

#[tokio::test(start_paused = true)]
async fn an_initial_object_may_change_and_vanish_before_the_bookmark() {
    let server = Server::new();
    let reflecting = start(&server);
    let watch = server.watch_list().await.stream();
    watch
        .added(&cm("a", 1))
        .added(&cm("b", 2))
        .modified(&cm("a", 3))
        .deleted(&cm("b", 4))
        .initial_end("5");
    settle().await;
    assert_eq!(reflecting.names(), ["a@3"]);
}

#[tokio::test(start_paused = true)]
async fn an_undecodable_object_that_is_deleted_before_the_bookmark_does_not_stay() {
    let server = Server::new();
    let reflecting = start(&server);
    let watch = server.watch_list().await.stream();
    watch.added(&cm("a", 1)).added(&cm("b", 2)).initial_end("5");
    settle().await;
    watch.error(410, "Expired", "too old");
    let mut bad = [cm("a", 6), cm("b", 7)];
    for object in &mut bad {
        object["data"] = serde_json::json!("not a map");
    }
    let watch = server.watch_list().await.stream();
    watch.added(&bad[0]).added(&bad[1]);
    watch.deleted(&cm("a", 8)).deleted(&bad[1]);
    watch.initial_end("10");
    settle().await;
    assert!(reflecting.names().is_empty(), "{:?}", reflecting.names());
}

#[tokio::test(start_paused = true)]
async fn an_unsupported_streamed_list_falls_back_to_a_list_and_is_not_asked_for_again() {
    let server = Server::new();
    let reflecting = start(&server);
    let refused = Instant::now();
    server
        .watch_list()
        .await
        .fail(422, "Invalid", "sendInitialEvents is forbidden");
    let call = server.list().await;
    assert_eq!(
        (call.version(), refused.elapsed()),
        (Some("0"), Duration::ZERO)
    );
    call.json(&list(10, &[cm("a", 1)]));
    server.watch().await.fail(410, "Expired", "too old");
    server.list().await.json(&list(20, &[cm("a", 1)]));
    server.watch().await;
    assert!(reflecting.take_errors()[0].contains("falling back to a list"));
}

#[tokio::test(start_paused = true)]
async fn a_failed_streamed_list_falls_back_to_a_list_and_is_asked_for_at_the_next_relist() {
    let server = Server::new();
    let _reflecting = start(&server);
    server.watch_list().await.fail(500, "InternalError", "down");
    server.list().await.json(&list(10, &[]));
    server
        .watch()
        .await
        .stream()
        .error(403, "Forbidden", "no more");
    let call = server.watch_list().await;
    assert_eq!(call.version(), Some("10"));
}

#[tokio::test(start_paused = true)]
async fn an_error_inside_the_streamed_list_falls_back_to_a_list() {
    let server = Server::new();
    let reflecting = start(&server);
    let watch = server.watch_list().await.stream();
    watch
        .added(&cm("partial", 1))
        .error(500, "InternalError", "down");
    server.list().await.json(&list(10, &[cm("a", 1)]));
    server.watch().await;
    assert_eq!(reflecting.names(), ["a@1"]);
}

#[tokio::test(start_paused = true)]
async fn a_drop_before_the_bookmark_discards_the_partial_set() {
    let server = Server::new();
    let reflecting = start(&server);
    let watch = server.watch_list().await.stream();
    watch.added(&cm("a", 1)).added(&cm("b", 2));
    settle().await;
    watch.cut();
    let watch = server.watch_list().await.stream();
    watch.added(&cm("b", 2)).initial_end("7");
    settle().await;
    assert_eq!(reflecting.names(), ["b@2"]);
    assert!(reflecting.take_errors()[0].contains("cut before its closing bookmark"));
}

#[tokio::test(start_paused = true)]
async fn streams_that_keep_ending_before_the_bookmark_fall_back_to_a_list() {
    let server = Server::new();
    let _reflecting = start(&server);
    for _ in 0..3 {
        server.watch_list().await.stream().close();
    }
    server.list().await;
}

#[tokio::test(start_paused = true)]
async fn too_many_requests_and_refused_connections_back_off_and_stream_again() {
    let server = Server::new();
    let _reflecting = start(&server);
    let refused = Instant::now();
    server
        .watch_list()
        .await
        .fail(429, "TooManyRequests", "slow down");
    let again = server.watch_list().await;
    assert!(refused.elapsed() >= Duration::from_millis(800));
    again.refuse();
    server.watch_list().await;
}

#[tokio::test(start_paused = true)]
async fn an_expired_or_too_large_version_streams_again_at_once_for_the_newest_state() {
    for (code, reason, message) in [
        (410, "Expired", "too old"),
        (504, "Timeout", "Too large resource version: 10, current: 3"),
    ] {
        let server = Server::new();
        let _reflecting = start(&server);
        let watch = server.watch_list().await.stream();
        watch.initial_end("10");
        settle().await;
        watch.error(403, "Forbidden", "no more");
        let call = server.watch_list().await;
        assert_eq!(call.version(), Some("10"));
        let refused = Instant::now();
        call.fail(code, reason, message);
        let call = server.watch_list().await;
        assert_eq!(
            (call.version(), refused.elapsed()),
            (None, Duration::ZERO),
            "{reason}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_transform_applies_to_the_temporary_store() {
    let server = Server::new();
    let reflecting = Reflecting::start_with(&server, |options| {
        options.transform = Some(Arc::new(|object: &mut ConfigMap| object.data = None));
    });
    server
        .watch_list()
        .await
        .stream()
        .added(&cm("a", 1))
        .initial_end("2");
    settle().await;
    assert!(reflecting.store.get("default/a").unwrap().data.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_streamed_list_can_be_switched_off() {
    let server = Server::new();
    let _reflecting = Reflecting::start(&server);
    server.list().await;
}

#[tokio::test(start_paused = true)]
async fn a_bookmark_that_is_long_in_coming_is_reported_every_ten_seconds_and_waited_for() {
    let server = Server::new();
    let reflecting = start(&server);
    let watch = server.watch_list().await.stream();
    watch.added(&cm("a", 1));
    tokio::time::sleep(Duration::from_secs(25)).await;
    watch.added(&cm("a", 1));
    tokio::time::sleep(Duration::from_secs(11)).await;
    let errors = reflecting.take_errors();
    assert_eq!(errors.len(), 3, "{errors:?}");
    assert!(errors[2].contains("has waited 35 s"), "{errors:?}");
    watch.initial_end("2");
    settle().await;
    assert_eq!(reflecting.names(), ["a@1"]);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(reflecting.take_errors().is_empty());
}
