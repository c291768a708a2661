//! Reflectors of a server whose resourceVersions went back.

use std::time::Duration;

use codegen_runtime::informer::SharedInformer;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::Value;
use tokio::time::Instant;

use super::support::informers::{Running, informer};
use super::support::objects::{cm, list};
use super::support::recorder::{Recorder, Reflecting};
use super::support::{Server, settle};

const REPORT: &str = "the resourceVersions of configmaps went back from 5000 to";

fn resets(reflecting: &Reflecting) -> Vec<String> {
    let mut errors = reflecting.take_errors();
    errors.retain(|error| error.contains("went back"));
    errors
}

/// Starts a reflector that knows `a` at version 5000, on a server that streams lists.
async fn known(server: &Server) -> (Reflecting, super::support::Watch) {
    let reflecting = Reflecting::start_with(server, |_| {});
    let watch = server.watch_list().await.stream();
    watch.added(&cm("a", 4000)).initial_end("5000");
    settle().await;
    (reflecting, watch)
}

#[tokio::test(start_paused = true)]
async fn a_server_that_came_back_empty_and_says_nothing_is_relisted_for_its_newest_state() {
    let server = Server::new();
    let (reflecting, first) = known(&server).await;
    first.cut();
    // The watch requests changes after version 5000, and the server stays silent until it reaches
    // that version.
    let resumed = Instant::now();
    let watch = server.watch().await;
    assert_eq!(watch.version(), Some("5000"));
    let _silent = watch.stream();
    let asked = server.list().await;
    assert_eq!((asked.query("limit"), asked.version()), (Some("1"), None));
    asked.json(&list(20, &[]));
    let relist = server.watch_list().await;
    assert_eq!(relist.version(), None, "the newest state");
    assert_eq!(resumed.elapsed(), Duration::from_secs(95));
    let watch = relist.stream();
    watch.added(&cm("b", 7)).initial_end("20");
    watch.added(&cm("c", 21));
    settle().await;
    assert_eq!(reflecting.names(), ["b@7", "c@21"]);
    assert_eq!(reflecting.store.resource_version(), "21");
    let resets = resets(&reflecting);
    assert_eq!(resets.len(), 1, "{resets:?}");
    assert!(resets[0].starts_with(&format!("{REPORT} 20")), "{resets:?}");
}

#[tokio::test(start_paused = true)]
async fn an_event_with_a_lower_version_relists() {
    let server = Server::new();
    let (reflecting, first) = known(&server).await;
    first.cut();
    let watch = server.watch().await.stream();
    watch
        .modified(&cm("a", 5001))
        .added(&cm("b", 7))
        .added(&cm("c", 8));
    let relist = server.watch_list().await;
    assert_eq!(relist.version(), None);
    assert_eq!(
        reflecting.names(),
        ["a@5001"],
        "what follows is left to the list"
    );
    relist.stream().added(&cm("b", 7)).initial_end("8");
    settle().await;
    assert_eq!(reflecting.names(), ["b@7"]);
    let resets = resets(&reflecting);
    assert!(
        resets.len() == 1 && resets[0].contains("from 5001 to 7"),
        "{resets:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_bookmark_with_a_lower_version_relists() {
    let server = Server::new();
    let (reflecting, first) = known(&server).await;
    first.bookmark("6");
    assert_eq!(server.watch_list().await.version(), None);
    assert_eq!(resets(&reflecting).len(), 1);
    assert_eq!(reflecting.store.resource_version(), "5000");
}

#[tokio::test(start_paused = true)]
async fn a_list_with_a_lower_version_is_taken_and_told() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    server.list().await.json(&list(5000, &[cm("a", 4000)]));
    server.watch().await.fail(500, "InternalError", "etcd");
    let relist = server.list().await;
    assert_eq!(relist.version(), Some("5000"));
    relist.fail(
        504,
        "Timeout",
        "Too large resource version: 5000, current: 20",
    );
    let newest = server.list().await;
    assert_eq!(newest.version(), None);
    newest.json(&list(20, &[cm("b", 7)]));
    assert_eq!(server.watch().await.version(), Some("20"));
    assert_eq!(reflecting.names(), ["b@7"]);
    let resets = resets(&reflecting);
    assert!(
        resets.len() == 1 && resets[0].starts_with(&format!("{REPORT} 20")),
        "{resets:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_whole_watch_without_a_word_is_checked_where_no_bookmarks_come() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    server.list().await.json(&list(5000, &[]));
    for (version, next) in [(5000, Some("5000")), (20, None)] {
        let call = server.watch().await;
        assert_eq!(call.version(), Some("5000"));
        let watch = call.stream();
        tokio::time::sleep(Duration::from_secs(300)).await;
        watch.close();
        let asked = server.list().await;
        assert_eq!(asked.query("limit"), Some("1"));
        asked.json(&list(version, &[]));
        if next.is_none() {
            assert_eq!(server.list().await.version(), None);
        }
    }
    assert_eq!(resets(&reflecting).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_server_whose_versions_are_in_no_order_is_listed_once() {
    let server = Server::new();
    let (reflecting, first) = known(&server).await;
    first.added(&cm("b", 7));
    let watch = server.watch_list().await.stream();
    // The list is as new as before: the event's version proved nothing.
    watch.added(&cm("b", 7)).initial_end("5001");
    watch
        .modified(&cm("b", 3))
        .modified(&cm("b", 6000))
        .modified(&cm("b", 5));
    settle().await;
    assert!(server.is_idle().await);
    assert_eq!(reflecting.names(), ["b@5"]);
    assert_eq!(resets(&reflecting).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn versions_that_are_no_numbers_are_not_compared() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    let mut answer = list(1, &[]);
    answer["metadata"]["resourceVersion"] = "opaque-9".into();
    server.list().await.json(&answer);
    let watch = server.watch().await.stream();
    watch
        .bookmark("opaque-1")
        .bookmark("0x3")
        .modified(&cm("a", 2))
        .bookmark("opaque-2");
    settle().await;
    assert!(server.is_idle().await);
    assert!(reflecting.take_errors().is_empty());
    assert_eq!(reflecting.names(), ["a@2"]);
}

/// Returns an object of the same uid and version as [`cm`]'s, with other contents.
fn rewritten(name: &str, version: u64) -> Value {
    let mut object = cm(name, version);
    object["data"]["version"] = "another".into();
    object
}

/// Checks that after a restore the cache holds `a` as rewritten, and that handlers were told of
/// every object.
async fn check_rewritten(
    informer: &SharedInformer<ConfigMap>,
    calls: &Recorder,
    expected: &[&str],
) {
    settle().await;
    let data = |name: &str| {
        let object = informer.store().get(name).unwrap();
        object.data.as_ref().unwrap()["version"].clone()
    };
    assert_eq!(data("default/a"), "another");
    assert_eq!(calls.take_sorted(), expected);
}

#[tokio::test(start_paused = true)]
async fn after_a_restore_an_object_with_the_known_version_and_other_contents_is_taken() {
    let (server, calls) = (Server::new(), Recorder::default());
    let informer = informer(&server, Duration::ZERO);
    informer.add_event_handler(calls.clone()).unwrap();
    let known = [cm("a", 50), cm("b", 60)];
    let (_running, watch) = Running::synced(&server, &informer, &known).await;
    watch.modified(&cm("a", 110));
    settle().await;
    calls.take();
    // Another history reached version 105, then 112.
    watch.modified(&cm("b", 105));
    let relist = server.list().await;
    assert_eq!(relist.version(), None);
    relist.json(&list(112, &[rewritten("a", 110), cm("b", 105)]));
    check_rewritten(
        &informer,
        &calls,
        &["update a@110->110", "update b@60->105"],
    )
    .await;
    server.watch().await;
}

#[tokio::test(start_paused = true)]
async fn a_list_that_is_the_first_sign_of_a_restore_is_read_again_for_its_contents() {
    let (server, calls) = (Server::new(), Recorder::default());
    let informer = informer(&server, Duration::ZERO);
    informer.add_event_handler(calls.clone()).unwrap();
    let known = [cm("a", 50), cm("b", 60)];
    let (_running, watch) = Running::synced(&server, &informer, &known).await;
    watch.bookmark("200").error(410, "Expired", "too old");
    settle().await;
    calls.take();
    let restored = list(70, &[rewritten("a", 50), cm("b", 60)]);
    server.list().await.json(&restored);
    let again = server.list().await;
    assert_eq!(again.version(), None, "the newest state");
    again.json(&restored);
    check_rewritten(&informer, &calls, &["update a@50->50", "update b@60->60"]).await;
    assert_eq!(server.watch().await.version(), Some("70"));
}

#[tokio::test(start_paused = true)]
async fn a_streamed_list_that_is_the_first_sign_of_a_restore_is_streamed_again() {
    let server = Server::new();
    let (reflecting, first) = known(&server).await;
    first.error(410, "Expired", "too old");
    let watch = server.watch_list().await.stream();
    watch.added(&rewritten("a", 4000)).initial_end("4500");
    let again = server.watch_list().await;
    assert_eq!(again.version(), None, "the newest state");
    let watch = again.stream();
    watch.added(&rewritten("a", 4000)).initial_end("4500");
    settle().await;
    let object = reflecting.store.get("default/a").unwrap();
    assert_eq!(object.data.as_ref().unwrap()["version"], "another");
    assert_eq!(resets(&reflecting).len(), 1);
    assert!(server.is_idle().await);
}
