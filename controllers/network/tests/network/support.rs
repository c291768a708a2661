//! Helpers that run the controller under test.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::client::{Defaults, verbs::WithStatus};
use codegen_runtime::fake::{Running, Tracker};
use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;
use codegen_runtime::kube::api::{Patch, PatchParams};
use codegen_runtime::kube::{Client, ResourceExt};
use network_controller::apis::samplecrd::v1::{Network, NetworkPhase as Phase, NetworkStatus};
use network_controller::app::{Flags, app, setup_with};
use network_controller::backend::simulated::Simulated;
use network_controller::backend::{Addresses, Backend, BackendFuture, Observed, Owner};
use network_controller::generated::clientset::{Clientset, fake};
use serde_json::{Value, json};

/// How long a test waits for a condition that should hold within milliseconds.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Runs the program with `backend` and `args`; without leader election unless they enable it.
pub fn start(client: Client, backend: Arc<dyn Backend>, args: &[&str]) -> Running {
    let setup = async |process, flags| setup_with(process, flags, backend);
    Running::program::<Flags, _, _, _>(app(), client, args, setup)
}

pub fn network(name: &str, cidr: &str, gateway: &str) -> Network {
    serde_json::from_value(json!({
        "metadata": { "name": name, "namespace": "default" },
        "spec": { "cidr": cidr, "gateway": gateway },
    }))
    .unwrap()
}

/// A Deployment without pods.
pub fn deployment(name: &str, metadata: Value) -> Deployment {
    let mut deployment: Deployment = serde_json::from_value(json!({
        "metadata": metadata,
        "spec": {
            "replicas": 0,
            "selector": { "matchLabels": { "app": name } },
            "template": {
                "metadata": { "labels": { "app": name } },
                "spec": { "containers": [{ "name": "c", "image": "busybox" }] },
            },
        },
    }))
    .unwrap();
    deployment.metadata.name = Some(name.to_owned());
    deployment
}

/// A simulated backend that awaits `wait` before each call.
pub struct Before<F> {
    pub backend: Simulated,
    pub wait: F,
}

impl<F, W> Before<F>
where
    F: Fn() -> W + Send + Sync + 'static,
    W: Future<Output = ()> + Send + 'static,
{
    fn call<'a, T: Send + 'a>(&'a self, call: BackendFuture<'a, T>) -> BackendFuture<'a, T> {
        let wait = (self.wait)();
        Box::pin(async move {
            wait.await;
            call.await
        })
    }
}

impl<F, W> Backend for Before<F>
where
    F: Fn() -> W + Send + Sync + 'static,
    W: Future<Output = ()> + Send + 'static,
{
    fn name(&self) -> &'static str {
        "before"
    }

    fn get<'a>(&'a self, owner: &'a Owner) -> BackendFuture<'a, Option<Observed>> {
        self.call(self.backend.get(owner))
    }

    fn create<'a>(&'a self, owner: &'a Owner, addresses: Addresses) -> BackendFuture<'a, Observed> {
        self.call(self.backend.create(owner, addresses))
    }

    fn set_gateway<'a>(&'a self, owner: &'a Owner, gateway: IpAddr) -> BackendFuture<'a, ()> {
        self.call(self.backend.set_gateway(owner, gateway))
    }

    fn delete<'a>(&'a self, owner: &'a Owner) -> BackendFuture<'a, ()> {
        self.call(self.backend.delete(owner))
    }
}

/// A fake cluster, a simulated backend, and helpers to inspect both.
pub struct Rig {
    pub clientset: Clientset,
    pub tracker: Tracker,
    pub backend: Simulated,
}

impl Rig {
    pub fn new() -> Self {
        let (clientset, tracker) = fake::Clientset::empty();
        let backend = Simulated::new();
        Self {
            clientset,
            tracker,
            backend,
        }
    }

    pub fn start(&self) -> Running {
        self.start_on(Arc::new(self.backend.clone()))
    }

    pub fn start_on(&self, backend: Arc<dyn Backend>) -> Running {
        self.start_with(backend, &[])
    }

    pub fn start_with(&self, backend: Arc<dyn Backend>, args: &[&str]) -> Running {
        start(self.clientset.client().clone(), backend, args)
    }

    fn networks(&self) -> Defaults<Network, WithStatus> {
        let networks = self.clientset.samplecrd_v1();
        networks.networks("default").defaults()
    }

    pub async fn create(&self, network: &Network) -> Network {
        self.networks().create(network).await.unwrap()
    }

    pub async fn patch(&self, name: &str, spec: Value) {
        let patch = Patch::Merge(json!({ "spec": spec }));
        self.networks()
            .patch(name, &PatchParams::default(), &patch)
            .await
            .unwrap();
    }

    pub async fn delete(&self, name: &str) {
        self.networks().delete(name).await.unwrap();
    }

    /// Returns the stored network, bypassing all faults.
    pub fn get(&self, name: &str) -> Option<Network> {
        self.tracker.get("default", name)
    }

    /// Waits until the network has this phase and condition reason for its current generation.
    pub async fn until(&self, name: &str, phase: Phase, reason: &str) -> Network {
        let is = || {
            self.get(name).is_some_and(|network| {
                let status = network.status.clone().unwrap_or_default();
                let is_seen = status.observed_generation == network.metadata.generation;
                is_seen && status.phase == phase && self::reason(&status) == reason
            })
        };
        if !eventually(is).await {
            panic!("{name} was not deleted: {:#?}", self.get(name));
        }
        self.get(name).unwrap()
    }

    pub async fn until_gone(&self, name: &str) {
        if !eventually(|| self.get(name).is_none()).await {
            panic!("{name} was not deleted: {:#?}", self.get(name));
        }
    }

    /// Waits for an event with this reason about the object of that name.
    pub async fn until_event(&self, name: &str, reason: &str) {
        let events = || -> Vec<(String, String)> {
            let events = self
                .tracker
                .list::<codegen_runtime::k8s_openapi::api::events::v1::Event>("");
            events
                .into_iter()
                .filter_map(|it| Some((it.regarding?.name?, it.reason?)))
                .collect()
        };
        let wanted = (name.to_owned(), reason.to_owned());
        assert!(
            eventually(|| events().contains(&wanted)).await,
            "{wanted:?}: {:?}",
            events()
        );
    }
}

pub fn reason(status: &NetworkStatus) -> String {
    let ready = status.conditions.iter().find(|it| it.type_ == "Ready");
    ready.map(|it| it.reason.clone()).unwrap_or_default()
}

pub fn message(network: &Network) -> String {
    let status = network.status.clone().unwrap_or_default();
    assert_eq!(
        status.observed_generation,
        network.metadata.generation,
        "{}",
        network.name_any()
    );
    let ready = status.conditions.into_iter().find(|it| it.type_ == "Ready");
    ready.map(|it| it.message).unwrap_or_default()
}

/// Whether `is` becomes true in time.
pub async fn eventually(is: impl Fn() -> bool) -> bool {
    let wait = async {
        while !is() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.is_ok()
}
