//! The resourceVersion and page size of a list, and the reaction to a refusal.

use std::time::Duration;

use codegen_runtime::reflector::ReflectorOptions;
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::Instant;

use super::support::objects::{cm, list, page};
use super::support::recorder::Reflecting;
use super::support::{Server, settle, status};

fn plain(options: &mut ReflectorOptions<ConfigMap>) {
    options.watch_list = false;
}

#[tokio::test(start_paused = true)]
async fn the_first_list_asks_for_version_0_and_a_relist_for_the_last_seen_one() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    let first = server.list().await;
    assert_eq!(first.version(), Some("0"));
    first.json(&list(10, &[cm("a", 1)]));
    let watch = server.watch().await;
    assert_eq!(watch.version(), Some("10"));
    let watch = watch.stream();
    watch
        .modified(&cm("a", 12))
        .error(403, "Forbidden", "no more");
    let relist = server.list().await;
    assert_eq!(relist.version(), Some("12"));
    relist.json(&list(15, &[cm("a", 12), cm("b", 14)]));
    settle().await;
    assert_eq!(reflecting.names(), ["a@12", "b@14"]);
}

async fn check_refused_list(code: u16, body: serde_json::Value) {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    server.list().await.json(&list(10, &[]));
    server
        .watch()
        .await
        .stream()
        .error(403, "Forbidden", "no more");
    let relist = server.list().await;
    assert_eq!(relist.version(), Some("10"));
    let refused = Instant::now();
    relist.status(code, &body);
    let again = server.list().await;
    assert_eq!(again.version(), None, "the newest state");
    assert_eq!(refused.elapsed(), Duration::ZERO, "at once");
    again.json(&list(20, &[cm("a", 20)]));
    assert_eq!(server.watch().await.version(), Some("20"));
    assert_eq!(reflecting.names(), ["a@20"]);
}

#[tokio::test(start_paused = true)]
async fn a_list_refused_as_expired_is_repeated_at_once_for_the_newest_state() {
    check_refused_list(
        410,
        status(410, "Expired", "too old resource version: 10 (15)"),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_list_refused_as_too_large_version_is_repeated_at_once_for_the_newest_state() {
    let message = "Too large resource version: 10, current: 5";
    check_refused_list(504, status(504, "Timeout", message)).await;
    let mut by_cause = status(504, "Timeout", "wait a little");
    by_cause["details"] = serde_json::json!({
        "causes": [{"reason": "ResourceVersionTooLarge", "message": "", "field": ""}], "retryAfterSeconds": 1,
    });
    check_refused_list(504, by_cause).await;
}

#[tokio::test(start_paused = true)]
async fn after_a_successful_list_a_relist_asks_for_a_version_again() {
    let server = Server::new();
    let _reflecting = Reflecting::start(&server);
    server.list().await.fail(410, "Expired", "too old");
    let newest = server.list().await;
    assert_eq!(newest.version(), None);
    newest.json(&list(30, &[]));
    server
        .watch()
        .await
        .stream()
        .error(403, "Forbidden", "no more");
    assert_eq!(server.list().await.version(), Some("30"));
}

#[tokio::test(start_paused = true)]
async fn pages_of_500_are_asked_for_only_at_version_empty_or_0() {
    let server = Server::new();
    let _reflecting = Reflecting::start(&server);
    let first = server.list().await;
    assert_eq!(
        (first.version(), first.query("limit")),
        (Some("0"), Some("500"))
    );
    first.json(&list(10, &[]));
    server
        .watch()
        .await
        .stream()
        .error(403, "Forbidden", "no more");
    let relist = server.list().await;
    assert_eq!(
        (relist.version(), relist.query("limit")),
        (Some("10"), None),
        "no limit above 0"
    );
    relist.fail(410, "Expired", "too old");
    let newest = server.list().await;
    assert_eq!(
        (newest.version(), newest.query("limit")),
        (None, Some("500"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_page_size_of_the_caller_is_always_asked_for() {
    let server = Server::new();
    let reflecting = Reflecting::start_with(&server, |options| {
        plain(options);
        options.page_size = Some(2);
    });
    let first = server.list().await;
    assert_eq!(first.query("limit"), Some("2"));
    first.json(&page(10, &[cm("a", 1), cm("b", 2)], Some("next")));
    let second = server.list().await;
    assert_eq!(
        (second.query("limit"), second.query("continue")),
        (Some("2"), Some("next"))
    );
    assert_eq!(second.version(), None, "the token holds the version");
    second.json(&page(10, &[cm("c", 3)], None));
    server
        .watch()
        .await
        .stream()
        .error(403, "Forbidden", "no more");
    let relist = server.list().await;
    assert_eq!(
        (relist.version(), relist.query("limit")),
        (Some("10"), Some("2"))
    );
    assert_eq!(reflecting.names(), ["a@1", "b@2", "c@3"]);
}

#[tokio::test(start_paused = true)]
async fn paging_stays_on_if_the_list_at_version_0_came_in_pages() {
    let server = Server::new();
    let _reflecting = Reflecting::start(&server);
    server
        .list()
        .await
        .json(&page(10, &[cm("a", 1)], Some("next")));
    server.list().await.json(&page(10, &[cm("b", 2)], None));
    server
        .watch()
        .await
        .stream()
        .error(403, "Forbidden", "no more");
    let relist = server.list().await;
    assert_eq!(
        (relist.version(), relist.query("limit")),
        (Some("10"), Some("500"))
    );
}

/// client-go's pager keeps the version of the first page: a change of an object of that page may be
/// older than the last page.
#[tokio::test(start_paused = true)]
async fn the_version_of_a_list_in_pages_is_that_of_its_first_page() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    for (version, name, token) in [(10, "a", Some("next")), (12, "b", None)] {
        let answer = page(version, &[cm(name, 1)], token);
        server.list().await.json(&answer);
    }
    let watch = server.watch().await;
    assert_eq!(watch.version(), Some("10"));
    watch.stream().modified(&cm("a", 11));
    settle().await;
    assert_eq!(reflecting.names(), ["a@11", "b@1"]);
}

#[tokio::test(start_paused = true)]
async fn an_expired_page_token_falls_back_to_one_full_list() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    server
        .list()
        .await
        .json(&page(10, &[cm("a", 1)], Some("next")));
    server
        .list()
        .await
        .fail(410, "Expired", "the provided continue parameter is too old");
    let full = server.list().await;
    assert_eq!(
        (full.version(), full.query("limit"), full.query("continue")),
        (Some("0"), None, None)
    );
    full.json(&list(12, &[cm("b", 2)]));
    assert_eq!(server.watch().await.version(), Some("12"));
    assert_eq!(
        reflecting.names(),
        ["b@2"],
        "nothing of the first page stays"
    );
}

/// The server returns the pages, each with a token; the list is given up after the last, and
/// another one starts.
async fn check_endless(pages: &[(&str, &str)], expected: &str) {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    for (name, token) in pages {
        let answer = page(10, &[cm(name, 1)], Some(token));
        server.list().await.json(&answer);
    }
    let again = server.list().await;
    assert_eq!(again.query("continue"), None);
    let errors = reflecting.take_errors();
    assert!(
        errors.len() == 1 && errors[0].contains(expected),
        "{errors:?}"
    );
    again.json(&list(12, &[cm("c", 2)]));
    server.watch().await;
    assert_eq!(reflecting.names(), ["c@2"]);
}

#[tokio::test(start_paused = true)]
async fn a_list_whose_pages_repeat_is_given_up() {
    let expected = "the list does not end: a page was repeated";
    check_endless(&[("a", "next"), ("a", "next")], expected).await;
    check_endless(&[("a", "x"), ("b", "y"), ("a", "z")], expected).await;
}

#[tokio::test(start_paused = true)]
async fn failed_lists_are_repeated_with_doubling_back_off_from_800_ms() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    let mut last = Instant::now();
    server.list().await.refuse();
    for base in [800_u64, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000] {
        let call = server.list().await;
        let waited = last.elapsed();
        let base = Duration::from_millis(base);
        assert!(
            waited >= base && waited <= base * 2 + Duration::from_millis(2),
            "{waited:?} for {base:?}"
        );
        last = Instant::now();
        call.refuse();
    }
    settle().await;
    assert_eq!(reflecting.take_errors().len(), 9);
}

#[tokio::test(start_paused = true)]
async fn back_off_starts_over_after_two_quiet_minutes() {
    let server = Server::new();
    let _reflecting = Reflecting::start(&server);
    for _ in 0..6 {
        server.list().await.fail(500, "InternalError", "down");
    }
    server.list().await.json(&list(1, &[]));
    let watch = server.watch().await.stream();
    tokio::time::sleep(Duration::from_secs(121)).await;
    let failed = Instant::now();
    watch.error(403, "Forbidden", "no more");
    server.list().await;
    assert!(
        failed.elapsed() <= Duration::from_millis(1_602),
        "{:?}",
        failed.elapsed()
    );
}
