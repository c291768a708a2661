//! Ends a controller after its k-th call, for every k, and starts another one.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::fake::crash::{Gate, every_crash_point};
use serde_json::json;
use virtualmachine_controller::apis::cloudnative::v1alpha1::VirtualMachinePhase as Phase;
use virtualmachine_controller::driver::{
    Driver, DriverFuture, Power, Resources, Server, ServerRef, ServerSpec, Term,
};

use crate::controller::support::{PATIENCE, Rig, eventually, fast, run, sample};

/// A driver with a gate in front.
struct Gated {
    driver: Arc<dyn Driver>,
    gate: Gate,
}

impl Gated {
    /// A call of a process that has ended never returns.
    fn call<'a, T: Send + 'a>(&'a self, call: DriverFuture<'a, T>) -> DriverFuture<'a, T> {
        Box::pin(self.gate.call(call))
    }
}

impl Driver for Gated {
    fn name(&self) -> &'static str {
        "gated"
    }

    fn list(&self) -> DriverFuture<'_, Vec<ServerRef>> {
        self.driver.list()
    }

    fn status<'a>(&'a self, server: &'a ServerRef) -> DriverFuture<'a, Option<Server>> {
        self.call(self.driver.status(server))
    }

    fn create<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        spec: &'a ServerSpec,
    ) -> DriverFuture<'a, ()> {
        self.call(self.driver.create(term, server, spec))
    }

    fn set_power<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        power: Power,
    ) -> DriverFuture<'a, ()> {
        self.call(self.driver.set_power(term, server, power))
    }

    fn resize<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        resources: &'a Resources,
    ) -> DriverFuture<'a, ()> {
        self.call(self.driver.resize(term, server, resources))
    }

    fn delete<'a>(&'a self, term: &'a Term, server: &'a ServerRef) -> DriverFuture<'a, ()> {
        self.call(self.driver.delete(term, server))
    }
}

/// The change to a machine before the crash.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Task {
    Create,
    Stop,
    Resize,
    Delete,
}

/// Returns whether the controller was still working when it crashed.
async fn crash(gate: Gate, task: Task, deleted_meanwhile: bool) -> bool {
    let point = format!("{gate:?}");
    let rig = Rig::new();
    if task != Task::Create {
        let running = rig.start();
        rig.create(&sample()).await;
        rig.until_phase("test-vm", Phase::Active).await;
        running.stop().await;
    }
    match task {
        Task::Create => drop(rig.create(&sample()).await),
        Task::Stop => {
            rig.patch("test-vm", json!({ "spec": { "action": "stopped" } }))
                .await
        }
        Task::Resize => {
            let patch = json!({ "spec": { "resource": { "cpu": 4, "rootDisk": "50G" } } });
            rig.patch("test-vm", patch).await;
        }
        Task::Delete => rig.delete("test-vm").await,
    }
    gate.guard(&rig.tracker, "virtualmachines/*");
    let driver = Arc::new(Gated {
        driver: Arc::new(rig.driver.clone()),
        gate: gate.clone(),
    });
    let running = run(rig.clientset.client().clone(), driver, fast());
    let crashed = gate.crashes_before(settled(&rig, task)).await;
    running.kill().await;
    gate.open();
    if deleted_meanwhile && task != Task::Delete && rig.get("test-vm").is_some() {
        rig.delete("test-vm").await;
    }

    let running = rig.start();
    let wanted = if deleted_meanwhile {
        Task::Delete
    } else {
        task
    };
    let converged = tokio::time::timeout(PATIENCE, settled(&rig, wanted)).await;
    assert!(
        converged.is_ok(),
        "{task:?}, {point}: {:#?}",
        rig.get("test-vm")
    );
    running.stop().await;
    let cloud = rig.driver.cloud().unwrap();
    assert!(cloud.created <= 1, "{task:?}, {point}: created twice");
    crashed
}

/// Waits until the task is done.
async fn settled(rig: &Rig, task: Task) {
    let done = || {
        let cloud = rig.driver.cloud().unwrap();
        let Some(machine) = rig.get("test-vm") else {
            return task == Task::Delete && cloud.servers.is_empty();
        };
        let status = machine.status.unwrap_or_default();
        let Some(server) = cloud.servers.values().next() else {
            return false;
        };
        let is_seen = status.observed_generation == machine.metadata.generation;
        is_seen
            && match task {
                Task::Create => status.phase == Phase::Active && server.on,
                Task::Stop => status.phase == Phase::Stopped && !server.on,
                Task::Resize => {
                    let sizes = (server.cpus, server.disk);
                    status.phase == Phase::Active && server.on && sizes == (4, 50_000_000_000)
                }
                Task::Delete => false,
            }
    };
    while !eventually(done).await {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

async fn survives_every_crash_point(task: Task, deleted_meanwhile: bool) {
    let calls = every_crash_point(|gate| crash(gate, task, deleted_meanwhile)).await;
    assert!(calls > 2, "{task:?} took {calls} calls");
}

#[tokio::test]
async fn creation_survives_every_crash_point() {
    survives_every_crash_point(Task::Create, false).await;
}

#[tokio::test]
async fn stopping_survives_every_crash_point() {
    survives_every_crash_point(Task::Stop, false).await;
}

#[tokio::test]
async fn resizing_survives_every_crash_point() {
    survives_every_crash_point(Task::Resize, false).await;
}

#[tokio::test]
async fn deletion_survives_every_crash_point() {
    survives_every_crash_point(Task::Delete, false).await;
}

#[tokio::test]
async fn a_machine_that_is_deleted_after_a_crash_leaves_nothing_behind() {
    for task in [Task::Create, Task::Stop, Task::Resize] {
        survives_every_crash_point(task, true).await;
    }
}
