//! Hostile and heavy requests: what is rejected, and what stays bounded.

use std::time::Duration;

use embedded_apiserver::ApiServer;
use http::Method;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::support::{MAPS, ask, config_map, create_map, get, send, send_as};

#[tokio::test]
async fn a_body_over_three_mebibytes_is_refused() {
    let server = ApiServer::builder().build().unwrap();
    let mut map = config_map("a");
    map["data"] = json!({"k": "x".repeat(3 * 1024 * 1024)});
    let (code, status) = ask(&server, Method::POST, MAPS, &map).await;
    assert_eq!(
        (code, &status["reason"]),
        (413, &json!("RequestEntityTooLarge"))
    );
}

const ANYTHINGS: &str = "/apis/example.com/v1/namespaces/default/anythings";

/// A server with a kind whose spec accepts anything.
fn server_of_anything() -> ApiServer {
    let schema = json!({
        "type": "object",
        "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
    });
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "anythings.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Anything", "listKind": "AnythingList", "plural": "anythings", "singular": "anything"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    });
    let crd = serde_json::from_value(crd).unwrap();
    ApiServer::builder().crds([crd]).build().unwrap()
}

fn anything(name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": "Anything", "metadata": {"name": name}, "spec": spec,
    })
}

/// Managed fields nest deeper than the fields they describe: with them, an object with 125 levels
/// exceeds the 127 that the parser reads.
#[tokio::test]
async fn what_is_stored_can_be_read_whatever_its_depth() {
    let server = server_of_anything();
    let nested = |levels: usize| (0..levels).fold(json!({}), |below, _| json!({ "a": below }));
    let mut refused = 0;
    for levels in 115..126 {
        let name = format!("a{levels}");
        let object = anything(&name, nested(levels));
        let (code, answer) = ask(&server, Method::POST, ANYTHINGS, &object).await;
        let (found, read) = get(&server, &format!("{ANYTHINGS}/{name}")).await;
        match code {
            201 => assert_eq!((found, &read["spec"]), (200, &object["spec"]), "{levels}"),
            _ => {
                refused += 1;
                assert_eq!((code, found), (400, 404), "{levels}: {answer}");
            }
        }
    }
    assert!((1..10).contains(&refused), "{refused}");
}

/// Every three operations nest the spec one level deeper: a small patch could build an object that
/// overflows the stack.
#[tokio::test]
async fn a_patch_that_nests_too_deep_is_refused() {
    let server = server_of_anything();
    ask(&server, Method::POST, ANYTHINGS, &anything("a", json!({}))).await;
    let wrap = [
        json!({"op": "move", "from": "/spec", "path": "/before"}),
        json!({"op": "add", "path": "/spec", "value": {}}),
        json!({"op": "move", "from": "/before", "path": "/spec/a"}),
    ];
    let path = format!("{ANYTHINGS}/a");
    for (times, code) in [(20, 200), (200, 400), (3_300, 400)] {
        let patch = Value::from(vec![wrap.as_slice(); times].concat());
        let kind = "application/json-patch+json";
        let answer = send_as(&server, Method::PATCH, &path, kind, &patch).await;
        assert_eq!(answer.status().as_u16(), code, "{times}");
    }
    assert!(get(&server, &path).await.1["spec"]["a"]["a"].is_object());
}

#[tokio::test]
async fn a_long_list_streams_in_chunks_and_is_one_snapshot() {
    let server = ApiServer::builder().build().unwrap();
    for index in 0..300 {
        let mut map = config_map(&format!("m{index}"));
        map["data"] = json!({"k": "x".repeat(2000)});
        server.objects().put(&map).unwrap();
    }
    let mut body = send(&server, Method::GET, MAPS, &Value::Null)
        .await
        .into_body();
    let mut chunks = Vec::new();
    while let Some(frame) = body.frame().await {
        chunks.push(frame.unwrap().into_data().unwrap());
        // Changes during the read are not visible.
        server.objects().remove("", "configmaps", "default", "m299");
    }
    assert!(chunks.len() > 5 && chunks.iter().all(|c| c.len() < 128 * 1024));
    let list: Value = serde_json::from_slice(&chunks.concat()).unwrap();
    assert_eq!(list["items"].as_array().unwrap().len(), 300);
    assert_eq!(server.objects().list("", "configmaps", "").len(), 299);
}

#[tokio::test]
async fn a_watcher_that_cannot_keep_up_is_cut() {
    let server = ApiServer::builder().history(10).build().unwrap();
    create_map(&server, "first").await;
    let mut body = send(
        &server,
        Method::GET,
        &format!("{MAPS}?watch=1"),
        &Value::Null,
    )
    .await
    .into_body();
    let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(first.starts_with(b"{\"type\":\"ADDED\""));
    for index in 0..50 {
        create_map(&server, &format!("m{index}")).await;
    }
    let rest = body.collect().await.unwrap().to_bytes();
    let event: Value = serde_json::from_slice(&rest).unwrap();
    assert_eq!(
        (&event["type"], &event["object"]["code"]),
        (&json!("ERROR"), &json!(410))
    );
}

#[tokio::test]
async fn a_thousand_idle_watchers_do_not_hinder_writes() {
    let server = ApiServer::builder().history(100).build().unwrap();
    let mut watchers = Vec::new();
    for _ in 0..1000 {
        watchers.push(
            send(
                &server,
                Method::GET,
                &format!("{MAPS}?watch=1"),
                &Value::Null,
            )
            .await,
        );
    }
    for index in 0..300 {
        create_map(&server, &format!("m{index}")).await;
    }
    assert_eq!(server.objects().list("", "configmaps", "").len(), 300);
}

#[tokio::test(start_paused = true)]
async fn a_watch_ends_at_its_timeout_with_a_bookmark_before() {
    let server = ApiServer::builder().build().unwrap();
    create_map(&server, "a").await;
    let path = format!(
        "{MAPS}?watch=1&resourceVersion={}&allowWatchBookmarks=true&timeoutSeconds=30",
        server.resource_version()
    );
    let start = tokio::time::Instant::now();
    let body = send(&server, Method::GET, &path, &Value::Null)
        .await
        .into_body();
    let text = body.collect().await.unwrap().to_bytes();
    let event: Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(event["type"], "BOOKMARK");
    assert_eq!(
        event["object"]["metadata"]["resourceVersion"],
        server.resource_version().to_string()
    );
    assert_eq!(start.elapsed(), Duration::from_secs(30));
}

#[tokio::test]
async fn a_watch_may_ask_for_the_longest_time() {
    let server = ApiServer::builder().build().unwrap();
    create_map(&server, "a").await;
    let path = format!("{MAPS}?watch=1&timeoutSeconds={}", i64::MAX);
    let answer = send(&server, Method::GET, &path, &Value::Null).await;
    let event = answer.into_body().frame().await.unwrap().unwrap();
    let event: Value = serde_json::from_slice(event.data_ref().unwrap()).unwrap();
    assert_eq!(event["type"], "ADDED");
}

#[tokio::test(start_paused = true)]
async fn a_watch_from_the_future_gets_no_bookmark_before_it_is_reached() {
    let server = ApiServer::builder().build().unwrap();
    create_map(&server, "a").await;
    for (ahead, bookmarks) in [(0, 2), (1_000, 0)] {
        let path = format!(
            "{MAPS}?watch=1&resourceVersion={}&allowWatchBookmarks=true&timeoutSeconds=100",
            server.resource_version() + ahead
        );
        let answer = send(&server, Method::GET, &path, &Value::Null).await;
        let text = answer.into_body().collect().await.unwrap().to_bytes();
        let lines = text.split(|byte| *byte == b'\n');
        assert_eq!(lines.filter(|line| !line.is_empty()).count(), bookmarks);
    }
}

#[tokio::test]
async fn an_expired_continue_token_offers_one_that_goes_on() {
    let server = ApiServer::builder().history(5).build().unwrap();
    for name in ["a", "b", "c"] {
        create_map(&server, name).await;
    }
    let (_, page) = get(&server, &format!("{MAPS}?limit=1")).await;
    let token = page["metadata"]["continue"].as_str().unwrap().to_owned();
    for index in 0..10 {
        create_map(&server, &format!("m{index}")).await;
    }
    let (code, status) = get(&server, &format!("{MAPS}?limit=1&continue={token}")).await;
    assert_eq!((code, &status["reason"]), (410, &json!("Expired")));
    let token = status["metadata"]["continue"].as_str().unwrap();
    let (code, page) = get(&server, &format!("{MAPS}?limit=1&continue={token}")).await;
    assert_eq!(
        (code, &page["items"][0]["metadata"]["name"]),
        (200, &json!("b"))
    );
}

/// Returns the peak resident memory of the process, in bytes.
fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    line.trim()
        .trim_end_matches(" kB")
        .parse::<usize>()
        .unwrap()
        * 1024
}

/// Ignored because it takes a minute without optimisation and must run alone: the peak is that of
/// the whole process, including other tests. `hack/bench/apiserver.sh` runs it, optimised.
#[tokio::test]
#[ignore = "takes long, and measures the whole process"]
async fn one_hundred_thousand_objects_of_two_kilobytes_fit_in_a_gibibyte() {
    let server = ApiServer::builder().build().unwrap();
    for index in 0..100_000 {
        let mut map = config_map(&format!("m{index}"));
        map["data"] = json!({"k": "x".repeat(2000)});
        server.objects().put(&map).unwrap();
    }
    let mut body = send(&server, Method::GET, MAPS, &Value::Null)
        .await
        .into_body();
    let mut bytes = 0;
    while let Some(frame) = body.frame().await {
        bytes += frame.unwrap().into_data().unwrap().len();
    }
    assert!(bytes > 200_000_000);
    let peak = peak_memory();
    assert!(peak < 1024 * 1024 * 1024, "{peak}");
    println!(
        "100,000 objects, {bytes} bytes listed, peak {} MiB",
        peak / 1024 / 1024
    );
}
