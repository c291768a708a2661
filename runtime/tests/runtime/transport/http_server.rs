//! An HTTP server with scripted answers that records requests.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures::StreamExt;
use futures::future::BoxFuture;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use kube::{Client, Config};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

pub type Answer = Response<UnsyncBoxBody<Bytes, io::Error>>;

/// One request.
#[derive(Clone, Debug)]
pub struct Seen {
    pub method: String,
    pub path: String,
    pub query: BTreeMap<String, String>,
    pub headers: HeaderMap,
}

impl Seen {
    pub fn is_watch(&self) -> bool {
        self.query.contains_key("watch")
    }

    pub fn is_streamed_list(&self) -> bool {
        self.query.contains_key("sendInitialEvents")
    }

    pub fn version(&self) -> Option<&str> {
        self.query.get("resourceVersion").map(String::as_str)
    }
}

/// The server; it ends when it is dropped.
pub struct HttpServer {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    count: watch::Receiver<usize>,
    _serving: JoinSet<()>,
}

impl HttpServer {
    /// Serves `answer` on a free port.
    pub async fn start(answer: impl Fn(Seen) -> Answer + Send + Sync + 'static) -> Self {
        let answer = move |seen| -> BoxFuture<'static, Answer> {
            let answer = answer(seen);
            Box::pin(async move { answer })
        };
        Self::start_async(answer).await
    }

    /// Like [`Self::start`], for answers that take time or never arrive.
    pub async fn start_async(
        answer: impl Fn(Seen) -> BoxFuture<'static, Answer> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (answer, seen) = (Arc::new(answer), Arc::new(Mutex::new(Vec::new())));
        let (counter, count) = watch::channel(0);
        let log = Arc::clone(&seen);
        let respond = move |request: Request<Incoming>| {
            let (answer, log, counter) = (answer.clone(), Arc::clone(&log), counter.clone());
            async move {
                let (parts, body) = request.into_parts();
                body.collect().await.unwrap();
                let query = parts.uri.query().unwrap_or_default();
                let seen = Seen {
                    method: parts.method.to_string(),
                    path: parts.uri.path().to_owned(),
                    query: form_urlencoded::parse(query.as_bytes())
                        .into_owned()
                        .collect(),
                    headers: parts.headers,
                };
                log.lock().unwrap().push(seen.clone());
                counter.send_modify(|count| *count += 1);
                Ok::<_, Infallible>(answer(seen).await)
            }
        };
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let respond = service_fn(respond.clone());
                connections
                    .spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), respond));
            }
        });
        Self {
            address,
            seen,
            count,
            _serving: serving,
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn config(&self) -> Config {
        config(self.address)
    }

    /// Creates a client with `kube`'s defaults, including its retry layer.
    pub fn kube_client(&self) -> Client {
        let config = self.config();
        assert!(config.default_retry, "the layer under test");
        Client::try_from(config).unwrap()
    }

    /// Returns the requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Waits until `count` requests have arrived.
    pub async fn wait_for(&self, count: usize) -> Vec<Seen> {
        let mut seen = self.count.clone();
        crate::transport::within(seen.wait_for(|seen| *seen >= count))
            .await
            .unwrap();
        self.seen()
    }
}

/// Returns kube's settings for a server at `address`.
pub fn config(address: SocketAddr) -> Config {
    Config::new(format!("http://{address}").parse().unwrap())
}

/// Returns an address that refuses connections while the socket lives: it is bound but not
/// listening, and no other socket can bind it. A closed one could be another test's a moment later,
/// and stays open while a program started by another test has a copy.
pub fn refusing() -> (TcpSocket, SocketAddr) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let address = socket.local_addr().unwrap();
    (socket, address)
}

fn full(code: u16, body: &Value) -> Answer {
    text(code, &body.to_string())
}

/// Returns an answer that need not be JSON.
pub fn text(code: u16, body: &str) -> Answer {
    let body = Full::new(Bytes::from(body.to_owned())).map_err(|never| match never {});
    let mut response = Response::new(body.boxed_unsync());
    *response.status_mut() = StatusCode::from_u16(code).unwrap();
    response
}

pub fn ok(body: &Value) -> Answer {
    full(200, body)
}

/// Returns a failure status in the API server's format.
pub fn fail(code: u16, reason: &str, message: &str) -> Answer {
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "code": code,
    });
    full(code, &status)
}

/// The server's end of a watch; it ends the watch when it is dropped.
#[derive(Clone)]
pub struct Watch(mpsc::UnboundedSender<io::Result<Bytes>>);

/// Returns an answer whose body the test writes piece by piece.
pub fn stream() -> (Answer, Watch) {
    let (body, chunks) = mpsc::unbounded_channel::<io::Result<Bytes>>();
    let chunks = futures::stream::unfold(chunks, |mut chunks| async move {
        let chunk = chunks.recv().await?;
        Some((chunk.map(Frame::data), chunks))
    });
    (
        Response::new(StreamBody::new(chunks.boxed()).boxed_unsync()),
        Watch(body),
    )
}

impl Watch {
    pub fn raw(&self, text: &str) -> &Self {
        let _ = self.0.send(Ok(Bytes::from(text.to_owned())));
        self
    }

    pub fn event(&self, kind: &str, object: &Value) -> &Self {
        self.raw(&format!("{}\n", json!({"type": kind, "object": object})))
    }

    pub fn bookmark(&self, version: u64) -> &Self {
        let metadata = json!({"resourceVersion": version.to_string()});
        self.event(
            "BOOKMARK",
            &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}),
        )
    }

    /// Sends the bookmark that closes a streamed list.
    pub fn initial_end(&self, version: u64) -> &Self {
        let annotations = json!({"k8s.io/initial-events-end": "true"});
        let metadata = json!({"resourceVersion": version.to_string(), "annotations": annotations});
        self.event(
            "BOOKMARK",
            &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}),
        )
    }
}

/// Creates a ConfigMap.
pub fn cm(name: &str, version: u64) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
        "name": name, "namespace": "default", "uid": format!("uid-{name}-{version}"),
        "resourceVersion": version.to_string()}})
}

/// Creates a list of ConfigMaps.
pub fn list(version: u64, items: &[Value]) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMapList",
        "metadata": {"resourceVersion": version.to_string()}, "items": items})
}
