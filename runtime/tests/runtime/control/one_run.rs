//! A controller has one run at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use codegen_runtime::controller::{Action, ControllerError, Request, reconcile_fn};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::control::rig::Rig;
use crate::control::{ms, secs};

#[tokio::test(start_paused = true)]
async fn a_second_run_at_a_time_is_refused_and_one_after_another_is_not() {
    let rig = Rig::new();
    rig.put("a");
    let log = rig.log();
    let reconcile = reconcile_fn(move |request: Request| {
        log(request.key.name());
        std::future::ready(Ok::<_, String>(Action::done()))
    });
    let builder = rig.builder().for_::<ConfigMap>();
    let controller = Arc::new(builder.build(reconcile).unwrap());
    rig.factory.start(&CancellationToken::new());
    let start = || {
        let (controller, stop) = (Arc::clone(&controller), CancellationToken::new());
        let token = stop.clone();
        let task = tokio::spawn(async move { controller.run(&token, None).await });
        (task, stop)
    };
    let (first, stop_first) = start();
    sleep(secs(1)).await;
    let (second, _stop) = start();
    let refused = second.await.unwrap();
    assert_eq!(refused, Err(ControllerError::Running("test".to_owned())));
    assert_eq!(rig.names(), ["a"], "once, by the first");
    rig.put("b");
    sleep(secs(1)).await;
    assert_eq!(rig.names(), ["b"], "the first goes on");
    stop_first.cancel();
    first.await.unwrap().unwrap();
    let (third, _stop) = start();
    sleep(secs(1)).await;
    let mut names = rig.names();
    names.sort();
    assert_eq!(names, ["a", "b"]);
    // Drops the run without stopping it.
    third.abort();
    assert!(third.await.unwrap_err().is_cancelled());
    let (_fourth, _stop) = start();
    sleep(secs(1)).await;
    assert_eq!(rig.names().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_run_waits_for_workers_of_a_dropped_one_that_block_their_threads() {
    let rig = Rig::new();
    rig.put("a");
    let (entered, blocked) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
    let (at_once, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (enters, waits) = (Arc::clone(&entered), Arc::clone(&blocked));
    let (counts, highest) = (Arc::clone(&at_once), Arc::clone(&most));
    let reconcile = reconcile_fn(move |_: Request| {
        highest.fetch_max(counts.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        // The first call blocks its thread, so that it cannot be dropped.
        if enters.fetch_add(1, Ordering::SeqCst) == 0 {
            while waits.available_permits() == 0 {
                std::thread::sleep(ms(1));
            }
        }
        counts.fetch_sub(1, Ordering::SeqCst);
        std::future::ready(Ok::<_, String>(Action::done()))
    });
    let builder = rig.builder().for_::<ConfigMap>();
    let controller = Arc::new(builder.build(reconcile).unwrap());
    rig.factory.start(&CancellationToken::new());
    let start = || {
        let controller = Arc::clone(&controller);
        tokio::spawn(async move { controller.run(&CancellationToken::new(), None).await })
    };
    let first = start();
    while entered.load(Ordering::SeqCst) == 0 {
        sleep(ms(1)).await;
    }
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    let second = start();
    sleep(ms(50)).await;
    assert_eq!(entered.load(Ordering::SeqCst), 1, "the key is in hand");
    blocked.add_permits(1);
    while entered.load(Ordering::SeqCst) < 2 {
        sleep(ms(1)).await;
    }
    assert_eq!(most.load(Ordering::SeqCst), 1);
    second.abort();
}
