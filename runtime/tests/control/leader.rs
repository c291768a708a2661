use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use codegen_runtime::leader::{LeaderElectionConfig, LeaderElector, Leadership, Stopped};
use codegen_runtime::metrics::Metrics;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{Instant, advance, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::server::{Fault, Server};
use crate::{ms, secs, settle};

const LEASE: &str = "leases/default/lock";

/// A contender whose work waits for its token.
struct Contender {
    elector: LeaderElector,
    shutdown: CancellationToken,
    term: Arc<Mutex<Option<Leadership>>>,
    task: JoinHandle<Stopped<()>>,
}

fn config(identity: &str) -> LeaderElectionConfig {
    LeaderElectionConfig::new("default", "lock", identity)
}

fn contend(server: &Server, identity: &str) -> Contender {
    contend_with(server, config(identity))
}

fn contend_with(server: &Server, config: LeaderElectionConfig) -> Contender {
    let client = server.client_of(&config.identity);
    let elector = LeaderElector::new(client, config).unwrap();
    let (shutdown, term) = (CancellationToken::new(), Arc::new(Mutex::new(None)));
    let task = tokio::spawn({
        let (elector, shutdown, term) = (elector.clone(), shutdown.clone(), Arc::clone(&term));
        async move {
            elector
                .run(&shutdown, |leadership| async move {
                    *term.lock().unwrap() = Some(leadership.clone());
                    leadership.token().cancelled().await;
                })
                .await
        }
    });
    Contender { elector, shutdown, term, task }
}

impl Contender {
    fn term(&self) -> Leadership {
        self.term.lock().unwrap().clone().expect("it has not led")
    }

    /// How long it takes until this one leads.
    async fn leads(&self) -> std::time::Duration {
        let start = Instant::now();
        while !self.elector.is_leader() {
            assert!(start.elapsed() < secs(300), "it never leads");
            sleep(ms(1)).await;
        }
        start.elapsed()
    }
}

fn spec(server: &Server) -> Value {
    server.get(LEASE).expect("the lease")["spec"].clone()
}

/// A lease held by `holder`, `transitions` times handed over.
fn held_by(holder: &str, transitions: u32) -> Value {
    json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {},
        "spec": {
            "holderIdentity": holder, "leaseDurationSeconds": 15, "leaseTransitions": transitions,
            "acquireTime": "2001-01-01T00:00:00.000000Z", "renewTime": "2001-01-01T00:00:00.000000Z",
        },
    })
}

#[tokio::test(start_paused = true)]
async fn the_fast_path_is_get_create_update_update() {
    let server = Server::new();
    let contender = contend(&server, "a");
    contender.leads().await;
    sleep(secs(5)).await;
    let expected = ["a get leases/lock", "a create leases/lock", "a update leases/lock", "a update leases/lock"];
    assert_eq!(server.take_log(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_created_lease_names_holder_duration_times_and_no_transition() {
    let server = Server::new();
    contend(&server, "a").leads().await;
    let spec = spec(&server);
    assert_eq!(spec["holderIdentity"], "a");
    assert_eq!(spec["leaseDurationSeconds"], 15);
    assert_eq!(spec["leaseTransitions"], 0);
    assert_eq!(spec["acquireTime"], spec["renewTime"]);
}

#[tokio::test(start_paused = true)]
async fn a_renewal_keeps_the_acquire_time_and_the_transitions() {
    let server = Server::new();
    let contender = contend(&server, "a");
    contender.leads().await;
    let before = spec(&server);
    sleep(secs(3)).await;
    let after = spec(&server);
    assert_eq!(before["acquireTime"], after["acquireTime"]);
    assert_eq!(before["leaseTransitions"], after["leaseTransitions"]);
    assert_ne!(before["renewTime"], after["renewTime"]);
}

#[tokio::test(start_paused = true)]
async fn an_empty_holder_is_acquirable_at_once_and_counts_a_transition() {
    let server = Server::new();
    server.put(LEASE, held_by("", 4));
    let contender = contend(&server, "a");
    assert!(contender.leads().await < ms(10));
    assert_eq!(spec(&server)["leaseTransitions"], 5);
    assert_eq!(contender.term().epoch(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_held_lease_is_left_alone_for_its_own_duration_by_the_local_clock() {
    let server = Server::new();
    // Its times are 25 years old: nobody looks at them.
    server.put(LEASE, held_by("other", 1));
    let contender = contend(&server, "a");
    let took = contender.leads().await;
    assert!(took >= secs(15) && took <= secs(15) + ms(500), "{took:?}");
    assert_eq!(spec(&server)["leaseTransitions"], 2);
    assert!(server.take_log().iter().filter(|call| call.contains("update")).count() <= 1);
}

#[tokio::test(start_paused = true)]
async fn a_changed_record_restarts_the_local_clock() {
    let server = Server::new();
    server.put(LEASE, held_by("other", 1));
    let contender = contend(&server, "a");
    for _ in 0..3 {
        sleep(secs(10)).await;
        assert!(!contender.elector.is_leader());
        let mut lease = held_by("other", 1);
        lease["spec"]["renewTime"] = json!(format!("2001-01-01T00:00:{:02}.000000Z", Instant::now().elapsed().as_secs()));
        lease["spec"]["leaseDurationSeconds"] = json!(14);
        server.put(LEASE, lease);
        // A change of something else doesn't.
        sleep(secs(1)).await;
        let mut lease = server.get(LEASE).unwrap();
        lease["metadata"]["labels"] = json!({"touched": "yes"});
        server.put(LEASE, lease);
        if contender.elector.is_leader() {
            break;
        }
        // Vary the record from round to round.
        let mut lease = server.get(LEASE).unwrap();
        lease["spec"]["preferredHolder"] = lease["metadata"]["resourceVersion"].clone();
        server.put(LEASE, lease);
    }
    assert!(contender.leads().await >= secs(13));
}

#[tokio::test(start_paused = true)]
async fn a_process_that_finds_its_own_identity_takes_over_at_once_in_a_new_term() {
    let server = Server::new();
    server.put(LEASE, held_by("a", 7));
    let contender = contend(&server, "a");
    assert!(contender.leads().await < ms(10));
    assert_eq!(contender.term().epoch(), 8);
}

#[tokio::test(start_paused = true)]
async fn every_write_carries_the_resource_version() {
    let server = Server::new();
    server.put(LEASE, held_by("", 0));
    let missing = Arc::new(AtomicU32::new(0));
    let writes = Arc::new(AtomicU32::new(0));
    server.on_call({
        let (missing, writes) = (Arc::clone(&missing), Arc::clone(&writes));
        move |_, call| {
            if call.verb == "update" {
                writes.fetch_add(1, Ordering::SeqCst);
                let version = call.body["metadata"]["resourceVersion"].as_str().unwrap_or_default();
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
    assert_eq!(writes.load(Ordering::SeqCst), 4, "acquire, two renewals, release");
    assert_eq!(missing.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn of_two_takers_one_wins() {
    let server = Server::new();
    server.put(LEASE, held_by("", 0));
    let contenders: Vec<_> = ["a", "b", "c"].map(|identity| contend(&server, identity)).into();
    sleep(secs(60)).await;
    assert_eq!(contenders.iter().filter(|contender| contender.elector.is_leader()).count(), 1);
    assert_eq!(spec(&server)["leaseTransitions"], 1);
}

#[tokio::test(start_paused = true)]
async fn a_released_lease_is_taken_within_100_ms() {
    let server = Server::new();
    let (first, second) = (contend(&server, "a"), contend(&server, "b"));
    sleep(secs(7)).await;
    let (leader, follower) = if first.elector.is_leader() { (first, second) } else { (second, first) };
    let start = Instant::now();
    leader.shutdown.cancel();
    follower.leads().await;
    assert!(start.elapsed() <= ms(100), "{:?}", start.elapsed());
    assert_eq!(leader.task.await.unwrap(), Stopped::Finished(()));
    assert_eq!(follower.term().epoch(), leader.term.lock().unwrap().as_ref().unwrap().epoch() + 1);
}

#[tokio::test(start_paused = true)]
async fn a_crashed_leader_is_followed_within_the_lease_duration_and_half_a_second() {
    let server = Server::new();
    let leader = contend(&server, "a");
    leader.leads().await;
    let follower = contend(&server, "b");
    sleep(secs(7)).await;
    let start = Instant::now();
    server.cut_off("a");
    follower.leads().await;
    assert!(start.elapsed() <= secs(15) + ms(500), "{:?}", start.elapsed());
    assert!(!leader.elector.is_leader());
}

#[tokio::test(start_paused = true)]
async fn without_renewal_leadership_is_lost_at_the_renew_deadline_though_the_api_is_out_of_reach() {
    let server = Server::new();
    let contender = contend(&server, "a");
    contender.leads().await;
    let start = Instant::now();
    server.cut_off("a");
    let term = contender.term();
    term.lost().cancelled().await;
    assert!(start.elapsed() <= secs(10) && start.elapsed() > secs(7), "{:?}", start.elapsed());
    assert!(!term.is_leading() && term.check().is_err() && term.token().is_cancelled());
    assert_eq!(contender.task.await.unwrap(), Stopped::Lost);
}

#[tokio::test(start_paused = true)]
async fn refused_renewals_are_retried_until_the_deadline() {
    let server = Server::new();
    let contender = contend(&server, "a");
    contender.leads().await;
    let start = Instant::now();
    server.on_call(move |_, call| {
        let down = start.elapsed() < secs(7) && call.plural == "leases";
        down.then_some(Fault::Status(500, "InternalError"))
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
    assert_eq!(contender.task.await.unwrap(), Stopped::Lost);
    assert!(start.elapsed() < ms(100));
    assert_eq!(spec(&server)["holderIdentity"], "usurper", "what is another's is not released");
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
async fn workers_stop_before_on_stopped_leading_and_that_before_the_release() {
    let server = Server::new();
    let events = Arc::new(Mutex::new(Vec::new()));
    let note = |event: &'static str| {
        let events = Arc::clone(&events);
        move || events.lock().unwrap().push(event)
    };
    server.on_call({
        let released = note("released");
        move |_, call| {
            if call.body["spec"]["holderIdentity"] == "" {
                released();
            }
            None
        }
    });
    let stopped = note("told");
    let elector = LeaderElector::new(server.client(), config("a")).unwrap().on_stopped_leading(stopped);
    let (shutdown, ended) = (CancellationToken::new(), note("worked"));
    let run = elector.run(&shutdown, |leadership| async move {
        leadership.token().cancelled().await;
        sleep(secs(20)).await;
        assert!(leadership.is_leading(), "the lease is renewed while the work stops");
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
async fn a_release_reads_first_and_leaves_holder_empty_and_duration_one() {
    let server = Server::new();
    let contender = contend(&server, "a");
    contender.leads().await;
    server.take_log();
    contender.shutdown.cancel();
    assert_eq!(contender.task.await.unwrap(), Stopped::Finished(()));
    assert_eq!(server.take_log(), ["a get leases/lock", "a update leases/lock"]);
    let spec = spec(&server);
    assert_eq!((&spec["holderIdentity"], &spec["leaseDurationSeconds"]), (&json!(""), &json!(1)));
    assert_eq!(spec["leaseTransitions"], 0);
}

#[tokio::test(start_paused = true)]
async fn a_release_retries_on_conflict_no_longer_than_the_renew_deadline() {
    for (conflicts, released) in [(3, true), (u32::MAX, false)] {
        let server = Server::new();
        let contender = contend(&server, "a");
        contender.leads().await;
        let mut left = conflicts;
        server.on_call(move |_, call| {
            let refuse = call.body["spec"]["holderIdentity"] == "" && left > 0;
            left -= u32::from(refuse);
            refuse.then_some(Fault::Status(409, "Conflict"))
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
async fn nothing_of_the_work_runs_after_the_deadline_though_no_timer_has_fired() {
    let server = Server::new();
    let elector = LeaderElector::new(server.client_of("a"), config("a")).unwrap();
    let (shutdown, ticks) = (CancellationToken::new(), Arc::new(AtomicU32::new(0)));
    let counted = Arc::clone(&ticks);
    let work = |leadership: Leadership| async move {
        // A task of the work's own, fenced as workers are.
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
    // As if the process had been paused: all timers are overdue when it wakes up.
    advance(secs(600)).await;
    settle().await;
    assert_eq!(ticks.load(Ordering::SeqCst), before);
    assert!(matches!(run.await.unwrap(), Stopped::Lost | Stopped::Finished(_)));
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

#[tokio::test(start_paused = true)]
async fn a_panic_of_the_work_is_passed_on_after_the_release() {
    let server = Server::new();
    let elector = LeaderElector::new(server.client(), config("a")).unwrap();
    let run = tokio::spawn(async move {
        elector.run(&CancellationToken::new(), |_| async { panic!("on purpose") }).await;
    });
    assert!(run.await.unwrap_err().is_panic());
    assert_eq!(spec(&server)["holderIdentity"], "");
}

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
    let run = elector.run(&shutdown, |leadership| async move { leadership.token().cancelled().await });
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
    assert!(contender.elector.check(secs(0)).is_ok(), "who does not lead is healthy");
    contender.leads().await;
    sleep(secs(100)).await;
    assert!(contender.elector.check(secs(0)).is_ok());
    // The clock jumps, and the elector has not run yet.
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
    // Somebody touches the lease: the next renewal conflicts, and reads it.
    let mut lease = server.get(LEASE).unwrap();
    lease["metadata"]["labels"] = json!({"touched": "yes"});
    server.put(LEASE, lease);
    sleep(secs(3)).await;
    assert!(read("leader_election_slowpath_total{name=\"lock\"} 1"));
    contender.shutdown.cancel();
    let _ = timeout(secs(60), contender.task).await;
    assert!(read("leader_election_master_status{name=\"lock\"} 0"));
}
