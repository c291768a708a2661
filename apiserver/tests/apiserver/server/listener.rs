//! The listener: watches over WebSocket, browser requests, silent connections, kubeconfig, OpenAPI
//! in protobuf.

use std::net::SocketAddr;

use embedded_apiserver::{ApiServer, ServeOptions, Serving};
use futures::StreamExt;
use http::{Request, StatusCode};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::support::{MAPS, create_map};

async fn serving(server: &ApiServer) -> Serving {
    server.serve("127.0.0.1:0").await.unwrap()
}

/// A typical client handshake, with the origin that kube-apiserver requires.
fn handshake(addr: SocketAddr, path: &str) -> Request<()> {
    let mut request = format!("ws://{addr}{path}").into_client_request().unwrap();
    let origin = format!("http://{addr}").parse().unwrap();
    request.headers_mut().insert("origin", origin);
    request
}

async fn open(request: Request<()>, addr: SocketAddr) -> Result<WebSocketStream<TcpStream>, Error> {
    let stream = TcpStream::connect(addr).await.unwrap();
    client_async(request, stream)
        .await
        .map(|(socket, _)| socket)
}

async fn next_event(socket: &mut WebSocketStream<TcpStream>) -> Value {
    match socket.next().await.unwrap().unwrap() {
        Message::Text(text) => serde_json::from_str(&text).unwrap(),
        other => panic!("expected a text message: {other:?}"),
    }
}

#[tokio::test]
async fn a_watch_over_websocket_sends_a_message_an_event() {
    let server = ApiServer::builder().build().unwrap();
    let serving = serving(&server).await;
    let addr = serving.local_addr();
    create_map(&server, "a").await;
    create_map(&server, "b").await;
    let mut socket = open(
        handshake(addr, &format!("{MAPS}?watch=1&labelSelector=")),
        addr,
    )
    .await
    .unwrap();
    for name in ["a", "b"] {
        let event = next_event(&mut socket).await;
        assert_eq!(event["type"], "ADDED");
        assert_eq!(event["object"]["metadata"]["name"], name);
    }
    create_map(&server, "c").await;
    assert_eq!(
        next_event(&mut socket).await["object"]["metadata"]["name"],
        "c"
    );
    // A close by the client ends the watch and is answered.
    socket.close(None).await.unwrap();
    while let Some(Ok(message)) = socket.next().await {
        assert!(message.is_close(), "{message:?}");
    }
    serving.shutdown().await;
}

#[tokio::test]
async fn a_watch_over_websocket_ends_with_a_close_message() {
    let server = ApiServer::builder().build().unwrap();
    let serving = serving(&server).await;
    let addr = serving.local_addr();
    let mut timed = open(
        handshake(addr, &format!("{MAPS}?watch=1&timeoutSeconds=1")),
        addr,
    )
    .await
    .unwrap();
    let Some(Ok(Message::Close(Some(close)))) = timed.next().await else {
        panic!("expected a close message");
    };
    assert_eq!(u16::from(close.code), 1000);
    // A stopping listener closes its WebSockets, although they have been upgraded.
    let mut open_ended = open(handshake(addr, &format!("{MAPS}?watch=1")), addr)
        .await
        .unwrap();
    serving.shutdown().await;
    assert!(!matches!(
        open_ended.next().await,
        Some(Ok(Message::Text(_)))
    ));
}

#[tokio::test]
async fn a_websocket_handshake_is_answered_as_by_kube_apiserver() {
    let server = ApiServer::builder().build().unwrap();
    let serving = serving(&server).await;
    let addr = serving.local_addr();
    let code = async |change: &dyn Fn(&mut Request<()>), path: &str| {
        let mut request = handshake(addr, path);
        change(&mut request);
        match open(request, addr).await {
            Err(Error::Http(response)) => response.status(),
            other => panic!("expected a refusal: {other:?}"),
        }
    };
    let watch = format!("{MAPS}?watch=1");
    let without_origin = |request: &mut Request<()>| drop(request.headers_mut().remove("origin"));
    assert_eq!(code(&without_origin, &watch).await, StatusCode::FORBIDDEN);
    // Errors before the watch starts are ordinary responses, and only watches are upgraded.
    let unchanged = |_: &mut Request<()>| {};
    let unknown = "/api/v1/namespaces/default/nothings?watch=1";
    assert_eq!(code(&unchanged, unknown).await, StatusCode::NOT_FOUND);
    assert_eq!(code(&unchanged, MAPS).await, StatusCode::OK);
    // One subprotocol is echoed; the client library rejects an answer without it.
    let mut request = handshake(addr, &watch);
    let protocol = "base64.binary.k8s.io".parse().unwrap();
    request
        .headers_mut()
        .insert("sec-websocket-protocol", protocol);
    assert!(open(request, addr).await.is_ok());
    serving.shutdown().await;
}

/// Sends a raw request; returns the status line and body of the answer.
async fn raw(addr: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(addr).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn a_page_of_another_site_can_neither_write_nor_read() {
    let server = ApiServer::builder().build().unwrap();
    let options = ServeOptions::default().allow_host("apiserver");
    let serving = server.serve_with("127.0.0.1:0", options).await.unwrap();
    let addr = serving.local_addr();
    let get = async |headers: &str| {
        let answer = raw(
            addr,
            &format!("GET /version HTTP/1.1\r\nConnection: close\r\n{headers}\r\n"),
        )
        .await;
        answer.split(' ').nth(1).unwrap().to_owned()
    };
    assert_eq!(get(&format!("Host: {addr}\r\n")).await, "200");
    assert_eq!(get("Host: apiserver\r\n").await, "200");
    assert_eq!(get("Host: evil.example\r\n").await, "403", "DNS rebinding");
    let write = |origin: &str| {
        let body = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}"#;
        format!(
            "POST {MAPS} HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\nContent-Length: {}\r\n{origin}\r\n{body}",
            body.len()
        )
    };
    let refused = raw(addr, &write("Origin: https://evil.example\r\n")).await;
    assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
    assert!(refused.contains("https://evil.example"), "{refused}");
    let refused = raw(addr, &write("Sec-Fetch-Site: cross-site\r\n")).await;
    assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
    // Without a content type the body is JSON, as in kube-apiserver; clients other than browsers
    // may omit it.
    let created = raw(addr, &write("")).await;
    assert!(created.starts_with("HTTP/1.1 201"), "{created}");
    serving.shutdown().await;
}

#[tokio::test]
async fn the_sender_of_a_body_over_the_limit_gets_an_answer() {
    let server = ApiServer::builder().build().unwrap();
    let serving = serving(&server).await;
    let addr = serving.local_addr();
    let body = "x".repeat(16 * 1024 * 1024);
    let request = format!(
        "POST {MAPS} HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let refused = raw(addr, &request).await;
    assert!(refused.starts_with("HTTP/1.1 413"), "{refused}");
    serving.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_without_a_whole_request_header_is_closed() {
    let server = ApiServer::builder().build().unwrap();
    let serving = serving(&server).await;
    for sent in [
        "",
        "PRI * HT",
        "GET /version HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: ",
    ] {
        let mut stream = TcpStream::connect(serving.local_addr()).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // A connection reset also counts as an end.
        drop(stream.read_to_end(&mut answer).await);
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "{sent:?}");
    }
}

#[tokio::test]
async fn the_kubeconfig_is_complete() {
    let server = ApiServer::builder().build().unwrap();
    let serving = server.serve("0.0.0.0:0").await.unwrap();
    assert!(serving.is_exposed());
    let port = serving.local_addr().port();
    let config: Value = serde_saphyr::from_str(&serving.kubeconfig("demo")).unwrap();
    let cluster = &config["clusters"][0]["cluster"];
    assert_eq!(cluster["server"], format!("http://127.0.0.1:{port}"));
    assert_eq!(cluster["insecure-skip-tls-verify"], true);
    let config: kube::config::Kubeconfig = serde_json::from_value(config).unwrap();
    assert_eq!(config.current_context.as_deref(), Some("demo"));
}

#[tokio::test]
async fn openapi_v2_is_protobuf_where_clients_ask_for_it() {
    let server = ApiServer::builder().build().unwrap();
    let serving = serving(&server).await;
    let addr = serving.local_addr();
    let ask = async |path: &str, accept: &str| {
        raw(addr, &format!("GET {path} HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\nAccept: {accept}\r\n\r\n")).await
    };
    let protobuf = ask(
        "/openapi/v2",
        "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
    )
    .await;
    assert!(
        protobuf
            .contains("content-type: application/com.github.proto-openapi.spec.v2.v1.0+protobuf"),
        "{protobuf}"
    );
    let (_, body) = protobuf.split_once("\r\n\r\n").unwrap();
    assert!(
        body.starts_with("\n\u{3}2.0\u{12}"),
        "swagger, then info: {body:?}"
    );
    let json = ask("/openapi/v2", "application/json").await;
    assert!(json.contains("\"swagger\":\"2.0\""), "{json}");
    let refused = ask(
        "/openapi/v3",
        "application/com.github.proto-openapi.spec.v3.v1.0+protobuf",
    )
    .await;
    assert!(refused.starts_with("HTTP/1.1 406"), "{refused}");
}

#[tokio::test]
async fn health_checks_are_listed_on_request() {
    let server = ApiServer::builder().build().unwrap();
    let serving = serving(&server).await;
    let addr = serving.local_addr();
    let ask = async |path: &str| {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\n\r\n");
        let answer = raw(addr, &request).await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let code = head.split(' ').nth(1).unwrap().to_owned();
        (code, body.to_owned())
    };
    let (_, all) = ask("/readyz?verbose").await;
    assert!(all.starts_with("[+]ping ok\n[+]log ok\n"), "{all}");
    assert!(
        all.ends_with("[+]shutdown ok\nreadyz check passed\n"),
        "{all}"
    );
    let (_, some) = ask("/livez?verbose&exclude=ping").await;
    assert!(some.starts_with("[+]ping excluded: ok\n"), "{some}");
    assert!(!some.contains("shutdown"), "{some}");
    assert_eq!(ask("/readyz").await.1, "ok");
    assert_eq!(ask("/readyz/ping").await.1, "ok");
    assert_eq!(ask("/readyz/nope").await.0, "404");
    let (_, metrics) = ask("/metrics").await;
    let objects = "apiserver_resource_objects{group=\"\",resource=\"namespaces\"} 4\n";
    assert!(metrics.contains(objects), "{metrics}");
}

#[tokio::test]
async fn a_watch_ends_without_an_error_when_the_server_stops() {
    let server = ApiServer::builder().build().unwrap();
    let serving = serving(&server).await;
    let addr = serving.local_addr();
    let mut stream = TcpStream::connect(addr).await.unwrap();
    let request = format!("GET {MAPS}?watch=true HTTP/1.1\r\nHost: {addr}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = [0; 15];
    stream.read_exact(&mut head).await.unwrap();
    assert_eq!(&head, b"HTTP/1.1 200 OK");
    serving.shutdown().await;
    let mut rest = String::new();
    stream.read_to_string(&mut rest).await.unwrap();
    // The last chunk: the body is complete.
    assert!(rest.ends_with("0\r\n\r\n"), "{rest}");
}
