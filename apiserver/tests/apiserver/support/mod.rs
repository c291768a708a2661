//! Raw HTTP requests, without a client library.

use bytes::Bytes;
use embedded_apiserver::ApiServer;
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tower::ServiceExt;

/// Sends a request to the server.
pub(crate) async fn send(
    server: &ApiServer,
    method: Method,
    path: &str,
    body: &Value,
) -> Response<embedded_apiserver::Body> {
    send_as(server, method, path, "application/json", body).await
}

/// Sends a request with a body of the specified type.
pub(crate) async fn send_as(
    server: &ApiServer,
    method: Method,
    path: &str,
    content_type: &str,
    body: &Value,
) -> Response<embedded_apiserver::Body> {
    let content = if body.is_null() {
        Bytes::new()
    } else {
        body.to_string().into()
    };
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("content-type", content_type)
        .body(Full::new(content))
        .unwrap();
    server.service().oneshot(request).await.unwrap()
}

/// Sends a request; returns the status code and the decoded answer.
pub(crate) async fn ask(
    server: &ApiServer,
    method: Method,
    path: &str,
    body: &Value,
) -> (u16, Value) {
    let response = send(server, method, path, body).await;
    let code = response.status().as_u16();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (code, serde_json::from_slice(&bytes).unwrap_or_default())
}

pub(crate) async fn get(server: &ApiServer, path: &str) -> (u16, Value) {
    ask(server, Method::GET, path, &Value::Null).await
}

pub(crate) const MAPS: &str = "/api/v1/namespaces/default/configmaps";

pub(crate) fn config_map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})
}

/// Creates a config map in the default namespace.
pub(crate) async fn create_map(server: &ApiServer, name: &str) -> Value {
    let (code, created) = ask(server, Method::POST, MAPS, &config_map(name)).await;
    assert_eq!(code, 201, "{created}");
    created
}
