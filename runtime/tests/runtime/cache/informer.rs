//! The shared informer: cache, events, relists, settings, start and stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use codegen_runtime::informer::{InformerError, SharedInformer, handler};
use codegen_runtime::object::ResourceInfo;
use codegen_runtime::reflector::{
    ListEnd, ListRequest, ListWatch, Listed, ReflectorError, ReflectorOptions, WatchRequest,
    WatchStream,
};
use codegen_runtime::store::{IndexFn, IndexerError};
use futures::StreamExt;
use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;

use super::support::informers::{Running, informer};
use super::support::objects::{cm, cm_with, list};
use super::support::recorder::{Recorder, names};
use super::support::{Server, settle};

#[tokio::test(start_paused = true)]
async fn events_reach_the_cache_and_then_the_handler_in_order() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let calls = Recorder::default();
    informer.add_event_handler(calls.clone()).unwrap();
    let (_running, watch) = Running::synced(&server, &informer, &[cm("a", 1)]).await;
    assert_eq!(calls.take(), ["add! a@1"]);
    watch
        .added(&cm("b", 101))
        .modified(&cm("a", 102))
        .modified(&cm("a", 103))
        .deleted(&cm("b", 104));
    settle().await;
    assert_eq!(
        calls.take(),
        [
            "add b@101",
            "update a@1->102",
            "update a@102->103",
            "delete b@104"
        ]
    );
    assert_eq!(names(informer.store()), ["a@103"]);
    assert_eq!(informer.last_sync_resource_version(), "104");
}

#[tokio::test(start_paused = true)]
async fn the_cache_holds_a_change_before_the_handler_hears_of_it() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let lister = informer.lister();
    let seen = Arc::new(AtomicUsize::new(0));
    let counter = seen.clone();
    let check = handler::funcs().on_add(move |object: &Arc<ConfigMap>, _| {
        assert!(lister.namespace("default").get(&object.name_any()).is_ok());
        counter.fetch_add(1, Ordering::Relaxed);
    });
    let registration = informer.add_event_handler(check).unwrap();
    let (_running, watch) = Running::synced(&server, &informer, &[cm("a", 1)]).await;
    watch.added(&cm("b", 101));
    settle().await;
    assert_eq!(
        (seen.load(Ordering::Relaxed), registration.panics()),
        (2, 0)
    );
}

#[tokio::test(start_paused = true)]
async fn deletes_missed_while_disconnected_arrive_as_final_state_unknown_with_key_and_last_object()
{
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let calls = Recorder::default();
    informer.add_event_handler(calls.clone()).unwrap();
    let (_running, watch) =
        Running::synced(&server, &informer, &[cm("a", 1), cm("b", 2), cm("c", 3)]).await;
    calls.take();
    watch
        .modified(&cm("b", 101))
        .error(410, "Expired", "too old");
    server
        .list()
        .await
        .json(&list(200, &[cm("a", 1), cm("c", 150), cm("d", 151)]));
    server.watch().await;
    settle().await;
    assert_eq!(
        calls.take(),
        [
            "update b@2->101",
            "gone b@101",
            "update c@3->150",
            "add d@151"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn delete_and_recreate_under_one_key_across_a_relist_is_an_update_with_another_uid() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let uids = Arc::new(std::sync::Mutex::new(Vec::new()));
    let log = uids.clone();
    informer
        .add_event_handler(handler::funcs().on_update(
            move |old: &Arc<ConfigMap>, new: &Arc<ConfigMap>| {
                log.lock()
                    .unwrap()
                    .push((old.uid().unwrap(), new.uid().unwrap()));
            },
        ))
        .unwrap();
    let (_running, watch) =
        Running::synced(&server, &informer, &[cm_with("a", 1, "first", &[])]).await;
    watch.error(410, "Expired", "too old");
    server
        .list()
        .await
        .json(&list(200, &[cm_with("a", 150, "second", &[])]));
    server.watch().await;
    settle().await;
    assert_eq!(
        *uids.lock().unwrap(),
        [("first".to_owned(), "second".to_owned())]
    );
}

#[tokio::test(start_paused = true)]
async fn tombstones_are_given_for_keys_that_were_only_queued() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let calls = Recorder::default();
    informer.add_event_handler(calls.clone()).unwrap();
    let (_running, watch) = Running::synced(&server, &informer, &[]).await;
    // One chunk: the add is in the queue when the relist follows it.
    watch
        .added(&cm("short-lived", 101))
        .error(410, "Expired", "too old");
    server.list().await.json(&list(200, &[]));
    server.watch().await;
    settle().await;
    assert_eq!(
        calls.take(),
        ["add short-lived@101", "gone short-lived@101"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_delete_of_an_unknown_object_is_not_passed_on() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let calls = Recorder::default();
    informer.add_event_handler(calls.clone()).unwrap();
    let (_running, watch) = Running::synced(&server, &informer, &[]).await;
    watch.deleted(&cm("never-seen", 101));
    settle().await;
    assert!(calls.take().is_empty());
}

#[tokio::test(start_paused = true)]
async fn has_synced_is_false_before_the_first_list_and_true_after_it() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let _running = Running::start(&informer);
    let call = server.list().await;
    assert!(!informer.has_synced());
    call.json(&list(1, &[]));
    assert!(informer.wait_for_sync().await);
    assert!(informer.has_synced());
    assert_eq!(informer.last_sync_resource_version(), "1");
}

#[tokio::test(start_paused = true)]
async fn a_transform_or_error_handler_after_start_is_an_error() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    informer
        .set_transform(|object: &mut ConfigMap| object.data = None)
        .unwrap();
    informer.set_watch_error_handler(|_| {}).unwrap();
    let (running, _watch) = Running::synced(&server, &informer, &[cm("a", 1)]).await;
    assert!(informer.store().list()[0].data.is_none());
    assert_eq!(informer.set_transform(|_| {}), Err(InformerError::Started));
    assert_eq!(
        informer.set_watch_error_handler(|_| {}),
        Err(InformerError::Started)
    );
    running.stop.cancel();
    settle().await;
    assert_eq!(informer.set_transform(|_| {}), Err(InformerError::Stopped));
}

#[tokio::test(start_paused = true)]
async fn the_watch_error_handler_hears_of_errors_and_its_panics_do_no_harm() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let heard = Arc::new(AtomicUsize::new(0));
    let counter = heard.clone();
    informer
        .set_watch_error_handler(move |error| {
            assert!(matches!(error, ReflectorError::List { .. }));
            counter.fetch_add(1, Ordering::Relaxed);
            panic!("a bug in the handler");
        })
        .unwrap();
    let _running = Running::start(&informer);
    server.list().await.fail(500, "InternalError", "down");
    server.list().await.json(&list(1, &[]));
    assert!(informer.wait_for_sync().await);
    assert_eq!(heard.load(Ordering::Relaxed), 1);
    assert_eq!(informer.stats().reflector.errors, 1);
}

#[tokio::test(start_paused = true)]
async fn indexers_may_be_added_while_the_informer_runs_but_not_after_it_stopped() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let (running, watch) = Running::synced(&server, &informer, &[cm_with("a", 1, "u1", &[])]).await;
    let by_uid: IndexFn<ConfigMap> =
        Arc::new(|object: &ConfigMap| object.uid().into_iter().collect());
    informer
        .add_indexers([("uid".to_owned(), by_uid.clone())])
        .unwrap();
    watch.added(&cm_with("b", 101, "u2", &[]));
    settle().await;
    for uid in ["u1", "u2"] {
        assert_eq!(informer.lister().by_index("uid", uid).unwrap().len(), 1);
    }
    running.stop.cancel();
    settle().await;
    assert_eq!(
        informer.add_indexers([("late".to_owned(), by_uid)]),
        Err(IndexerError::Stopped)
    );
}

#[tokio::test(start_paused = true)]
async fn an_indexer_that_panics_costs_its_object_and_nothing_else() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    informer
        .store()
        .add_indexer("picky", |object: &ConfigMap| {
            assert!(object.name_any() != "bad");
            Vec::new()
        })
        .unwrap();
    let (_running, watch) = Running::synced(&server, &informer, &[]).await;
    watch.added(&cm("bad", 101)).added(&cm("good", 102));
    settle().await;
    assert_eq!(names(informer.store()), ["good@102"]);
    assert_eq!(informer.stats().indexer_panics, 1);
}

#[tokio::test(start_paused = true)]
async fn an_indexer_that_panics_on_an_object_of_a_list_costs_that_object_alone() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let calls = Recorder::default();
    informer.add_event_handler(calls.clone()).unwrap();
    let picky = |object: &ConfigMap| {
        assert!(object.metadata.resource_version.as_deref() != Some("13"));
        vec![object.name_any()]
    };
    informer.store().add_indexer("picky", picky).unwrap();
    let items = [cm("a", 11), cm("b", 13), cm("c", 12)];
    let (_running, watch) = Running::synced(&server, &informer, &items).await;
    assert_eq!(names(informer.store()), ["a@11", "c@12"]);
    assert_eq!(calls.take().len(), 2);
    assert_eq!(informer.stats().indexer_panics, 1);
    // Known states of existing objects stay, deleted objects are removed.
    watch.error(410, "Expired", "too old");
    let items = [cm("a", 13), cm("d", 14)];
    server.list().await.json(&list(101, &items));
    settle().await;
    assert_eq!(names(informer.store()), ["a@11", "d@14"]);
    assert_eq!(calls.take(), ["gone c@12", "add d@14"]);
    assert_eq!(informer.stats().indexer_panics, 2);
    let found = informer.lister().by_index("picky", "a").unwrap();
    assert_eq!(found.len(), 1);
}

/// A source whose first list and first watch panic, as a type's `Deserialize` might.
#[derive(Default)]
struct Panicky {
    calls: AtomicUsize,
}

impl Panicky {
    fn call(&self) {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed);
        assert!(calls != 0 && calls != 2, "a bug in the source");
    }
}

impl ListWatch<ConfigMap> for Panicky {
    fn list<'a>(
        &'a self,
        _: ListRequest,
        each: &'a mut (dyn FnMut(Listed<ConfigMap>) + Send),
    ) -> BoxFuture<'a, Result<ListEnd, kube::Error>> {
        self.call();
        let object = serde_json::from_value(cm("a", 11)).unwrap();
        each(Listed::Object(object));
        let end = ListEnd {
            resource_version: "11".to_owned(),
            continue_token: None,
        };
        Box::pin(std::future::ready(Ok(end)))
    }

    fn watch(&self, _: WatchRequest) -> BoxFuture<'_, Result<WatchStream<ConfigMap>, kube::Error>> {
        Box::pin(async {
            self.call();
            Ok(futures::stream::pending().boxed())
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_that_panics_is_asked_again() {
    let source = Arc::new(Panicky::default());
    let mut options = ReflectorOptions::default();
    options.watch_list = false;
    let info = ResourceInfo::of::<ConfigMap>(&());
    let informer = SharedInformer::with_options(source.clone(), info, Duration::MAX, options);
    let informer = super::support::stores::informer(informer);
    let calls = Recorder::default();
    informer.add_event_handler(calls.clone()).unwrap();
    let registration = informer.add_event_handler_with_resync(calls.clone(), Duration::MAX);
    registration.unwrap();
    let _running = Running::start(&informer);
    assert!(informer.wait_for_sync().await);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(source.calls.load(Ordering::Relaxed), 5);
    assert_eq!(informer.stats().reflector.errors, 2);
    assert_eq!(names(informer.store()), ["a@11"]);
}

#[tokio::test(start_paused = true)]
async fn cancelling_the_token_stops_the_informer_and_hangs_up() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let (mut running, watch) = Running::synced(&server, &informer, &[]).await;
    assert!(!informer.is_stopped());
    running.stop.cancel();
    (&mut running.task).await.unwrap();
    assert!(informer.is_stopped());
    watch.hung_up().await;
}

#[tokio::test(start_paused = true)]
async fn dropping_the_run_future_stops_the_informer_too() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let (running, watch) = Running::synced(&server, &informer, &[]).await;
    running.task.abort();
    watch.hung_up().await;
    assert!(informer.is_stopped());
}

#[tokio::test(start_paused = true)]
async fn an_informer_runs_only_once() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let (mut running, _watch) = Running::synced(&server, &informer, &[]).await;
    let mut second = Running::start(&informer);
    (&mut second.task).await.unwrap();
    assert!(!informer.is_stopped(), "the first run goes on");
    running.stop.cancel();
    (&mut running.task).await.unwrap();
    let mut third = Running::start(&informer);
    (&mut third.task).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn wait_for_sync_ends_when_the_informer_stops_before() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let running = Running::start(&informer);
    server.list().await;
    let waiting = tokio::spawn({
        let informer = informer.clone();
        async move { informer.wait_for_sync().await }
    });
    settle().await;
    running.stop.cancel();
    assert!(!waiting.await.unwrap());
}
