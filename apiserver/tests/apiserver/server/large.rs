//! Small requests that would cause large work, and what etcd's limits refuse.

use embedded_apiserver::ApiServer;
use http::Method;
use serde_json::{Value, json};

use super::webhooks::definition;
use crate::support::{MAPS, ask, config_map, get, send_as};

const THINGS: &str = "/apis/example.com/v2/things";

/// A server with a kind that has this schema.
fn with_schema(schema: Value) -> ApiServer {
    let mut crd = definition(["v1", "v2"]);
    crd["spec"]["conversion"] = json!({"strategy": "None"});
    crd["spec"]["versions"][1]["schema"]["openAPIV3Schema"] = schema;
    ApiServer::builder().crd_values([crd]).build().unwrap()
}

fn thing(fields: Value) -> Value {
    let mut thing =
        json!({"apiVersion": "example.com/v2", "kind": "Thing", "metadata": {"name": "a"}});
    for (name, value) in fields.as_object().unwrap() {
        thing[name] = value.clone();
    }
    thing
}

#[tokio::test]
async fn what_etcd_would_refuse_is_refused_with_its_message() {
    let free = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let server = with_schema(free);
    let sized = |bytes: usize| thing(json!({"s": "x".repeat(bytes)}));
    let (code, _) = ask(&server, Method::POST, THINGS, &sized(1_500_000)).await;
    assert_eq!(code, 201);
    let path = format!("{THINGS}/a");
    let refused = "etcdserver: request is too large";
    let read = get(&server, &path).await.1;
    let updated = |bytes: usize| {
        let mut update = sized(bytes);
        update["metadata"] = read["metadata"].clone();
        update
    };
    let (code, status) = ask(&server, Method::PUT, &path, &updated(1_600_000)).await;
    assert_eq!((code, &status["message"]), (500, &json!(refused)));
    assert_eq!(status.get("reason"), None);
    let mut other = sized(1_600_000);
    other["metadata"]["name"] = json!("b");
    let (code, status) = ask(&server, Method::POST, THINGS, &other).await;
    assert_eq!((code, &status["message"]), (500, &json!(refused)));
    let (code, status) = ask(&server, Method::PUT, &path, &updated(2_500_000)).await;
    let message = status["message"].as_str().unwrap();
    assert_eq!(code, 500);
    assert!(
        message.starts_with(
            "rpc error: code = ResourceExhausted desc = trying to send message larger than max ("
        ),
        "{message}"
    );
    // An object that a patch would make too large.
    let patch = json!({"t": "y".repeat(100_000)});
    let answer = send_as(
        &server,
        Method::PATCH,
        &path,
        "application/merge-patch+json",
        &patch,
    );
    assert_eq!(answer.await.status(), 500);
}

#[tokio::test]
async fn defaults_that_make_an_object_too_large_are_not_filled_in() {
    let item = json!({"type": "object", "properties": {"d": {"type": "string", "default": "x".repeat(100_000)}}});
    let server = with_schema(
        json!({"type": "object", "properties": {"l": {"type": "array", "items": item}}}),
    );
    let items = |count: usize| thing(json!({"l": vec![json!({}); count]}));
    for query in ["", "?dryRun=All"] {
        let path = format!("{THINGS}{query}");
        let (code, status) = ask(&server, Method::POST, &path, &items(20_000)).await;
        assert_eq!(code, 500, "{status}");
        let message = status["message"].as_str().unwrap();
        assert!(message.contains("larger than max"), "{message}");
    }
    let (code, small) = ask(&server, Method::POST, THINGS, &items(2)).await;
    assert_eq!(code, 201);
    assert_eq!(small["l"][1]["d"].as_str().unwrap().len(), 100_000);
}

#[tokio::test]
async fn long_values_are_shortened_in_errors_and_many_errors_are_counted() {
    let rules: Vec<Value> = (0..200)
        .map(|number| json!({"pattern": format!("^never{number}$")}))
        .collect();
    let text = json!({"type": "string", "allOf": rules});
    let list = json!({"type": "array", "items": {"type": "string", "pattern": "^never$"}});
    let server = with_schema(json!({"type": "object", "properties": {"s": text, "l": list}}));
    let sent = thing(json!({"s": "x".repeat(1_000_000)}));
    let (code, status) = ask(&server, Method::POST, THINGS, &sent).await;
    assert_eq!(code, 422);
    let message = status["message"].as_str().unwrap();
    assert!(message.len() < 2 << 20, "{}", message.len());
    assert!(message.contains("x..."));
    let sent = thing(json!({"l": vec!["a".repeat(1_400); 1_000]}));
    let (code, status) = ask(&server, Method::POST, THINGS, &sent).await;
    assert_eq!(code, 422);
    let message = status["message"].as_str().unwrap();
    assert!(message.len() < 2 << 20, "{}", message.len());
    assert!(
        message.ends_with(" more errors]"),
        "{}",
        &message[message.len() - 100..]
    );
}

/// As the others of this size, it runs on other threads: the answer is the same.
#[tokio::test]
async fn a_large_object_is_read_and_patched_as_any() {
    let server = ApiServer::builder().build().unwrap();
    let mut map = config_map("a");
    map["data"] = json!({"k": "x".repeat(200_000)});
    assert_eq!(ask(&server, Method::POST, MAPS, &map).await.0, 201);
    let path = format!("{MAPS}/a");
    let patch = json!({"data": {"l": "y"}});
    let answer = send_as(
        &server,
        Method::PATCH,
        &path,
        "application/merge-patch+json",
        &patch,
    );
    assert_eq!(answer.await.status(), 200);
    let (_, read) = get(&server, &path).await;
    assert_eq!(read["data"]["l"], "y");
    assert_eq!(read["data"]["k"].as_str().unwrap().len(), 200_000);
    let (_, list) = get(&server, MAPS).await;
    assert_eq!(list["items"][0], {
        let mut item = read.clone();
        item.as_object_mut().unwrap().remove("kind");
        item.as_object_mut().unwrap().remove("apiVersion");
        item
    });
}
