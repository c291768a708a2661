//! Benchmarks of request throughput, watch fan-out and start-up, without a socket.
//!
//! Run with `cargo bench -p embedded-apiserver`.

#![allow(clippy::expect_used, reason = "a bench fails by panicking")]

use bytes::Bytes;
use divan::Bencher;
use divan::counter::ItemsCount;
use embedded_apiserver::ApiServer;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tower::ServiceExt;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn main() {
    divan::main();
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

fn config_map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"k": "x".repeat(2000)}})
}

fn server(objects: usize) -> ApiServer {
    ApiServer::builder()
        .objects((0..objects).map(|i| config_map(&format!("m{i}"))))
        .build()
        .expect("a server")
}

async fn request(server: &ApiServer, method: Method, path: &str, body: Bytes) -> Bytes {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("content-type", "application/json")
        .body(Full::new(body))
        .expect("a request");
    let response = server.service().oneshot(request).await.expect("an answer");
    assert!(response.status().is_success(), "{}", response.status());
    response
        .into_body()
        .collect()
        .await
        .expect("a body")
        .to_bytes()
}

#[divan::bench]
fn start_up(bencher: Bencher<'_, '_>) {
    bencher.bench(|| ApiServer::builder().build().expect("a server"));
}

#[divan::bench]
fn get(bencher: Bencher<'_, '_>) {
    let (runtime, server) = (runtime(), server(1));
    let path = format!("{MAPS}/m0");
    bencher.bench(|| runtime.block_on(request(&server, Method::GET, &path, Bytes::new())));
}

#[divan::bench]
fn create(bencher: Bencher<'_, '_>) {
    let (runtime, server) = (runtime(), server(0));
    let mut next = 0;
    bencher
        .with_inputs(|| {
            next += 1;
            Bytes::from(config_map(&format!("c{next}")).to_string())
        })
        .bench_local_values(|body| runtime.block_on(request(&server, Method::POST, MAPS, body)));
}

#[divan::bench]
fn update(bencher: Bencher<'_, '_>) {
    let (runtime, server) = (runtime(), server(1));
    let path = format!("{MAPS}/m0");
    let mut next = 0;
    bencher
        .with_inputs(|| {
            next += 1;
            let mut map = config_map("m0");
            map["data"]["n"] = json!(next.to_string());
            Bytes::from(map.to_string())
        })
        .bench_local_values(|body| runtime.block_on(request(&server, Method::PUT, &path, body)));
}

#[divan::bench]
fn list_of_500(bencher: Bencher<'_, '_>) {
    let (runtime, server) = (runtime(), server(500));
    bencher
        .counter(ItemsCount::new(500_usize))
        .bench(|| runtime.block_on(request(&server, Method::GET, MAPS, Bytes::new())));
}

/// One write, delivered to a thousand watchers.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn watch_fan_out_to_1000(bencher: Bencher<'_, '_>) {
    let (runtime, server) = (runtime(), server(1));
    let path = format!("{MAPS}/m0");
    let watch = format!(
        "{MAPS}?watch=1&resourceVersion={}",
        server.resource_version()
    );
    let mut bodies: Vec<_> = (0..1000)
        .map(|_| {
            let request = Request::get(&watch)
                .body(Full::new(Bytes::new()))
                .expect("a request");
            runtime
                .block_on(server.service().oneshot(request))
                .expect("a watch")
                .into_body()
        })
        .collect();
    let mut next = 0;
    bencher
        .counter(ItemsCount::new(1000_usize))
        .bench_local(|| {
            next += 1;
            let mut map = config_map("m0");
            map["data"]["n"] = json!(next.to_string());
            runtime.block_on(async {
                request(&server, Method::PUT, &path, map.to_string().into()).await;
                for body in &mut bodies {
                    body.frame().await.expect("an event").expect("no error");
                }
            });
        });
}
