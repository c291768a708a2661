//! From a watch event to the start of a reconciliation.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use codegen_runtime::controller::{Action, Controller, reconcile_fn};
use codegen_runtime::informer::SharedInformerFactory;
use http::{Request, Response};
use http_body_util::StreamBody;
use hyper::body::Frame;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;

/// The time between two events, in which all tasks become idle.
const IDLE: Duration = Duration::from_millis(2);

/// Creates a client whose watch delivers what is sent to `events`.
fn client(events: mpsc::UnboundedReceiver<Bytes>) -> kube::Client {
    let events = Arc::new(Mutex::new(events));
    let service = tower::service_fn(move |_: Request<Body>| {
        let events = events.clone();
        async move {
            let frames = futures::stream::unfold(events, |events| async move {
                let line = events.lock().await.recv().await?;
                Some((Ok::<_, Infallible>(Frame::data(line)), events))
            });
            Ok::<_, Infallible>(Response::new(StreamBody::new(Box::pin(frames))))
        }
    });
    kube::Client::new(service, "default")
}

fn line(kind: &str, metadata: Value) -> Bytes {
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
    format!("{}\n", json!({"type": kind, "object": object})).into()
}

/// Returns the latency of each of `rounds` events.
pub(crate) fn measure(rounds: usize) -> Vec<Duration> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let (send, events) = mpsc::unbounded_channel();
        let factory = SharedInformerFactory::builder(client(events)).build();
        let (started, mut starts) = mpsc::unbounded_channel();
        let reconciler = reconcile_fn(move |_| {
            let _ = started.send(Instant::now());
            std::future::ready(Ok::<_, Infallible>(Action::done()))
        });
        let controller = Controller::builder("latency", &factory)
            .for_::<ConfigMap>()
            .workers(8)
            .build(reconciler)
            .unwrap();
        let stop = CancellationToken::new();
        factory.start(&stop);
        let end = json!({"resourceVersion": "1", "annotations": {"k8s.io/initial-events-end": "true"}});
        send.send(line("BOOKMARK", end)).unwrap();
        let running = {
            let stop = stop.clone();
            tokio::spawn(async move { controller.run(&stop, None).await })
        };
        let mut times = Vec::with_capacity(rounds);
        for round in 0..rounds {
            let name = format!("map-{round}");
            let metadata = json!({"name": name, "namespace": "default", "uid": name, "resourceVersion": (round + 2).to_string()});
            let event = line("ADDED", metadata);
            tokio::time::sleep(IDLE).await;
            let sent = Instant::now();
            send.send(event).unwrap();
            times.push(starts.recv().await.unwrap() - sent);
        }
        stop.cancel();
        running.await.unwrap().unwrap();
        factory.shutdown().await;
        times
    })
}
