//! A reflector's requests, and its handling of the answers: versions, bookmarks, ends of watches
//! and 410s.

use std::sync::Arc;

use codegen_runtime::reflector::{
    ApiSource, ApiSourceOptions, ListRequest, ListWatch, Listed, ReflectorOptions, WatchItem,
    WatchRequest,
};
use futures::StreamExt;
use k8s_openapi::api::core::v1::Secret;
use kube::Client;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind};
use serde_json::json;

use super::common::{Running, Secrets, Spy, Told, until, version};
use crate::harness::cases;
use crate::support::{Collection, namespace, things};

cases![
    a_watch_that_ends_goes_on_where_it_ended,
    an_expired_version_is_listed_anew,
    an_expired_version_is_listed_anew_without_streams,
    an_expired_version_is_listed_anew_in_pages,
    a_bookmark_ends_the_initial_events,
    a_bookmark_moves_the_version_without_a_change,
    a_watch_from_an_expired_version_is_an_error_of_410,
    a_token_of_another_list_is_refused,
    pages_hold_one_state,
];

fn source(client: &Client, namespace: &str) -> ApiSource<Secret> {
    ApiSource::new(
        client.clone(),
        &(),
        Some(namespace),
        ApiSourceOptions::default(),
    )
}

fn watch_from(version: &str, seconds: u32, send_initial_events: bool) -> WatchRequest {
    WatchRequest {
        resource_version: version.to_owned(),
        timeout_seconds: seconds,
        send_initial_events,
        ..WatchRequest::default()
    }
}

async fn a_watch_that_ends_goes_on_where_it_ended(client: Client) {
    let namespace = namespace(&client).await;
    let secrets = Secrets::new(&client, &namespace);
    let spy: Spy<Secret> = Spy::new(&client, &(), &namespace, ApiSourceOptions::default());
    let spy = Arc::new(spy.tweak(|_, request| request.timeout_seconds = 1));
    let told = Told::default();
    let running = Running::start(spy.clone(), &(), ReflectorOptions::default(), &told);
    running.synced().await;
    let mut expected = Vec::new();
    let mut n = 0;
    while spy.log().len() < 4 {
        let name = format!("s{n:02}");
        secrets.create(&name, &[]).await;
        expected.push(format!("+{name}"));
        n += 1;
        tokio::time::sleep(super::common::ms(200)).await;
        assert!(n < 100, "watches do not end: {:?}", spy.log());
    }
    until("all is told", || told.all().len() == expected.len()).await;
    assert_eq!(told.all(), expected, "each once, in order");
    let log = spy.log();
    assert_eq!(log[0], "watch \"\" streamed");
    assert!(
        log[1..].iter().all(|entry| entry == "watch \"N\""),
        "{log:?}"
    );
}

/// Creates objects of a CRD that is newer than the server: version 1 precedes all versions that the
/// server has stored of them.
async fn young_things(client: &Client) -> (Collection, ApiResource) {
    let things = things(client, json!({})).await;
    let (group, version) = things.api_version.split_once('/').unwrap();
    let kind = GroupVersionKind::gvk(group, version, &things.kind);
    let resource = ApiResource::from_gvk_with_plural(&kind, "things");
    (things, resource)
}

async fn miss_changes(client: Client, options: ReflectorOptions<DynamicObject>) -> Vec<String> {
    let (things, resource) = young_things(&client).await;
    things.given("changed", json!({})).await;
    things.given("deleted", json!({})).await;
    let namespace = things.namespace.clone().unwrap();
    let spy: Spy<DynamicObject> =
        Spy::new(&client, &resource, &namespace, ApiSourceOptions::default());
    let first_watch = usize::from(options.watch_list);
    let spy = spy.closed().tweak(move |nth, request| match nth {
        // A streamed list ends soon after its bookmark.
        0 if request.send_initial_events => request.timeout_seconds = 1,
        nth if nth == first_watch => request.resource_version = "1".to_owned(),
        _ => {}
    });
    let spy = Arc::new(spy);
    let told = Told::default();
    let running = Running::start(spy.clone(), &resource, options, &told);
    running.synced().await;
    let waiting = || spy.log().last().unwrap() == "watch \"N\"";
    until("the watch waits at the gate", waiting).await;
    things.delete("deleted").await.is(200);
    things
        .merge("changed", json!({"metadata": {"labels": {"a": "b"}}}))
        .await
        .is(200);
    things.given("made", json!({})).await;
    spy.open();
    until("the list is read anew", || told.all().len() == 5).await;
    assert_eq!(
        told.sorted(),
        ["*changed", "*deleted", "+made", "?deleted", "~changed"]
    );
    things.given("later", json!({})).await;
    until("the watch goes on", || told.all().len() == 6).await;
    assert_eq!(running.names(), ["changed", "later", "made"]);
    spy.log()
}

async fn an_expired_version_is_listed_anew(client: Client) {
    let log = miss_changes(client, ReflectorOptions::default()).await;
    assert_eq!(
        log,
        ["watch \"\" streamed", "watch \"N\"", "watch \"\" streamed"]
    );
}

async fn an_expired_version_is_listed_anew_without_streams(client: Client) {
    let mut options = ReflectorOptions::default();
    options.watch_list = false;
    let log = miss_changes(client, options).await;
    assert_eq!(
        log,
        [
            "list \"0\" limit 500",
            "watch \"N\"",
            "list \"\" limit 500",
            "watch \"N\""
        ]
    );
}

async fn an_expired_version_is_listed_anew_in_pages(client: Client) {
    let mut options = ReflectorOptions::default();
    options.watch_list = false;
    options.page_size = Some(1);
    let log = miss_changes(client, options).await;
    assert_eq!(
        log,
        [
            "list \"0\" limit 1",
            "watch \"N\"",
            "list \"\" limit 1",
            "list \"\" limit 1 continued",
            "watch \"N\""
        ]
    );
}

async fn a_bookmark_ends_the_initial_events(client: Client) {
    let namespace = namespace(&client).await;
    let secrets = Secrets::new(&client, &namespace);
    let newest = version(&secrets.create("a", &[]).await);
    let source = source(&client, &namespace);
    let mut stream = source.watch(watch_from("", 20, true)).await.unwrap();
    let mut names = Vec::new();
    while let Some(items) = stream.next().await {
        for item in items.unwrap() {
            match item {
                WatchItem::Added(secret) => names.extend(secret.metadata.name),
                WatchItem::Bookmark {
                    resource_version,
                    initial_events_end,
                } => {
                    assert!(initial_events_end);
                    assert!(resource_version.parse::<u64>().unwrap() >= newest);
                    return assert_eq!(names, ["a"]);
                }
                other => panic!("{other:?}"),
            }
        }
    }
    panic!("no bookmark");
}

async fn a_bookmark_moves_the_version_without_a_change(client: Client) {
    let (here, there) = (namespace(&client).await, namespace(&client).await);
    let spy: Spy<Secret> = Spy::new(&client, &(), &here, ApiSourceOptions::default());
    let spy = Arc::new(spy.tweak(|_, request| request.timeout_seconds = 3));
    let told = Told::default();
    let running = Running::start(spy.clone(), &(), ReflectorOptions::default(), &told);
    running.synced().await;
    let elsewhere = version(&Secrets::new(&client, &there).create("other", &[]).await);
    until("a bookmark has a later version", || {
        let version = running.informer.last_sync_resource_version();
        version
            .parse::<u64>()
            .is_ok_and(|version| version >= elsewhere)
    })
    .await;
    assert!(told.all().is_empty() && running.names().is_empty());
    assert!(
        !spy.log()[1..]
            .iter()
            .any(|entry| entry.contains("streamed")),
        "{:?}",
        spy.log()
    );
}

async fn a_watch_from_an_expired_version_is_an_error_of_410(client: Client) {
    let (things, resource) = young_things(&client).await;
    let source = ApiSource::<DynamicObject>::new(
        client,
        &resource,
        things.namespace.as_deref(),
        ApiSourceOptions::default(),
    );
    let mut stream = source.watch(watch_from("1", 20, false)).await.unwrap();
    match stream.next().await {
        Some(Err(kube::Error::Api(status))) => {
            assert_eq!((status.code, status.reason.as_str()), (410, "Expired"));
        }
        other => panic!("{other:?}"),
    }
    assert!(stream.next().await.is_none(), "the stream ends");
}

async fn a_token_of_another_list_is_refused(client: Client) {
    let namespace = namespace(&client).await;
    let request = ListRequest {
        continue_token: Some("no token".to_owned()),
        limit: Some(1),
        ..ListRequest::default()
    };
    let error = source(&client, &namespace)
        .list(request, &mut |_| {})
        .await
        .unwrap_err();
    match error {
        kube::Error::Api(status) => assert_eq!(status.code, 400, "{status:?}"),
        other => panic!("{other}"),
    }
}

async fn pages_hold_one_state(client: Client) {
    let namespace = namespace(&client).await;
    let secrets = Secrets::new(&client, &namespace);
    for name in ["a", "b", "c"] {
        secrets.create(name, &[]).await;
    }
    let source = source(&client, &namespace);
    let mut names = Vec::new();
    let mut each = |item: Listed<Secret>| match item {
        Listed::Object(secret) => names.extend(secret.metadata.name),
        Listed::Undecodable(object) => panic!("{object:?}"),
    };
    let mut request = ListRequest {
        limit: Some(2),
        ..ListRequest::default()
    };
    let first = source.list(request.clone(), &mut each).await.unwrap();
    secrets.create("d", &[]).await;
    secrets.delete("c").await;
    request.continue_token = first.continue_token;
    assert!(request.continue_token.is_some());
    let second = source.list(request, &mut each).await.unwrap();
    assert_eq!(second.continue_token, None);
    assert_eq!(second.resource_version, first.resource_version);
    assert_eq!(names, ["a", "b", "c"]);
}
