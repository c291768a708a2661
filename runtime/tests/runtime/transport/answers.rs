//! Servers whose answers no API server would send, and names that would redirect requests.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use codegen_runtime::apply::{Applier, create_or_update};
use codegen_runtime::client::{Either, TypedClient};
use codegen_runtime::connect::ClientOptions;
use codegen_runtime::error::chain;
use codegen_runtime::finalizer;
use codegen_runtime::reflector::{ApiSource, ApiSourceOptions, ListRequest, ListWatch};
use futures::StreamExt;
use http_body_util::StreamBody;
use hyper::body::Frame;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{
    Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams, WatchParams,
};
use kube::{Client, Error};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::Instant;

use crate::transport::http_server::{HttpServer, Seen, cm, config, fail, list, ok};
use crate::transport::within;

type Maps = TypedClient<ConfigMap>;

fn map(name: &str) -> ConfigMap {
    serde_json::from_value(cm(name, 1)).unwrap()
}

/// Creates a client of a server that writes `answer` to every connection, and closes it.
async fn raw(answer: impl Into<Vec<u8>>) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, answer) = (listener.local_addr().unwrap(), answer.into());
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let answer = answer.clone();
            tokio::spawn(async move {
                let mut request = vec![0; 4096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(&answer).await;
            });
        }
    });
    ClientOptions::new().connect(config(address)).unwrap()
}

fn with_head(head: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {head}\r\ncontent-length: {length}\r\n\r\n{body}")
}

#[tokio::test]
async fn answers_that_are_none_are_errors() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let found = cm("a", 1).to_string();
    let status = |status: &str| {
        json!({"kind": "Status", "apiVersion": "v1", "status": status, "reason": "Conflict",
            "message": "no", "code": 409})
        .to_string()
    };
    let html = "<html>bad gateway</html>";
    #[rustfmt::skip]
    let cases = [
        ("", "connection closed before message completed"),
        ("HTTP/1.1 200 OK\r\ncontent-le", "connection closed before message completed"),
        ("SSH-2.0-OpenSSH_9.6\r\n", "invalid HTTP version parsed"),
        (&with_head("200 OK", ""), "EOF while parsing"),
        (&with_head("200 OK", "null"), "invalid type: null"),
        (&with_head("200 OK", html), "expected value at line 1 column 1"),
        (&with_head("200 OK", &found[..20]), "EOF while parsing"),
        (&with_head("200 OK", &deep), "invalid type: sequence"),
        (&with_head("200 OK", r#"{"kind":"Secret","apiVersion":"v1"}"#), "invalid value: string \"Secret\""),
        (&with_head("200 OK", r#"{"metadata":{"labels":{"a/b":7}}}"#), ": .metadata.labels[\"a/b\"]: invalid type: integer `7`"),
        (&with_head("200 OK", &status("Failure")), "no (409 Conflict)"),
        (&with_head("500 No", html), "<html>bad gateway</html> (500)"),
        (&with_head("500 No", "{}"), "{} (500)"),
        (&with_head("503 No", ""), "503 Service Unavailable (503)"),
        (&with_head("307 No", ""), "307 Temporary Redirect (307)"),
        (&with_head("204 No", ""), "EOF while parsing"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"kind\"", "end of file before message length reached"),
        ("HTTP/1.1 101 Switching Protocols\r\nupgrade: tls\r\n\r\n", "101 Switching Protocols (101)"),
        (&format!("HTTP/1.1 100 Continue\r\n\r\n{}", with_head("404 No", "")), "404 Not Found (404)"),
    ];
    for (answer, expected) in cases {
        let maps = Maps::namespaced(raw(answer).await, "default");
        let error = within(maps.get("a")).await.unwrap_err();
        let found = chain(&error).to_string();
        let start = answer.get(..80).unwrap_or(answer);
        assert!(found.contains(expected), "{start:?}: {found}");
    }
    let nested = format!(r#"{{"metadata":{{}},"a":{deep}}}"#);
    let maps = Maps::namespaced(raw(with_head("200 OK", &nested)).await, "default");
    let error = maps.get_subresource::<DynamicObject>("a", "status").await;
    let error = chain(&error.unwrap_err()).to_string();
    assert!(error.contains("recursion limit exceeded"), "{error}");
    let endless = format!("HTTP/1.1 200 OK\r\n{}", "a: b\r\n".repeat(100_000));
    let maps = Maps::namespaced(raw(endless).await, "default");
    within(maps.get("a")).await.unwrap_err();
}

#[tokio::test]
async fn a_failure_is_an_error_whatever_code_it_comes_with() {
    let failure = json!({"apiVersion": "v1", "status": "Failure", "reason": "Conflict", "message": "no", "code": 409});
    let kind_first = format!(r#"{{"kind":"Status",{}"#, &failure.to_string()[1..]);
    let mut sorted = failure;
    sorted["kind"] = json!("Status");
    let pretty = serde_json::to_string_pretty(&sorted).unwrap();
    for text in [kind_first, sorted.to_string(), pretty] {
        check_failure(&text).await;
    }
    let success = raw(with_head(
        "200 OK",
        r#"{"kind":"Status","status":"Success"}"#,
    ))
    .await;
    let maps = Maps::namespaced(success, "default");
    let deleted = maps.delete("a", &DeleteParams::default()).await.unwrap();
    assert!(matches!(deleted, Either::Right(status) if status.is_success()));
}

/// Checks that `text`, a conflict, is an error of every call although its code is 200.
async fn check_failure(text: &str) {
    let client = raw(with_head("200 OK", text)).await;
    let maps = Maps::namespaced(client.clone(), "default");
    let (all, delete) = (ListParams::default(), DeleteParams::default());
    let conflict = |error: &Error| matches!(error, Error::Api(status) if status.is_conflict());
    assert!(conflict(&maps.list(&all).await.unwrap_err()));
    assert!(conflict(&maps.delete("a", &delete).await.unwrap_err()));
    let deleted = maps.delete_collection(&delete, &all).await;
    assert!(conflict(&deleted.unwrap_err()));
    // A type that accepts any object.
    let any = maps.get_subresource::<DynamicObject>("a", "scale").await;
    assert!(conflict(&any.unwrap_err()));
}

#[tokio::test]
async fn absurd_waits_and_long_texts_are_told_in_part() {
    let check = async |head: &str, body: &str, seconds: Option<u32>, length: usize| {
        let maps = Maps::namespaced(raw(with_head(head, body)).await, "default");
        let Err(Error::Api(status)) = within(maps.get("a")).await else {
            panic!("{head}: not the server's answer");
        };
        let asked = status.details.map(|details| details.retry_after_seconds);
        assert_eq!(asked, seconds, "{head}");
        assert_eq!(status.message.chars().count(), length, "{head}");
    };
    check("429 No\r\nretry-after: 7", "wait", Some(7), 4).await;
    check(
        "429 No\r\nretry-after: 99999999999999999999",
        "wait",
        None,
        4,
    )
    .await;
    check("429 No\r\nretry-after: -1", "wait", None, 4).await;
    let date = "503 No\r\nretry-after: Wed, 21 Oct 2065 07:28:00 GMT";
    check(date, "wait", None, 4).await;
    check("500 No", &"ü".repeat(100_000), None, 2049).await;
    let details = json!({"message": "wait", "reason": "x", "details": {"kind": "pods"}});
    let head = "429 No\r\nretry-after: 7";
    check(head, &details.to_string(), Some(7), 4).await;
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let other = HttpServer::start(|_| ok(&cm("a", 1))).await;
    let target = format!(
        "http://{}/api/v1/namespaces/default/configmaps/a",
        other.address()
    );
    for code in [301, 302, 303, 307, 308] {
        let target = target.clone();
        let server = HttpServer::start(move |_| {
            let mut answer = fail(code, "Moved", "elsewhere");
            let headers = answer.headers_mut();
            headers.insert("location", target.parse().unwrap());
            answer
        })
        .await;
        for client in [
            server.kube_client(),
            ClientOptions::new().connect(server.config()).unwrap(),
        ] {
            let maps = Maps::namespaced(client, "default");
            let error = within(maps.get("a")).await.unwrap_err();
            assert!(matches!(error, Error::Api(status) if status.code == code));
        }
        assert_eq!(server.seen().len(), 2);
    }
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn lists_without_items_are_empty() {
    for items in [json!(null), json!([])] {
        let body =
            json!({"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {}, "items": items});
        let maps = Maps::namespaced(raw(with_head("200 OK", &body.to_string())).await, "default");
        let listed = within(maps.list(&ListParams::default())).await.unwrap();
        assert!(listed.items.is_empty());
    }
}

/// Creates a client that receives `chunk` `count` times, then silence.
fn streaming(chunk: Bytes, count: usize) -> Client {
    streaming_with(http::StatusCode::OK, chunk, count)
}

fn streaming_with(code: http::StatusCode, chunk: Bytes, count: usize) -> Client {
    let service = tower::service_fn(move |_| {
        let chunks = futures::stream::iter(vec![chunk.clone(); count]);
        let frames = chunks.map(|chunk| Ok::<_, io::Error>(Frame::data(chunk)));
        let body = StreamBody::new(frames.chain(futures::stream::pending()));
        let mut answer = http::Response::new(body);
        *answer.status_mut() = code;
        std::future::ready(Ok::<_, io::Error>(answer))
    });
    Client::new(service, "default")
}

#[tokio::test(start_paused = true)]
async fn a_failure_whose_text_stops_keeps_its_code() {
    let text = Bytes::from_static(b"{\"kind\":\"Status\",");
    let client = streaming_with(http::StatusCode::NOT_FOUND, text, 1);
    let maps = Maps::namespaced(client, "default");
    let error = maps.get("a").await.unwrap_err();
    let expected = "404 Not Found (its body was lost: ";
    assert!(error.to_string().contains(expected), "{error}");
    assert!(matches!(&error, kube::Error::Api(status) if status.code == 404));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_stops_is_given_up() {
    let client = streaming(Bytes::from_static(b"{\"kind\":\"ConfigMap\","), 1);
    let (maps, started) = (Maps::namespaced(client.clone(), "default"), Instant::now());
    let error = maps.get("a").await.unwrap_err();
    let expected = "the response stalled: no data for 65 s";
    assert!(chain(&error).to_string().contains(expected), "{error}");
    assert_eq!(started.elapsed(), Duration::from_secs(65));
    maps.list(&ListParams::default()).await.unwrap_err();
    let api = Api::<ConfigMap>::namespaced(client, "default");
    create_or_update(&api, map("a"), |_| Ok(()))
        .await
        .unwrap_err();
    Applier::new("m").apply(&api, &map("a")).await.unwrap_err();
}

#[tokio::test]
async fn a_watch_whose_connection_is_cut_ends_and_other_errors_are_told() {
    let events = |kind, text: &'static str| async move {
        let service = tower::service_fn(move |_| {
            let line = json!({ "type": "ADDED", "object": cm("a", 1) }).to_string() + "\n";
            let frame = Ok(Frame::data(Bytes::from(line)));
            let frames = futures::stream::iter([frame, Err(io::Error::new(kind, text))]);
            let answer = http::Response::new(StreamBody::new(frames));
            std::future::ready(Ok::<_, io::Error>(answer))
        });
        let maps = Maps::namespaced(Client::new(service, "default"), "default");
        let watch = maps.watch(&WatchParams::default(), "0").await.unwrap();
        let events = watch.map(|event| event.is_ok());
        events.collect::<Vec<_>>().await
    };
    // The message of rustls.
    let text = "peer closed connection without sending TLS close_notify";
    assert_eq!(events(io::ErrorKind::UnexpectedEof, text).await, [true]);
    let text = "unexpected EOF during chunk size line";
    assert_eq!(events(io::ErrorKind::Other, text).await, [true]);
    let text = "connection reset by peer";
    let kind = io::ErrorKind::ConnectionReset;
    assert_eq!(events(kind, text).await, [true, false]);
}

#[tokio::test(start_paused = true)]
async fn answers_without_end_are_not_held() {
    let client = streaming(Bytes::from(vec![b' '; 1024 * 1024]), usize::from(u8::MAX));
    let maps = Maps::namespaced(client, "default");
    let error = chain(&maps.get("a").await.unwrap_err()).to_string();
    assert!(error.contains("more than 16777216 bytes"), "{error}");
    let mut events = maps.watch(&WatchParams::default(), "0").await.unwrap();
    let error = chain(&events.next().await.unwrap().unwrap_err()).to_string();
    assert!(error.contains("more than 16777216 bytes"), "{error}");
    assert!(events.next().await.is_none());
}

/// Makes every request with `name`, and asserts that it is refused before it is sent.
async fn refuses(client: &Client, namespace: &str, name: &str) {
    let maps = Maps::namespaced(client.clone(), namespace);
    let (delete, patch, post) = (
        DeleteParams::default(),
        PatchParams::default(),
        PostParams::default(),
    );
    let (merge, new) = (Patch::Merge(json!({})), map(name));
    let api = Api::<ConfigMap>::namespaced(client.clone(), namespace);
    let scale = Default::default();
    let found = [
        maps.get(name).await.err(),
        maps.get_opt(name).await.err(),
        maps.update(&new, &post).await.err(),
        maps.update_status(&new, &post).await.err(),
        maps.delete(name, &delete).await.err(),
        maps.patch(name, &patch, &merge).await.err(),
        maps.patch_status(name, &patch, &merge).await.err(),
        maps.apply(&new, &patch).await.err(),
        maps.apply_status(&new, &patch).await.err(),
        maps.get_scale(name).await.err(),
        maps.update_scale(name, &scale, &post).await.err(),
        maps.create_subresource::<_, ConfigMap>(name, "eviction", &new, &post)
            .await
            .err(),
        finalizer::ensure(&api, &new, "a/b").await.err(),
    ];
    for (at, error) in found.into_iter().enumerate() {
        let is_built = matches!(error, Some(Error::BuildRequest(_)));
        assert!(is_built, "{namespace:?} {name:?} {at}: {error:?}");
    }
    Applier::new("m").apply(&api, &new).await.unwrap_err();
    create_or_update(&api, new, |_| Ok(())).await.unwrap_err();
}

#[tokio::test]
async fn names_that_lead_elsewhere_send_nothing() {
    let server = HttpServer::start(|_| ok(&cm("a", 1))).await;
    let client = server.kube_client();
    for name in ["", ".", "..", "../b", "a/status", "a%2Fb", "/", "a/../../b"] {
        refuses(&client, "default", name).await;
    }
    for namespace in [".", "..", "../../nodes", "a?b", "a%2Fb", "a#", "ü"] {
        refuses(&client, namespace, "a").await;
        let maps = Maps::namespaced(client.clone(), namespace);
        let all = ListParams::default();
        maps.list(&all).await.unwrap_err();
        maps.create(&map("a"), &PostParams::default())
            .await
            .unwrap_err();
        let deleted = maps.delete_collection(&DeleteParams::default(), &all).await;
        deleted.unwrap_err();
        let watch = maps.watch(&WatchParams::default(), "0").await;
        assert!(watch.is_err());
    }
    let maps = Maps::namespaced(client, "default");
    for subresource in ["", "..", "status/../../b", "/status"] {
        let got = maps.get_subresource::<ConfigMap>("a", subresource).await;
        got.unwrap_err();
    }
    assert!(server.seen().is_empty(), "{:?}", server.seen());
}

#[tokio::test]
async fn names_and_selectors_arrive_as_they_are() {
    let server = HttpServer::start(|seen: Seen| {
        let is_list = seen.path.ends_with("/configmaps");
        ok(&if is_list { list(1, &[]) } else { cm("a", 1) })
    })
    .await;
    let maps = Maps::namespaced(server.kube_client(), "default");
    maps.get("a?watch=true#b c&ü").await.unwrap();
    let delete = DeleteParams::default();
    maps.delete("?labelSelector=", &delete).await.unwrap();
    maps.get("system:a").await.unwrap();
    let long = format!("a in ({})", vec!["ü&=?#%/+ "; 2_000].join(","));
    let all = ListParams::default().labels(&long).fields("a=b\\,c&d");
    maps.list(&all).await.unwrap();
    let seen = server.seen();
    let paths: Vec<&str> = seen
        .iter()
        .filter_map(|seen| seen.path.rsplit('/').next())
        .collect();
    let expected = [
        "a%3Fwatch=true%23b%20c&%C3%BC",
        "%3FlabelSelector=",
        "system:a",
        "configmaps",
    ];
    assert_eq!(paths, expected);
    assert!(seen[..3].iter().all(|seen| seen.query.is_empty()));
    assert_eq!(seen[3].query["labelSelector"], long);
    assert_eq!(seen[3].query["fieldSelector"], "a=b\\,c&d");
}

#[tokio::test]
async fn a_limit_holds_for_deletions_too() {
    let server = HttpServer::start(|_| ok(&list(1, &[]))).await;
    let maps = Maps::namespaced(server.kube_client(), "default");
    let few = ListParams::default().labels("a=b").fields("c=d").limit(7);
    let few = few.continue_token("next");
    let delete = DeleteParams::default();
    let deleted = maps.delete_collection(&delete, &few);
    deleted.await.unwrap();
    let seen = &server.seen()[0];
    assert_eq!(seen.method, "DELETE");
    let expected = [
        ("continue", "next"),
        ("fieldSelector", "c=d"),
        ("labelSelector", "a=b"),
        ("limit", "7"),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(seen.query, expected.into_iter().collect());
}

#[tokio::test]
async fn helpers_over_kubes_api_send_one_request_too() {
    let server = HttpServer::start(|_| fail(429, "TooManyRequests", "not now")).await;
    let api = Api::<ConfigMap>::namespaced(server.kube_client(), "default");
    let applier = Applier::new("m");
    within(applier.apply(&api, &map("a"))).await.unwrap_err();
    within(applier.apply_status(&api, &map("a")))
        .await
        .unwrap_err();
    let ensured = within(finalizer::ensure(&api, &map("a"), "a/b")).await;
    ensured.unwrap_err();
    assert_eq!(server.seen().len(), 3);
}

/// client-go decodes the status and returns it as an error of the API, which decides how its
/// reflector continues.
#[tokio::test]
async fn a_list_that_is_a_failure_with_a_code_of_success_is_the_error_that_it_describes() {
    let failure = r#""status":"Failure","message":"too old","reason":"Expired","code":410"#;
    for body in [
        format!(r#"{{"kind":"Status","apiVersion":"v1",{failure}}}"#),
        format!(r#"{{"apiVersion":"v1",{failure},"kind":"Status"}}"#),
    ] {
        let client = raw(with_head("200 OK", &body)).await;
        let source = ApiSource::<ConfigMap>::new(client, &(), None, ApiSourceOptions::default());
        let listed = source.list(ListRequest::default(), &mut |_| {}).await;
        let Err(Error::Api(status)) = listed else {
            panic!("{listed:?}");
        };
        assert_eq!((status.code, status.message.as_str()), (410, "too old"));
    }
}
