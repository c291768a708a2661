//! A Lease whose resourceVersion went back: etcd was restored from a backup.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use codegen_runtime::leader::{LossReason, Stopped};
use codegen_runtime::metrics::Metrics;
use http::Request;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{Contender, LEASE, config, contend_through, held_by, spec};
use crate::control::secs;
use crate::control::server::Server;

/// A cluster, and the same cluster restored from an early backup.
struct Cluster {
    before: Server,
    restored: Server,
    is_restored: Arc<AtomicBool>,
}

impl Cluster {
    fn new() -> Self {
        let before = Server::new();
        for n in 0..500 {
            before.put(
                "configmaps/default/age",
                json!({"data": {"n": n.to_string()}}),
            );
        }
        Self {
            before,
            restored: Server::new(),
            is_restored: Arc::default(),
        }
    }

    /// Creates a client whose watches are silent once the cluster is restored.
    fn client(&self, name: &str) -> Client {
        let clients = [self.before.client_of(name), self.restored.client_of(name)];
        let is_restored = Arc::clone(&self.is_restored);
        let service = tower::service_fn(move |request: Request<Body>| {
            let client = clients[usize::from(is_restored.load(Ordering::SeqCst))].clone();
            async move { client.send(request).await }
        });
        Client::new(service, "default")
    }

    fn contend(&self, name: &str) -> Contender {
        contend_through(self.client(name), config(name))
    }

    /// Returns the Lease as it was stored when `record` was its spec.
    fn lease(&self) -> Value {
        self.before.get(LEASE).unwrap()
    }

    fn restore(&self, lease: Value) {
        self.restored.put(LEASE, lease);
        let version = |lease: Value| {
            let version = lease["metadata"]["resourceVersion"].as_str();
            version.unwrap().parse::<u64>().unwrap()
        };
        let (old, new) = (self.lease(), self.restored.get(LEASE).unwrap());
        assert_eq!(old["metadata"]["uid"], new["metadata"]["uid"]);
        assert!(version(new) + 100 < version(old));
        self.is_restored.store(true, Ordering::SeqCst);
    }
}

#[tokio::test(start_paused = true)]
async fn the_leader_renews_the_record_that_came_back() {
    let cluster = Cluster::new();
    let leader = cluster.contend("a");
    leader.leads().await;
    let backup = cluster.lease();
    let follower = cluster.contend("b");
    sleep(secs(60)).await;
    cluster.restore(backup);
    sleep(secs(60)).await;
    assert!(leader.elector.is_leader() && !follower.elector.is_leader());
    assert_eq!(leader.term().epoch(), 1, "one term all the time");
    leader.shutdown.cancel();
    assert_eq!(leader.task.await.unwrap(), Stopped::Finished(()));
    follower.leads().await;
    assert_eq!(spec(&cluster.restored)["holderIdentity"], "b");
}

#[tokio::test(start_paused = true)]
async fn a_follower_takes_over_when_the_record_that_came_back_has_expired() {
    let cluster = Cluster::new();
    let leader = cluster.contend("a");
    leader.leads().await;
    let backup = cluster.lease();
    let follower = cluster.contend("b");
    sleep(secs(60)).await;
    cluster.restore(backup);
    leader.task.abort();
    let took = follower.leads().await;
    assert!(took >= secs(14) && took <= secs(19), "{took:?}");
    assert_eq!(follower.term().epoch(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_leader_stops_when_the_record_of_its_predecessor_came_back() {
    let cluster = Cluster::new();
    cluster.before.put(LEASE, held_by("old", 3));
    let backup = cluster.lease();
    let leader = cluster.contend("a");
    leader.leads().await;
    cluster.restore(backup);
    let lost = LossReason::TakenOver {
        holder: "old".to_owned(),
    };
    assert_eq!(leader.task.await.unwrap(), Stopped::Lost(lost));
}

/// The leader may not know yet: it is disconnected from the server, and leads until its deadline.
#[tokio::test(start_paused = true)]
async fn nobody_follows_a_leader_that_may_still_lead_when_an_older_record_came_back() {
    for holder in ["", "b"] {
        let cluster = Cluster::new();
        cluster.before.put(LEASE, held_by("", 3));
        let leader = cluster.contend("a");
        leader.leads().await;
        let mut backup = cluster.lease();
        backup["spec"]["holderIdentity"] = json!(holder);
        backup["metadata"]["annotations"] = Value::Null;
        let follower = cluster.contend("b");
        sleep(secs(61)).await;
        cluster.restore(backup);
        cluster.restored.cut_off("a");
        let restored = Instant::now();
        while leader.elector.is_leader() {
            assert!(!follower.elector.is_leader(), "two lead");
            sleep(secs(1)).await;
        }
        follower.leads().await;
        let took = restored.elapsed();
        assert!(took >= secs(14) && took <= secs(19), "{took:?}");
        assert_eq!(follower.term().epoch(), leader.term().epoch() + 1);
    }
}

#[tokio::test(start_paused = true)]
async fn the_record_of_a_predecessor_of_one_identity_is_no_sign_of_life() {
    let (cluster, metrics) = (Cluster::new(), Metrics::new());
    let first = cluster.contend("a");
    first.leads().await;
    let backup = cluster.lease();
    first.shutdown.cancel();
    first.task.await.unwrap();
    let second = contend_through(cluster.client("a"), config("a").metrics(&metrics));
    second.leads().await;
    cluster.restore(backup);
    assert!(matches!(second.task.await.unwrap(), Stopped::Lost(_)));
    assert!(second.elector.check_identity().is_ok());
}
