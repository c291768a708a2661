//! Leader election over real Leases, on the real clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use codegen_runtime::leader::{LeaderElectionConfig, LeaderElector, Stopped};
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::common::{ms, until};
use crate::harness::cases;
use crate::support::expect::eventually;
use crate::support::namespace;

cases![
    a_free_lease_is_acquired,
    the_leader_renews,
    a_released_lease_is_taken_over_at_once,
    a_lease_that_is_not_renewed_is_taken_over_when_it_expires,
    one_of_many_contenders_leads_at_a_time,
    a_leader_that_is_overthrown_stops,
    a_lease_that_was_deleted_is_made_anew,
    a_lease_without_a_holder_is_taken,
    a_write_on_an_old_version_conflicts,
];

const NAME: &str = "lock";

/// A Lease in its own namespace.
struct Lock {
    client: Client,
    namespace: String,
    leases: Api<Lease>,
}

/// A contender whose work waits until it is asked to stop.
struct Contender {
    elector: LeaderElector,
    shutdown: CancellationToken,
    task: JoinHandle<Stopped<()>>,
}

impl Lock {
    async fn new(client: &Client) -> Self {
        let namespace = namespace(client).await;
        Self {
            client: client.clone(),
            leases: Api::namespaced(client.clone(), &namespace),
            namespace,
        }
    }

    fn config(&self, identity: &str) -> LeaderElectionConfig {
        LeaderElectionConfig::new(&self.namespace, NAME, identity)
    }

    fn contend(&self, identity: &str) -> Contender {
        self.contend_with(self.config(identity), || {})
    }

    fn contend_with(
        &self,
        config: LeaderElectionConfig,
        leading: impl FnOnce() + Send + 'static,
    ) -> Contender {
        let elector = LeaderElector::new(self.client.clone(), config).unwrap();
        let shutdown = CancellationToken::new();
        let task = tokio::spawn({
            let (elector, shutdown) = (elector.clone(), shutdown.clone());
            async move {
                elector
                    .run(&shutdown, |leadership| async move {
                        leading();
                        leadership.token().cancelled().await;
                    })
                    .await
            }
        });
        Contender {
            elector,
            shutdown,
            task,
        }
    }

    async fn spec(&self) -> LeaseSpec {
        self.leases.get(NAME).await.unwrap().spec.unwrap()
    }

    async fn overthrow(&self) -> Lease {
        let patch = Patch::Merge(json!({"spec": {"holderIdentity": "usurper"}}));
        let params = PatchParams::default();
        self.leases.patch(NAME, &params, &patch).await.unwrap()
    }
}

impl Contender {
    async fn leads(&self) {
        until("it leads", || self.elector.is_leader()).await;
    }

    async fn stop(self) -> Stopped<()> {
        self.shutdown.cancel();
        self.task.await.unwrap()
    }
}

/// The shortest durations in whole seconds, for cases that wait for the end of a term.
fn short(config: LeaderElectionConfig) -> LeaderElectionConfig {
    config.times(ms(2000), ms(1500), ms(300))
}

async fn a_free_lease_is_acquired(client: Client) {
    let lock = Lock::new(&client).await;
    let contender = lock.contend("a");
    contender.leads().await;
    let spec = lock.spec().await;
    assert_eq!(spec.holder_identity.as_deref(), Some("a"));
    assert_eq!(spec.lease_duration_seconds, Some(15));
    assert_eq!(spec.lease_transitions, Some(0));
    assert_eq!(spec.acquire_time, spec.renew_time);
    assert_eq!(contender.stop().await, Stopped::Finished(()));
    let spec = lock.spec().await;
    assert_eq!(spec.holder_identity.as_deref(), Some(""));
    assert_eq!(spec.lease_duration_seconds, Some(1));
}

async fn the_leader_renews(client: Client) {
    let lock = Lock::new(&client).await;
    let config = lock.config("a").times(ms(3000), ms(2900), ms(300));
    let contender = lock.contend_with(config, || {});
    contender.leads().await;
    let before = lock.spec().await;
    eventually("it renews", || async {
        (lock.spec().await.renew_time > before.renew_time).then_some(())
    })
    .await;
    let after = lock.spec().await;
    assert_eq!(after.acquire_time, before.acquire_time);
    assert_eq!(after.lease_transitions, before.lease_transitions);
    // Longer than a term, in real time: the clock of a server in another process cannot be paused.
    sleep(ms(3200)).await;
    assert!(contender.elector.is_leader());
    contender.stop().await;
}

async fn a_released_lease_is_taken_over_at_once(client: Client) {
    let lock = Lock::new(&client).await;
    // No poll happens during the test: all reactions are due to the watch.
    let poll = Duration::from_secs(200);
    let config = |n: u32| lock.config(&n.to_string()).times(3 * poll, 2 * poll, poll);
    let mut leader = lock.contend_with(config(0), || {});
    leader.leads().await;
    let (mut fastest, mut write) = (Duration::MAX, Duration::MAX);
    for n in 1..=5 {
        let (told, led) = std::sync::mpsc::channel();
        let next = lock.contend_with(config(n), move || {
            told.send(Instant::now()).unwrap();
        });
        // It has seen who leads, and waits.
        until("the next one waits", || {
            next.elector.leader() == (n - 1).to_string()
        })
        .await;
        sleep(ms(300)).await;
        let stopped = Instant::now();
        assert_eq!(leader.stop().await, Stopped::Finished(()));
        let released = Instant::now();
        write = write.min(released.duration_since(stopped));
        next.leads().await;
        let took = led.recv().unwrap().saturating_duration_since(released);
        assert!(took < poll, "the watch told nothing: {took:?}");
        fastest = fastest.min(took);
        leader = next;
    }
    // The machine may be busy, though not in all five rounds, and a server slow. The release is one
    // write; the next contender is notified, may read, and writes.
    let limit = ms(100) + 4 * write;
    assert!(fastest < limit, "{fastest:?}, limit {limit:?}");
    assert_eq!(lock.spec().await.lease_transitions, Some(5));
    leader.stop().await;
}

async fn a_lease_that_is_not_renewed_is_taken_over_when_it_expires(client: Client) {
    let lock = Lock::new(&client).await;
    let first = lock.contend_with(short(lock.config("first")).keep_on_cancel(), || {});
    first.leads().await;
    assert_eq!(first.stop().await, Stopped::Finished(()));
    assert_eq!(lock.spec().await.holder_identity.as_deref(), Some("first"));
    let start = Instant::now();
    let second = lock.contend_with(short(lock.config("second")), || {});
    second.leads().await;
    // By its own clock it has waited for the whole term, since it saw no renewal.
    assert!(start.elapsed() >= ms(2000), "{:?}", start.elapsed());
    let spec = lock.spec().await;
    assert_eq!(spec.holder_identity.as_deref(), Some("second"));
    assert_eq!(spec.lease_transitions, Some(1));
    second.stop().await;
}

async fn one_of_many_contenders_leads_at_a_time(client: Client) {
    let lock = Lock::new(&client).await;
    let leading = Arc::new(AtomicI32::new(0));
    let terms = Arc::new(AtomicI32::new(0));
    let tasks: Vec<_> = (0..5)
        .map(|n| {
            let elector =
                LeaderElector::new(client.clone(), lock.config(&format!("contender-{n}"))).unwrap();
            let (leading, terms) = (leading.clone(), terms.clone());
            tokio::spawn(async move {
                let shutdown = CancellationToken::new();
                elector
                    .run(&shutdown, |_| async move {
                        assert_eq!(leading.fetch_add(1, Ordering::SeqCst), 0, "two lead");
                        sleep(ms(100)).await;
                        leading.fetch_sub(1, Ordering::SeqCst);
                        terms.fetch_add(1, Ordering::SeqCst);
                    })
                    .await
            })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), Stopped::Finished(()));
    }
    assert_eq!(terms.load(Ordering::SeqCst), 5);
    // The first one created the Lease, every other one took it over.
    assert_eq!(lock.spec().await.lease_transitions, Some(4));
}

async fn a_leader_that_is_overthrown_stops(client: Client) {
    let lock = Lock::new(&client).await;
    let renewals = Duration::from_secs(200);
    let config = lock.config("a").times(3 * renewals, 2 * renewals, renewals);
    let contender = lock.contend_with(config, || {});
    contender.leads().await;
    let start = Instant::now();
    lock.overthrow().await;
    assert!(matches!(contender.task.await.unwrap(), Stopped::Lost(_)));
    // The watch reports it long before the next renewal would.
    assert!(start.elapsed() < renewals, "{:?}", start.elapsed());
    assert_eq!(
        lock.spec().await.holder_identity.as_deref(),
        Some("usurper")
    );
}

async fn a_lease_that_was_deleted_is_made_anew(client: Client) {
    let lock = Lock::new(&client).await;
    let contender = lock.contend("a");
    contender.leads().await;
    let uid = lock.leases.get(NAME).await.unwrap().metadata.uid;
    lock.leases
        .delete(NAME, &DeleteParams::default())
        .await
        .unwrap();
    let lease = eventually("there is a new Lease", || async {
        lock.leases.get_opt(NAME).await.unwrap()
    })
    .await;
    assert_ne!(lease.metadata.uid, uid);
    assert!(contender.elector.is_leader());
    assert_eq!(lock.spec().await.holder_identity.as_deref(), Some("a"));
    contender.stop().await;
}

async fn a_lease_without_a_holder_is_taken(client: Client) {
    let lock = Lock::new(&client).await;
    let mut lease = Lease::default();
    lease.metadata.name = Some(NAME.to_owned());
    lease.metadata.labels = Some([("app".to_owned(), "test".to_owned())].into());
    let params = PostParams::default();
    lock.leases.create(&params, &lease).await.unwrap();
    let contender = lock.contend("a");
    contender.leads().await;
    let lease = lock.leases.get(NAME).await.unwrap();
    assert_eq!(lease.spec.unwrap().holder_identity.as_deref(), Some("a"));
    assert_eq!(
        lease.metadata.labels.unwrap()["app"],
        "test",
        "what else the Lease says stays"
    );
    contender.stop().await;
}

async fn a_write_on_an_old_version_conflicts(client: Client) {
    let lock = Lock::new(&client).await;
    let contender = lock.contend("a");
    contender.leads().await;
    let old = lock.leases.get(NAME).await.unwrap();
    let new = lock.overthrow().await;
    assert_ne!(old.metadata.resource_version, new.metadata.resource_version);
    let error = lock
        .leases
        .replace(NAME, &PostParams::default(), &old)
        .await
        .unwrap_err();
    match error {
        kube::Error::Api(status) => assert!(status.is_conflict(), "{status:?}"),
        other => panic!("{other}"),
    }
    contender.task.await.unwrap();
}
