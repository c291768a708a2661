//! Every phase and action.

use std::time::Duration;

use codegen_runtime::kube::ResourceExt;
use serde_json::json;
use virtualmachine_controller::apis::cloudnative::v1alpha1::VirtualMachinePhase as Phase;
use virtualmachine_controller::controller::{FINALIZER, Options};
use virtualmachine_controller::driver::DriverError;
use virtualmachine_controller::driver::simulated::{Fault, Latency, Lost, Operation};

use crate::controller::support::{RESYNC, Rig, condition, eventually, fast, sample};

#[tokio::test]
async fn a_machine_becomes_active_with_id_usage_and_conditions() {
    let (rig, running) = Rig::active().await;
    let machine = rig.get("test-vm").unwrap();
    let status = machine.status.clone().unwrap();
    let server = status.server.as_ref().unwrap();
    assert_eq!(server.id, format!("vm-{}", machine.uid().unwrap()));
    assert_eq!(server.state, "running");
    assert!(
        server
            .usage
            .as_ref()
            .unwrap()
            .cpu
            .amount()
            .unwrap()
            .milli_value()
            > 0
    );
    assert_eq!(status.reason, "");
    assert_eq!(status.observed_generation, machine.metadata.generation);
    assert_eq!(condition(&status, "Ready"), Some(("True", "Running")));
    assert_eq!(
        condition(&status, "Progressing"),
        Some(("False", "Running"))
    );
    assert!(status.last_update_time.is_some());
    assert_eq!(machine.finalizers(), [FINALIZER]);
    let cloud = rig.driver.cloud().unwrap();
    let server = &cloud.servers[&server.id];
    assert_eq!(
        (server.cpus, server.memory, server.disk),
        (2, 4_000_000_000, 40_000_000_000)
    );
    running.stop().await;
}

#[tokio::test]
async fn the_finalizer_comes_before_the_server() {
    let rig = Rig::new();
    rig.driver.fault(Fault {
        operation: Some(Operation::Create),
        times: None,
        chance: 1.0,
        lost: Lost::Request,
        error: Some(DriverError::Failed("no host".to_owned())),
    });
    let running = rig.start();
    rig.create(&sample()).await;
    rig.until_phase("test-vm", Phase::Failed).await;
    assert_eq!(rig.get("test-vm").unwrap().finalizers(), [FINALIZER]);
    let writes: Vec<_> = rig
        .tracker
        .actions()
        .into_iter()
        .filter(|action| {
            action.resource == "virtualmachines" && matches!(action.verb, "patch" | "update")
        })
        .map(|action| (action.verb, action.subresource))
        .collect();
    assert_eq!(writes[0], ("patch", String::new()));
    assert_eq!(writes[1], ("update", "status".to_owned()));
    running.stop().await;
}

#[tokio::test]
async fn a_stopped_machine_is_there_and_does_not_run() {
    let rig = Rig::new();
    let running = rig.start();
    let mut machine = sample();
    machine.spec = serde_json::from_value(json!({
        "action": "stopped",
        "resource": { "cpu": 2, "memory": "4G", "rootDisk": "40G" },
    }))
    .unwrap();
    rig.create(&machine).await;
    rig.until_phase("test-vm", Phase::Stopped).await;
    assert_eq!(
        condition(&rig.status("test-vm"), "Ready"),
        Some(("True", "Stopped"))
    );
    rig.patch("test-vm", json!({ "spec": { "action": "active" } }))
        .await;
    rig.until_phase("test-vm", Phase::Active).await;
    rig.patch("test-vm", json!({ "spec": { "action": "stopped" } }))
        .await;
    rig.until_phase("test-vm", Phase::Stopped).await;
    assert_eq!(rig.status("test-vm").server.unwrap().usage, None);
    assert_eq!(rig.driver.cloud().unwrap().created, 1);
    running.stop().await;
}

#[tokio::test]
async fn processors_and_memory_change_by_restart() {
    let rig = Rig::with_latency(Latency {
        call: Duration::from_millis(1),
        start: Duration::from_millis(20),
        stop: Duration::from_millis(20),
    });
    let running = rig.start();
    rig.create(&sample()).await;
    rig.until_phase("test-vm", Phase::Active).await;
    let patch = json!({ "spec": { "resource": { "cpu": "4", "memory": "8G" } } });
    rig.patch("test-vm", patch).await;
    rig.until("test-vm", |status| {
        condition(status, "Progressing") == Some(("True", "Resizing"))
    })
    .await;
    rig.until("test-vm", |status| {
        status.phase == Phase::Active && status.observed_generation == Some(2)
    })
    .await;
    let cloud = rig.driver.cloud().unwrap();
    let server = cloud.servers.values().next().unwrap();
    assert_eq!((server.cpus, server.memory), (4, 8_000_000_000));
    assert_eq!(rig.calls(), ["create", "set_power", "resize", "set_power"]);
    running.stop().await;
}

#[tokio::test]
async fn a_disk_grows_while_the_machine_runs_and_never_shrinks() {
    let (rig, running) = Rig::active().await;
    rig.patch(
        "test-vm",
        json!({ "spec": { "resource": { "rootDisk": "80G" } } }),
    )
    .await;
    let disk = || {
        rig.driver
            .cloud()
            .unwrap()
            .servers
            .values()
            .next()
            .unwrap()
            .disk
    };
    assert!(eventually(|| disk() == 80_000_000_000).await);
    rig.until("test-vm", |status| {
        condition(status, "Ready") == Some(("True", "Running"))
    })
    .await;
    rig.patch(
        "test-vm",
        json!({ "spec": { "resource": { "rootDisk": "20G" } } }),
    )
    .await;
    rig.until("test-vm", |status| {
        condition(status, "Ready") == Some(("False", "DiskCannotShrink"))
    })
    .await;
    assert_eq!(rig.status("test-vm").phase, Phase::Active);
    assert_eq!(disk(), 80_000_000_000);
    assert_eq!(rig.calls(), ["create", "resize"]);
    running.stop().await;
}

#[tokio::test]
async fn deletion_works_in_every_phase() {
    for phase in [
        Phase::Creating,
        Phase::Active,
        Phase::Stopped,
        Phase::Failed,
        Phase::Unknown,
    ] {
        let start = match phase {
            Phase::Creating => Duration::from_secs(3600),
            _ => Duration::ZERO,
        };
        let rig = Rig::with_latency(Latency {
            start,
            ..Latency::NONE
        });
        let running = rig.start();
        rig.create(&sample()).await;
        let always = |operation| Fault {
            operation: Some(operation),
            times: None,
            chance: 1.0,
            lost: Lost::Request,
            error: Some(DriverError::Failed("out of order".to_owned())),
        };
        match phase {
            Phase::Stopped => {
                rig.patch("test-vm", json!({ "spec": { "action": "stopped" } }))
                    .await;
            }
            Phase::Failed => {
                rig.until_phase("test-vm", Phase::Active).await;
                rig.driver.fault(always(Operation::SetPower));
                assert!(rig.driver.kill(&rig.server_ref("test-vm")).unwrap());
            }
            Phase::Unknown => {
                rig.until_phase("test-vm", Phase::Active).await;
                rig.driver.fault(always(Operation::Status));
            }
            _ => {}
        }
        rig.until_phase("test-vm", phase).await;
        rig.delete("test-vm").await;
        if phase == Phase::Unknown {
            rig.until_phase("test-vm", Phase::Terminating).await;
            rig.driver.clear_faults();
        }
        rig.until_gone("test-vm").await;
        assert_eq!(rig.servers(), 0, "{phase:?}");
        running.stop().await;
    }
}

#[tokio::test]
async fn a_machine_that_was_deleted_before_anything_was_done_just_goes() {
    let rig = Rig::new();
    rig.create(&sample()).await;
    rig.delete("test-vm").await;
    assert!(rig.get("test-vm").is_none());
    let running = rig.start();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(rig.driver.journal().unwrap(), []);
    running.stop().await;
}

#[tokio::test]
async fn a_machine_made_anew_under_its_old_name_gets_another_server() {
    let (rig, running) = Rig::active().await;
    let first = rig.status("test-vm").server.unwrap().id;
    rig.delete("test-vm").await;
    rig.until_gone("test-vm").await;
    rig.create(&sample()).await;
    rig.until_phase("test-vm", Phase::Active).await;
    assert_ne!(rig.status("test-vm").server.unwrap().id, first);
    assert_eq!(rig.servers(), 1);
    running.stop().await;
}

#[tokio::test]
async fn a_server_that_died_is_failed_and_then_started_again() {
    let (rig, running) = Rig::active().await;
    assert!(rig.driver.kill(&rig.server_ref("test-vm")).unwrap());
    rig.until_phase("test-vm", Phase::Failed).await;
    let status = rig.status("test-vm");
    assert_eq!(condition(&status, "Ready"), Some(("False", "ServerDied")));
    assert_eq!(status.reason, "the server died; it will be restarted");
    rig.until_phase("test-vm", Phase::Active).await;
    assert_eq!(rig.driver.cloud().unwrap().created, 1);
    running.stop().await;
}

#[tokio::test]
async fn a_server_that_vanished_is_created_again() {
    let (rig, running) = Rig::active().await;
    assert!(rig.driver.lose(&rig.server_ref("test-vm")).unwrap());
    assert!(eventually(|| rig.servers() == 1).await);
    rig.until_phase("test-vm", Phase::Active).await;
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn usage_is_refreshed_without_waking_the_queue_or_writing_what_did_not_change() {
    let rig = Rig::new();
    let running = rig.start_with(Options {
        usage_period: Duration::from_millis(20),
        ..fast()
    });
    rig.create(&sample()).await;
    rig.until_phase("test-vm", Phase::Active).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    rig.tracker.clear_actions();
    // The clock is paused and advances while all tasks are idle.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let actions = rig.tracker.actions();
    let ours: Vec<_> = actions
        .iter()
        .filter(|it| it.resource == "virtualmachines")
        .collect();
    assert!(ours.is_empty(), "{ours:#?}");

    // Only the timer writes the changed usage.
    rig.driver.load(&rig.server_ref("test-vm"), 77).unwrap();
    rig.until("test-vm", |status| {
        let usage = status.server.as_ref().and_then(|it| it.usage.as_ref());
        usage.is_some_and(|it| it.cpu.as_str() == "1540m")
    })
    .await;
    let writes = rig.tracker.actions();
    let writes = writes.iter().filter(|it| it.resource == "virtualmachines");
    assert_eq!(writes.count(), 1);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_resync_of_a_settled_machine_writes_nothing() {
    let (rig, running) = Rig::active().await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    rig.tracker.clear_actions();
    tokio::time::sleep(RESYNC * 5).await;
    let actions = rig.tracker.actions();
    let ours: Vec<_> = actions
        .iter()
        .filter(|it| it.resource == "virtualmachines")
        .collect();
    assert!(ours.is_empty(), "{ours:#?}");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_controller_that_starts_adopts_what_runs() {
    let (rig, running) = Rig::active().await;
    running.stop().await;
    rig.tracker.clear_actions();
    let running = rig.start();
    tokio::time::sleep(RESYNC * 2).await;
    assert_eq!(rig.calls(), ["create"]);
    assert!(!rig.tracker.actions().iter().any(|it| it.verb == "update"));
    running.stop().await;
}
