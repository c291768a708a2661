//! The streamed initial list.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::Instant;

use super::support::objects::{cm, list};
use super::support::recorder::Reflecting;
use super::support::{Server, settle};

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
    watch.added(&cm("b", 1));
    tokio::time::sleep(Duration::from_secs(11)).await;
    let errors = reflecting.take_errors();
    assert_eq!(errors.len(), 3, "{errors:?}");
    assert!(errors[2].contains("has waited 35 s"), "{errors:?}");
    watch.initial_end("2");
    settle().await;
    assert_eq!(reflecting.names(), ["a@1", "b@1"]);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(reflecting.take_errors().is_empty());
}

/// Sends `events` to the streamed list, one per second, until it is given up; returns how long that
/// took.
async fn busy(server: &Server, mut event: impl FnMut(&super::support::Watch, u64)) -> u64 {
    let started = Instant::now();
    let watch = server.watch_list().await.stream();
    watch.added(&cm("a", 1)).added(&cm("b", 2));
    let send = async {
        for second in 1..=600 {
            tokio::time::sleep(Duration::from_secs(1)).await;
            event(&watch, second);
        }
    };
    tokio::select! {
        biased;
        () = watch.hung_up() => {}
        () = send => panic!("events counted as progress for ten minutes"),
    }
    started.elapsed().as_secs()
}

/// Checks that a busy stream is given up after `seconds`, that a plain list follows at once, and
/// that relists are plain.
async fn check_busy(
    seconds: std::ops::RangeInclusive<u64>,
    event: impl FnMut(&super::support::Watch, u64),
) {
    let server = Server::new();
    let reflecting = start(&server);
    let took = busy(&server, event).await;
    assert!(seconds.contains(&took), "{took} s");
    server.list().await.json(&list(900, &[cm("a", 800)]));
    server.watch().await.fail(410, "Expired", "too old");
    assert_eq!(reflecting.names(), ["a@800"]);
    server.list().await.json(&list(1000, &[cm("a", 800)]));
    server.watch().await;
    let errors = reflecting.take_errors();
    let told = errors.iter().filter(|error| error.contains("only changes"));
    assert_eq!(told.count(), 1, "{errors:?}");
}

#[tokio::test(start_paused = true)]
async fn changes_without_a_closing_bookmark_are_no_progress() {
    let name = |second: u64| ["a", "b"][usize::from(second.is_multiple_of(2))];
    check_busy(30..=31, |watch, second| {
        watch.modified(&cm(name(second), 100 + second));
    })
    .await;
    // The same objects again.
    check_busy(30..=30, |watch, second| {
        watch.added(&cm(name(second), 100 + second));
    })
    .await;
    // New objects beside changes: the existing ones had all been sent before the first change.
    check_busy(31..=31, |watch, second| {
        watch.modified(&cm("a", 100 + 2 * second));
        watch.added(&cm(&format!("new-{second}"), 101 + 2 * second));
    })
    .await;
    // Ordinary bookmarks.
    check_busy(31..=31, |watch, second| {
        watch.bookmark(&(100 + second).to_string());
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_long_list_of_new_objects_is_waited_for() {
    let server = Server::new();
    let reflecting = start(&server);
    let watch = server.watch_list().await.stream();
    for object in 0..10 {
        tokio::time::sleep(Duration::from_secs(20)).await;
        watch.added(&cm(&format!("m-{object}"), 1));
    }
    watch.initial_end("2");
    settle().await;
    assert_eq!(reflecting.names().len(), 10);
}

#[tokio::test(start_paused = true)]
async fn lists_that_were_cut_are_a_refusal() {
    // A proxy ends every stream soon, or one late.
    for (cuts, after) in [(3, 1), (1, 40)] {
        let server = Server::new();
        let reflecting = start(&server);
        for _ in 0..cuts {
            let watch = server.watch_list().await.stream();
            for object in ["a", "b"] {
                watch.added(&cm(object, 1));
                tokio::time::sleep(Duration::from_secs(after) / 2).await;
            }
            watch.cut();
        }
        let cut = Instant::now();
        server.list().await.json(&list(10, &[cm("a", 1)]));
        assert_eq!(cut.elapsed(), Duration::ZERO, "at once");
        server.watch().await.fail(410, "Expired", "too old");
        server.list().await.json(&list(20, &[cm("a", 1)]));
        server.watch().await;
        assert_eq!(reflecting.names(), ["a@1"]);
    }
}
