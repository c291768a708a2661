//! Requests as they go over the wire, and the answers to them.
//!
//! Cases see status codes, headers and bodies as they are, so nothing of a client library's own stands between.

use std::error::Error;
use std::panic::Location;
use std::time::{Duration, Instant};

use http::{HeaderMap, Method, Request};
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use serde_json::Value;

use super::expect::{PATIENCE, at, check, check_absent};

/// The media type of a patch.
pub(crate) mod patch_type {
    pub(crate) const APPLY: &str = "application/apply-patch+yaml";
    pub(crate) const JSON: &str = "application/json-patch+json";
    pub(crate) const MERGE: &str = "application/merge-patch+json";
}

/// An answer, read to its end.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) code: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    request: String,
}

impl Reply {
    /// The body, parsed; `null` unless it is JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }

    /// The body of an answer with exactly this code.
    #[track_caller]
    pub(crate) fn is(&self, code: u16) -> Value {
        self.is_for(code, Location::caller())
    }

    /// As [`Self::is`], for what stands at this line of a case.
    pub(crate) fn is_for(&self, code: u16, caller: &Location<'_>) -> Value {
        let Self { request, text, .. } = self;
        assert_eq!(self.code, code, "{caller}: {request}: {text}");
        self.json()
    }

    /// The `Status` of a refusal: its code, reason and message as given, its shape as `metav1.Status` has it.
    #[track_caller]
    pub(crate) fn fails(&self, code: u16, reason: &str, message: &str) -> Value {
        let status = self.refused(code, reason);
        check(&status, "/message", message);
        status
    }

    /// The `Status` of a refusal over a conflict, with this message.
    #[track_caller]
    pub(crate) fn conflicts(&self, message: &str) -> Value {
        self.fails(409, "Conflict", message)
    }

    /// The `Status` of a refusal as nothing is there, with this message.
    #[track_caller]
    pub(crate) fn not_found(&self, message: &str) -> Value {
        self.fails(404, "NotFound", message)
    }

    /// The `Status` of a refusal of a malformed request, with this message.
    #[track_caller]
    pub(crate) fn bad_request(&self, message: &str) -> Value {
        self.fails(400, "BadRequest", message)
    }

    /// The `Status` of a refusal of a malformed request, whose message has this part.
    #[track_caller]
    pub(crate) fn bad_request_with(&self, part: &str) -> Value {
        self.fails_with(400, "BadRequest", part)
    }

    /// The `Status` of a refusal of an invalid object, with this message.
    #[track_caller]
    pub(crate) fn invalid(&self, message: &str) -> Value {
        self.fails(422, "Invalid", message)
    }

    /// The `Status` of a refusal of an invalid object, whose message has this part.
    #[track_caller]
    pub(crate) fn invalid_with(&self, part: &str) -> Value {
        self.fails_with(422, "Invalid", part)
    }

    /// The `Status` of a refusal whose message has this part.
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

    /// The `Status` of a refusal, whatever it says; no reason is "".
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

    /// The texts of the answer's Warning headers, in order.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.headers
            .get_all("warning")
            .iter()
            .filter_map(|value| value.to_str().ok())
            .filter_map(|value| value.strip_prefix("299 - \"")?.strip_suffix('"'))
            .map(|value| value.replace("\\\"", "\""))
            .collect()
    }

    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// A request with any method, headers and body.
///
/// While kube-apiserver replaces the storage of a CRD that changed it answers 429 and asks to come back, or closes the
/// connection without an answer: this tries again.
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

/// Whether a server took the request and closed the connection before it answered. This hides no such fault of the
/// embedded server, whose own suite asks it without a socket.
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

/// A patch of one of the [`patch_type`]s.
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
