//! How watches are requested, resumed and given up.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::support::objects::{cm, list};
use super::support::recorder::Reflecting;
use super::support::{Server, settle};

/// Answers the first list; the next request is a watch.
async fn listed(server: &Server) -> Reflecting {
    let reflecting = Reflecting::start(server);
    server.list().await.json(&list(10, &[cm("a", 1)]));
    reflecting
}

#[tokio::test(start_paused = true)]
async fn a_watch_asks_for_bookmarks_and_a_random_timeout_of_5_to_10_minutes() {
    let server = Server::new();
    let _reflecting = listed(&server).await;
    let mut drawn = Vec::new();
    for _ in 0..20 {
        let call = server.watch().await;
        assert_eq!(call.query("allowWatchBookmarks"), Some("true"));
        let seconds: u64 = call.query("timeoutSeconds").unwrap().parse().unwrap();
        assert!((300..=600).contains(&seconds), "{seconds}");
        drawn.push(seconds);
        let watch = call.stream();
        watch.bookmark("11");
        settle().await;
        watch.close();
    }
    drawn.dedup();
    assert!(drawn.len() > 1, "timeouts are drawn");
}

#[tokio::test(start_paused = true)]
async fn a_minimum_watch_timeout_below_5_minutes_is_ignored_and_a_longer_one_holds() {
    for (minimum, range) in [(10, 300..=600), (1_000, 1_000..=2_000)] {
        let server = Server::new();
        let _reflecting = Reflecting::start_with(&server, |options| {
            options.watch_list = false;
            options.min_watch_timeout = Duration::from_secs(minimum);
        });
        server.list().await.json(&list(10, &[]));
        let seconds: u64 = server
            .watch()
            .await
            .query("timeoutSeconds")
            .unwrap()
            .parse()
            .unwrap();
        assert!(range.contains(&seconds), "{seconds} for {minimum}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_bookmark_advances_the_version_without_an_event() {
    let server = Server::new();
    let reflecting = listed(&server).await;
    let watch = server.watch().await.stream();
    watch.bookmark("42");
    settle().await;
    watch.close();
    assert_eq!(server.watch().await.version(), Some("42"));
    assert_eq!(reflecting.names(), ["a@1"]);
    assert_eq!(reflecting.store.resource_version(), "42");
}

#[tokio::test(start_paused = true)]
async fn events_advance_the_version_and_the_watch_is_resumed_from_the_last_one() {
    let server = Server::new();
    let reflecting = listed(&server).await;
    let watch = server.watch().await.stream();
    watch
        .added(&cm("b", 11))
        .modified(&cm("a", 12))
        .deleted(&cm("b", 13));
    settle().await;
    assert_eq!(reflecting.names(), ["a@12"]);
    watch.close();
    assert_eq!(server.watch().await.version(), Some("13"));
    assert!(reflecting.take_errors().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_watch_from_no_version_does_not_advance_it_before_the_first_event_that_is_not_added() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    server
        .list()
        .await
        .json(&json!({"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {}, "items": []}));
    let call = server.watch().await;
    assert_eq!(call.version(), None);
    let watch = call.stream();
    watch.added(&cm("a", 50)).added(&cm("b", 20));
    settle().await;
    assert_eq!(reflecting.names(), ["a@50", "b@20"]);
    watch.close();
    let call = server.watch().await;
    assert_eq!(
        call.version(),
        None,
        "ADDED events are the existing objects in any order"
    );
    let watch = call.stream();
    watch.added(&cm("a", 50)).modified(&cm("b", 51));
    settle().await;
    watch.close();
    assert_eq!(server.watch().await.version(), Some("51"));
}

#[tokio::test(start_paused = true)]
async fn a_410_as_http_status_of_a_watch_relists_at_once_for_the_newest_state() {
    let server = Server::new();
    let _reflecting = listed(&server).await;
    let refused = Instant::now();
    server
        .watch()
        .await
        .fail(410, "Expired", "too old resource version");
    let relist = server.list().await;
    assert_eq!(
        (relist.version(), refused.elapsed()),
        (None, Duration::ZERO)
    );
}

#[tokio::test(start_paused = true)]
async fn a_410_inside_the_stream_relists_at_once_for_the_newest_state() {
    let server = Server::new();
    let reflecting = listed(&server).await;
    let watch = server.watch().await.stream();
    watch.modified(&cm("a", 11));
    settle().await;
    let refused = Instant::now();
    watch.error(410, "Expired", "too old resource version");
    let relist = server.list().await;
    assert_eq!(
        (relist.version(), refused.elapsed()),
        (None, Duration::ZERO)
    );
    relist.json(&list(30, &[cm("c", 30)]));
    assert_eq!(server.watch().await.version(), Some("30"));
    assert_eq!(reflecting.names(), ["c@30"]);
}

#[tokio::test(start_paused = true)]
async fn expiry_after_expiry_without_an_event_backs_off() {
    let server = Server::new();
    let _reflecting = listed(&server).await;
    server.watch().await.fail(410, "Expired", "too old");
    server.list().await.json(&list(20, &[]));
    let refused = Instant::now();
    server.watch().await.fail(410, "Expired", "too old");
    server.list().await;
    assert!(refused.elapsed() >= Duration::from_millis(800));
}

#[tokio::test(start_paused = true)]
async fn too_many_requests_back_off_and_watch_again_without_a_relist() {
    let server = Server::new();
    let _reflecting = listed(&server).await;
    let refused = Instant::now();
    server
        .watch()
        .await
        .fail(429, "TooManyRequests", "slow down");
    let again = server.watch().await;
    assert!(refused.elapsed() >= Duration::from_millis(800));
    let refused = Instant::now();
    again.stream().error(429, "TooManyRequests", "slow down");
    let again = server.watch().await;
    assert_eq!(again.version(), Some("10"));
    assert!(
        refused.elapsed() >= Duration::from_millis(1_600),
        "{:?}",
        refused.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_longer_than_the_back_off_is_kept() {
    let server = Server::new();
    let _reflecting = listed(&server).await;
    let refused = Instant::now();
    let mut body = super::support::status(429, "TooManyRequests", "slow down");
    body["details"] = json!({"retryAfterSeconds": 20});
    server.watch().await.status(429, &body);
    server.watch().await;
    assert!(refused.elapsed() >= Duration::from_secs(20));
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_of_a_failed_list_or_watch_is_kept_before_the_next_list() {
    let server = Server::new();
    let _reflecting = Reflecting::start(&server);
    let busy = |code, reason| {
        let mut body = super::support::status(code, reason, "busy");
        body["details"] = json!({"retryAfterSeconds": 20});
        body
    };
    let failed = Instant::now();
    let body = busy(429, "TooManyRequests");
    server.list().await.status(429, &body);
    server.list().await.json(&list(10, &[]));
    assert!(failed.elapsed() >= Duration::from_secs(20));
    let failed = Instant::now();
    let body = busy(503, "ServiceUnavailable");
    server.watch().await.status(503, &body);
    server.list().await;
    assert!(failed.elapsed() >= Duration::from_secs(20));
}

#[tokio::test(start_paused = true)]
async fn a_refused_connection_backs_off_and_watches_again_without_a_relist() {
    let server = Server::new();
    let _reflecting = listed(&server).await;
    for _ in 0..5 {
        let refused = Instant::now();
        server.watch().await.refuse();
        let again = server.watch().await;
        assert!(refused.elapsed() >= Duration::from_millis(800));
        again.refuse();
    }
    assert_eq!(server.watch().await.version(), Some("10"));
}

#[tokio::test(start_paused = true)]
async fn an_internal_error_relists_after_a_back_off_by_default() {
    let server = Server::new();
    let _reflecting = listed(&server).await;
    let failed = Instant::now();
    server
        .watch()
        .await
        .stream()
        .error(500, "InternalError", "etcd");
    assert_eq!(server.list().await.version(), Some("10"));
    assert!(failed.elapsed() >= Duration::from_millis(800));
}

#[tokio::test(start_paused = true)]
async fn an_internal_error_is_retried_as_a_watch_until_the_deadline_if_there_is_one() {
    let server = Server::new();
    let _reflecting = Reflecting::start_with(&server, |options| {
        options.watch_list = false;
        options.internal_error_retry = Duration::from_secs(60);
    });
    server.list().await.json(&list(10, &[]));
    let first = Instant::now();
    let mut retries = 0;
    loop {
        let call = server.next().await;
        if !call.is_watch() {
            break;
        }
        retries += 1;
        let watch = call.stream();
        tokio::time::sleep(Duration::from_secs(7)).await;
        watch.error(500, "InternalError", "etcd");
    }
    assert!(retries > 5, "{retries}");
    assert!(first.elapsed() >= Duration::from_secs(60));
}

#[tokio::test(start_paused = true)]
async fn a_watch_closed_in_under_a_second_without_an_event_is_an_error() {
    let server = Server::new();
    let reflecting = listed(&server).await;
    server.watch().await.stream().close();
    server.list().await.json(&list(11, &[]));
    let errors = reflecting.take_errors();
    assert_eq!(errors.len(), 1);
    assert!(errors[0].contains("very short watch"), "{errors:?}");
    let watch = server.watch().await.stream();
    tokio::time::sleep(Duration::from_secs(2)).await;
    watch.close();
    server.watch().await;
    assert!(reflecting.take_errors().is_empty(), "a longer one is not");
}

#[tokio::test(start_paused = true)]
async fn a_broken_connection_is_resumed_from_the_last_event_without_a_relist() {
    let server = Server::new();
    let reflecting = listed(&server).await;
    let watch = server.watch().await.stream();
    watch.modified(&cm("a", 11));
    settle().await;
    watch.cut();
    let again = server.watch().await;
    assert_eq!(again.version(), Some("11"));
    assert_eq!(reflecting.names(), ["a@11"]);
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_the_server_does_not_end_in_time_is_ended() {
    let server = Server::new();
    let _reflecting = listed(&server).await;
    let started = Instant::now();
    let call = server.watch().await;
    let seconds: u64 = call.query("timeoutSeconds").unwrap().parse().unwrap();
    let watch = call.stream();
    // The watch was silent all that time: first, the server's version is requested.
    server.list().await.json(&list(10, &[]));
    server.watch().await;
    assert!(started.elapsed() >= Duration::from_secs(seconds));
    watch.hung_up().await;
}

#[tokio::test(start_paused = true)]
async fn watches_that_say_little_and_end_are_opened_after_a_wait() {
    let server = Server::new();
    let _reflecting = listed(&server).await;
    let started = Instant::now();
    for _ in 0..5 {
        let watch = server.watch().await.stream();
        watch.bookmark("11");
        settle().await;
        watch.close();
    }
    assert!(
        started.elapsed() < Duration::from_millis(800),
        "at first at once"
    );
    for base in [800_u64, 1_600, 3_200] {
        let ended = Instant::now();
        let watch = server.watch().await.stream();
        assert!(ended.elapsed() >= Duration::from_millis(base), "{base}");
        watch.bookmark("11");
        settle().await;
        watch.close();
    }
}

#[tokio::test(start_paused = true)]
async fn a_410_after_each_event_does_not_relist_without_pause() {
    let server = Server::new();
    let _reflecting = listed(&server).await;
    let started = Instant::now();
    for version in 11..30 {
        let watch = server.watch().await.stream();
        watch.bookmark(&version.to_string());
        settle().await;
        watch.error(410, "Expired", "too old resource version");
        server.list().await.json(&list(version, &[]));
    }
    assert!(started.elapsed() > Duration::from_secs(60));
}

#[tokio::test(start_paused = true)]
async fn a_server_cannot_ask_for_more_than_five_minutes_of_rest() {
    let server = Server::new();
    let _reflecting = listed(&server).await;
    let mut body = super::support::status(429, "TooManyRequests", "slow down");
    body["details"] = json!({"retryAfterSeconds": u32::MAX});
    let asked = Instant::now();
    server.watch().await.status(429, &body);
    server.watch().await;
    assert_eq!(asked.elapsed().as_secs(), 300);
}

#[tokio::test(start_paused = true)]
async fn an_event_without_end_is_given_up_after_16_mib() {
    let server = Server::new();
    let reflecting = listed(&server).await;
    let watch = server.watch().await.stream();
    let part = "x".repeat(1024 * 1024);
    watch.raw("{\"type\":\"ADDED\",\"object\":{\"a\":\"");
    for _ in 0..17 {
        watch.raw(&part);
    }
    server.list().await.json(&list(11, &[]));
    let errors = reflecting.take_errors();
    assert!(
        errors.len() == 1 && errors[0].contains("more than 16777216 bytes"),
        "{errors:?}"
    );
    watch.hung_up().await;
}
