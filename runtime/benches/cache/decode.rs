//! Decodes a list or watch to typed objects, through the client and the reflector.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use codegen_runtime::kube::Client;
use codegen_runtime::reflector::{
    ApiSource, ApiSourceOptions, ListRequest, ListWatch, Listed, WatchRequest,
};
use divan::Bencher;
use divan::counter::ItemsCount;
use futures::StreamExt;
use http::{Request, Response};
use http_body_util::StreamBody;
use hyper::body::Frame;
use serde_json::json;
use tokio::runtime::Runtime;

use super::objects::{Widget, json as object};

const OBJECTS: usize = 5_000;
/// The number of bytes that the connection delivers at once.
const CHUNK: usize = 64 * 1024;

/// A client that answers every request with `body`, in chunks.
fn client(body: Bytes) -> Client {
    let service = tower::service_fn(move |_: Request<codegen_runtime::kube::client::Body>| {
        let body = body.clone();
        async move {
            let chunks = (0..body.len()).step_by(CHUNK).map(move |at| {
                Ok::<_, Infallible>(Frame::data(body.slice(at..body.len().min(at + CHUNK))))
            });
            Ok::<_, Infallible>(Response::new(StreamBody::new(futures::stream::iter(
                chunks,
            ))))
        }
    });
    Client::new(service, "default")
}

fn rig(body: String) -> (Runtime, Arc<ApiSource<Widget>>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let source = {
        let _entered = runtime.enter();
        ApiSource::new(client(body.into()), &(), None, ApiSourceOptions::default())
    };
    (runtime, Arc::new(source))
}

#[divan::bench(sample_count = 10)]
fn list(bencher: Bencher<'_, '_>) {
    let items: Vec<_> = (0..OBJECTS).map(|n| object(n, 1)).collect();
    let list = json!({"apiVersion": "bench.example.com/v1", "kind": "WidgetList", "metadata": {}, "items": items});
    let (runtime, source) = rig(list.to_string());
    bencher.counter(ItemsCount::new(OBJECTS)).bench_local(|| {
        let mut widgets = Vec::with_capacity(OBJECTS);
        let mut each = |listed: Listed<Widget>| {
            if let Listed::Object(widget) = listed {
                widgets.push(Arc::new(widget));
            }
        };
        runtime
            .block_on(source.list(ListRequest::default(), &mut each))
            .unwrap();
        assert_eq!(widgets.len(), OBJECTS);
        widgets
    });
}

#[divan::bench(sample_count = 10)]
fn watch(bencher: Bencher<'_, '_>) {
    let lines: String = (0..OBJECTS)
        .map(|n| format!("{{\"type\":\"MODIFIED\",\"object\":{}}}\n", object(n, 1)))
        .collect();
    let (runtime, source) = rig(lines);
    bencher.counter(ItemsCount::new(OBJECTS)).bench_local(|| {
        runtime.block_on(async {
            let mut stream = source.watch(WatchRequest::default()).await.unwrap();
            let mut count = 0;
            while let Some(items) = stream.next().await {
                count += items.unwrap().len();
            }
            assert_eq!(count, OBJECTS);
        });
    });
}
