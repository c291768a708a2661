//! A minimal API server for one resource, which sends prepared bytes: `server <listen> <objects>`.
//!
//! It answers lists in one page (as the API server's cache does at version 0), streamed lists and
//! watches, and sends updates to every watch on `GET /updates?n=`. Its own cost is minimal and the
//! same for every client.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures::{SinkExt, StreamExt, channel::mpsc};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use informer_bench::{PATH, objects};
use serde_json::json;
use tokio::net::TcpListener;

type Body = BoxBody<Bytes, Infallible>;

/// The size of a write, in bytes.
const CHUNK: usize = 64 * 1024;

struct Server {
    objects: usize,
    items: Vec<Bytes>,
    watches: Mutex<Vec<mpsc::Sender<Bytes>>>,
    version: Mutex<usize>,
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let listen = arguments.next().expect("an address to listen on");
    let objects: usize = arguments
        .next()
        .and_then(|number| number.parse().ok())
        .expect("a number of objects");
    let items = (0..objects)
        .map(|n| Bytes::from(objects::json(n, n + 1).to_string()))
        .collect();
    let server = Arc::new(Server {
        objects,
        items,
        watches: Mutex::default(),
        version: Mutex::new(objects + 1),
    });
    let listener = TcpListener::bind(&listen).await.expect("to listen");
    println!("listening");
    loop {
        let (stream, _) = listener.accept().await.expect("to accept");
        stream.set_nodelay(true).expect("to set nodelay");
        let server = server.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request: Request<Incoming>| {
                let server = server.clone();
                async move { Ok::<_, Infallible>(server.answer(&request).await) }
            });
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

impl Server {
    async fn answer(self: Arc<Self>, request: &Request<Incoming>) -> Response<Body> {
        let query = request.uri().query().unwrap_or_default();
        match request.uri().path() {
            "/updates" => {
                let count = query
                    .strip_prefix("n=")
                    .and_then(|n| n.parse().ok())
                    .unwrap_or(0);
                self.update(count).await;
                Response::new(Full::new(Bytes::new()).boxed())
            }
            PATH if query.contains("watch=") => {
                self.watch(query.contains("sendInitialEvents=true"))
            }
            PATH => self.list(),
            _ => {
                let mut response = Response::new(Full::new(Bytes::from_static(b"{}")).boxed());
                *response.status_mut() = hyper::StatusCode::NOT_FOUND;
                response
            }
        }
    }

    fn list(self: Arc<Self>) -> Response<Body> {
        let head = format!(
            "{{\"apiVersion\":\"bench.example.com/v1\",\"kind\":\"WidgetList\",\"metadata\":{{\"resourceVersion\":\"{}\"}},\"items\":[",
            self.objects
        );
        let items = chunks(self.clone(), |item, first| {
            if first {
                vec![item]
            } else {
                vec![Bytes::from_static(b","), item]
            }
        });
        let all = futures::stream::once(async move { Bytes::from(head) })
            .chain(items)
            .chain(futures::stream::once(async { Bytes::from_static(b"]}\n") }));
        stream(all)
    }

    fn watch(self: Arc<Self>, initial: bool) -> Response<Body> {
        let (sender, updates) = mpsc::channel(64);
        self.watches.lock().expect("no poison").push(sender);
        if !initial {
            return stream(updates);
        }
        let metadata = json!({"resourceVersion": self.objects.to_string(), "annotations": {"k8s.io/initial-events-end": "true"}});
        let object =
            json!({"apiVersion": "bench.example.com/v1", "kind": "Widget", "metadata": metadata});
        let end = format!("{}\n", json!({"type": "BOOKMARK", "object": object}));
        let items = chunks(self, |item, _| {
            vec![
                Bytes::from_static(b"{\"type\":\"ADDED\",\"object\":"),
                item,
                Bytes::from_static(b"}\n"),
            ]
        });
        stream(
            items
                .chain(futures::stream::once(async move { Bytes::from(end) }))
                .chain(updates),
        )
    }

    /// Sends `count` updates to every watch, as fast as each takes them.
    async fn update(&self, count: usize) {
        let mut watches = std::mem::take(&mut *self.watches.lock().expect("no poison"));
        let mut chunk = Vec::with_capacity(CHUNK * 2);
        for step in 0..count {
            let version = {
                let mut version = self.version.lock().expect("no poison");
                *version += 1;
                *version
            };
            let n = step * 7_919 % self.objects;
            // Change only the version, so that preparing the bytes is cheap.
            let item = &self.items[n];
            let old = format!("\"resourceVersion\":\"{}\"", n + 1);
            let at = item
                .windows(old.len())
                .position(|window| window == old.as_bytes())
                .expect("a version");
            chunk.extend_from_slice(b"{\"type\":\"MODIFIED\",\"object\":");
            chunk.extend_from_slice(&item[..at]);
            chunk.extend_from_slice(format!("\"resourceVersion\":\"{version}\"").as_bytes());
            chunk.extend_from_slice(&item[at + old.len()..]);
            chunk.extend_from_slice(b"}\n");
            if chunk.len() >= CHUNK || step + 1 == count {
                let bytes = Bytes::from(std::mem::take(&mut chunk));
                for watch in &mut watches {
                    let _ = watch.send(bytes.clone()).await;
                }
            }
        }
        self.watches.lock().expect("no poison").extend(watches);
    }
}

/// Returns the objects in chunks of about [`CHUNK`] bytes.
fn chunks(
    server: Arc<Server>,
    frame: impl Fn(Bytes, bool) -> Vec<Bytes> + Send + Sync + 'static,
) -> impl futures::Stream<Item = Bytes> + Send + Sync {
    futures::stream::unfold((server, frame, 0), |(server, frame, mut at)| async move {
        let mut chunk = Vec::with_capacity(CHUNK + 8 * 1024);
        while chunk.len() < CHUNK && at < server.items.len() {
            for part in frame(server.items[at].clone(), at == 0) {
                chunk.extend_from_slice(&part);
            }
            at += 1;
        }
        (!chunk.is_empty()).then(|| (Bytes::from(chunk), (server, frame, at)))
    })
}

fn stream(bytes: impl futures::Stream<Item = Bytes> + Send + Sync + 'static) -> Response<Body> {
    let frames = bytes.map(|bytes| Ok::<_, Infallible>(Frame::data(bytes)));
    let body = BodyExt::boxed(StreamBody::new(frames));
    let mut response = Response::new(body);
    response.headers_mut().insert(
        "content-type",
        http::HeaderValue::from_static("application/json"),
    );
    response
}
