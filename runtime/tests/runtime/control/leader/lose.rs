use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codegen_runtime::leader::{LeaderElector, Leadership, LossReason, Stopped};
use tokio::time::{Instant, advance, sleep};
use tokio_util::sync::CancellationToken;

use super::{LEASE, config, contend, held_by, spec};
use crate::control::server::{FaultKind, Server, refusal};
use crate::control::{ms, secs, settle};

#[tokio::test(start_paused = true)]
async fn without_renewal_leadership_is_lost_at_the_renew_deadline_though_the_api_is_out_of_reach() {
    let server = Server::new();
    let contender = contend(&server, "a");
    contender.leads().await;
    let start = Instant::now();
    server.cut_off("a");
    let term = contender.term();
    term.lost().cancelled().await;
    assert!(
        start.elapsed() <= secs(10) && start.elapsed() > secs(7),
        "{:?}",
        start.elapsed()
    );
    assert!(!term.is_leading() && term.check().is_err() && term.token().is_cancelled());
    assert!(matches!(contender.task.await.unwrap(), Stopped::Lost(_)));
}

#[tokio::test(start_paused = true)]
async fn a_loss_says_why() {
    let server = Server::new();
    let contender = contend(&server, "a");
    contender.leads().await;
    server.on_call(|call| (call.resource == "leases").then_some(FaultKind::DropConnection));
    let Stopped::Lost(reason) = contender.task.await.unwrap() else {
        panic!("it was not lost");
    };
    let text = reason.to_string();
    assert!(
        text.starts_with("the lease was not renewed in time: ")
            && text.contains("connection reset"),
        "the cause of the error is missing: {text}"
    );
    let check = async |lease: serde_json::Value, expected: LossReason| {
        let server = Server::new();
        let contender = contend(&server, "a");
        contender.leads().await;
        server.put(LEASE, lease);
        assert_eq!(contender.task.await.unwrap(), Stopped::Lost(expected));
    };
    let holder = "usurper".to_owned();
    check(held_by("usurper", 9), LossReason::TakenOver { holder }).await;
    check(held_by("", 0), LossReason::Released).await;
    check(held_by("a", 9), LossReason::SameIdentity).await;
}

#[tokio::test(start_paused = true)]
async fn refused_renewals_are_retried_until_the_deadline() {
    let server = Server::new();
    let contender = contend(&server, "a");
    contender.leads().await;
    let start = Instant::now();
    server.on_call(move |call| {
        let down = start.elapsed() < secs(7) && call.resource == "leases";
        down.then_some(refusal(500, "InternalError"))
    });
    sleep(secs(60)).await;
    assert!(contender.elector.is_leader());
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_sees_another_holder_stops_at_once() {
    let server = Server::new();
    let contender = contend(&server, "a");
    contender.leads().await;
    let start = Instant::now();
    server.put(LEASE, held_by("usurper", 9));
    assert!(matches!(contender.task.await.unwrap(), Stopped::Lost(_)));
    assert!(start.elapsed() < ms(100));
    assert_eq!(
        spec(&server)["holderIdentity"],
        "usurper",
        "what is another's is not released"
    );
}

#[tokio::test(start_paused = true)]
async fn a_leader_whose_lease_was_deleted_makes_it_anew_in_the_same_term() {
    let server = Server::new();
    server.put(LEASE, held_by("", 3));
    let contender = contend(&server, "a");
    contender.leads().await;
    server.remove(LEASE);
    sleep(ms(10)).await;
    assert_eq!(spec(&server)["leaseTransitions"], 4);
    assert!(contender.elector.is_leader());
}

#[tokio::test(start_paused = true)]
async fn nothing_of_the_work_runs_after_the_deadline_though_no_timer_has_fired() {
    let server = Server::new();
    let elector = LeaderElector::new(server.client_of("a"), config("a")).unwrap();
    let (shutdown, ticks) = (CancellationToken::new(), Arc::new(AtomicU32::new(0)));
    let counted = Arc::clone(&ticks);
    let work = |leadership: Leadership| async move {
        // A task spawned by the work, fenced like workers.
        tokio::spawn(leadership.fence(async move {
            loop {
                sleep(ms(100)).await;
                counted.fetch_add(1, Ordering::SeqCst);
            }
        }))
        .await
    };
    let run = tokio::spawn(async move { elector.run(&shutdown, work).await });
    sleep(secs(1)).await;
    server.cut_off("a");
    settle().await;
    let before = ticks.load(Ordering::SeqCst);
    assert!(before > 0);
    // As if the process had been paused: all timers are overdue when it resumes.
    advance(secs(600)).await;
    settle().await;
    assert_eq!(ticks.load(Ordering::SeqCst), before);
    assert!(matches!(
        run.await.unwrap(),
        Stopped::Lost(_) | Stopped::Finished(_)
    ));
}

#[tokio::test(start_paused = true)]
async fn dropping_the_elector_ends_the_work_and_its_term() {
    let server = Server::new();
    let contender = contend(&server, "a");
    contender.leads().await;
    let term = contender.term();
    contender.task.abort();
    assert!(contender.task.await.is_err());
    assert!(!term.is_leading() && term.lost().is_cancelled());
}
