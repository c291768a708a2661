//! Replicas that all work, each on the networks of its namespaces.

use std::collections::BTreeSet;
use std::sync::Arc;

use codegen_runtime::client::{Defaults, TypedClient, verbs::WithStatus};
use codegen_runtime::fake::{Running, Tracker};
use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;
use codegen_runtime::k8s_openapi::api::core::v1::Namespace;
use codegen_runtime::kube::Client;
use codegen_runtime::kube::api::{ObjectMeta, Patch, PatchParams};
use network_controller::apis::samplecrd::v1::{Network, NetworkPhase as Phase};
use network_controller::app::{Flags, app, setup_with};
use network_controller::backend::simulated::Simulated;
use network_controller::generated::clientset::{Clientset, fake};
use parking_lot::Mutex;
use serde_json::json;

use crate::support::{Before, deployment, eventually, network, reason, start};

const NAMESPACES: usize = 16;

struct Rig {
    clientset: Clientset,
    tracker: Tracker,
    backend: Simulated,
    /// The replicas that called the backend.
    callers: Arc<Mutex<BTreeSet<&'static str>>>,
}

impl Rig {
    async fn new() -> Self {
        let (clientset, tracker) = fake::Clientset::empty();
        let client = clientset.client().clone();
        let namespaces = TypedClient::<Namespace>::cluster(client).defaults();
        for n in 0..NAMESPACES {
            let metadata = ObjectMeta {
                name: Some(namespace(n)),
                ..ObjectMeta::default()
            };
            let namespace = Namespace {
                metadata,
                ..Namespace::default()
            };
            namespaces.create(&namespace).await.unwrap();
        }
        Self {
            clientset,
            tracker,
            backend: Simulated::new(),
            callers: Arc::default(),
        }
    }

    fn start(&self, name: &'static str) -> Running {
        let callers = Arc::clone(&self.callers);
        let backend = Before {
            backend: self.backend.clone(),
            wait: move || {
                callers.lock().insert(name);
                std::future::ready(())
            },
        };
        let args = [
            "--leader-elect",
            "--shard-by=namespace",
            "--network-per-deployment",
            "--lease-lock-namespace=default",
            &format!("--holder-identity={name}"),
            "--lease-duration=3s",
            "--renew-deadline=2s",
            "--retry-period=200ms",
        ];
        start(self.client(), Arc::new(backend), &args)
    }

    fn networks(&self, n: usize) -> Defaults<Network, WithStatus> {
        self.clientset
            .samplecrd_v1()
            .networks(&namespace(n))
            .defaults()
    }

    fn client(&self) -> Client {
        self.clientset.client().clone()
    }

    fn network(&self, n: usize, name: &str) -> Option<Network> {
        self.tracker.get(&namespace(n), name)
    }

    /// Sets the gateway of every network, and waits until all have it; returns who did it.
    async fn change(&self, gateway: &str) -> BTreeSet<&'static str> {
        self.callers.lock().clear();
        let patch = Patch::Merge(json!({"spec": {"gateway": gateway}}));
        for n in 0..NAMESPACES {
            let params = PatchParams::default();
            self.networks(n)
                .patch("blue", &params, &patch)
                .await
                .unwrap();
        }
        self.until_settled().await;
        self.callers.lock().clone()
    }

    async fn until_settled(&self) {
        let is_settled = |n| {
            self.network(n, "blue").is_some_and(|it| {
                let status = it.status.unwrap_or_default();
                status.phase == Phase::Active
                    && status.observed_generation == it.metadata.generation
            })
        };
        assert!(eventually(|| (0..NAMESPACES).all(is_settled)).await);
    }

    async fn until_callers_are(&self, expected: &[&'static str]) {
        let expected: BTreeSet<_> = expected.iter().copied().collect();
        for round in 0..100_u8 {
            let gateway = format!("10.1.0.{}", round % 200 + 2);
            if self.change(&gateway).await == expected {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        panic!("{expected:?} do not share the work");
    }
}

/// Names that differ at the start, so that their hashes do.
fn namespace(n: usize) -> String {
    format!("{n}-team")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_share_the_networks_and_ranges_stay_apart() {
    let rig = Rig::new().await;
    let one = rig.start("one");
    for n in 0..NAMESPACES {
        let mut blue = network("blue", "10.1.0.0/24", "10.1.0.1");
        blue.metadata.namespace = Some(namespace(n));
        rig.networks(n).create(&blue).await.unwrap();
    }
    rig.until_settled().await;
    let two = rig.start("two");
    rig.until_callers_are(&["one", "two"]).await;
    // Whoever owns a namespace knows which ranges are taken in it, also after a hand-over.
    one.stop().await;
    rig.until_callers_are(&["two"]).await;
    for n in 0..NAMESPACES {
        let mut red = network("red", "10.1.0.0/16", "10.1.0.1");
        red.metadata.namespace = Some(namespace(n));
        rig.networks(n).create(&red).await.unwrap();
        let deployments =
            TypedClient::<Deployment>::namespaced(rig.client(), &namespace(n)).defaults();
        let labels = json!({"labels": {"samplecrd.k8s.io/network": "auto"}});
        deployments
            .create(&deployment("web", labels))
            .await
            .unwrap();
    }
    let are_right = || {
        (0..NAMESPACES).all(|n| {
            let status = |name| rig.network(n, name).and_then(|it| it.status);
            let is_refused = status("red").is_some_and(|it| reason(&it) == "CIDROverlap");
            let has_own = status("web").is_some_and(|it| it.phase == Phase::Active);
            is_refused && has_own
        })
    };
    assert!(eventually(are_right).await);
    two.stop().await;
}

#[tokio::test]
async fn networks_are_not_divided_by_uid() {
    let (clientset, _) = fake::Clientset::empty();
    let args = [
        "network-controller",
        "--shard-by=uid",
        "--lease-lock-namespace=default",
    ];
    let invocation = app().try_parse_from::<Flags>(args).unwrap();
    let setup = async |process, flags| setup_with(process, flags, Arc::new(Simulated::new()));
    let (told, heard) = tokio::sync::oneshot::channel();
    let running = Running::spawn(async move |stop| {
        let (client, flags) = (clientset.client().clone(), invocation.flags);
        let ended = app()
            .run_with(client, flags, invocation.own, setup, &stop)
            .await;
        told.send(ended)
    });
    let error = codegen_runtime::error::message(&heard.await.unwrap().unwrap_err());
    assert!(error.contains("use --shard-by=namespace"), "{error}");
    running.stop().await;
}
