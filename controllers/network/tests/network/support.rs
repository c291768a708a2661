//! A controller under test.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::app::{App, Invocation};
use codegen_runtime::fake::Tracker;
use codegen_runtime::kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use codegen_runtime::kube::{Client, ResourceExt};
use network_controller::apis::samplecrd::v1::{Network, NetworkPhase as Phase, NetworkStatus};
use network_controller::app::{Flags, REPORTER, setup_with};
use network_controller::backend::Backend;
use network_controller::backend::simulated::Simulated;
use network_controller::generated::clientset::{Clientset, fake};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How long a test waits for what should be so in milliseconds.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The program, as `main` has it.
pub fn app() -> App {
    App::new("network-controller", "test").reporter(REPORTER)
}

/// Its command line, without an election.
pub fn flags(args: &[&str]) -> Invocation<Flags> {
    let fixed = ["network-controller", "--leader-elect=false"];
    app().try_parse_from([&fixed, args].concat()).unwrap()
}

pub fn network(name: &str, cidr: &str, gateway: &str) -> Network {
    serde_json::from_value(json!({
        "metadata": { "name": name, "namespace": "default" },
        "spec": { "cidr": cidr, "gateway": gateway },
    }))
    .unwrap()
}

/// A controller that runs.
pub struct Running {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Running {
    pub fn start(client: Client, backend: Arc<dyn Backend>, args: &[&str]) -> Self {
        let (stop, invocation) = (CancellationToken::new(), flags(args));
        let stopped = stop.clone();
        let task = tokio::spawn(async move {
            let setup = async |process, own| setup_with(process, own, backend);
            let Invocation { flags, own, .. } = invocation;
            app()
                .run_with(client, flags, own, setup, &stopped)
                .await
                .unwrap();
        });
        Self { stop, task }
    }

    /// Asks it to stop, and waits until it has.
    pub async fn stop(self) {
        self.stop.cancel();
        self.task.await.unwrap();
    }

    /// Ends it wherever it is, as `kill -9` does.
    pub async fn kill(self) {
        self.task.abort();
        assert!(self.task.await.is_err_and(|error| error.is_cancelled()));
    }
}

/// A fake cluster, a simulated backend, and the means to look at both.
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
        Running::start(self.clientset.client().clone(), backend, &[])
    }

    pub async fn create(&self, network: &Network) -> Network {
        let networks = self.clientset.samplecrd_v1().networks("default");
        networks
            .create(network, &PostParams::default())
            .await
            .unwrap()
    }

    pub async fn patch(&self, name: &str, spec: Value) {
        let networks = self.clientset.samplecrd_v1().networks("default");
        let patch = Patch::Merge(json!({ "spec": spec }));
        networks
            .patch(name, &PatchParams::default(), &patch)
            .await
            .unwrap();
    }

    pub async fn delete(&self, name: &str) {
        let networks = self.clientset.samplecrd_v1().networks("default");
        drop(
            networks
                .delete(name, &DeleteParams::default())
                .await
                .unwrap(),
        );
    }

    /// The network as stored, past all faults.
    pub fn get(&self, name: &str) -> Option<Network> {
        self.tracker.get("default", name)
    }

    /// Waits until the network's phase and the reason of its condition are these, for its newest spec.
    pub async fn until(&self, name: &str, phase: Phase, reason: &str) -> Network {
        let is = || {
            self.get(name).is_some_and(|network| {
                let status = network.status.clone().unwrap_or_default();
                let is_seen = status.observed_generation == network.metadata.generation;
                is_seen && status.phase == phase && self::reason(&status) == reason
            })
        };
        if !eventually(is).await {
            panic!("{name} stays {:#?}", self.get(name));
        }
        self.get(name).unwrap()
    }

    pub async fn until_gone(&self, name: &str) {
        if !eventually(|| self.get(name).is_none()).await {
            panic!("{name} stays {:#?}", self.get(name));
        }
    }

    /// The reasons of the events about objects of that name.
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

/// Whether `is` comes true in time.
pub async fn eventually(is: impl Fn() -> bool) -> bool {
    let wait = async {
        while !is() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.is_ok()
}
