use codegen_runtime::leader::Stopped;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::{LEASE, contend, held_by, spec};
use crate::control::server::Server;
use crate::control::{ms, secs};

#[tokio::test(start_paused = true)]
async fn the_fast_path_is_get_create_update_update() {
    let server = Server::new();
    let contender = contend(&server, "a");
    contender.leads().await;
    sleep(secs(5)).await;
    let expected = [
        "a get leases/lock",
        "a create leases/lock",
        "a update leases/lock",
        "a update leases/lock",
    ];
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
    // Its times are 25 years old: they are ignored.
    server.put(LEASE, held_by("other", 1));
    let contender = contend(&server, "a");
    let took = contender.leads().await;
    assert!(took >= secs(15) && took <= secs(15) + ms(500), "{took:?}");
    assert_eq!(spec(&server)["leaseTransitions"], 2);
    assert!(
        server
            .take_log()
            .iter()
            .filter(|call| call.contains("update"))
            .count()
            <= 1
    );
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
        lease["spec"]["renewTime"] = json!(format!(
            "2001-01-01T00:00:{:02}.000000Z",
            Instant::now().elapsed().as_secs()
        ));
        lease["spec"]["leaseDurationSeconds"] = json!(14);
        server.put(LEASE, lease);
        // An unrelated change does not.
        sleep(secs(1)).await;
        let mut lease = server.get(LEASE).unwrap();
        lease["metadata"]["labels"] = json!({"touched": "yes"});
        server.put(LEASE, lease);
        if contender.elector.is_leader() {
            break;
        }
        // Varies the record from round to round.
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
async fn of_two_takers_one_wins() {
    let server = Server::new();
    server.put(LEASE, held_by("", 0));
    let contenders: Vec<_> = ["a", "b", "c"]
        .map(|identity| contend(&server, identity))
        .into();
    sleep(secs(60)).await;
    assert_eq!(
        contenders
            .iter()
            .filter(|contender| contender.elector.is_leader())
            .count(),
        1
    );
    assert_eq!(spec(&server)["leaseTransitions"], 1);
}

#[tokio::test(start_paused = true)]
async fn a_released_lease_is_taken_within_100_ms() {
    let server = Server::new();
    let (first, second) = (contend(&server, "a"), contend(&server, "b"));
    sleep(secs(7)).await;
    let (leader, follower) = if first.elector.is_leader() {
        (first, second)
    } else {
        (second, first)
    };
    let start = Instant::now();
    leader.shutdown.cancel();
    follower.leads().await;
    assert!(start.elapsed() <= ms(100), "{:?}", start.elapsed());
    assert_eq!(leader.task.await.unwrap(), Stopped::Finished(()));
    assert_eq!(
        follower.term().epoch(),
        leader.term.lock().unwrap().as_ref().unwrap().epoch() + 1
    );
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
    assert!(
        start.elapsed() <= secs(15) + ms(500),
        "{:?}",
        start.elapsed()
    );
    assert!(!leader.elector.is_leader());
}
