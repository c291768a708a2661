//! Objects being received: managedFields, transforms, kinds, and undecodable objects.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use codegen_runtime::reflector::{ApiSource, ApiSourceOptions, Reflector, ReflectorOptions};
use codegen_runtime::store::Store;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ApiResource, DynamicObject, PartialObjectMeta};
use kube::core::GroupVersionKind;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::support::objects::{cm, list};
use super::support::recorder::Reflecting;
use super::support::stores;
use super::support::{Server, settle, status};

fn with_managed_fields(mut object: Value) -> Value {
    object["metadata"]["managedFields"] =
        json!([{"manager": "kubectl", "operation": "Update", "fieldsV1": {"f:data": {}}}]);
    object
}

fn bad(name: &str, version: u64) -> Value {
    let mut object = cm(name, version);
    object["data"] = json!("not a map");
    object
}

#[tokio::test(start_paused = true)]
async fn managed_fields_are_dropped_from_lists_and_watches() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    server
        .list()
        .await
        .json(&list(10, &[with_managed_fields(cm("a", 1))]));
    let watch = server.watch().await.stream();
    watch.added(&with_managed_fields(cm("b", 11)));
    settle().await;
    assert_eq!(reflecting.names(), ["a@1", "b@11"]);
    for object in reflecting.store.list() {
        assert_eq!(object.metadata.managed_fields, None);
        assert!(object.metadata.labels.is_some(), "everything else stays");
    }
}

#[tokio::test(start_paused = true)]
async fn managed_fields_are_kept_if_asked_for() {
    let server = Server::new();
    let options = ApiSourceOptions::default().keep_managed_fields();
    let source = ApiSource::<ConfigMap>::new(server.client(), &(), None, options);
    let (store, stop) = run(source);
    server
        .watch_list()
        .await
        .stream()
        .added(&with_managed_fields(cm("a", 1)))
        .initial_end("1");
    settle().await;
    assert_eq!(
        store.list()[0]
            .metadata
            .managed_fields
            .as_ref()
            .map(Vec::len),
        Some(1)
    );
    stop.cancel();
}

fn run<K: codegen_runtime::object::Cacheable + serde::Serialize>(
    source: ApiSource<K>,
) -> (Store<K>, CancellationToken) {
    let store = stores::new();
    let stop = CancellationToken::new();
    let (sink, token) = (Arc::new(store.clone()), stop.clone());
    tokio::spawn(async move {
        let mut reflector =
            Reflector::new(Arc::new(source), sink, "test", ReflectorOptions::default());
        reflector.run(&token).await;
    });
    (store, stop)
}

#[tokio::test(start_paused = true)]
async fn selectors_go_with_every_list_and_watch() {
    let server = Server::new();
    let options = ApiSourceOptions::default()
        .label_selector("app in (a,b)")
        .field_selector("metadata.name=x");
    let source = ApiSource::<ConfigMap>::new(server.client(), &(), Some("prod"), options);
    let (_store, stop) = run(source);
    let call = server.watch_list().await;
    assert_eq!(call.query("labelSelector"), Some("app in (a,b)"));
    assert_eq!(call.path, "/api/v1/namespaces/prod/configmaps");
    call.fail(
        422,
        "Invalid",
        "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
    );
    let call = server.list().await;
    assert_eq!(call.query("fieldSelector"), Some("metadata.name=x"));
    call.json(&list(1, &[]));
    let call = server.watch().await;
    assert_eq!(
        (call.query("labelSelector"), call.query("fieldSelector")),
        (Some("app in (a,b)"), Some("metadata.name=x"))
    );
    stop.cancel();
}

#[tokio::test(start_paused = true)]
async fn an_object_that_does_not_decode_is_reported_and_skipped_in_a_list() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    server
        .list()
        .await
        .json(&list(10, &[cm("a", 1), bad("b", 2), cm("c", 3)]));
    server.watch().await;
    assert_eq!(reflecting.names(), ["a@1", "c@3"]);
    let errors = reflecting.take_errors();
    assert_eq!(errors.len(), 1);
    assert!(errors[0].contains("default/b"), "{errors:?}");
}

#[tokio::test(start_paused = true)]
async fn a_known_object_that_no_longer_decodes_keeps_its_last_good_state_across_a_relist() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    server
        .list()
        .await
        .json(&list(10, &[cm("a", 1), cm("b", 2)]));
    server.watch().await.fail(410, "Expired", "too old");
    server.list().await.json(&list(20, &[bad("a", 15)]));
    server.watch().await;
    assert_eq!(reflecting.names(), ["a@1"], "b is gone, a is not");
}

#[tokio::test(start_paused = true)]
async fn a_known_object_whose_metadata_does_not_decode_keeps_its_last_good_state_across_a_relist() {
    let faults: [fn(&mut Value); 5] = [
        |object| object["metadata"]["labels"] = json!("not a map"),
        |object| object["metadata"]["creationTimestamp"] = json!("yesterday"),
        |object| object["metadata"]["resourceVersion"] = json!(15),
        |object| object["metadata"]["finalizers"] = json!({}),
        // Deeper than any decoder goes.
        |object| {
            let deep = (0..200).fold(json!("x"), |inner, _| json!([inner]));
            object["metadata"]["annotations"] = deep;
        },
    ];
    for fault in faults {
        let server = Server::new();
        let reflecting = Reflecting::start(&server);
        server
            .list()
            .await
            .json(&list(10, &[cm("a", 1), cm("b", 2)]));
        server.watch().await.fail(410, "Expired", "too old");
        let mut faulty = cm("a", 15);
        fault(&mut faulty);
        server.list().await.json(&list(20, &[faulty]));
        let watch = server.watch().await.stream();
        assert_eq!(reflecting.names(), ["a@1"], "b is gone, a is not");
        let errors = reflecting.take_errors();
        assert!(errors[1].contains("default/a"), "{errors:?}");
        let mut gone = cm("a", 21);
        fault(&mut gone);
        watch.deleted(&gone);
        settle().await;
        assert!(reflecting.names().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_that_does_not_decode_is_reported_and_skipped_in_a_watch_and_its_version_counts()
{
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    server.list().await.json(&list(10, &[cm("a", 1)]));
    let watch = server.watch().await.stream();
    watch.added(&bad("b", 11)).modified(&bad("a", 12));
    settle().await;
    assert_eq!(reflecting.names(), ["a@1"]);
    assert_eq!(reflecting.take_errors().len(), 2);
    watch.close();
    assert_eq!(server.watch().await.version(), Some("12"));
}

/// Such a line may hide the last change of an object: only a list shows it.
#[tokio::test(start_paused = true)]
async fn a_line_that_is_no_event_ends_the_watch_and_relists() {
    for line in [
        r#"{"type":"MODIFIED","object":"#,
        r#"{"type":"MODIFIED","object":{"metadata":{"name":"a","resourceVersion":"12"}} x}"#,
        r#"{"type":"ERROR","object":null}"#,
        r#"{"error":"bad gateway"}"#,
        "<html>bad gateway</html>",
    ] {
        let server = Server::new();
        let reflecting = Reflecting::start(&server);
        server.list().await.json(&list(10, &[cm("a", 1)]));
        let watch = server.watch().await.stream();
        watch.added(&cm("b", 11)).raw(&format!("{line}\n"));
        settle().await;
        assert_eq!(reflecting.names(), ["a@1", "b@11"], "{line}");
        let relist = server.list().await;
        assert_eq!(relist.version(), Some("11"), "{line}");
        relist.json(&list(12, &[cm("a", 12), cm("b", 11)]));
        assert_eq!(server.watch().await.version(), Some("12"), "{line}");
        assert_eq!(reflecting.names(), ["a@12", "b@11"], "{line}");
        assert_eq!(reflecting.take_errors().len(), 1, "{line}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_status_in_place_of_an_event_is_the_error_of_the_watch() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    server.list().await.json(&list(10, &[cm("a", 1)]));
    server
        .watch()
        .await
        .json(&status(410, "Expired", "too old resource version"));
    let relist = server.list().await;
    assert_eq!(relist.version(), None, "the newest state");
    assert!(reflecting.take_errors()[0].contains("too old resource version"));
}

/// JSON from elsewhere with status 200, and items that a fault has garbled, must not empty the
/// cache.
#[tokio::test(start_paused = true)]
async fn an_answer_that_is_no_list_leaves_the_cache_as_it_is() {
    let garbled = list(20, &[cm("a", 1), cm("b", 2)]).to_string();
    let garbled = garbled.replace(r#""name":"b""#, r#""name":b"#);
    for (body, expected) in [
        ("{}", "JSON without a kind"),
        (r#"{"error":"bad gateway"}"#, "JSON without a kind"),
        (&garbled, "expected value"),
    ] {
        let server = Server::new();
        let reflecting = Reflecting::start(&server);
        let objects = [cm("a", 1), cm("b", 2)];
        server.list().await.json(&list(10, &objects));
        server.watch().await.fail(410, "Expired", "too old");
        reflecting.take_errors();
        server.list().await.text(body);
        let again = server.list().await;
        assert_eq!(reflecting.names(), ["a@1", "b@2"], "{body}");
        let errors = reflecting.take_errors();
        assert!(
            errors.iter().any(|error| error.contains(expected)),
            "{errors:?}"
        );
        drop(again);
    }
}

#[tokio::test(start_paused = true)]
async fn the_deletion_of_an_object_that_does_not_decode_still_counts() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    server.list().await.json(&list(10, &[cm("a", 1)]));
    server.watch().await.stream().deleted(&bad("a", 12));
    settle().await;
    assert!(reflecting.names().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_object_of_another_kind_is_reported_and_skipped() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    let mut secret = cm("s", 2);
    secret["kind"] = json!("Secret");
    let mut other_group = cm("g", 3);
    other_group["apiVersion"] = json!("example.com/v1");
    server
        .list()
        .await
        .json(&list(10, &[cm("a", 1), secret.clone()]));
    server
        .watch()
        .await
        .stream()
        .added(&secret)
        .added(&other_group);
    settle().await;
    assert_eq!(reflecting.names(), ["a@1"]);
    let errors = reflecting.take_errors();
    assert_eq!(errors.len(), 3);
    assert!(
        errors[0].contains("kind is \"Secret\", expected ConfigMap of v1"),
        "{errors:?}"
    );
    assert!(
        errors[2].contains("apiVersion is \"example.com/v1\""),
        "{errors:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn items_of_a_list_need_not_say_their_kind() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    let mut item = cm("a", 1);
    item.as_object_mut().unwrap().remove("kind");
    item.as_object_mut().unwrap().remove("apiVersion");
    server.list().await.json(&list(10, &[item]));
    server.watch().await;
    assert_eq!(reflecting.names(), ["a@1"]);
}

#[tokio::test(start_paused = true)]
async fn table_objects_are_rejected() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    let table = json!({"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {"resourceVersion": "5"}, "rows": []});
    server.list().await.json(&table);
    server.list().await.json(&list(10, &[]));
    let errors = reflecting.take_errors();
    assert!(errors[0].contains("Table"), "{errors:?}");
    server.watch().await.stream().added(&table);
    settle().await;
    assert!(reflecting.names().is_empty());
    assert_eq!(reflecting.take_errors().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_transform_runs_once_on_every_object_of_list_and_watch() {
    let server = Server::new();
    let runs = Arc::new(AtomicUsize::new(0));
    let counter = runs.clone();
    let reflecting = Reflecting::start_with(&server, move |options| {
        options.watch_list = false;
        options.transform = Some(Arc::new(move |object: &mut ConfigMap| {
            counter.fetch_add(1, Ordering::Relaxed);
            object.data = None;
        }));
    });
    server.list().await.json(&list(10, &[cm("a", 1)]));
    server
        .watch()
        .await
        .stream()
        .added(&cm("b", 11))
        .modified(&cm("b", 12))
        .deleted(&cm("a", 13));
    settle().await;
    assert_eq!(reflecting.names(), ["b@12"]);
    assert!(
        reflecting
            .store
            .list()
            .iter()
            .all(|object| object.data.is_none())
    );
    assert_eq!(runs.load(Ordering::Relaxed), 4);
}

#[tokio::test(start_paused = true)]
async fn a_transform_that_panics_skips_its_object_and_nothing_else() {
    let server = Server::new();
    let reflecting = Reflecting::start_with(&server, |options| {
        options.watch_list = false;
        options.transform = Some(Arc::new(|object: &mut ConfigMap| {
            assert!(object.metadata.name.as_deref() != Some("bad"), "a bug");
        }));
    });
    server
        .list()
        .await
        .json(&list(10, &[cm("a", 1), cm("bad", 2), cm("c", 3)]));
    server.watch().await;
    assert_eq!(reflecting.names(), ["a@1", "c@3"]);
    assert!(reflecting.take_errors()[0].contains("the transform panicked"));
}

#[tokio::test(start_paused = true)]
async fn a_relist_keeps_the_arc_of_an_unchanged_object() {
    let server = Server::new();
    let reflecting = Reflecting::start(&server);
    server
        .list()
        .await
        .json(&list(10, &[cm("a", 1), cm("b", 2)]));
    server.watch().await.fail(410, "Expired", "too old");
    let before = reflecting.store.get("default/a").unwrap();
    server
        .list()
        .await
        .json(&list(20, &[cm("a", 1), cm("b", 15)]));
    server.watch().await;
    assert!(Arc::ptr_eq(
        &before,
        &reflecting.store.get("default/a").unwrap()
    ));
    assert_eq!(reflecting.names(), ["a@1", "b@15"]);
}

#[tokio::test(start_paused = true)]
async fn a_metadata_only_source_asks_for_partial_object_metadata() {
    let server = Server::new();
    let source = ApiSource::<PartialObjectMeta<ConfigMap>>::new(
        server.client(),
        &(),
        None,
        ApiSourceOptions::default(),
    );
    let (store, stop) = run(source);
    let call = server.watch_list().await;
    assert_eq!(
        call.accept,
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
    );
    call.fail(422, "Invalid", "no");
    let call = server.list().await;
    assert_eq!(
        call.accept,
        "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
    );
    let mut item = with_managed_fields(cm("a", 1));
    item["kind"] = json!("PartialObjectMetadata");
    item["apiVersion"] = json!("meta.k8s.io/v1");
    item.as_object_mut().unwrap().remove("data");
    let mut answer = list(10, &[item]);
    answer["kind"] = json!("PartialObjectMetadataList");
    call.json(&answer);
    server.watch().await;
    let held = store.get("default/a").unwrap();
    assert_eq!(held.metadata.managed_fields, None);
    stop.cancel();
}

#[tokio::test(start_paused = true)]
async fn a_dynamic_source_serves_kinds_known_at_run_time() {
    let server = Server::new();
    let resource = ApiResource::from_gvk_with_plural(
        &GroupVersionKind::gvk("example.com", "v1", "Widget"),
        "widgets",
    );
    let source = ApiSource::<DynamicObject>::new(
        server.client(),
        &resource,
        None,
        ApiSourceOptions::default(),
    );
    let (store, stop) = run(source);
    let call = server.watch_list().await;
    assert_eq!(call.path, "/apis/example.com/v1/widgets");
    let widget = json!({
        "apiVersion": "example.com/v1", "kind": "Widget", "spec": {"size": 3},
        "metadata": {"name": "w", "resourceVersion": "4", "managedFields": []},
    });
    call.stream().added(&widget).initial_end("4");
    settle().await;
    let held = store.get("w").unwrap();
    assert_eq!(
        (
            held.data["spec"]["size"].as_u64(),
            held.metadata.managed_fields.is_none()
        ),
        (Some(3), true)
    );
    stop.cancel();
}
