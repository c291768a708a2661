//! The work queue and the controller's loop: `cargo bench -p codegen-runtime --bench workqueue`.
//!
//! Each result is for [`ITEMS`] items; divan's item throughput shows the time of one. `hack/bench`
//! measures client-go and kube-runtime.

#![allow(
    clippy::unwrap_used,
    reason = "a benchmark that cannot run has no figure"
)]
#![allow(missing_docs, reason = "a binary exports nothing")]

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use codegen_runtime::controller::{Action, Controller, reconcile_fn};
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::metrics::Metrics;
use codegen_runtime::store::ObjectKey;
use codegen_runtime::workqueue::{AddOptions, PriorityQueue, QueueItem, WorkQueue};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::client::Body;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

const ITEMS: u64 = 100_000;

fn main() {
    divan::main();
}

fn single() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn multi() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

fn keys() -> Vec<ObjectKey> {
    (0..1024)
        .map(|n| ObjectKey::new(Some("default"), &format!("machine-{n:06}")))
        .collect()
}

/// Adds, gets and finishes items one after another.
fn one_by_one<T: QueueItem>(
    bencher: Bencher<'_, '_>,
    queue: &WorkQueue<T>,
    item: impl Fn(u64) -> T,
) {
    let runtime = single();
    bencher.counter(ItemsCount::new(ITEMS)).bench_local(|| {
        runtime.block_on(async {
            for n in 0..ITEMS {
                queue.add(item(n));
                drop(black_box(queue.get().await));
            }
        });
    });
}

#[divan::bench(sample_count = 20)]
fn add_get_done_numbers(bencher: Bencher<'_, '_>) {
    one_by_one(bencher, &WorkQueue::new(), |n| n);
}

#[divan::bench(sample_count = 20)]
fn add_get_done_keys(bencher: Bencher<'_, '_>) {
    let keys = keys();
    one_by_one(bencher, &WorkQueue::new(), |n| {
        keys[n as usize % keys.len()].clone()
    });
}

#[divan::bench(sample_count = 20)]
fn add_get_done_keys_with_metrics(bencher: Bencher<'_, '_>) {
    let keys = keys();
    let queue = WorkQueue::builder()
        .name("bench")
        .metrics(&Metrics::new())
        .build();
    one_by_one(bencher, &queue, |n| keys[n as usize % keys.len()].clone());
}

#[divan::bench(sample_count = 20)]
fn priority_add_get_done(bencher: Bencher<'_, '_>) {
    let (runtime, keys, queue) = (single(), keys(), PriorityQueue::new());
    bencher.counter(ItemsCount::new(ITEMS)).bench_local(|| {
        runtime.block_on(async {
            for n in 0..ITEMS {
                let priority = if n.is_multiple_of(3) { -100 } else { 0 };
                let options = AddOptions::default().priority(priority);
                queue.add_with(keys[n as usize % keys.len()].clone(), options);
                drop(black_box(queue.get().await));
            }
        });
    });
}

#[divan::bench(sample_count = 20)]
fn add_after_get_done(bencher: Bencher<'_, '_>) {
    let (runtime, keys, queue) = (single(), keys(), WorkQueue::new());
    bencher.counter(ItemsCount::new(ITEMS)).bench_local(|| {
        runtime.block_on(async {
            for n in 0..ITEMS {
                queue.add_after(
                    keys[n as usize % keys.len()].clone(),
                    Duration::from_nanos(1),
                );
                drop(black_box(queue.get().await));
            }
        });
    });
}

#[divan::bench(sample_count = 20)]
fn add_after_among_ten_thousand_delays(bencher: Bencher<'_, '_>) {
    let (runtime, queue) = (single(), WorkQueue::new());
    (0..10_000_u64).for_each(|n| queue.add_after(ITEMS + n, Duration::from_secs(3600 + n)));
    bencher.counter(ItemsCount::new(ITEMS)).bench_local(|| {
        runtime.block_on(async {
            for n in 0..ITEMS {
                queue.add_after(n, Duration::from_nanos(1));
                drop(black_box(queue.get().await));
            }
        });
    });
}

/// One task adds items, `workers` tasks process them.
#[divan::bench(args = [1, 8], sample_count = 20)]
fn one_adder_and_workers(bencher: Bencher<'_, '_>, workers: usize) {
    let runtime = multi();
    bencher.counter(ItemsCount::new(ITEMS)).bench_local(|| {
        let queue = WorkQueue::new();
        runtime.block_on(async {
            let mut tasks = tokio::task::JoinSet::new();
            for _ in 0..workers {
                let queue = queue.clone();
                tasks.spawn(async move { while queue.get().await.is_some() {} });
            }
            tokio::spawn(async move {
                for n in 0..ITEMS {
                    queue.add(n);
                    if n.is_multiple_of(256) {
                        tokio::task::yield_now().await;
                    }
                }
                queue.shut_down_with_drain().await;
            })
            .await
            .unwrap();
            while tasks.join_next().await.is_some() {}
        });
    });
}

/// From an add to the start of the work, by a sleeping worker on another thread, and back.
#[divan::bench(sample_count = 20)]
fn idle_add_to_start_and_back(bencher: Bencher<'_, '_>) {
    const ROUNDS: u64 = 1_000;
    let runtime = multi();
    bencher.counter(ItemsCount::new(ROUNDS)).bench_local(|| {
        let (there, back) = (WorkQueue::new(), WorkQueue::new());
        runtime.block_on(async {
            let (taken, answers) = (there.clone(), back.clone());
            let worker = tokio::spawn(async move {
                while let Some(item) = taken.get().await {
                    answers.add(*item);
                }
            });
            tokio::spawn(async move {
                for n in 0..ROUNDS {
                    there.add(n);
                    drop(black_box(back.get().await));
                }
                there.shut_down();
            })
            .await
            .unwrap();
            worker.await.unwrap();
        });
    });
}

type Answer = Response<UnsyncBoxBody<bytes::Bytes, Infallible>>;

/// Creates a client of one list of config maps, and of watches without events.
fn client(objects: usize) -> kube::Client {
    let item = |n: usize| serde_json::json!({"metadata": {"name": format!("map-{n}"), "namespace": "default", "uid": n.to_string(), "resourceVersion": "1"}});
    let items: Vec<_> = (0..objects).map(item).collect();
    let metadata = serde_json::json!({"resourceVersion": "1"});
    let list = serde_json::json!({"kind": "ConfigMapList", "apiVersion": "v1", "metadata": metadata, "items": items});
    let list = bytes::Bytes::from(list.to_string());
    let service = tower::service_fn(move |request: Request<Body>| {
        let (list, query) = (
            list.clone(),
            request.uri().query().unwrap_or_default().to_owned(),
        );
        async move {
            if query.contains("sendInitialEvents") {
                let mut refused = Response::new(Full::new(bytes::Bytes::from_static(
                    br#"{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}"#,
                )));
                *refused.status_mut() = http::StatusCode::UNPROCESSABLE_ENTITY;
                return Ok::<Answer, Infallible>(refused.map(BodyExt::boxed_unsync));
            }
            if query.contains("watch=") {
                let body = StreamBody::new(futures::stream::pending::<
                    Result<hyper::body::Frame<bytes::Bytes>, Infallible>,
                >());
                return Ok(Response::new(BodyExt::boxed_unsync(body)));
            }
            Ok(Response::new(Full::new(list).boxed_unsync()))
        }
    });
    kube::Client::new(service, "default")
}

/// A controller of eight workers over 1,000 objects whose reconciler requeues immediately.
#[divan::bench(sample_count = 10)]
fn no_op_reconciles(bencher: Bencher<'_, '_>) {
    let runtime = multi();
    bencher.counter(ItemsCount::new(ITEMS)).bench_local(|| {
        runtime.block_on(async {
            let factory = SharedInformerFactory::builder(client(1000)).build();
            let (count, stop) = (Arc::new(AtomicU64::new(0)), CancellationToken::new());
            let reconciler = reconcile_fn({
                let stop = stop.clone();
                move |_| {
                    if count.fetch_add(1, Ordering::Relaxed) >= ITEMS {
                        stop.cancel();
                    }
                    std::future::ready(Ok::<_, Infallible>(Action::requeue_after(Duration::ZERO)))
                }
            });
            let builder = Controller::builder("bench", &factory)
                .for_::<ConfigMap>()
                .workers(8);
            let controller = builder.build(reconciler).unwrap();
            let informers = CancellationToken::new();
            factory.start(&informers);
            factory.wait_for_cache_sync().await.unwrap();
            tokio::spawn(async move { controller.run(&stop, None).await })
                .await
                .unwrap()
                .unwrap();
            informers.cancel();
            factory.shutdown().await;
        });
    });
}
