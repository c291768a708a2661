//! The informer's hand-over: reflector → event queue → cache and handlers, with handlers that are
//! added late or removed.

use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use loom::future::block_on;
use loom::sync::Mutex;
use loom::thread;
use tokio_util::sync::CancellationToken;

use crate::informer::listener::Listener;
use crate::informer::processor::Processor;
use crate::informer::queue::EventQueue;
use crate::object::Cacheable;
use crate::reflector::{Change, Replace, Sink};
use crate::store::{ObjectKey, Store};
use crate::witness::Witness;

/// The parts of one informer.
struct Rig {
    store: Store<ConfigMap>,
    queue: EventQueue<ConfigMap>,
    processor: Mutex<Processor<ConfigMap>>,
}

impl Rig {
    fn new() -> Arc<Self> {
        let store = Store::new();
        Arc::new(Self {
            queue: EventQueue::new(store.clone()),
            processor: Mutex::new(Processor::new(store.clone(), Duration::ZERO)),
            store,
        })
    }

    /// Processes `batches` batches, like the informer's own task.
    fn process(&self, batches: usize) {
        for _ in 0..batches {
            let go_on = block_on(
                self.queue
                    .pop(|batch| self.processor.lock().unwrap().process(batch)),
            );
            assert!(go_on);
        }
    }

    fn list(&self, objects: &[(&str, u64)]) {
        self.queue.replace(Replace {
            objects: objects
                .iter()
                .map(|(name, version)| keyed(name, *version))
                .map(|(key, object)| (key, object.into()))
                .collect(),
            keep: Vec::new(),
            resource_version: "1".to_owned(),
            versions_went_back: false,
        });
    }

    fn write(&self, name: &str, version: u64) {
        let (key, object) = keyed(name, version);
        let version = version.to_string();
        self.queue
            .apply(vec![Change::Upsert { key, object }], &version);
    }

    fn add(&self) -> (Witness, Arc<Listener<ConfigMap>>) {
        let witness = Witness::default();
        let added = self
            .processor
            .lock()
            .unwrap()
            .add(Arc::new(witness.clone()), Duration::ZERO);
        (witness, added.expect("a running informer"))
    }

    /// Returns `name@version` of the cached objects, sorted.
    fn names(&self) -> Vec<String> {
        let snapshot = self.store.snapshot();
        let name = |object: Arc<ConfigMap>| {
            let (name, version) = (&object.metadata.name, &object.metadata.resource_version);
            format!("{}@{}", name.as_ref().unwrap(), version.as_ref().unwrap())
        };
        let mut names: Vec<_> = snapshot.iter().map(name).collect();
        names.sort();
        names
    }
}

fn keyed(name: &str, version: u64) -> (ObjectKey, Arc<ConfigMap>) {
    let mut object = ConfigMap::default();
    object.metadata.name = Some(name.to_owned());
    object.metadata.uid = Some(name.to_owned());
    object.metadata.resource_version = Some(version.to_string());
    (ObjectKey::of(&object), Arc::new(object))
}

/// Makes all pending calls of a handler.
fn deliver<K: Cacheable>(listener: &Arc<Listener<K>>) {
    let stop = CancellationToken::new();
    let mut run = Box::pin(listener.clone().run(stop));
    let pending = run
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
        .is_pending();
    assert!(pending || listener.shared.removed.is_cancelled());
}

fn model(check: impl Fn(Arc<Rig>) + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || check(Rig::new()));
}

#[test]
fn a_late_handler_hears_of_every_object_without_gap_or_duplicate() {
    model(|rig| {
        let reflector = thread::spawn({
            let rig = rig.clone();
            move || {
                rig.list(&[("a", 1), ("b", 1)]);
                rig.write("a", 2);
            }
        });
        let late = thread::spawn({
            let rig = rig.clone();
            move || rig.add()
        });
        // The list and the write are one batch each, unless the write is processed with the next
        // batch.
        rig.process(2);
        let (witness, listener) = late.join().unwrap();
        reflector.join().unwrap();
        deliver(&listener);
        assert_eq!(witness.complaints(), Vec::<String>::new());
        assert_eq!(witness.names(), ["a@2", "b@1"]);
        assert_eq!(witness.names(), rig.names());
        assert!(*listener.shared.synced.borrow());
        assert_eq!(pending(&listener), 0);
    });
}

#[test]
fn a_handler_counts_as_synced_only_after_its_initial_adds() {
    model(|rig| {
        let (witness, listener) = rig.add();
        let consumer = thread::spawn({
            let rig = rig.clone();
            move || rig.process(1)
        });
        let reader = thread::spawn({
            let (witness, listener) = (witness.clone(), listener.clone());
            move || {
                deliver(&listener);
                (*listener.shared.synced.borrow(), witness.names())
            }
        });
        rig.list(&[("a", 1)]);
        consumer.join().unwrap();
        let (synced, names) = reader.join().unwrap();
        assert!(!synced || names == ["a@1"], "{synced} {names:?}");
    });
}

#[test]
fn a_removed_handler_hears_at_most_the_call_that_is_being_made() {
    model(|rig| {
        rig.list(&[("a", 1)]);
        rig.process(1);
        let (witness, listener) = rig.add();
        let (_, other) = rig.add();
        let running = thread::spawn({
            let listener = listener.clone();
            move || block_on(listener.run(CancellationToken::new()))
        });
        let remover = thread::spawn({
            let (rig, witness, id) = (rig.clone(), witness.clone(), listener.shared.id);
            move || {
                assert!(rig.processor.lock().unwrap().remove(id));
                assert!(!rig.processor.lock().unwrap().remove(id));
                witness.calls()
            }
        });
        rig.write("a", 2);
        rig.process(1);
        let before = remover.join().unwrap();
        running.join().unwrap();
        assert!(witness.calls() <= before + 1);
        assert_eq!(witness.complaints(), Vec::<String>::new());
        // Other handlers are not affected.
        deliver(&other);
        assert_eq!(pending(&other), 0);
    });
}

#[test]
fn closing_the_queue_ends_a_wait_for_events_and_an_event_never_goes_unnoticed() {
    model(|rig| {
        let consumer = thread::spawn({
            let rig = rig.clone();
            move || {
                let mut batches = 0;
                while block_on(rig.queue.pop(|_| batches += 1)) {}
                batches
            }
        });
        let reflector = thread::spawn({
            let rig = rig.clone();
            move || rig.write("a", 1)
        });
        reflector.join().unwrap();
        if !rig.queue.is_empty() {
            rig.queue.resync();
        }
        rig.queue.close();
        assert!(consumer.join().unwrap() <= 2);
    });
}

fn pending<K: Cacheable>(listener: &Arc<Listener<K>>) -> usize {
    listener
        .shared
        .pending
        .load(std::sync::atomic::Ordering::Relaxed)
}
