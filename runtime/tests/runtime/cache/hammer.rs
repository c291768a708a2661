//! Many writers, handlers and readers at once, on real threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use codegen_runtime::informer::{SharedInformer, SharedInformerFactory};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::core::Selector;
use rand::RngExt;
use tokio_util::sync::CancellationToken;

use super::support::live::Live;
use super::support::recorder::names;
use super::support::stores;
use super::support::witness::Witness;

const WRITES: usize = 3_000;
const NAMES: u32 = 100;

/// Makes random writes. Faults are few, because their back-offs take real time here.
fn write(live: &Live, writer: usize) {
    let mut random = rand::rng();
    for step in 0..WRITES {
        match (writer, step) {
            (0, 1_000) => live.cut_all(),
            (1, 2_000) => {
                live.compact();
                live.cut_all();
            }
            _ => {}
        }
        let name = format!("o{}", random.random_range(0..NAMES));
        let team = format!("t{}", random.random_range(0..4));
        match random.random_range(0..10) {
            0..=2 => live.delete(&name),
            _ => live.write(&name, &[("team", &team)]),
        }
    }
}

/// Reads as fast as possible; every snapshot must be consistent.
fn read(store: &codegen_runtime::store::Store<ConfigMap>, done: &AtomicBool) -> usize {
    let mut reads = 0;
    while !done.load(Ordering::Relaxed) {
        let snapshot = store.snapshot();
        let mut by_team = 0;
        for team in snapshot.index_values("team").unwrap() {
            let objects = snapshot.by_index("team", &team).unwrap();
            assert!(
                objects
                    .iter()
                    .all(|object| object.labels()["team"] == *team)
            );
            let selector = Selector::from_iter([("team".to_owned(), team.to_string())]);
            assert_eq!(snapshot.select(&selector).len(), objects.len());
            by_team += objects.len();
        }
        assert_eq!(
            (by_team, snapshot.iter().count()),
            (snapshot.len(), snapshot.len())
        );
        reads += 1;
        // Lets the other threads run on a small machine.
        std::thread::yield_now();
    }
    reads
}

/// Adds forty handlers while events arrive, removes every other one, and returns those that stay.
async fn come_and_go(informer: &SharedInformer<ConfigMap>) -> Vec<Witness> {
    let mut late = Vec::new();
    for round in 0..40 {
        let witness = Witness::default();
        let registration = informer.add_event_handler(witness.clone()).unwrap();
        late.push((witness, registration));
        if round % 2 == 0 {
            let (witness, registration) = late.remove(late.len() / 2);
            assert!(informer.remove_event_handler(&registration));
            assert_eq!(witness.complaints(), Vec::<String>::new());
        }
        tokio::task::yield_now().await;
    }
    late.into_iter().map(|(witness, _)| witness).collect()
}

/// Waits until the cache and every handler hold the expected state; returns false if they do not
/// reach it.
async fn agree(
    informer: &SharedInformer<ConfigMap>,
    witnesses: &[Witness],
    expected: &[String],
) -> bool {
    let agreed = async {
        while names(informer.store()) != expected
            || !witnesses.iter().all(|witness| witness.names() == expected)
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), agreed)
        .await
        .is_ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_writers_handlers_and_readers_end_with_one_truth() {
    let live = Live::default();
    let factory: SharedInformerFactory = stores::factory(live.client())
        .resync(Duration::from_secs(1))
        .build();
    let informer = factory.informer_for::<ConfigMap>();
    informer
        .store()
        .add_indexer("team", |object: &ConfigMap| {
            object.labels().get("team").cloned().into_iter().collect()
        })
        .unwrap();
    let witnesses: Vec<Witness> = (0..5).map(|_| Witness::default()).collect();
    for witness in &witnesses {
        informer.add_event_handler(witness.clone()).unwrap();
    }
    factory.start(&CancellationToken::new());
    factory.wait_for_cache_sync().await.unwrap();

    let (done, reads) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let mut threads = Vec::new();
    for _ in 0..3 {
        let (store, done, reads) = (informer.store().clone(), done.clone(), reads.clone());
        threads.push(std::thread::spawn(move || {
            reads.fetch_add(read(&store, &done), Ordering::Relaxed);
        }));
    }
    let writers: Vec<_> = (0..3)
        .map(|writer| {
            let live = live.clone();
            tokio::task::spawn_blocking(move || write(&live, writer))
        })
        .collect();
    let late = come_and_go(&informer).await;
    for writer in writers {
        writer.await.unwrap();
    }
    let expected = live.names();
    let all: Vec<Witness> = witnesses.into_iter().chain(late).collect();
    let agreed = agree(&informer, &all, &expected).await;
    done.store(true, Ordering::Relaxed);
    for thread in threads {
        thread.join().unwrap();
    }
    assert!(agreed, "{:?}", informer.stats());
    assert_eq!(names(informer.store()), expected);
    assert!(reads.load(Ordering::Relaxed) > 0);
    for witness in all {
        assert_eq!(witness.complaints(), Vec::<String>::new());
    }
    assert_eq!(informer.stats().pending, 0);
    factory.shutdown().await;
}
