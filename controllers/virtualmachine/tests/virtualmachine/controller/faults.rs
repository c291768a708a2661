//! Faults of the API server and of the driver.

use std::time::Duration;

use codegen_runtime::app::Process;
use codegen_runtime::fake::{ApiError, Fault as ApiFault, FaultKind, Reaction, Running};
use serde_json::json;
use virtualmachine_controller::apis::cloudnative::v1alpha1::VirtualMachinePhase as Phase;
use virtualmachine_controller::app;
use virtualmachine_controller::controller::Options;
use virtualmachine_controller::driver::DriverError;
use virtualmachine_controller::driver::simulated::{Fault, Lost, Operation};

use crate::controller::support::{RESYNC, Rig, condition, fast, sample};

fn failed() -> DriverError {
    DriverError::Failed("no host has room".to_owned())
}

/// Runs the lifecycle of a machine while each of its calls hits `fault` three times.
async fn lives_with(fault: ApiFault) {
    let rig = Rig::new();
    let running = rig.start();
    // Let the informer list before calls start to fail.
    tokio::time::sleep(Duration::from_millis(50)).await;
    rig.create(&sample()).await;
    for verb in ["get", "update", "patch", "watch"] {
        rig.tracker
            .fault(fault.clone().on(verb, "virtualmachines/*").times(3));
    }
    rig.until_phase("test-vm", Phase::Active).await;
    rig.tracker.clear_faults();
    rig.delete("test-vm").await;
    for verb in ["get", "update", "patch", "watch"] {
        rig.tracker
            .fault(fault.clone().on(verb, "virtualmachines/*").times(3));
    }
    rig.until_gone("test-vm").await;
    assert_eq!(rig.servers(), 0);
    assert_eq!(rig.driver.cloud().unwrap().created, 1);
    running.stop().await;
}

#[tokio::test]
async fn conflicts_are_tried_again() {
    lives_with(ApiFault::new(FaultKind::Conflict)).await;
}

#[tokio::test(start_paused = true)]
async fn too_many_requests_are_waited_out() {
    lives_with(ApiFault::new(FaultKind::TooManyRequests { retry_after: 1 })).await;
}

#[tokio::test(start_paused = true)]
async fn a_busy_server_is_asked_by_resyncs_alone_while_it_asks_to_wait() {
    let rig = Rig::new();
    rig.tracker
        .prepend_reactor("patch", "virtualmachines", |_| {
            Reaction::Fail(ApiError::too_many_requests("busy", 60))
        });
    let running = rig.start();
    rig.create(&sample()).await;
    let resyncs = 50;
    tokio::time::sleep(RESYNC * resyncs).await;
    let actions = rig.tracker.actions();
    let tries = actions.iter().filter(|it| it.verb == "patch").count();
    assert!(tries <= resyncs as usize + 1, "{tries} tries");
    running.stop().await;
}

#[tokio::test]
async fn internal_errors_are_tried_again() {
    lives_with(ApiFault::new(FaultKind::InternalError)).await;
}

#[tokio::test]
async fn lost_connections_are_tried_again() {
    lives_with(ApiFault::new(FaultKind::DropConnection)).await;
}

#[tokio::test(start_paused = true)]
async fn cut_watches_lose_nothing() {
    let rig = Rig::new();
    rig.tracker
        .fault(ApiFault::new(FaultKind::CutWatch { after_events: 1 }));
    let running = rig.start();
    rig.create(&sample()).await;
    rig.until_phase("test-vm", Phase::Active).await;
    rig.patch("test-vm", json!({ "spec": { "action": "stopped" } }))
        .await;
    rig.until_phase("test-vm", Phase::Stopped).await;
    rig.delete("test-vm").await;
    rig.until_gone("test-vm").await;
    assert_eq!(rig.servers(), 0);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_failed_creation_is_seen_in_the_status_and_tried_again() {
    let rig = Rig::new();
    let fault = Fault {
        times: None,
        ..Fault::once(Operation::Create, failed())
    };
    rig.driver.fault(fault);
    let running = rig.start();
    rig.create(&sample()).await;
    rig.until_phase("test-vm", Phase::Failed).await;
    let status = rig.status("test-vm");
    assert_eq!(status.reason, "no host has room; retrying");
    assert_eq!(condition(&status, "Ready"), Some(("False", "FailedCreate")));
    assert_eq!(
        condition(&status, "Progressing"),
        Some(("True", "FailedCreate"))
    );
    // A repeated failure is not news: the status stays unchanged.
    tokio::time::sleep(RESYNC * 5).await;
    assert_eq!(rig.status("test-vm"), status);
    rig.driver.clear_faults();
    rig.until_phase("test-vm", Phase::Active).await;
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_driver_that_always_fails_is_asked_a_few_times_a_minute() {
    let rig = Rig::new();
    let fault = Fault {
        times: None,
        ..Fault::once(Operation::Create, failed())
    };
    rig.driver.fault(fault);
    rig.create(&sample()).await;
    let (tell, metrics) = tokio::sync::oneshot::channel();
    let driver = rig.driver.clone();
    let setup = async move |process: Process, flags| {
        drop(tell.send(process.metrics().clone()));
        app::setup(process, flags, driver).await
    };
    let running = Running::program(app::app(), rig.clientset.client().clone(), &[], setup);
    let metrics = metrics.await.unwrap();
    let creations = || -> usize {
        let text = metrics.encode().unwrap();
        let series = "virtualmachine_driver_calls_total{driver=\"simulated\",call=\"create\"";
        let lines = text.lines().filter(|line| line.starts_with(series));
        let counts = lines.filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok());
        counts.sum()
    };
    let mut before = 0;
    for (seconds, expected) in [(60, 2..=20), (600, 10..=40)] {
        // The clock is paused.
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        let tries = creations() - before;
        // Resyncs retry as well, twice a minute.
        assert!(expected.contains(&tries), "{tries} in {seconds} s");
        before += tries;
    }
    running.kill().await;
}

#[tokio::test]
async fn what_the_driver_refuses_is_not_tried_until_the_spec_changes() {
    let rig = Rig::new();
    let error = DriverError::Refused("too large for any host".to_owned());
    rig.driver.fault(Fault::once(Operation::Create, error));
    let running = rig.start_with(fast());
    rig.create(&sample()).await;
    rig.until_phase("test-vm", Phase::Failed).await;
    let status = rig.status("test-vm");
    assert_eq!(status.reason, "too large for any host");
    assert_eq!(
        condition(&status, "Progressing"),
        Some(("False", "FailedCreate"))
    );
    rig.patch("test-vm", json!({ "spec": { "resource": { "cpu": 1 } } }))
        .await;
    rig.until_phase("test-vm", Phase::Active).await;
    running.stop().await;
}

#[tokio::test]
async fn a_lost_answer_creates_no_second_server() {
    let rig = Rig::new();
    rig.driver.fault(Fault {
        times: Some(2),
        lost: Lost::Answer,
        ..Fault::once(Operation::Create, failed())
    });
    let running = rig.start();
    rig.create(&sample()).await;
    rig.until_phase("test-vm", Phase::Active).await;
    assert_eq!(rig.driver.cloud().unwrap().created, 1);
    running.stop().await;
}

#[tokio::test]
async fn a_call_that_hangs_ends_at_its_deadline() {
    let rig = Rig::new();
    rig.driver.fault(Fault {
        error: None,
        ..Fault::once(Operation::Create, failed())
    });
    let running = rig.start_with(Options {
        driver_deadline: Duration::from_millis(50),
        backoff: (Duration::from_millis(300), Duration::from_secs(1)),
        ..fast()
    });
    rig.create(&sample()).await;
    rig.until_phase("test-vm", Phase::Failed).await;
    let reason = rig.status("test-vm").reason;
    assert_eq!(reason, "the driver did not answer within 50ms; retrying");
    rig.until_phase("test-vm", Phase::Active).await;
    running.stop().await;
}

#[tokio::test]
async fn a_server_that_cannot_be_seen_is_unknown_and_keeps_what_was_known() {
    let (rig, running) = Rig::active().await;
    let known = rig.status("test-vm").server.unwrap().id;
    let fault = Fault {
        times: None,
        ..Fault::once(Operation::Status, failed())
    };
    rig.driver.fault(fault);
    rig.until_phase("test-vm", Phase::Unknown).await;
    assert_eq!(rig.status("test-vm").server.unwrap().id, known);
    rig.driver.clear_faults();
    rig.until_phase("test-vm", Phase::Active).await;
    running.stop().await;
}

#[tokio::test]
async fn a_deletion_that_fails_says_so_and_goes_on() {
    let (rig, running) = Rig::active().await;
    let fault = Fault {
        times: None,
        ..Fault::once(Operation::Delete, failed())
    };
    rig.driver.fault(fault);
    rig.delete("test-vm").await;
    rig.until("test-vm", |status| {
        status.phase == Phase::Terminating && status.reason.starts_with("no host has room")
    })
    .await;
    rig.driver.clear_faults();
    rig.until_gone("test-vm").await;
    assert_eq!(rig.servers(), 0);
    running.stop().await;
}
