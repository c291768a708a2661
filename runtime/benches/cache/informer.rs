//! The informer without a network, from a source's events to the last handler's last call.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use codegen_runtime::informer::{SharedInformer, handler};
use codegen_runtime::kube;
use codegen_runtime::object::ResourceInfo;
use codegen_runtime::reflector::{
    ListEnd, ListRequest, ListWatch, Listed, ReflectorOptions, WatchItem, WatchRequest, WatchStream,
};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use tokio::runtime::Runtime;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use super::objects::{Widget, typed};

const OBJECTS: usize = 10_000;
const UPDATES: usize = 200_000;
/// The number of events that a source delivers at once, as a busy connection does.
const GROUP: usize = 64;

/// A source that lists its objects and then delivers the events sent to it.
struct Source {
    events: Mutex<Option<mpsc::UnboundedReceiver<Vec<WatchItem<Widget>>>>>,
}

impl ListWatch<Widget> for Source {
    fn list<'a>(
        &'a self,
        _: ListRequest,
        each: &'a mut (dyn FnMut(Listed<Widget>) + Send),
    ) -> BoxFuture<'a, Result<ListEnd, kube::Error>> {
        for n in 0..OBJECTS {
            each(Listed::Object(typed(n, 1)));
        }
        async {
            Ok(ListEnd {
                resource_version: "1".into(),
                continue_token: None,
            })
        }
        .boxed()
    }

    fn watch(&self, _: WatchRequest) -> BoxFuture<'_, Result<WatchStream<Widget>, kube::Error>> {
        let events = self.events.lock().unwrap().take();
        async move {
            let stream = futures::stream::unfold(events, |events| async move {
                let mut events = events?;
                let items = events.recv().await?;
                Some((Ok(items), Some(events)))
            });
            Ok(stream.boxed())
        }
        .boxed()
    }
}

/// A running informer that counts the calls of its handlers.
struct Rig {
    runtime: Runtime,
    informer: SharedInformer<Widget>,
    send: mpsc::UnboundedSender<Vec<WatchItem<Widget>>>,
    calls: Arc<AtomicUsize>,
    last: Arc<Notify>,
    handlers: usize,
    stop: CancellationToken,
}

impl Rig {
    fn start(handlers: usize) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_time()
            .build()
            .unwrap();
        let (send, events) = mpsc::unbounded_channel();
        let source = Arc::new(Source {
            events: Mutex::new(Some(events)),
        });
        let mut options = ReflectorOptions::default();
        options.watch_list = false;
        let informer = SharedInformer::with_options(
            source,
            ResourceInfo::of::<Widget>(&()),
            Duration::ZERO,
            options,
        );
        let (calls, last) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
        for _ in 0..handlers {
            let (calls, last) = (calls.clone(), last.clone());
            let handler = handler::funcs().on_update(move |_, new: &Arc<Widget>| {
                black_box(new);
                if (calls.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(UPDATES * handlers) {
                    last.notify_one();
                }
            });
            informer.add_event_handler(handler).unwrap();
        }
        let stop = CancellationToken::new();
        let (running, token) = (informer.clone(), stop.clone());
        runtime.spawn(async move { running.run(&token).await });
        assert!(runtime.block_on(informer.wait_for_sync()));
        Self {
            runtime,
            informer,
            send,
            calls,
            last,
            handlers,
            stop,
        }
    }

    fn update(&self, groups: Vec<Vec<WatchItem<Widget>>>) {
        for group in groups {
            self.send.send(group).unwrap();
        }
        self.runtime.block_on(self.last.notified());
        assert_eq!(
            self.calls.load(Ordering::Relaxed) % (UPDATES * self.handlers),
            0
        );
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Creates small objects, so that memory traffic of the objects does not hide the informer; called
/// before the clock starts.
fn updates(version: usize) -> Vec<Vec<WatchItem<Widget>>> {
    static PATTERN: OnceLock<Vec<Widget>> = OnceLock::new();
    let pattern = PATTERN.get_or_init(|| (0..OBJECTS).map(|n| typed(n, 1).light()).collect());
    let item = |step: usize| {
        let mut widget = pattern[step * 7_919 % OBJECTS].clone();
        kube::Resource::meta_mut(&mut widget).resource_version = Some((version + step).to_string());
        WatchItem::Modified(widget)
    };
    (0..UPDATES / GROUP)
        .map(|group| (0..GROUP).map(|n| item(group * GROUP + n)).collect())
        .collect()
}

#[divan::bench(sample_count = 5, args = [1, 10])]
fn updates_to_handlers(bencher: Bencher<'_, '_>, handlers: usize) {
    let rig = Rig::start(handlers);
    let version = AtomicUsize::new(10);
    bencher
        .counter(ItemsCount::new(UPDATES))
        .with_inputs(|| updates(version.fetch_add(UPDATES, Ordering::Relaxed)))
        .bench_values(|groups| rig.update(groups));
}

#[divan::bench(sample_count = 5)]
fn updates_beside_ten_full_list_readers(bencher: Bencher<'_, '_>) {
    let rig = Rig::start(1);
    let version = AtomicUsize::new(10);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    black_box(rig.informer.store().list());
                    std::thread::sleep(Duration::from_millis(5));
                }
            });
        }
        bencher
            .counter(ItemsCount::new(UPDATES))
            .with_inputs(|| updates(version.fetch_add(UPDATES, Ordering::Relaxed)))
            .bench_values(|groups| rig.update(groups));
        stop.store(true, Ordering::Relaxed);
    });
}
