//! The desired machines, and their state in the API server and at the driver.

use std::collections::BTreeMap;
use std::time::Duration;

use codegen_runtime::client::{Defaults, TypedClient, verbs::WithStatus};
use codegen_runtime::k8s_openapi::api::coordination::v1::Lease;
use codegen_runtime::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use codegen_runtime::kube::api::{Patch, PatchParams};
use codegen_runtime::kube::{self, Client, Config, ResourceExt};
use futures::StreamExt;
use rand::rngs::StdRng;
use rand::{Rng, RngExt};
use serde_json::{Value, json};
use virtualmachine_controller::apis::cloudnative::v1alpha1::{
    VirtualMachine, VirtualMachinePhase as Phase,
};
use virtualmachine_controller::driver::ServerRef;
use virtualmachine_controller::driver::simulated::{Cloud, Simulated};
use virtualmachine_controller::generated::clientset::Clientset;

const CRD: &str = include_str!("../../../deploy/crd.yaml");

pub const LEASE: &str = "virtualmachine-controller";

/// The desired state of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    cpu: u32,
    is_on: bool,
}

impl Wanted {
    fn spec(self) -> Value {
        json!({
            "action": if self.is_on { "active" } else { "stopped" },
            "resource": { "cpu": self.cpu, "memory": "1G", "rootDisk": "1G" },
        })
    }
}

/// The machines by name, and a client that bypasses the proxy.
pub struct Machines {
    client: Client,
    pub wanted: BTreeMap<String, Wanted>,
    named: u64,
}

impl Machines {
    pub fn new(url: &str) -> Self {
        let mut config = Config::new(url.parse().unwrap());
        config.read_timeout = Some(Duration::from_secs(10));
        Self {
            client: Client::try_from(config).unwrap(),
            wanted: BTreeMap::new(),
            named: 0,
        }
    }

    fn api(&self) -> Defaults<VirtualMachine, WithStatus> {
        Clientset::new(self.client.clone())
            .cloudnative_v1alpha1()
            .virtual_machines("default")
            .defaults()
    }

    pub fn leases(&self) -> Defaults<Lease> {
        TypedClient::namespaced(self.client.clone(), "default").defaults()
    }

    /// Installs the CRD and all machines in an empty API server.
    pub async fn install(&self) {
        let crds = TypedClient::<CustomResourceDefinition>::cluster(self.client.clone()).defaults();
        let crd: CustomResourceDefinition = serde_saphyr::from_str(CRD).unwrap();
        let name = crd.name_any();
        let apply = PatchParams::apply("chaos").force();
        crds.patch(&name, &apply, &Patch::Apply(&crd))
            .await
            .unwrap();
        let is_served = async {
            while self.api().list().await.is_err() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), is_served)
            .await
            .unwrap();
        futures::stream::iter(&self.wanted)
            .for_each_concurrent(16, async |(name, wanted)| self.create(name, *wanted).await)
            .await;
    }

    async fn create(&self, name: &str, wanted: Wanted) {
        let machine = json!({
            "apiVersion": "cloudnative.czs/v1alpha1",
            "kind": "VirtualMachine",
            "metadata": { "name": name, "namespace": "default" },
            "spec": wanted.spec(),
        });
        let machine: VirtualMachine = serde_json::from_value(machine).unwrap();
        let created = self.api().create(&machine).await;
        created.unwrap();
    }

    /// Adds a machine.
    pub fn want(&mut self, random: &mut StdRng) -> (String, Wanted) {
        let name = format!("vm-{}", self.named);
        self.named += 1;
        let wanted = Wanted {
            cpu: random.random_range(1..=4),
            is_on: random.random_bool(0.8),
        };
        self.wanted.insert(name.clone(), wanted);
        (name, wanted)
    }

    pub async fn add(&mut self, random: &mut StdRng) {
        let (name, wanted) = self.want(random);
        self.create(&name, wanted).await;
    }

    async fn patch(&self, name: &str, patch: &Patch<Value>) {
        let params = PatchParams::default();
        self.api().patch(name, &params, patch).await.unwrap();
    }

    fn any(&self, random: &mut impl Rng) -> Option<String> {
        let at = random.random_range(0..self.wanted.len().max(1));
        self.wanted.keys().nth(at).cloned()
    }

    /// Changes a random machine.
    pub async fn change(&mut self, random: &mut StdRng) {
        let Some(name) = self.any(random) else { return };
        let wanted = Wanted {
            cpu: random.random_range(1..=4),
            is_on: random.random_bool(0.7),
        };
        let patch = Patch::Merge(json!({ "spec": wanted.spec() }));
        self.patch(&name, &patch).await;
        self.wanted.insert(name, wanted);
    }

    /// Deletes a random machine; without its finalizer if `by_force` is set.
    pub async fn remove(&mut self, random: &mut StdRng, by_force: bool) {
        let Some(name) = self.any(random) else { return };
        if by_force {
            let patch = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
            self.patch(&name, &patch).await;
        }
        self.api().delete(&name).await.unwrap();
        self.wanted.remove(&name);
    }

    /// Kills the server of a random machine.
    pub async fn crash(&self, random: &mut StdRng, driver: &Simulated) {
        let Some(name) = self.any(random) else { return };
        if let Some(machine) = self.api().get_opt(&name).await.unwrap() {
            driver.kill(&ServerRef::of(&machine)).unwrap();
        }
    }

    /// Returns the leader's name and the epoch, if there is a leader.
    pub async fn leader(&self) -> Option<(String, u64)> {
        let lease = self.leases().get_opt(LEASE).await.ok()??;
        let epoch = lease
            .annotations()
            .get("kube-codegen/leader-epoch")?
            .parse();
        let holder = lease.spec?.holder_identity?;
        (!holder.is_empty()).then_some((holder, epoch.ok()?))
    }

    pub async fn delete_lease(&self) {
        match self.leases().delete(LEASE).await {
            Err(kube::Error::Api(status)) if status.is_not_found() => {}
            result => drop(result.unwrap()),
        }
    }

    /// Returns the differences from the desired state; empty after convergence.
    pub async fn differences(&self, cloud: &Cloud) -> Vec<String> {
        let machines = match self.api().list().await {
            Ok(machines) => machines.items,
            Err(error) => return vec![error.to_string()],
        };
        let mut differences = Vec::new();
        let mut servers = cloud.servers.clone();
        let mut missing = self.wanted.clone();
        for machine in &machines {
            let name = machine.name_any();
            let Some(wanted) = missing.remove(&name) else {
                differences.push(format!("{name} should be gone"));
                continue;
            };
            let status = machine.status.as_ref();
            let phase = if wanted.is_on {
                Phase::Active
            } else {
                Phase::Stopped
            };
            let is_seen = status.is_some_and(|status| {
                status.phase == phase && status.observed_generation == machine.metadata.generation
            });
            let server = servers.remove(&ServerRef::of(machine).id());
            let is_there = server.as_ref().is_some_and(|server| {
                (server.on, server.dead, server.cpus) == (wanted.is_on, false, wanted.cpu)
            });
            if !is_seen || !is_there {
                differences.push(format!(
                    "{name} should be {wanted:?}: {status:?}, {server:?}"
                ));
            }
        }
        differences.extend(missing.keys().map(|name| format!("{name} is missing")));
        differences.extend(servers.keys().map(|id| format!("{id} has no object")));
        differences
    }
}
