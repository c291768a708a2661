//! Silent connections: every phase of a list and watch ends and is retried.
//!
//! The deadlines are short and only have to be met eventually: no times are measured.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use codegen_runtime::connect::ClientOptions;
use codegen_runtime::informer::{SharedInformer, SharedInformerFactory};
use codegen_runtime::object::ResourceInfo;
use codegen_runtime::reflector::{
    ApiSource, ApiSourceOptions, Backoff, Deadlines, ReflectorOptions,
};
use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Client, Config};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::transport::http_server::{
    Answer, HttpServer, Seen, Watch, cm, config, fail, list, ok, stream,
};
use crate::transport::proxy::Proxy;
use crate::transport::within;

const TICK: Duration = Duration::from_millis(20);

fn deadlines() -> Deadlines {
    let mut deadlines = Deadlines::default();
    deadlines.list_response = Duration::from_millis(300);
    deadlines.list_progress = Duration::from_millis(300);
    deadlines.watch_response = Duration::from_millis(300);
    deadlines.watch_silence = Duration::from_millis(300);
    deadlines
}

/// One ConfigMap `a`, at a version that a test raises, with bookmarks every [`TICK`].
#[derive(Clone)]
struct Model {
    version: Arc<AtomicU64>,
    streams: bool,
}

impl Model {
    fn new(streams: bool) -> Self {
        Self {
            version: Arc::new(AtomicU64::new(10)),
            streams,
        }
    }

    fn version(&self) -> u64 {
        self.version.load(Ordering::SeqCst)
    }

    fn change(&self) -> u64 {
        self.version.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn answer(&self, seen: &Seen) -> Answer {
        let version = self.version();
        if !seen.is_watch() {
            return ok(&list(version, &[cm("a", version)]));
        }
        let (answer, watch) = stream();
        let mut at = version;
        if seen.is_streamed_list() {
            if !self.streams {
                return fail(422, "Invalid", "sendInitialEvents is forbidden");
            }
            watch.event("ADDED", &cm("a", version));
            watch.initial_end(version);
        } else {
            at = seen.version().unwrap().parse().unwrap();
        }
        tokio::spawn(self.clone().tick(watch, at));
        answer
    }

    async fn tick(self, watch: Watch, mut at: u64) {
        loop {
            let version = self.version();
            if version > at {
                watch.event("MODIFIED", &cm("a", version));
                at = version;
            } else {
                watch.bookmark(at);
            }
            tokio::time::sleep(TICK).await;
        }
    }
}

/// Whose client a test uses.
#[derive(Clone, Copy, Debug)]
enum Pick {
    /// A client of the runtime.
    Runtime,
    /// A client with kube's defaults.
    Kube,
}

impl Pick {
    fn client(self, config: Config) -> Client {
        match self {
            Self::Runtime => ClientOptions::new().connect(config).unwrap(),
            Self::Kube => {
                assert!(config.default_retry, "the layer under test");
                Client::try_from(config).unwrap()
            }
        }
    }
}

/// Runs a test with both clients. At the same time, since it waits for deadlines and retries.
async fn each_client(test: impl AsyncFn(Pick)) {
    tokio::join!(test(Pick::Runtime), test(Pick::Kube));
}

fn informer(client: Client) -> (SharedInformerFactory, SharedInformer<ConfigMap>) {
    let factory = SharedInformerFactory::builder(client)
        .deadlines(deadlines())
        .build();
    let informer = factory.informer_for::<ConfigMap>();
    factory.start(&CancellationToken::new());
    (factory, informer)
}

/// An informer that retries at once.
struct Hasty {
    informer: SharedInformer<ConfigMap>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Hasty {
    fn start(client: Client) -> Self {
        let mut options = ReflectorOptions::default();
        options.deadlines = deadlines();
        options.backoff = Backoff::new(TICK, 10 * TICK, Duration::from_secs(120), 2.0, 1.0);
        let source = ApiSource::<ConfigMap>::new(client, &(), None, ApiSourceOptions::default());
        let info = ResourceInfo::of::<ConfigMap>(&());
        let informer =
            SharedInformer::with_options(Arc::new(source), info, Duration::ZERO, options);
        let stop = CancellationToken::new();
        let task = tokio::spawn({
            let (informer, stop) = (informer.clone(), stop.clone());
            async move { informer.run(&stop).await }
        });
        Self {
            informer,
            stop,
            task,
        }
    }

    async fn shutdown(self) {
        self.stop.cancel();
        self.task.await.unwrap();
    }
}

async fn reaches(informer: &SharedInformer<ConfigMap>, version: u64) {
    let version = version.to_string();
    let wait = Duration::from_secs(60);
    let reached = informer.store().wait_for_resource_version(&version, wait);
    reached.await.unwrap();
}

#[tokio::test]
async fn an_established_watch_that_falls_silent_is_opened_anew() {
    let runs = [true, false].map(|streams| {
        each_client(async move |pick| {
            let model = Model::new(streams);
            let answer = model.clone();
            let server = HttpServer::start(move |seen| answer.answer(&seen)).await;
            let proxy = Proxy::start(server.address()).await;
            let (factory, informer) = informer(pick.client(config(proxy.address())));
            assert!(within(informer.wait_for_sync()).await);
            reaches(&informer, model.change()).await;
            // After one bookmark, more are expected.
            within(async {
                while informer.stats().reflector.events < 5 {
                    tokio::time::sleep(TICK).await;
                }
            })
            .await;
            proxy.silence();
            reaches(&informer, model.change()).await;
            assert!(informer.stats().reflector.silent_watches >= 1);
            factory.shutdown().await;
        })
    });
    join_all(runs).await;
}

#[tokio::test]
async fn lists_and_watches_go_on_after_a_time_without_any_connection() {
    each_client(async |pick| {
        let model = Model::new(true);
        let answer = model.clone();
        let server = HttpServer::start(move |seen| answer.answer(&seen)).await;
        let proxy = Proxy::start(server.address()).await;
        let hasty = Hasty::start(pick.client(config(proxy.address())));
        let informer = &hasty.informer;
        assert!(within(informer.wait_for_sync()).await);
        let before = informer.stats().reflector.errors;
        proxy.silence_all(true);
        // Reopening the watch fails too, and is reported.
        within(async {
            while informer.stats().reflector.errors < before + 2 {
                tokio::time::sleep(TICK).await;
            }
        })
        .await;
        let version = model.change();
        proxy.silence_all(false);
        reaches(informer, version).await;
        hasty.shutdown().await;
    })
    .await;
}

/// Serves `model`, but sends the first request that `stalls` selects only `half` of an answer, or
/// none.
async fn stalling(
    model: &Model,
    stalls: fn(&Seen) -> bool,
    half: fn() -> Option<Answer>,
) -> (HttpServer, Arc<AtomicUsize>) {
    let (model, stalled) = (model.clone(), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&stalled);
    let answer = move |seen: Seen| -> BoxFuture<'static, Answer> {
        if stalls(&seen) && count.fetch_add(1, Ordering::SeqCst) == 0 {
            return match half() {
                Some(answer) => async move { answer }.boxed(),
                None => futures::future::pending().boxed(),
            };
        }
        let answer = model.answer(&seen);
        async move { answer }.boxed()
    };
    (HttpServer::start_async(answer).await, stalled)
}

/// Returns the beginning of an answer, and no end: its other side is kept open for ever.
fn begun(text: &str) -> Answer {
    let (answer, watch) = stream();
    watch.raw(text);
    std::mem::forget(watch);
    answer
}

#[tokio::test]
async fn every_phase_that_stalls_once_is_made_again() {
    let is_list = |seen: &Seen| !seen.is_watch();
    let is_watch = |seen: &Seen| seen.is_watch() && !seen.is_streamed_list();
    type Case = (
        &'static str,
        bool,
        fn(&Seen) -> bool,
        fn() -> Option<Answer>,
    );
    let cases: [Case; 5] = [
        ("the head of a list", false, is_list, || None),
        ("the body of a list", false, is_list, || {
            let head = r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":["#;
            Some(begun(&format!("{head}{},", cm("b", 5))))
        }),
        ("the head of a watch", false, is_watch, || None),
        (
            "the head of a streamed list",
            true,
            Seen::is_streamed_list,
            || None,
        ),
        ("a streamed list", true, Seen::is_streamed_list, || {
            let event = serde_json::json!({"type": "ADDED", "object": cm("b", 5)});
            Some(begun(&format!("{event}\n")))
        }),
    ];
    let cases = cases.map(|(phase, streams, stalls, half)| {
        each_client(async move |pick| {
            let model = Model::new(streams);
            let (server, stalled) = stalling(&model, stalls, half).await;
            let hasty = Hasty::start(pick.client(server.config()));
            let informer = &hasty.informer;
            assert!(within(informer.wait_for_sync()).await, "{phase}");
            reaches(informer, model.change()).await;
            assert!(stalled.load(Ordering::SeqCst) >= 1, "{phase}");
            assert!(informer.stats().reflector.errors >= 1, "{phase}");
            assert_eq!(informer.store().len(), 1, "{phase}: only what is there");
            hasty.shutdown().await;
        })
    });
    join_all(cases).await;
}

#[tokio::test]
async fn an_api_server_that_came_back_empty_is_relisted() {
    each_client(async |pick| {
        // The versions of the second server are lower than those of the first, and like a real one
        // it is silent for watches from a version that it has not reached.
        let (first, second) = (Model::new(true), Model::new(true));
        first.version.store(5_000, Ordering::SeqCst);
        let (now, asked) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (at, waits) = (Arc::clone(&now), Arc::clone(&asked));
        let models = [first.clone(), second.clone()];
        let server = HttpServer::start_async(move |seen| {
            let model = &models[at.load(Ordering::SeqCst)];
            let future = seen
                .version()
                .and_then(|version| version.parse::<u64>().ok());
            if seen.is_watch() && future.is_some_and(|version| version > model.version()) {
                waits.fetch_add(1, Ordering::SeqCst);
                let (answer, watch) = stream();
                std::mem::forget(watch);
                return async move { answer }.boxed();
            }
            let answer = model.answer(&seen);
            async move { answer }.boxed()
        })
        .await;
        let proxy = Proxy::start(server.address()).await;
        let (factory, informer) = informer(pick.client(config(proxy.address())));
        assert!(within(informer.wait_for_sync()).await);
        reaches(&informer, 5_000).await;
        now.store(1, Ordering::SeqCst);
        proxy.silence();
        within(async {
            while informer.last_sync_resource_version().len() == 4 {
                tokio::time::sleep(TICK).await;
            }
        })
        .await;
        reaches(&informer, second.change()).await;
        assert_eq!(informer.stats().reflector.version_resets, 1);
        factory.shutdown().await;
        assert!(asked.load(Ordering::SeqCst) <= 1, "one watch at most");
        assert!(proxy.accepted() >= 2);
    })
    .await;
}
