//! Changes that the driver observes, and its own writes, which it must see immediately.

use std::sync::Arc;

use codegen_runtime::kube::api::DeleteParams;
use codegen_runtime::store::ObjectKey;
use parking_lot::Mutex;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use virtualmachine_controller::driver::kubevirt::KubeVirt;
use virtualmachine_controller::driver::{
    Changed, Driver, DriverError, Power, ServerRef, ServerState,
};

use crate::kubevirt::cluster::{Cluster, goes, reaches, settled, spec, term, until};

/// A running driver, and the keys that it reported.
struct Running {
    driver: KubeVirt,
    told: Arc<Mutex<Vec<ObjectKey>>>,
    stop: CancellationToken,
    task: tokio::task::JoinHandle<Result<(), DriverError>>,
}

impl Running {
    fn start(driver: KubeVirt) -> Self {
        let told: Arc<Mutex<Vec<ObjectKey>>> = Arc::default();
        let keys = told.clone();
        let changed: Changed = Arc::new(move |key| {
            keys.lock().push(key);
        });
        let (stop, runner) = (CancellationToken::new(), driver.clone());
        let stopped = stop.clone();
        let task = tokio::spawn(async move { runner.run(changed, stopped).await });
        Self {
            driver,
            told,
            stop,
            task,
        }
    }

    fn take(&self) -> Vec<ObjectKey> {
        std::mem::take(&mut *self.told.lock())
    }

    async fn is_told(&self, key: &ObjectKey) {
        until(|| async { self.take().contains(key).then_some(()) }).await;
    }

    async fn end(self) {
        self.stop.cancel();
        self.task.await.expect("it ends").expect("without an error");
    }
}

/// Returns the state that the driver reads now; `None` if there is no machine.
async fn read_state(driver: &KubeVirt, server: &ServerRef) -> Option<ServerState> {
    let status = driver.status(server).await.expect("a status");
    status.map(|now| now.state)
}

/// Switches a machine: its state is immediately one of `states`, and finally the second.
async fn switch(driver: &KubeVirt, server: &ServerRef, power: Power, states: [ServerState; 2]) {
    let switched = driver.set_power(&term(1), server, power).await;
    switched.expect("it is switched");
    let read = read_state(driver, server).await;
    let is_expected = read.is_some_and(|read| states.contains(&read));
    assert!(is_expected, "{power:?}: {read:?}");
    reaches(driver, server, states[1]).await;
}

#[tokio::test]
async fn changes_of_kubevirts_are_told_and_own_writes_are_read() {
    let cluster = Cluster::start().await;
    let running = Running::start(cluster.driver());
    let driver = &running.driver;
    let server = cluster.machine("told").await;
    driver
        .create(&term(1), &server, &spec(Power::On))
        .await
        .expect("created");
    reaches(driver, &server, ServerState::Running).await;
    running.is_told(&server.key()).await;

    for _ in 0..5 {
        let off = [ServerState::Stopping, ServerState::Stopped];
        switch(driver, &server, Power::Off, off).await;
        let on = [ServerState::Creating, ServerState::Running];
        switch(driver, &server, Power::On, on).await;
    }

    settled(&cluster, &server).await;
    running.take();
    cluster.kubevirt.say(Some(json!({
        "printableStatus": "ErrorUnschedulable", "ready": false,
        "conditions": [{"type": "Ready", "status": "False", "message": "0/3 nodes are available"}],
    })));
    running.is_told(&server.key()).await;
    let failed = reaches(driver, &server, ServerState::Failed).await;
    assert_eq!(
        failed.message,
        "KubeVirt: ErrorUnschedulable: 0/3 nodes are available"
    );
    cluster.kubevirt.say(None);
    reaches(driver, &server, ServerState::Running).await;

    let vms = cluster
        .clientset()
        .kubevirt_v1()
        .virtual_machines(&cluster.namespace);
    settled(&cluster, &server).await;
    running.take();
    let deleted = vms.delete(&server.id(), &DeleteParams::background()).await;
    deleted.expect("deleted by another client");
    running.is_told(&server.key()).await;
    goes(driver, &server).await;
    running.end().await;
    cluster.end().await;
}

#[tokio::test]
async fn a_deletion_is_read_at_once() {
    let cluster = Cluster::start().await;
    let running = Running::start(cluster.driver());
    let driver = &running.driver;
    for name in ["one", "two", "three"] {
        let server = cluster.machine(name).await;
        driver
            .create(&term(1), &server, &spec(Power::On))
            .await
            .expect("created");
        reaches(driver, &server, ServerState::Running).await;
        driver.delete(&term(1), &server).await.expect("deleting");
        let state = read_state(driver, &server).await;
        assert!(
            matches!(state, None | Some(ServerState::Deleting)),
            "{state:?}"
        );
        goes(driver, &server).await;
    }
    running.end().await;
    cluster.end().await;
}
