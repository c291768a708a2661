//! One request per call, whatever the underlying client.

use std::sync::{Arc, Mutex};

use codegen_runtime::client::{TypedClient, single_attempts};
use codegen_runtime::informer::SharedInformerFactory;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Error;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchParams};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::transport::http_server::{HttpServer, Seen, cm, fail, list, ok, stream};
use crate::transport::within;

/// The answers for which kube's retry layer repeats requests.
const RETRIED: [(u16, &str); 3] = [
    (429, "TooManyRequests"),
    (503, "ServiceUnavailable"),
    (504, "Timeout"),
];

fn map() -> ConfigMap {
    serde_json::from_value(cm("a", 1)).unwrap()
}

fn code<T>(result: Result<T, Error>) -> u16 {
    match result {
        Err(Error::Api(status)) => status.code,
        Err(other) => panic!("not the server's answer: {other}"),
        Ok(_) => panic!("the server refuses everything"),
    }
}

#[tokio::test]
async fn every_verb_sends_one_request_on_429_503_and_504() {
    for (refused, reason) in RETRIED {
        let server = HttpServer::start(move |_| fail(refused, reason, "not now")).await;
        let maps = TypedClient::<ConfigMap>::namespaced(server.kube_client(), "default");
        let (post, merge) = (PostParams::default(), Patch::Merge(json!({"data": null})));
        let (delete, patch) = (DeleteParams::default(), PatchParams::default());
        let (all, watch) = (ListParams::default(), WatchParams::default());
        let scale = maps.get_scale("a");
        let codes = within(async {
            [
                ("POST", code(maps.create(&map(), &post).await)),
                ("PUT", code(maps.update(&map(), &post).await)),
                ("PUT", code(maps.update_status(&map(), &post).await)),
                ("GET", code(maps.get("a").await)),
                ("GET", code(maps.get_opt("a").await)),
                ("GET", code(maps.list(&all).await)),
                ("GET", code(maps.watch(&watch, "0").await.map(drop))),
                ("GET", code(scale.await)),
                ("DELETE", code(maps.delete("a", &delete).await)),
                ("DELETE", code(maps.delete_collection(&delete, &all).await)),
                ("PATCH", code(maps.patch("a", &patch, &merge).await)),
                ("PATCH", code(maps.patch_status("a", &patch, &merge).await)),
            ]
        })
        .await;
        let seen: Vec<String> = server.seen().into_iter().map(|seen| seen.method).collect();
        assert_eq!(seen, codes.map(|(method, _)| method), "for {refused}");
        assert_eq!(codes.map(|(_, code)| code), [refused; 12]);
    }
}

#[tokio::test]
async fn an_api_over_single_attempts_sends_one_request_too() {
    let server = HttpServer::start(|_| fail(429, "TooManyRequests", "not now")).await;
    let client = single_attempts(&server.kube_client());
    let maps = Api::<ConfigMap>::namespaced(client, "default");
    let post = PostParams::default();
    assert_eq!(code(within(maps.create(&post, &map())).await), 429);
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_body_arrives_whole_with_its_length() {
    let server = HttpServer::start(|_| ok(&cm("a", 2))).await;
    let maps = TypedClient::<ConfigMap>::namespaced(server.kube_client(), "default");
    let stored = within(maps.create(&map(), &PostParams::default())).await;
    assert_eq!(stored.unwrap().metadata.resource_version.unwrap(), "2");
    within(maps.get("a")).await.unwrap();
    let seen = server.seen();
    let expected = serde_json::to_vec(&map()).unwrap().len().to_string();
    assert_eq!(seen[0].headers["content-length"], expected.as_str());
    assert!(!seen[0].headers.contains_key("transfer-encoding"));
    assert!(!seen[1].headers.contains_key("transfer-encoding"));
}

/// Starts an informer of ConfigMaps over `server`; returns the errors that its reflector reports.
fn informer(server: &HttpServer) -> (SharedInformerFactory, Arc<Mutex<Vec<String>>>) {
    let factory = SharedInformerFactory::builder(server.kube_client()).build();
    let errors = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&errors);
    let report = move |error: &codegen_runtime::reflector::ReflectorError| {
        log.lock().unwrap().push(error.to_string());
    };
    let informer = factory.informer_for::<ConfigMap>();
    informer.set_watch_error_handler(report).unwrap();
    factory.start(&CancellationToken::new());
    (factory, errors)
}

#[tokio::test]
async fn too_large_a_resource_version_relists_at_once() {
    let watches = Mutex::new(Vec::new());
    let server = HttpServer::start(move |seen: Seen| {
        if seen.is_streamed_list() {
            return fail(422, "Invalid", "sendInitialEvents is forbidden");
        }
        if !seen.is_watch() {
            return ok(&list(10, &[cm("a", 1)]));
        }
        let mut watches = watches.lock().unwrap();
        if watches.is_empty() {
            watches.push(stream().1);
            return fail(504, "Timeout", "Too large resource version: 10, current: 9");
        }
        let (answer, watch) = stream();
        watches.push(watch);
        answer
    })
    .await;
    let (factory, errors) = informer(&server);
    let seen = server.wait_for(5).await;
    let asked: Vec<(bool, Option<&str>)> = seen
        .iter()
        .skip(1)
        .map(|seen| (seen.is_watch(), seen.version()))
        .collect();
    // The list, the watch that is refused, the list for the newest state, and the watch after it.
    assert_eq!(
        asked,
        [
            (false, Some("0")),
            (true, Some("10")),
            (false, None),
            (true, Some("10"))
        ]
    );
    assert!(
        errors
            .lock()
            .unwrap()
            .iter()
            .any(|error| error.contains("Too large resource version")),
        "{errors:?}"
    );
    factory.shutdown().await;
}

#[tokio::test]
async fn a_503_for_a_list_is_reported_and_counted() {
    let server = HttpServer::start(|_| fail(503, "ServiceUnavailable", "starting")).await;
    let (factory, errors) = informer(&server);
    // The streamed list, the list after it, and both again after a back-off.
    server.wait_for(4).await;
    let errors = errors.lock().unwrap().clone();
    assert!(errors.len() >= 2, "{errors:?}");
    assert!(
        errors
            .iter()
            .any(|error| error.starts_with("failed to list configmaps"))
    );
    assert!(factory.stats()[0].reflector.errors >= 2);
    factory.shutdown().await;
}
