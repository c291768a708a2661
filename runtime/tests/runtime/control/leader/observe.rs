use std::sync::{Arc, Mutex};

use codegen_runtime::leader::LeaderElector;
use codegen_runtime::metrics::Metrics;
use serde_json::json;
use tokio::time::{advance, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::{LEASE, config, contend, contend_with};
use crate::control::server::Server;
use crate::control::{secs, settle};

#[tokio::test(start_paused = true)]
async fn new_leaders_are_told_of() {
    let server = Server::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&seen);
    let elector = LeaderElector::new(server.client(), config("b")).unwrap();
    let elector = elector.on_new_leader(move |leader| told.lock().unwrap().push(leader.to_owned()));
    let first = contend(&server, "a");
    first.leads().await;
    let shutdown = CancellationToken::new();
    let run = elector.run(&shutdown, |leadership| async move {
        leadership.token().cancelled().await
    });
    let script = async {
        sleep(secs(1)).await;
        first.shutdown.cancel();
        sleep(secs(1)).await;
        shutdown.cancel();
    };
    tokio::join!(run, script);
    assert_eq!(*seen.lock().unwrap(), ["a", "b"]);
    assert_eq!(elector.leader(), "");
}

#[tokio::test(start_paused = true)]
async fn the_health_check_fails_only_for_a_leader_that_is_stuck() {
    let server = Server::new();
    let contender = contend(&server, "a");
    assert!(
        contender.elector.check(secs(0)).is_ok(),
        "who does not lead is healthy"
    );
    contender.leads().await;
    sleep(secs(100)).await;
    assert!(contender.elector.check(secs(0)).is_ok());
    // The clock jumps before the elector runs.
    advance(secs(20)).await;
    let stuck = contender.elector.check(secs(0));
    let tolerated = contender.elector.check(secs(10));
    assert!(stuck.is_err() || contender.elector.is_leader());
    assert!(tolerated.is_ok());
}

#[tokio::test(start_paused = true)]
async fn metrics_tell_who_leads_and_slow_renewals() {
    let (server, metrics) = (Server::new(), Metrics::new());
    let read = |line: &str| metrics.encode().unwrap().lines().any(|other| other == line);
    let contender = contend_with(&server, config("a").metrics(&metrics));
    contender.leads().await;
    settle().await;
    assert!(read("leader_election_master_status{name=\"lock\"} 1"));
    // Another client changes the lease: the next renewal conflicts, and reads it.
    let mut lease = server.get(LEASE).unwrap();
    lease["metadata"]["labels"] = json!({"touched": "yes"});
    server.put(LEASE, lease);
    sleep(secs(3)).await;
    assert!(read("leader_election_slowpath_total{name=\"lock\"} 1"));
    contender.shutdown.cancel();
    let _ = timeout(secs(60), contender.task).await;
    assert!(read("leader_election_master_status{name=\"lock\"} 0"));
}
