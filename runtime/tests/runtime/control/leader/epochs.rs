//! Epochs grow, whatever happens to the Lease.

use codegen_runtime::leader::Stopped;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::{LEASE, contend, held_by, spec};
use crate::control::server::Server;
use crate::control::{ms, secs};

#[tokio::test(start_paused = true)]
async fn a_lease_that_was_deleted_goes_on_with_the_next_epoch() {
    let server = Server::new();
    server.put(LEASE, held_by("", 6));
    let first = contend(&server, "a");
    first.leads().await;
    assert_eq!(first.term().epoch(), 7);
    let second = contend(&server, "b");
    sleep(secs(1)).await;
    server.cut_off("a");
    server.remove(LEASE);
    second.leads().await;
    assert_eq!(second.term().epoch(), 8, "known from memory");
    assert_eq!(spec(&server)["leaseTransitions"], 8);
}

#[tokio::test(start_paused = true)]
async fn the_annotation_knows_the_epoch_though_the_transitions_were_reset() {
    let server = Server::new();
    let mut lease = held_by("", 2);
    lease["metadata"]["annotations"] = json!({ "kube-codegen/leader-epoch": "41" });
    server.put(LEASE, lease);
    let contender = contend(&server, "a");
    contender.leads().await;
    assert_eq!(contender.term().epoch(), 42);
    assert_eq!(spec(&server)["leaseTransitions"], 3, "client-go's count");
    let annotations = &server.get(LEASE).unwrap()["metadata"]["annotations"];
    assert_eq!(annotations["kube-codegen/leader-epoch"], "42");
}

#[tokio::test(start_paused = true)]
async fn every_term_of_a_contender_has_a_higher_epoch_than_the_one_before() {
    let server = Server::new();
    let mut last = 0;
    for _ in 0..3 {
        let contender = contend(&server, "a");
        contender.leads().await;
        let epoch = contender.term().epoch();
        assert!(epoch > last, "{epoch} after {last}");
        last = epoch;
        contender.shutdown.cancel();
        assert_eq!(contender.task.await.unwrap(), Stopped::Finished(()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_leader_outranks_an_epoch_from_outside_within_its_term() {
    let server = Server::new();
    let first = contend(&server, "a");
    first.leads().await;
    let (term, start) = (first.term(), Instant::now());
    assert_eq!(term.epoch(), 1);
    assert_eq!(term.outrank(70).await, Ok(71));
    assert!(start.elapsed() < ms(100), "{:?}", start.elapsed());
    assert_eq!(term.outrank(3).await, Ok(71), "outranked already");
    assert!(first.elector.is_leader());
    // Repeated calls take effect once per retry period.
    assert_eq!(term.outrank(80).await, Ok(81));
    assert!(
        start.elapsed() >= secs(2) - ms(100),
        "{:?}",
        start.elapsed()
    );
    sleep(secs(30)).await;
    assert!(first.elector.is_leader() && term.epoch() == 81);
    first.shutdown.cancel();
    let second = contend(&server, "b");
    second.leads().await;
    assert_eq!(second.term().epoch(), 82);
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_is_over_outranks_nobody() {
    let server = Server::new();
    let contender = contend(&server, "a");
    contender.leads().await;
    let term = contender.term();
    server.cut_off("a");
    let mut lease = held_by("b", 9);
    lease["metadata"]["annotations"] = json!({ "kube-codegen/leader-epoch": "9" });
    server.put(LEASE, lease);
    server.reconnect();
    assert!(term.outrank(9).await.is_err());
    assert!(matches!(contender.task.await.unwrap(), Stopped::Lost(_)));
    assert_eq!(spec(&server)["holderIdentity"], "b");
}
