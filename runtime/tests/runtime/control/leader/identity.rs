//! Two processes with the same identity.

use codegen_runtime::metrics::Metrics;
use tokio::time::sleep;

use super::{LEASE, config, contend, contend_with, held_by, spec};
use crate::control::secs;
use crate::control::server::Server;

#[tokio::test(start_paused = true)]
async fn two_contenders_of_one_identity_do_not_fight_and_are_reported() {
    let (server, metrics) = (Server::new(), Metrics::new());
    let first = contend(&server, "a");
    first.leads().await;
    let epoch = first.term().epoch();
    let second = contend_with(&server, config("a").metrics(&metrics));
    sleep(secs(120)).await;
    assert!(first.elector.is_leader() && !second.elector.is_leader());
    assert_eq!(first.term().epoch(), epoch, "one term all the time");
    let error = second.elector.check_identity().unwrap_err();
    assert_eq!(
        error.to_string(),
        "another process contends for lease lock as \"a\": identities must be unique"
    );
    let text = metrics.encode().unwrap();
    let line = "leader_election_identity_conflicts_total{name=\"lock\"} 1";
    assert!(text.lines().any(|other| other == line), "{text}");

    // The first one crashes: the second waits until the Lease expires, and is then alone.
    first.task.abort();
    let took = second.leads().await;
    assert!(took >= secs(12) && took <= secs(16), "{took:?}");
    assert!(second.elector.check_identity().is_ok());
    assert!(second.term().epoch() > epoch);
}

#[tokio::test(start_paused = true)]
async fn a_predecessor_that_crashed_is_no_duplicate() {
    let server = Server::new();
    let first = contend(&server, "a");
    first.leads().await;
    first.task.abort();
    let second = contend(&server, "a");
    let took = second.leads().await;
    assert!(took <= secs(16), "{took:?}");
    assert!(second.elector.check_identity().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_edits_take_away_is_not_taken_back_under_another_signature() {
    let server = Server::new();
    let contender = contend(&server, "a");
    contender.leads().await;
    // As written by a process with the same identity whose implementation has no instances.
    server.put(LEASE, held_by("a", 5));
    assert!(contender.task.await.is_ok());
    assert_eq!(spec(&server)["holderIdentity"], "a");
    assert_eq!(spec(&server)["leaseTransitions"], 5);
}
