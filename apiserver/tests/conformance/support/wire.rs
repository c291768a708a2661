//! Requests and responses on the wire.
//!
//! Cases see the raw status codes, headers and bodies, without a client library in between.

use std::error::Error;
use std::panic::Location;
use std::time::{Duration, Instant};

use http::{HeaderMap, Method, Request};
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use serde_json::Value;

use super::expect::{PATIENCE, at, check, check_absent};

/// The media types of patches.
pub(crate) mod patch_type {
    pub(crate) const APPLY: &str = "application/apply-patch+yaml";
    pub(crate) const JSON: &str = "application/json-patch+json";
    pub(crate) const MERGE: &str = "application/merge-patch+json";
}

/// A complete response.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) code: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    request: String,
}

impl Reply {
    /// Returns the parsed body; `null` unless it is JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }

    /// Asserts the status code; returns the body.
    #[track_caller]
    pub(crate) fn is(&self, code: u16) -> Value {
        self.is_for(code, Location::caller())
    }

    /// Like [`Self::is`], with the location of the calling case for failures.
    pub(crate) fn is_for(&self, code: u16, caller: &Location<'_>) -> Value {
        let Self { request, text, .. } = self;
        assert_eq!(self.code, code, "{caller}: {request}: {text}");
        self.json()
    }

    /// Asserts a failure with this code, reason and message, and the shape of `metav1.Status`;
    /// returns the `Status`.
    #[track_caller]
    pub(crate) fn fails(&self, code: u16, reason: &str, message: &str) -> Value {
        let status = self.refused(code, reason);
        check(&status, "/message", message);
        status
    }

    /// Asserts a 409 `Conflict` with this message; returns the `Status`.
    #[track_caller]
    pub(crate) fn conflicts(&self, message: &str) -> Value {
        self.fails(409, "Conflict", message)
    }

    /// Asserts a 404 `NotFound` with this message; returns the `Status`.
    #[track_caller]
    pub(crate) fn not_found(&self, message: &str) -> Value {
        self.fails(404, "NotFound", message)
    }

    /// Asserts a 400 `BadRequest` with this message; returns the `Status`.
    #[track_caller]
    pub(crate) fn bad_request(&self, message: &str) -> Value {
        self.fails(400, "BadRequest", message)
    }

    /// Asserts a 400 `BadRequest` whose message contains `part`; returns the `Status`.
    #[track_caller]
    pub(crate) fn bad_request_with(&self, part: &str) -> Value {
        self.fails_with(400, "BadRequest", part)
    }

    /// Asserts a 422 `Invalid` with this message; returns the `Status`.
    #[track_caller]
    pub(crate) fn invalid(&self, message: &str) -> Value {
        self.fails(422, "Invalid", message)
    }

    /// Asserts a 422 `Invalid` whose message contains `part`; returns the `Status`.
    #[track_caller]
    pub(crate) fn invalid_with(&self, part: &str) -> Value {
        self.fails_with(422, "Invalid", part)
    }

    /// Asserts a failure whose message contains `part`; returns the `Status`.
    #[track_caller]
    pub(crate) fn fails_with(&self, code: u16, reason: &str, part: &str) -> Value {
        let status = self.refused(code, reason);
        let message = at(&status, "/message").as_str().unwrap_or_default();
        assert!(
            message.contains(part),
            "{}: {message:?} lacks {part:?}",
            self.request
        );
        status
    }

    /// Asserts a failure with any message; returns the `Status`. An absent reason is "".
    #[track_caller]
    pub(crate) fn refused(&self, code: u16, reason: &str) -> Value {
        let status = self.is(code);
        check(&status, "/kind", "Status");
        check(&status, "/apiVersion", "v1");
        check(&status, "/status", "Failure");
        check(&status, "/code", code);
        match reason {
            "" => check_absent(&status, "/reason"),
            reason => check(&status, "/reason", reason),
        }
        status
    }

    /// Returns the texts of the `Warning` headers, in order.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.headers
            .get_all("warning")
            .iter()
            .filter_map(|value| value.to_str().ok())
            .filter_map(|value| value.strip_prefix("299 - \"")?.strip_suffix('"'))
            .map(|value| value.replace("\\\"", "\""))
            .collect()
    }

    /// Returns the value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// Sends a request with any method, headers and body.
///
/// Retries while kube-apiserver replaces the storage of a changed CRD: it then answers 429, or
/// closes the connection without an answer.
pub(crate) async fn send(
    client: &Client,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: Vec<u8>,
) -> Reply {
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        match send_once(client, &method, path, headers, body.clone()).await {
            Ok(reply)
                if reply.code == 429 && reply.text.contains("storage is (re)initializing") => {}
            Ok(reply) => return reply,
            Err(error) if closed_without_answer(&error) => println!("{method} {path}: {error:?}"),
            Err(error) => panic!("{method} {path}: {error:?}"),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{method} {path}: not served within {PATIENCE:?}");
}

/// Whether the server closed the connection after it read the request and before it answered. This
/// does not hide such a bug of the embedded server, whose own suite uses no sockets.
fn closed_without_answer(error: &kube::Error) -> bool {
    let mut cause = Some(error as &(dyn Error + 'static));
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<hyper::Error>() {
            return error.is_incomplete_message() || error.is_canceled() || error.is_closed();
        }
        cause = error.source();
    }
    false
}

async fn send_once(
    client: &Client,
    method: &Method,
    path: &str,
    headers: &[(&str, &str)],
    body: Vec<u8>,
) -> Result<Reply, kube::Error> {
    let mut request = Request::builder().method(method.clone()).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request
        .body(Body::from(body))
        .expect("a well-formed request");
    let response = client.send(request).await?;
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await?.to_bytes();
    Ok(Reply {
        code: parts.status.as_u16(),
        headers: parts.headers,
        text: String::from_utf8_lossy(&bytes).into_owned(),
        request: format!("{method} {path}"),
    })
}

async fn send_json(client: &Client, method: Method, path: &str, body: &Value) -> Reply {
    send(
        client,
        method,
        path,
        &[("content-type", "application/json")],
        body.to_string().into_bytes(),
    )
    .await
}

pub(crate) async fn get(client: &Client, path: &str) -> Reply {
    send(client, Method::GET, path, &[], Vec::new()).await
}

pub(crate) async fn get_accepting(client: &Client, path: &str, media_type: &str) -> Reply {
    send(
        client,
        Method::GET,
        path,
        &[("accept", media_type)],
        Vec::new(),
    )
    .await
}

pub(crate) async fn post(client: &Client, path: &str, body: &Value) -> Reply {
    send_json(client, Method::POST, path, body).await
}

pub(crate) async fn put(client: &Client, path: &str, body: &Value) -> Reply {
    send_json(client, Method::PUT, path, body).await
}

pub(crate) async fn delete(client: &Client, path: &str) -> Reply {
    send(client, Method::DELETE, path, &[], Vec::new()).await
}

pub(crate) async fn delete_with(client: &Client, path: &str, options: &Value) -> Reply {
    send_json(client, Method::DELETE, path, options).await
}

/// Sends a patch with one of the [`patch_type`]s.
pub(crate) async fn patch(client: &Client, path: &str, media_type: &str, body: &Value) -> Reply {
    send(
        client,
        Method::PATCH,
        path,
        &[("content-type", media_type)],
        body.to_string().into_bytes(),
    )
    .await
}
