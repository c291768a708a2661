//! A scripted API server, and objects to serve.
//!
//! [`Server::client`] returns a `kube::Client` without a socket. Each request waits in
//! [`Server::next`] until the test answers it: with JSON, a status, a refused connection, a delay,
//! or a stream of watch events. No real time passes, so tokio's paused clock advances by itself
//! while the code under test sleeps.

#![allow(dead_code, reason = "each test file uses its own part of the support")]

pub mod informers;
pub mod live;
pub mod objects;
pub mod recorder;
pub mod stores;
pub mod witness;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use http::{Request, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Frame;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::sync::{Mutex, mpsc, oneshot};
use tower::BoxError;

type Answer = Result<Response<UnsyncBoxBody<Bytes, io::Error>>, BoxError>;

/// The server.
pub struct Server {
    calls: Mutex<mpsc::UnboundedReceiver<Call>>,
    sender: mpsc::UnboundedSender<Call>,
}

/// A request that waits for its answer.
pub struct Call {
    pub method: String,
    pub path: String,
    pub accept: String,
    query: BTreeMap<String, String>,
    answer: oneshot::Sender<Answer>,
}

/// The server's end of a watch.
pub struct Watch {
    body: mpsc::UnboundedSender<io::Result<Bytes>>,
}

impl Server {
    pub fn new() -> Self {
        let (sender, calls) = mpsc::unbounded_channel();
        Self {
            calls: Mutex::new(calls),
            sender,
        }
    }

    pub fn client(&self) -> kube::Client {
        let sender = self.sender.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let sender = sender.clone();
            async move {
                let (answer, answered) = oneshot::channel();
                let (parts, _) = request.into_parts();
                let query = parts.uri.query().unwrap_or_default();
                let header = parts.headers.get(http::header::ACCEPT);
                let call = Call {
                    method: parts.method.to_string(),
                    path: parts.uri.path().to_owned(),
                    accept: header
                        .map(|value| value.to_str().unwrap().to_owned())
                        .unwrap_or_default(),
                    query: form_urlencoded::parse(query.as_bytes())
                        .into_owned()
                        .collect(),
                    answer,
                };
                sender.send(call).map_err(|_| "the test has ended")?;
                // A call that the test dropped is never answered.
                match answered.await {
                    Ok(answer) => answer,
                    Err(_) => std::future::pending().await,
                }
            }
        });
        kube::Client::new(service, "default")
    }

    /// Waits for the next request.
    pub async fn next(&self) -> Call {
        self.calls.lock().await.recv().await.unwrap()
    }

    /// Waits for the next request, which must be a list.
    pub async fn list(&self) -> Call {
        let call = self.next().await;
        assert!(
            !call.is_watch(),
            "expected a list, got a watch: {:?}",
            call.query
        );
        call
    }

    /// Waits for the next request, which must be a plain watch.
    pub async fn watch(&self) -> Call {
        let call = self.next().await;
        assert!(
            call.is_watch() && !call.is_watch_list(),
            "expected a watch, got {:?}",
            call.query
        );
        call
    }

    /// Waits for the next request, which must be a streamed list.
    pub async fn watch_list(&self) -> Call {
        let call = self.next().await;
        assert!(
            call.is_watch_list(),
            "expected a streamed list, got {:?}",
            call.query
        );
        call
    }

    /// Whether no request is waiting.
    pub async fn is_idle(&self) -> bool {
        self.calls.lock().await.is_empty()
    }
}

impl Call {
    pub fn query(&self, name: &str) -> Option<&str> {
        self.query.get(name).map(String::as_str)
    }

    pub fn version(&self) -> Option<&str> {
        self.query("resourceVersion")
    }

    pub fn is_watch(&self) -> bool {
        self.query("watch") == Some("true")
    }

    pub fn is_watch_list(&self) -> bool {
        self.query("sendInitialEvents") == Some("true")
    }

    /// Whether the client no longer waits for the answer.
    pub fn is_given_up(&self) -> bool {
        self.answer.is_closed()
    }

    fn answer(self, answer: Answer) {
        let _ = self.answer.send(answer);
    }

    /// Answers 200 with `body`.
    pub fn json(self, body: &Value) {
        self.text(&body.to_string());
    }

    /// Answers 200 with `body` verbatim.
    pub fn text(self, body: &str) {
        let body =
            Full::new(Bytes::from(body.to_owned())).map_err(|never: Infallible| match never {});
        self.answer(Ok(Response::new(body.boxed_unsync())));
    }

    /// Answers with a failure status.
    pub fn fail(self, code: u16, reason: &str, message: &str) {
        self.status(code, &status(code, reason, message));
    }

    /// Answers with `code` and `body`.
    pub fn status(self, code: u16, body: &Value) {
        let body =
            Full::new(Bytes::from(body.to_string())).map_err(|never: Infallible| match never {});
        let mut response = Response::new(body.boxed_unsync());
        *response.status_mut() = StatusCode::from_u16(code).unwrap();
        self.answer(Ok(response));
    }

    /// Answers with a refused connection.
    pub fn refuse(self) {
        self.answer(Err(io::Error::from(io::ErrorKind::ConnectionRefused).into()));
    }

    /// Answers 200 with a body that the test writes piece by piece.
    pub fn stream(self) -> Watch {
        let (body, chunks) = mpsc::unbounded_channel::<io::Result<Bytes>>();
        let chunks = futures::stream::unfold(chunks, |mut chunks| async move {
            let chunk = chunks.recv().await?;
            Some((chunk.map(Frame::data), chunks))
        });
        self.answer(Ok(Response::new(
            StreamBody::new(chunks.boxed()).boxed_unsync(),
        )));
        Watch { body }
    }

    /// Like [`Self::stream`], after a delay.
    pub async fn stream_after(self, delay: Duration) -> Watch {
        tokio::time::sleep(delay).await;
        self.stream()
    }
}

impl Watch {
    pub fn event(&self, kind: &str, object: &Value) -> &Self {
        self.raw(&format!("{}\n", json!({"type": kind, "object": object})))
    }

    pub fn raw(&self, text: &str) -> &Self {
        let _ = self.body.send(Ok(Bytes::from(text.to_owned())));
        self
    }

    pub fn added(&self, object: &Value) -> &Self {
        self.event("ADDED", object)
    }

    pub fn modified(&self, object: &Value) -> &Self {
        self.event("MODIFIED", object)
    }

    pub fn deleted(&self, object: &Value) -> &Self {
        self.event("DELETED", object)
    }

    pub fn bookmark(&self, version: &str) -> &Self {
        self.event("BOOKMARK", &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"resourceVersion": version}}))
    }

    /// Sends the bookmark that closes a streamed list.
    pub fn initial_end(&self, version: &str) -> &Self {
        let annotations = json!({"k8s.io/initial-events-end": "true"});
        let metadata = json!({"resourceVersion": version, "annotations": annotations});
        self.event(
            "BOOKMARK",
            &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}),
        )
    }

    pub fn error(&self, code: u16, reason: &str, message: &str) -> &Self {
        self.event("ERROR", &status(code, reason, message))
    }

    /// Breaks the connection.
    pub fn cut(self) {
        let _ = self
            .body
            .send(Err(io::Error::from(io::ErrorKind::ConnectionReset)));
    }

    /// Ends the watch normally.
    pub fn close(self) {}

    /// Waits until the client has disconnected.
    pub async fn hung_up(&self) {
        self.body.closed().await;
    }
}

/// Returns a failure status in the API server's format.
pub fn status(code: u16, reason: &str, message: &str) -> Value {
    json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "code": code,
    })
}

/// Lets all other tasks run until they are idle.
pub async fn settle() {
    for _ in 0..64 {
        tokio::task::yield_now().await;
    }
}
