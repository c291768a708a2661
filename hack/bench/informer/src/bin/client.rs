//! Runs one measurement:
//! `client <ours|packed|kube-runtime> <stream|list> <handlers> <url> <objects> <updates>`.
//!
//! Fills a cache, reads the memory use, then counts updates until the last handler got the last
//! one. Prints one line: client, list mode, objects per second, resident and peak bytes per object,
//! updates per second. On standard error, it tells how long reads of our caches take.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use codegen_runtime::informer::{SharedInformer, handler};
use codegen_runtime::object::ResourceInfo;
use codegen_runtime::reflector::{ApiSource, ApiSourceOptions, ReflectorOptions};
use futures::StreamExt;
use informer_bench::{memory, objects::Widget};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Api, Client, Config, ResourceExt};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The measurement.
struct Run {
    client: Client,
    streamed: bool,
    handlers: usize,
    objects: usize,
    updates: usize,
    heard: Arc<AtomicUsize>,
    last: Arc<Notify>,
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [who, how, handlers, url, objects, updates] = &arguments[..] else {
        panic!(
            "client <ours|packed|kube-runtime> <stream|list> <handlers> <url> <objects> <updates>"
        );
    };
    let config = Config::new(url.parse().expect("a url"));
    let run = Run {
        client: Client::try_from(config).expect("a client"),
        streamed: how == "stream",
        handlers: handlers.parse().expect("a number of handlers"),
        objects: objects.parse().expect("a number of objects"),
        updates: updates.parse().expect("a number of updates"),
        heard: Arc::default(),
        last: Arc::default(),
    };
    let before = memory().0;
    let started = Instant::now();
    let (mut informer, mut reader) = (None, None);
    match who.as_str() {
        "kube-runtime" => reader = Some(run.kube_runtime().await),
        who => informer = Some(run.ours(who == "packed").await),
    }
    let synced = started.elapsed();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (resident, peak) = memory();
    let began = Instant::now();
    let request = http::Request::get(format!("/updates?n={}", run.updates))
        .body(Vec::new())
        .expect("a request");
    let client = run.client.clone();
    tokio::spawn(async move { client.request_text(request).await });
    run.last.notified().await;
    let updated = began.elapsed();
    let each = |kilobytes: u64| kilobytes.saturating_sub(before) * 1024 / run.objects as u64;
    println!(
        "{who}\t{how}\t{handlers}\t{:.0}\t{}\t{}\t{:.0}",
        run.objects as f64 / synced.as_secs_f64(),
        each(resident),
        each(peak),
        run.updates as f64 / updated.as_secs_f64(),
    );
    if let Some(informer) = informer {
        read(who, &informer);
    }
    drop(reader);
}

/// Tells the median time of a read of one object, of one that is in use, and the time of all.
fn read(who: &str, informer: &SharedInformer<Widget>) {
    let store = informer.store();
    let keys: Vec<_> = store.list_keys().into_iter().take(10_000).collect();
    let mut held = Vec::new();
    let mut median = || {
        let timed = keys.iter().map(|key| {
            let started = Instant::now();
            held.push(store.get(key));
            started.elapsed()
        });
        let mut times: Vec<_> = timed.collect();
        times.sort();
        times[times.len() / 2]
    };
    let (cold, in_use) = (median(), median());
    drop(held);
    let started = Instant::now();
    let all = store.list().len();
    eprintln!(
        "{who}: get {cold:?} (p50), in use {in_use:?}, list of {all} {:?}",
        started.elapsed()
    );
}

impl Run {
    /// Counts one call of a handler.
    fn hear(heard: &AtomicUsize, last: &Notify, of: usize) {
        if heard.fetch_add(1, Ordering::Relaxed) + 1 == of {
            last.notify_one();
        }
    }

    async fn ours(&self, packed: bool) -> SharedInformer<Widget> {
        let source =
            ApiSource::<Widget>::new(self.client.clone(), &(), None, ApiSourceOptions::default());
        let mut options = ReflectorOptions::default();
        options.watch_list = self.streamed;
        let informer = SharedInformer::with_options(
            Arc::new(source),
            ResourceInfo::of::<Widget>(&()),
            Duration::ZERO,
            options,
        );
        if packed {
            informer
                .set_packed()
                .expect("an informer that has not started");
        }
        let of = self.updates * self.handlers;
        let mut registrations = Vec::new();
        for _ in 0..self.handlers {
            let (heard, last) = (self.heard.clone(), self.last.clone());
            let handler =
                handler::funcs().on_update(move |_, _: &Arc<Widget>| Self::hear(&heard, &last, of));
            registrations.push(
                informer
                    .add_event_handler(handler)
                    .expect("a running informer"),
            );
        }
        let running = informer.clone();
        tokio::spawn(async move { running.run(&CancellationToken::new()).await });
        for registration in registrations {
            assert!(registration.wait_for_sync().await);
        }
        assert_eq!(informer.store().len(), self.objects);
        informer
    }

    async fn kube_runtime(&self) -> reflector::Store<Widget> {
        let (reader, writer) = reflector::store::<Widget>();
        let mut config = watcher::Config::default();
        if self.streamed {
            config = config.streaming_lists();
        }
        let api = Api::<Widget>::all(self.client.clone());
        let (heard, last, of) = (self.heard.clone(), self.last.clone(), self.updates);
        let objects = self.objects;
        let stream = watcher(api, config)
            .modify(|widget| widget.managed_fields_mut().clear())
            .reflect(writer)
            .applied_objects();
        tokio::spawn(async move {
            let mut seen = 0;
            let mut stream = std::pin::pin!(stream);
            while let Some(item) = stream.next().await {
                item.expect("an event");
                seen += 1;
                if seen > objects {
                    Self::hear(&heard, &last, of);
                }
            }
        });
        reader.wait_until_ready().await.expect("a reflector");
        assert_eq!(reader.len(), self.objects);
        reader
    }
}
