//! Resyncs: which handlers get them, how often, and what they must not do.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::support::informers::{Running, informer};
use super::support::objects::{cm, list};
use super::support::recorder::Recorder;
use super::support::{Server, settle};

const SECOND: Duration = Duration::from_secs(1);

async fn after(seconds: u64) {
    tokio::time::sleep(SECOND * u32::try_from(seconds).unwrap()).await;
    settle().await;
}

#[tokio::test(start_paused = true)]
async fn each_handler_is_resynced_at_its_own_period_and_gets_updates_with_the_same_object() {
    let server = Server::new();
    let informer = informer(&server, SECOND);
    let (every_2, every_3, never) = (
        Recorder::default(),
        Recorder::default(),
        Recorder::default(),
    );
    informer
        .add_event_handler_with_resync(every_2.clone(), SECOND * 2)
        .unwrap();
    informer
        .add_event_handler_with_resync(every_3.clone(), SECOND * 3)
        .unwrap();
    informer
        .add_event_handler_with_resync(never.clone(), Duration::ZERO)
        .unwrap();
    let (_running, _watch) = Running::synced(&server, &informer, &[cm("a", 1)]).await;
    for calls in [&every_2, &every_3, &never] {
        assert_eq!(calls.take(), ["add! a@1"]);
    }
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    assert_eq!((every_2.take().len(), every_3.take().len()), (1, 0));
    after(1).await;
    assert_eq!(
        (every_2.take().len(), every_3.take()),
        (0, vec!["update a@1->1".to_owned()])
    );
    after(1).await;
    assert_eq!((every_2.take().len(), every_3.take().len()), (1, 0));
    assert!(never.take().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_resync_period_has_a_floor_of_one_second() {
    let server = Server::new();
    let informer = informer(&server, Duration::from_secs(60));
    let calls = Recorder::default();
    informer
        .add_event_handler_with_resync(calls.clone(), Duration::from_millis(1))
        .unwrap();
    let (_running, _watch) = Running::synced(&server, &informer, &[cm("a", 1)]).await;
    calls.take();
    tokio::time::sleep(Duration::from_millis(900)).await;
    assert!(calls.take().is_empty());
    tokio::time::sleep(Duration::from_millis(3_000)).await;
    settle().await;
    assert_eq!(calls.take().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn before_start_a_shorter_request_lowers_the_check_period() {
    let server = Server::new();
    let informer = informer(&server, SECOND * 100);
    let (shorter, default) = (Recorder::default(), Recorder::default());
    informer
        .add_event_handler_with_resync(shorter.clone(), SECOND * 5)
        .unwrap();
    informer
        .add_event_handler_with_resync(default.clone(), SECOND * 100)
        .unwrap();
    let (_running, _watch) = Running::synced(&server, &informer, &[cm("a", 1)]).await;
    shorter.take();
    default.take();
    after(21).await;
    assert_eq!((shorter.take().len(), default.take().len()), (4, 0));
    after(80).await;
    assert_eq!(default.take().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn after_start_a_shorter_request_is_raised_to_the_check_period() {
    let server = Server::new();
    let informer = informer(&server, SECOND * 10);
    let (_running, _watch) = Running::synced(&server, &informer, &[cm("a", 1)]).await;
    let calls = Recorder::default();
    informer
        .add_event_handler_with_resync(calls.clone(), SECOND * 2)
        .unwrap();
    settle().await;
    calls.take();
    after(9).await;
    assert!(calls.take().is_empty());
    after(12).await;
    assert!((1..=2).contains(&calls.take().len()));
}

#[tokio::test(start_paused = true)]
async fn before_start_a_request_switches_resyncs_on_where_the_informer_has_none() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let (without, with) = (Recorder::default(), Recorder::default());
    informer.add_event_handler(without.clone()).unwrap();
    informer
        .add_event_handler_with_resync(with.clone(), SECOND * 5)
        .unwrap();
    let (_running, _watch) = Running::synced(&server, &informer, &[cm("a", 1)]).await;
    without.take();
    with.take();
    after(11).await;
    assert_eq!((without.take().len(), with.take().len()), (0, 2));
}

#[tokio::test(start_paused = true)]
async fn updates_with_an_unchanged_version_go_only_to_handlers_whose_resync_is_due() {
    let server = Server::new();
    let informer = informer(&server, Duration::ZERO);
    let (due, idle) = (Recorder::default(), Recorder::default());
    informer.add_event_handler(idle.clone()).unwrap();
    informer
        .add_event_handler_with_resync(due.clone(), SECOND * 5)
        .unwrap();
    let (_running, watch) = Running::synced(&server, &informer, &[cm("a", 1)]).await;
    due.take();
    idle.take();
    after(6).await;
    assert_eq!(due.take().len(), 1);
    watch.error(410, "Expired", "too old");
    server.list().await.json(&list(200, &[cm("a", 1)]));
    let watch = server.watch().await.stream();
    settle().await;
    assert_eq!(
        (due.take(), idle.take()),
        (vec!["update a@1->1".to_owned()], vec![])
    );
    watch.modified(&cm("a", 201));
    settle().await;
    assert_eq!((due.take().len(), idle.take().len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_resync_before_the_first_list_gives_nothing() {
    let server = Server::new();
    let informer = informer(&server, SECOND);
    let calls = Recorder::default();
    let registration = informer.add_event_handler(calls.clone()).unwrap();
    let _running = Running::start(&informer);
    let call = server.list().await;
    after(5).await;
    assert!(!informer.has_synced() && !registration.has_synced() && calls.take().is_empty());
    call.json(&list(1, &[]));
    assert!(registration.wait_for_sync().await);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_names_no_period_gets_the_informers_own_whatever_others_ask_for() {
    let server = Server::new();
    let informer = informer(&server, SECOND * 20);
    informer
        .add_event_handler_with_resync(Recorder::default(), SECOND * 2)
        .unwrap();
    let calls = Recorder::default();
    informer.add_event_handler(calls.clone()).unwrap();
    let (_running, _watch) = Running::synced(&server, &informer, &[cm("a", 1)]).await;
    calls.take();
    after(19).await;
    assert!(calls.take().is_empty());
    after(4).await;
    assert_eq!(calls.take().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_transform_does_not_run_on_resyncs_and_tombstones() {
    let server = Server::new();
    let informer = informer(&server, SECOND);
    let runs = Arc::new(AtomicUsize::new(0));
    let counter = runs.clone();
    informer
        .set_transform(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
        })
        .unwrap();
    let calls = Recorder::default();
    informer.add_event_handler(calls.clone()).unwrap();
    let (_running, watch) = Running::synced(&server, &informer, &[cm("a", 1), cm("b", 1)]).await;
    assert_eq!(runs.load(Ordering::Relaxed), 2);
    after(3).await;
    assert!(calls.take().len() > 2, "resyncs came");
    assert_eq!(runs.load(Ordering::Relaxed), 2);
    // A relist without `b` makes it a tombstone; `a` is transformed again, as it was received
    // again.
    watch.error(410, "Expired", "too old");
    server.list().await.json(&list(105, &[cm("a", 1)]));
    settle().await;
    let seen = calls.take();
    assert!(seen.iter().any(|call| call == "gone b@1"), "{seen:?}");
    assert_eq!(runs.load(Ordering::Relaxed), 3);
}
