//! Helpers that run the controller under test.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::client::{Defaults, verbs::WithStatus};
use codegen_runtime::event::{EventBroadcaster, Reporter};
use codegen_runtime::fake::{Running, Tracker};
use codegen_runtime::kube::Client;
use codegen_runtime::kube::api::{Patch, PatchParams};
use codegen_runtime::metrics::Metrics;
use serde_json::{Value, json};
use virtualmachine_controller::apis::cloudnative::v1alpha1::{
    VirtualMachine, VirtualMachinePhase as Phase, VirtualMachineStatus,
};
use virtualmachine_controller::controller::{Options, VirtualMachineController};
use virtualmachine_controller::driver::simulated::{Latency, Simulated};
use virtualmachine_controller::driver::{Driver, ServerRef};
use virtualmachine_controller::generated::clientset::{Clientset, fake};
use virtualmachine_controller::generated::informers::SharedInformerFactory;

/// How long a test waits for a condition that should hold within milliseconds.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The resync period of the controllers in these tests.
pub const RESYNC: Duration = Duration::from_secs(1);

/// Fast settings, except for usage and orphans, which tests enable themselves.
pub fn fast() -> Options {
    Options {
        workers: 2,
        usage_period: Duration::from_secs(3600),
        poll: Duration::from_millis(5),
        driver_deadline: Duration::from_secs(5),
        backoff: (Duration::from_millis(2), Duration::from_millis(50)),
        orphan_period: Duration::from_secs(3600),
        ..Options::default()
    }
}

/// The sample of the README in the namespace `default`.
pub fn sample() -> VirtualMachine {
    machine(
        "test-vm",
        json!({ "cpu": 2, "memory": "4G", "rootDisk": "40G" }),
    )
}

pub fn machine(name: &str, resource: Value) -> VirtualMachine {
    serde_json::from_value(json!({
        "apiVersion": "cloudnative.czs/v1alpha1",
        "kind": "VirtualMachine",
        "metadata": { "name": name, "namespace": "default" },
        "spec": { "action": "active", "resource": resource },
    }))
    .unwrap()
}

/// Starts a controller with `driver` and `client`.
pub fn run(client: Client, driver: Arc<dyn Driver>, options: Options) -> Running {
    run_with(client, driver, options, &Metrics::new())
}

/// Like [`run`], reporting to `metrics`.
pub fn run_with(
    client: Client,
    driver: Arc<dyn Driver>,
    options: Options,
    metrics: &Metrics,
) -> Running {
    let metrics = metrics.clone();
    Running::spawn(async move |stop| {
        let clientset = Clientset::new(client.clone());
        let factory: SharedInformerFactory = SharedInformerFactory::builder(clientset.clone())
            .resync(RESYNC)
            .build();
        let events = EventBroadcaster::new(client);
        let recorder = events.recorder(Reporter::new("test", "test"));
        let controller = VirtualMachineController::new(
            clientset, &factory, driver, "test", recorder, &metrics, options,
        );
        factory.start(&stop);
        let writing = events.run(&stop);
        let (result, ()) = tokio::join!(controller.run(&stop, None), writing);
        factory.shutdown().await;
        result
    })
}

/// A fake cluster, a simulated driver, and helpers to inspect both.
pub struct Rig {
    pub clientset: Clientset,
    pub tracker: Tracker,
    pub driver: Simulated,
}

impl Rig {
    pub fn new() -> Self {
        Self::with_latency(Latency::NONE)
    }

    pub fn with_latency(latency: Latency) -> Self {
        let (clientset, tracker) = fake::Clientset::empty();
        Self {
            clientset,
            tracker,
            driver: Simulated::new(latency),
        }
    }

    /// Starts a controller, and waits until the [`sample`] is active.
    pub async fn active() -> (Self, Running) {
        let rig = Self::new();
        let running = rig.start();
        rig.create(&sample()).await;
        rig.until_phase("test-vm", Phase::Active).await;
        (rig, running)
    }

    pub fn start(&self) -> Running {
        self.start_with(fast())
    }

    pub fn start_with(&self, options: Options) -> Running {
        run(
            self.clientset.client().clone(),
            Arc::new(self.driver.clone()),
            options,
        )
    }

    fn machines(&self) -> Defaults<VirtualMachine, WithStatus> {
        let machines = self.clientset.cloudnative_v1alpha1();
        machines.virtual_machines("default").defaults()
    }

    pub async fn create(&self, machine: &VirtualMachine) -> VirtualMachine {
        self.machines().create(machine).await.unwrap()
    }

    pub async fn patch(&self, name: &str, patch: Value) {
        self.machines()
            .patch(name, &PatchParams::default(), &Patch::Merge(patch))
            .await
            .unwrap();
    }

    pub async fn delete(&self, name: &str) {
        self.machines().delete(name).await.unwrap();
    }

    /// Returns the stored machine, bypassing all faults.
    pub fn get(&self, name: &str) -> Option<VirtualMachine> {
        self.tracker.get("default", name)
    }

    pub fn status(&self, name: &str) -> VirtualMachineStatus {
        self.get(name).and_then(|it| it.status).unwrap_or_default()
    }

    pub fn server_ref(&self, name: &str) -> ServerRef {
        ServerRef::of(&self.get(name).unwrap())
    }

    /// The names of the driver's calls.
    pub fn calls(&self) -> Vec<String> {
        let journal = self.driver.journal().unwrap();
        journal.into_iter().map(|it| it.call).collect()
    }

    pub fn servers(&self) -> usize {
        self.driver.cloud().unwrap().servers.len()
    }

    /// Waits until `is` is true for the machine's status.
    pub async fn until(&self, name: &str, is: impl Fn(&VirtualMachineStatus) -> bool) {
        let wait = eventually(|| is(&self.status(name)));
        if !wait.await {
            panic!("{name} was not deleted: {:#?}", self.get(name));
        }
    }

    pub async fn until_phase(&self, name: &str, phase: Phase) {
        self.until(name, |status| status.phase == phase).await;
    }

    pub async fn until_gone(&self, name: &str) {
        if !eventually(|| self.get(name).is_none()).await {
            panic!("{name} was not deleted: {:#?}", self.get(name));
        }
    }
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

/// Returns status and reason of a condition.
pub fn condition<'a>(status: &'a VirtualMachineStatus, type_: &str) -> Option<(&'a str, &'a str)> {
    let condition = status.conditions.iter().find(|it| it.type_ == type_)?;
    Some((&condition.status, &condition.reason))
}
