//! Handlers: late, removed, slow and panicking ones, and their progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use codegen_runtime::informer::{InformerError, handler};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;

use super::support::informers::{Running, informer};
use super::support::objects::{cm, list};
use super::support::recorder::Recorder;
use super::support::{Server, settle};

#[tokio::test(start_paused = true)]
async fn a_late_handler_gets_one_add_for_each_stored_object_without_gap_or_duplicate() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let (_running, watch) = Running::synced(&server, &informer, &[cm("a", 1), cm("b", 2)]).await;
    watch
        .modified(&cm("a", 101))
        .deleted(&cm("b", 102))
        .added(&cm("c", 103));
    settle().await;
    let late = Recorder::default();
    informer.add_event_handler(late.clone()).unwrap();
    watch.modified(&cm("c", 104));
    settle().await;
    let calls = late.take();
    assert_eq!(calls.len(), 3, "{calls:?}");
    assert!(
        calls[..2].contains(&"add! a@101".to_owned())
            && calls[..2].contains(&"add! c@103".to_owned())
    );
    assert_eq!(calls[2], "update c@103->104");
}

#[tokio::test(start_paused = true)]
async fn a_handler_added_before_the_first_list_hears_of_each_object_once() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let running = Running::start(&informer);
    let call = server.list().await;
    let calls = Recorder::default();
    let registration = informer.add_event_handler(calls.clone()).unwrap();
    call.json(&list(100, &[cm("a", 1), cm("b", 2)]));
    assert!(registration.wait_for_sync().await);
    assert_eq!(calls.take_sorted(), ["add! a@1", "add! b@2"]);
    drop(running);
}

#[tokio::test(start_paused = true)]
async fn has_synced_of_a_registration_means_upstream_synced_and_initial_adds_delivered() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let calls = Recorder::default();
    let early = informer.add_event_handler(calls.clone()).unwrap();
    assert!(!early.has_synced());
    let (_running, _watch) = Running::synced(&server, &informer, &[cm("a", 1)]).await;
    assert!(early.wait_for_sync().await);
    assert_eq!(calls.take(), ["add! a@1"], "delivered before synced");
    let late = informer.add_event_handler(calls.clone()).unwrap();
    assert!(
        !late.has_synced(),
        "upstream has synced, the late handler's adds are not delivered"
    );
    assert!(late.wait_for_sync().await);
    assert_eq!(calls.take(), ["add! a@1"]);
}

#[tokio::test(start_paused = true)]
async fn a_handler_of_an_empty_cache_syncs() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let early = informer.add_event_handler(Recorder::default()).unwrap();
    let (_running, _watch) = Running::synced(&server, &informer, &[]).await;
    let late = informer.add_event_handler(Recorder::default()).unwrap();
    assert!(early.wait_for_sync().await && late.wait_for_sync().await);
}

#[tokio::test(start_paused = true)]
async fn a_removed_handler_gets_nothing_more_and_removal_is_idempotent() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let (kept, removed) = (Recorder::default(), Recorder::default());
    informer.add_event_handler(kept.clone()).unwrap();
    let registration = informer.add_event_handler(removed.clone()).unwrap();
    let (_running, watch) = Running::synced(&server, &informer, &[]).await;
    watch.added(&cm("a", 101));
    settle().await;
    assert_eq!(informer.stats().handlers, 2);
    assert!(informer.remove_event_handler(&registration));
    assert!(
        !informer.remove_event_handler(&registration),
        "twice does nothing"
    );
    watch.added(&cm("b", 102));
    settle().await;
    assert_eq!(removed.take(), ["add a@101"]);
    assert_eq!(kept.take(), ["add a@101", "add b@102"]);
    assert_eq!(informer.stats().handlers, 1);
    assert!(!registration.wait_for_sync().await || registration.has_synced());
}

#[tokio::test(start_paused = true)]
async fn a_foreign_registration_removes_nothing() {
    let server = Server::new();
    let (one, other) = (
        informer(&server, Duration::ZERO),
        informer(&server, Duration::ZERO),
    );
    let registration = one.add_event_handler(Recorder::default()).unwrap();
    other.add_event_handler(Recorder::default()).unwrap();
    assert!(!other.remove_event_handler(&registration));
    assert_eq!((one.stats().handlers, other.stats().handlers), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn one_handler_added_twice_is_called_twice_and_removed_one_at_a_time() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let calls = Arc::new(Recorder::default());
    let first = informer.add_event_handler(calls.clone()).unwrap();
    informer.add_event_handler(calls.clone()).unwrap();
    let (_running, watch) = Running::synced(&server, &informer, &[]).await;
    watch.added(&cm("a", 101));
    settle().await;
    assert_eq!(calls.take().len(), 2);
    informer.remove_event_handler(&first);
    watch.added(&cm("b", 102));
    settle().await;
    assert_eq!(calls.take().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_be_removed_before_start_and_from_within_itself() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let never = Recorder::default();
    let registration = informer.add_event_handler(never.clone()).unwrap();
    assert!(informer.remove_event_handler(&registration));
    let (_running, watch) = Running::synced(&server, &informer, &[]).await;
    let own = Arc::new(std::sync::OnceLock::new());
    let calls = Arc::new(AtomicUsize::new(0));
    let (place, count, handle) = (own.clone(), calls.clone(), informer.clone());
    let registration = informer
        .add_event_handler(handler::funcs().on_add(move |_: &Arc<ConfigMap>, _| {
            count.fetch_add(1, Ordering::Relaxed);
            handle.remove_event_handler(place.get().unwrap());
        }))
        .unwrap();
    own.set(registration).unwrap();
    watch.added(&cm("a", 101)).added(&cm("b", 102));
    settle().await;
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    assert!(never.take().is_empty());
}

#[tokio::test(start_paused = true)]
async fn adding_a_handler_after_stop_is_an_error() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let (mut running, _watch) = Running::synced(&server, &informer, &[]).await;
    running.stop.cancel();
    (&mut running.task).await.unwrap();
    assert_eq!(
        informer.add_event_handler(Recorder::default()).unwrap_err(),
        InformerError::Stopped
    );
}

#[tokio::test(start_paused = true)]
async fn a_panicking_handler_stops_neither_the_informer_nor_other_handlers_nor_itself() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let (calm, survivor) = (Recorder::default(), Arc::new(AtomicUsize::new(0)));
    let count = survivor.clone();
    let registration = informer
        .add_event_handler(handler::funcs().on_add(move |object: &Arc<ConfigMap>, _| {
            assert!(object.name_any() != "bad", "a bug in the handler");
            count.fetch_add(1, Ordering::Relaxed);
        }))
        .unwrap();
    informer.add_event_handler(calm.clone()).unwrap();
    let (_running, watch) = Running::synced(&server, &informer, &[cm("bad", 1)]).await;
    assert!(
        registration.wait_for_sync().await,
        "a panic does not keep it from syncing"
    );
    watch.added(&cm("good", 101));
    settle().await;
    assert_eq!(calm.take(), ["add! bad@1", "add good@101"]);
    assert_eq!(
        (survivor.load(Ordering::Relaxed), registration.panics()),
        (1, 1)
    );
    informer.remove_event_handler(&registration);
    assert_eq!(
        informer.stats().handler_panics,
        1,
        "the count outlives the handler"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_slow_handler_delays_nobody_else_and_its_queue_is_metered() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let (gate, blocked) = std::sync::mpsc::channel::<()>();
    let blocked = std::sync::Mutex::new(blocked);
    let slow = informer
        .add_event_handler(handler::funcs().on_add(move |_: &Arc<ConfigMap>, _| {
            let _ = blocked.lock().unwrap().recv();
        }))
        .unwrap();
    let (done, mut events) = tokio::sync::mpsc::unbounded_channel();
    informer
        .add_event_handler(handler::funcs().on_add(move |object: &Arc<ConfigMap>, _| {
            let _ = done.send(object.name_any());
        }))
        .unwrap();
    let running = Running::start(&informer);
    server.list().await.json(&list(100, &[cm("a", 1)]));
    let watch = server.watch().await.stream();
    watch.added(&cm("b", 101)).added(&cm("c", 102));
    for name in ["a", "b", "c"] {
        assert_eq!(events.recv().await.as_deref(), Some(name));
    }
    assert!(slow.pending() >= 2, "{}", slow.pending());
    assert!(!slow.has_synced());
    assert!(informer.stats().max_pending >= 2);
    drop(gate);
    assert!(slow.wait_for_sync().await);
    drop(running);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopping_waits_for_the_call_that_is_being_made() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let (entered, mut in_call) = tokio::sync::mpsc::unbounded_channel();
    let (gate, blocked) = std::sync::mpsc::channel::<()>();
    let blocked = std::sync::Mutex::new(blocked);
    let finished = Arc::new(AtomicUsize::new(0));
    let count = finished.clone();
    informer
        .add_event_handler(handler::funcs().on_add(move |_: &Arc<ConfigMap>, _| {
            let _ = entered.send(());
            let _ = blocked.lock().unwrap().recv();
            count.fetch_add(1, Ordering::SeqCst);
        }))
        .unwrap();
    let mut running = Running::start(&informer);
    server
        .list()
        .await
        .json(&list(100, &[cm("a", 1), cm("b", 2)]));
    in_call.recv().await;
    running.stop.cancel();
    assert!(!running.task.is_finished());
    drop(gate);
    (&mut running.task).await.unwrap();
    assert_eq!(
        finished.load(Ordering::SeqCst),
        1,
        "the call that waited is dropped"
    );
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_handler_ends_when_the_informer_stops() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let registration = informer.add_event_handler(Recorder::default()).unwrap();
    let running = Running::start(&informer);
    let waits = registration.clone();
    let waiting = tokio::spawn(async move { waits.wait_for_sync().await });
    // Its list is never answered.
    let _call = server.list().await;
    running.stop.cancel();
    assert!(!waiting.await.unwrap(), "it waited before the stop");
    assert!(!registration.wait_for_sync().await, "and after it");
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_had_synced_before_the_stop_has_synced() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let registration = informer.add_event_handler(Recorder::default()).unwrap();
    let (running, _watch) = Running::synced(&server, &informer, &[cm("a", 1)]).await;
    assert!(registration.wait_for_sync().await);
    running.stop.cancel();
    settle().await;
    assert!(informer.is_stopped());
    assert!(registration.wait_for_sync().await);
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_handler_whose_calls_were_dropped_by_the_stop_ends() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let (running, _watch) = Running::synced(&server, &informer, &[cm("a", 1), cm("b", 1)]).await;
    let stop = running.stop.clone();
    // Stops within the first of its two initial calls.
    let handler = handler::funcs::<ConfigMap>().on_add(move |_, _| stop.cancel());
    let registration = informer.add_event_handler(handler).unwrap();
    assert!(!registration.wait_for_sync().await);
    assert!(!registration.has_synced());
}
