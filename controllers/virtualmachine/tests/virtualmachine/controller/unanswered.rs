//! A driver that cannot report a server's status, but stops and deletes it; and the metrics of its
//! calls.

use std::sync::Arc;

use codegen_runtime::metrics::Metrics;
use serde_json::json;
use virtualmachine_controller::apis::cloudnative::v1alpha1::VirtualMachinePhase as Phase;
use virtualmachine_controller::driver::DriverError;
use virtualmachine_controller::driver::simulated::{Fault, Operation};

use crate::controller::support::{Rig, eventually, fast, run_with, sample};

fn no_status() -> Fault {
    let error = DriverError::Failed("it does not respond".to_owned());
    Fault {
        times: None,
        ..Fault::once(Operation::Status, error)
    }
}

#[tokio::test]
async fn a_server_whose_status_fails_is_stopped() {
    let (rig, running) = Rig::active().await;
    rig.driver.fault(no_status());
    rig.patch("test-vm", json!({ "spec": { "action": "stopped" } }))
        .await;
    let is_off = || {
        rig.driver
            .cloud()
            .unwrap()
            .servers
            .values()
            .all(|it| !it.on)
    };
    assert!(eventually(is_off).await);
    rig.until_phase("test-vm", Phase::Unknown).await;
    rig.driver.clear_faults();
    rig.until_phase("test-vm", Phase::Stopped).await;
    running.stop().await;
}

#[tokio::test]
async fn a_server_whose_status_fails_is_deleted_and_released_when_that_is_seen() {
    let (rig, running) = Rig::active().await;
    rig.driver.fault(no_status());
    rig.delete("test-vm").await;
    assert!(eventually(|| rig.servers() == 0).await);
    rig.until("test-vm", |status| {
        status.reason.contains("it does not respond")
    })
    .await;
    rig.driver.clear_faults();
    rig.until_gone("test-vm").await;
    running.stop().await;
}

#[tokio::test]
async fn metrics_tell_what_became_of_the_calls() {
    let (rig, metrics) = (Rig::new(), Metrics::new());
    let error = DriverError::Failed("no host has room".to_owned());
    rig.driver.fault(Fault::once(Operation::Create, error));
    let driver = Arc::new(rig.driver.clone());
    let client = rig.clientset.client().clone();
    let running = run_with(client, driver, fast(), &metrics);
    rig.create(&sample()).await;
    rig.until_phase("test-vm", Phase::Active).await;
    let text = metrics.encode().unwrap();
    let calls = "virtualmachine_driver_calls_total{driver=\"simulated\",call=\"create\",";
    let took =
        "virtualmachine_driver_call_duration_seconds_count{driver=\"simulated\",call=\"create\"} 2";
    for line in [
        format!("{calls}result=\"failed\"}} 1"),
        format!("{calls}result=\"ok\"}} 1"),
        took.to_owned(),
    ] {
        assert!(text.lines().any(|other| other == line), "{line}\n{text}");
    }
    running.stop().await;
}
