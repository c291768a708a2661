//! Reflectors of a server that becomes silent.

use std::time::Duration;

use tokio::time::Instant;

use super::support::objects::{cm, list};
use super::support::recorder::Reflecting;
use super::support::{Server, settle};

/// The longest silence of a watch whose server sends bookmarks.
const SILENCE: Duration = Duration::from_secs(95);

fn streaming(server: &Server) -> Reflecting {
    Reflecting::start_with(server, |_| {})
}

fn check_one(reflecting: &Reflecting, expected: &str) {
    let errors = reflecting.take_errors();
    assert!(
        errors.len() == 1 && errors[0].contains(expected),
        "{errors:?} instead of {expected:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_list_that_is_not_answered_is_given_up_and_made_again() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    let asked = Instant::now();
    let silent = server.list().await;
    let again = server.list().await;
    let waited = asked.elapsed();
    assert!(waited >= Duration::from_secs(65) && waited < Duration::from_secs(70));
    check_one(&reflecting, "no answer to the list within 65 s");
    assert!(silent.is_given_up());
    again.json(&list(10, &[cm("a", 1)]));
    server.watch().await;
    assert_eq!(reflecting.names(), ["a@1"]);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_stops_half_way_is_given_up_and_a_slow_one_is_not() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    let body = server.list().await.stream();
    body.raw(r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":["#);
    for name in ["a", "b", "c", "d"] {
        tokio::time::sleep(Duration::from_secs(25)).await;
        body.raw(&format!("{},", cm(name, 1)));
    }
    assert!(reflecting.take_errors().is_empty(), "objects came");
    let last = Instant::now();
    let _again = server.list().await;
    assert!(
        last.elapsed() <= Duration::from_secs(62),
        "{:?}",
        last.elapsed()
    );
    check_one(&reflecting, "no more of the list within 30 s");
    assert!(reflecting.names().is_empty(), "half a list is none");
    body.hung_up().await;
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_is_not_answered_is_given_up() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    server.list().await.json(&list(10, &[]));
    let asked = Instant::now();
    let _silent = server.watch().await;
    // As after any failed watch, the list must not be older than the known state.
    let again = server.list().await;
    assert!(
        asked.elapsed() >= Duration::from_secs(30) && asked.elapsed() < Duration::from_secs(33)
    );
    assert_eq!(again.version(), Some("10"));
    check_one(&reflecting, "no answer to the watch within 30 s");
}

#[tokio::test(start_paused = true)]
async fn a_streamed_list_that_stalls_is_followed_by_a_plain_one() {
    let server = Server::new();
    let reflecting = streaming(&server);
    let watch = server.watch_list().await.stream();
    for name in ["a", "b", "c"] {
        tokio::time::sleep(Duration::from_secs(29)).await;
        watch.added(&cm(name, 1));
    }
    settle().await;
    reflecting.take_errors();
    let last = Instant::now();
    let call = server.list().await;
    assert_eq!(last.elapsed(), Duration::from_secs(30));
    watch.hung_up().await;
    let errors = reflecting.take_errors();
    let stalled = "no closing bookmark of the list within 30 s";
    assert!(errors.last().unwrap().contains(stalled), "{errors:?}");
    call.json(&list(10, &[cm("a", 1)]));
    server.watch().await;
    assert_eq!(reflecting.names(), ["a@1"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_without_that_bookmark_is_asked_for_plain_lists_after_two_streams() {
    let server = Server::new();
    let _reflecting = streaming(&server);
    for _ in 0..2 {
        // The server treats the request as an ordinary watch.
        let watch = server.watch_list().await.stream();
        watch.added(&cm("a", 1));
        server.list().await.json(&list(10, &[cm("a", 1)]));
        server.watch().await.fail(500, "InternalError", "etcd");
    }
    server.list().await;
}

#[tokio::test(start_paused = true)]
async fn one_stalled_stream_between_others_changes_nothing() {
    let server = Server::new();
    let _reflecting = streaming(&server);
    for _ in 0..3 {
        let _stalled = server.watch_list().await.stream();
        server.list().await.json(&list(10, &[]));
        server.watch().await.fail(500, "InternalError", "etcd");
        let whole = server.watch_list().await.stream();
        whole.initial_end("10");
        settle().await;
        whole.error(500, "InternalError", "etcd");
    }
    server.watch_list().await;
}

/// Answers the request for the server's version that follows a silent watch.
async fn answer_version(server: &Server, version: u64) {
    let call = server.list().await;
    assert_eq!((call.query("limit"), call.version()), (Some("1"), None));
    call.json(&list(version, &[]));
}

#[tokio::test(start_paused = true)]
async fn a_watch_without_the_bookmarks_that_came_before_is_opened_anew() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    server.list().await.json(&list(10, &[cm("a", 1)]));
    let watch = server.watch().await.stream();
    tokio::time::sleep(Duration::from_secs(60)).await;
    watch.bookmark("20");
    settle().await;
    let last = Instant::now();
    answer_version(&server, 20).await;
    assert_eq!(last.elapsed(), SILENCE);
    watch.hung_up().await;
    let again = server.watch().await;
    assert_eq!((again.version(), last.elapsed()), (Some("20"), SILENCE));
    check_one(&reflecting, "was silent for 95 s");
    // The missed event arrives, without a list.
    again.stream().modified(&cm("a", 21));
    settle().await;
    assert_eq!(reflecting.names(), ["a@21"]);
}

#[tokio::test(start_paused = true)]
async fn the_bookmark_of_a_streamed_list_tells_that_others_come() {
    let server = Server::new();
    let reflecting = streaming(&server);
    let watch = server.watch_list().await.stream();
    watch.initial_end("10");
    settle().await;
    let last = Instant::now();
    answer_version(&server, 10).await;
    assert_eq!(last.elapsed(), SILENCE);
    check_one(&reflecting, "was silent for 95 s");
}

#[tokio::test(start_paused = true)]
async fn events_are_signs_of_life_too() {
    let server = Server::new();
    let reflecting = streaming(&server);
    let watch = server.watch_list().await.stream();
    watch.initial_end("10");
    for version in 11..14 {
        tokio::time::sleep(Duration::from_secs(90)).await;
        watch.modified(&cm("a", version));
    }
    settle().await;
    assert!(reflecting.take_errors().is_empty());
    assert!(server.is_idle().await);
}

#[tokio::test(start_paused = true)]
async fn a_server_without_bookmarks_is_left_alone() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    server.list().await.json(&list(10, &[]));
    let watch = server.watch().await.stream();
    tokio::time::sleep(Duration::from_secs(290)).await;
    watch.modified(&cm("a", 11));
    settle().await;
    assert_eq!(reflecting.names(), ["a@11"]);
    assert!(server.is_idle().await);
    assert!(reflecting.take_errors().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_server_whose_bookmarks_stop_is_left_alone_after_two_silent_watches() {
    let server = Server::new();
    let reflecting = Reflecting::start_with(&server, |options| {
        options.min_watch_timeout = Duration::from_secs(3_000);
    });
    let first = server.watch_list().await.stream();
    first.initial_end("10");
    answer_version(&server, 10).await;
    let _second = server.watch().await.stream();
    answer_version(&server, 10).await;
    reflecting.take_errors();
    let third = server.watch().await.stream();
    tokio::time::sleep(Duration::from_secs(2_000)).await;
    assert!(server.is_idle().await);
    assert!(reflecting.take_errors().is_empty());
    // They arrive after all.
    for version in ["11", "12", "13"] {
        third.bookmark(version);
        tokio::time::sleep(Duration::from_secs(60)).await;
    }
    answer_version(&server, 13).await;
}

#[tokio::test(start_paused = true)]
async fn rare_bookmarks_make_for_a_longer_silence() {
    let server = Server::new();
    let reflecting = Reflecting::start_with(&server, |options| {
        options.watch_list = false;
        options.min_watch_timeout = Duration::from_secs(3_000);
    });
    server.list().await.json(&list(10, &[]));
    let watch = server.watch().await.stream();
    for version in ["11", "12", "13"] {
        tokio::time::sleep(Duration::from_secs(600)).await;
        watch.bookmark(version);
    }
    settle().await;
    assert!(reflecting.take_errors().is_empty());
    let last = Instant::now();
    answer_version(&server, 13).await;
    assert_eq!(last.elapsed(), Duration::from_secs(900));
}

#[tokio::test(start_paused = true)]
async fn after_silence_a_server_that_is_away_is_waited_for_and_asked_again() {
    let server = Server::new();
    let _reflecting = streaming(&server);
    let watch = server.watch_list().await.stream();
    watch.initial_end("10");
    server.list().await.refuse();
    server
        .list()
        .await
        .fail(429, "TooManyRequests", "slow down");
    answer_version(&server, 10).await;
    assert_eq!(server.watch().await.version(), Some("10"));
}

#[tokio::test(start_paused = true)]
async fn the_deadlines_are_options() {
    let server = Server::new();
    let _reflecting = Reflecting::start_with(&server, |options| {
        options.deadlines.watch_silence = Duration::from_secs(7);
    });
    let watch = server.watch_list().await.stream();
    watch.initial_end("10");
    settle().await;
    let last = Instant::now();
    answer_version(&server, 10).await;
    assert_eq!(last.elapsed(), Duration::from_secs(7));
}

#[tokio::test(start_paused = true)]
async fn a_watch_may_be_silent_without_limit() {
    let server = Server::new();
    let reflecting = Reflecting::start_with(&server, |options| {
        options.deadlines.watch_silence = Duration::MAX;
    });
    let watch = server.watch_list().await.stream();
    watch.initial_end("10");
    tokio::time::sleep(2 * SILENCE).await;
    assert_eq!(reflecting.take_errors(), [""; 0]);
    assert!(server.is_idle().await, "no second request");
}
