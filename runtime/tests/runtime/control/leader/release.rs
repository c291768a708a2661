use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use codegen_runtime::leader::{LeaderElector, Stopped};
use serde_json::json;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{LEASE, config, contend, held_by, spec};
use crate::control::secs;
use crate::control::server::{FaultKind, Server, refusal};

#[tokio::test(start_paused = true)]
async fn every_write_carries_the_resource_version() {
    let server = Server::new();
    server.put(LEASE, held_by("", 0));
    let missing = Arc::new(AtomicU32::new(0));
    let writes = Arc::new(AtomicU32::new(0));
    server.on_call({
        let (missing, writes) = (Arc::clone(&missing), Arc::clone(&writes));
        move |call| {
            if call.verb == "update" {
                writes.fetch_add(1, Ordering::SeqCst);
                let version = call.body["metadata"]["resourceVersion"]
                    .as_str()
                    .unwrap_or_default();
                missing.fetch_add(u32::from(version.is_empty()), Ordering::SeqCst);
            }
            None
        }
    });
    let contender = contend(&server, "a");
    contender.leads().await;
    sleep(secs(5)).await;
    contender.shutdown.cancel();
    assert_eq!(contender.task.await.unwrap(), Stopped::Finished(()));
    assert_eq!(
        writes.load(Ordering::SeqCst),
        4,
        "acquire, two renewals, release"
    );
    assert_eq!(missing.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn workers_stop_before_on_stopped_leading_and_that_before_the_release() {
    let server = Server::new();
    let events = Arc::new(Mutex::new(Vec::new()));
    let note = |event: &'static str| {
        let events = Arc::clone(&events);
        move || events.lock().unwrap().push(event)
    };
    server.on_call({
        let released = note("released");
        move |call| {
            if call.body["spec"]["holderIdentity"] == "" {
                released();
            }
            None
        }
    });
    let stopped = note("told");
    let elector = LeaderElector::new(server.client(), config("a"))
        .unwrap()
        .on_stopped_leading(stopped);
    let (shutdown, ended) = (CancellationToken::new(), note("worked"));
    let run = elector.run(&shutdown, |leadership| async move {
        leadership.token().cancelled().await;
        sleep(secs(20)).await;
        assert!(
            leadership.is_leading(),
            "the lease is renewed while the work stops"
        );
        ended();
    });
    let stop = async {
        sleep(secs(1)).await;
        shutdown.cancel();
    };
    let (result, ()) = tokio::join!(run, stop);
    assert_eq!(result, Stopped::Finished(()));
    assert_eq!(*events.lock().unwrap(), ["worked", "told", "released"]);
}

#[tokio::test(start_paused = true)]
async fn work_that_does_not_stop_in_time_is_dropped_and_the_lease_released() {
    let server = Server::new();
    let elector = LeaderElector::new(server.client(), config("a").stop_timeout(secs(5))).unwrap();
    let shutdown = CancellationToken::new();
    shutdown.clone().cancel();
    let shutdown = CancellationToken::new();
    let run = elector.run(&shutdown, |_| std::future::pending::<()>());
    let stop = async {
        sleep(secs(1)).await;
        shutdown.cancel();
        Instant::now()
    };
    let (result, stopped) = tokio::join!(run, stop);
    assert_eq!(result, Stopped::Overdue);
    assert_eq!(stopped.elapsed().as_secs(), 5);
    assert_eq!(spec(&server)["holderIdentity"], "");
}

#[tokio::test(start_paused = true)]
async fn a_release_that_the_server_wants_later_is_made_then() {
    let server = Server::new();
    let contender = contend(&server, "a");
    contender.leads().await;
    let mut busy = true;
    server.on_call(move |call| {
        let releases = call.body["spec"]["holderIdentity"] == "";
        (releases && std::mem::take(&mut busy))
            .then_some(FaultKind::TooManyRequests { retry_after: 2 })
    });
    let stopped = Instant::now();
    contender.shutdown.cancel();
    assert_eq!(contender.task.await.unwrap(), Stopped::Finished(()));
    assert_eq!(stopped.elapsed().as_secs(), 2);
    assert_eq!(spec(&server)["holderIdentity"], "");
}

#[tokio::test(start_paused = true)]
async fn a_release_reads_first_and_leaves_holder_empty_and_duration_one() {
    let server = Server::new();
    let contender = contend(&server, "a");
    contender.leads().await;
    server.take_log();
    contender.shutdown.cancel();
    assert_eq!(contender.task.await.unwrap(), Stopped::Finished(()));
    assert_eq!(
        server.take_log(),
        ["a get leases/lock", "a update leases/lock"]
    );
    let spec = spec(&server);
    assert_eq!(
        (&spec["holderIdentity"], &spec["leaseDurationSeconds"]),
        (&json!(""), &json!(1))
    );
    assert_eq!(spec["leaseTransitions"], 0);
}

#[tokio::test(start_paused = true)]
async fn a_release_retries_on_conflict_no_longer_than_the_renew_deadline() {
    for (conflicts, released) in [(3, true), (u32::MAX, false)] {
        let server = Server::new();
        let contender = contend(&server, "a");
        contender.leads().await;
        let mut left = conflicts;
        server.on_call(move |call| {
            let refuse = call.body["spec"]["holderIdentity"] == "" && left > 0;
            left -= u32::from(refuse);
            refuse.then_some(refusal(409, "Conflict"))
        });
        let start = Instant::now();
        contender.shutdown.cancel();
        contender.task.await.unwrap();
        assert!(start.elapsed() <= secs(10));
        assert_eq!(spec(&server)["holderIdentity"] == "", released);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_before_leading_writes_nothing() {
    let server = Server::new();
    server.put(LEASE, held_by("other", 1));
    let contender = contend(&server, "a");
    sleep(secs(3)).await;
    contender.shutdown.cancel();
    assert_eq!(contender.task.await.unwrap(), Stopped::NeverLed);
    assert_eq!(spec(&server)["holderIdentity"], "other");
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_the_work_is_passed_on_after_the_release() {
    let server = Server::new();
    let elector = LeaderElector::new(server.client(), config("a")).unwrap();
    let run = tokio::spawn(async move {
        elector
            .run(&CancellationToken::new(), |_| async {
                panic!("on purpose")
            })
            .await;
    });
    assert!(run.await.unwrap_err().is_panic());
    assert_eq!(spec(&server)["holderIdentity"], "");
}
