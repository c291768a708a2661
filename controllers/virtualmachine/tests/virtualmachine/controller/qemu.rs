//! The controller with real machines: 64 MiB each, which only boot their firmware.
//!
//! Without QEMU these tests print a message and pass; with `QEMU_REQUIRED`, which `hack/qemu.sh`
//! sets, they fail.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::fake::Running;
use serde_json::json;
use virtualmachine_controller::apis::cloudnative::v1alpha1::VirtualMachinePhase as Phase;
use virtualmachine_controller::controller::Options;
use virtualmachine_controller::driver::qemu::{Accelerator, Qemu, QemuOptions, Timeouts};

use crate::controller::support::{Rig, condition, eventually, fast, machine, run};

async fn driver(directory: &Path) -> Option<Qemu> {
    driver_of(&QemuOptions {
        accelerator: Accelerator::Tcg,
        grace: Duration::from_secs(1),
        ..QemuOptions::new(directory)
    })
    .await
}

async fn driver_of(options: &QemuOptions) -> Option<Qemu> {
    match Qemu::new(options).await {
        Ok(driver) => Some(driver),
        Err(error) if std::env::var_os("QEMU_REQUIRED").is_none() => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn start(rig: &Rig, driver: &Qemu) -> Running {
    let options = Options {
        usage_period: Duration::from_millis(500),
        poll: Duration::from_millis(100),
        driver_deadline: Duration::from_secs(30),
        ..fast()
    };
    let client = rig.clientset.client().clone();
    run(client, Arc::new(driver.clone()), options)
}

fn is_alive(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}/exe")).exists()
        && std::fs::read_link(format!("/proc/{pid}/exe")).is_ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_machine_lives_and_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let Some(driver) = driver(directory.path()).await else {
        return;
    };
    let rig = Rig::new();
    let running = start(&rig, &driver);
    let resource = json!({ "cpu": 1, "memory": "64Mi", "rootDisk": "16Mi" });
    rig.create(&machine("test-vm", resource)).await;
    rig.until_phase("test-vm", Phase::Active).await;
    let server = rig.server_ref("test-vm");
    let first = driver.pid(&server).unwrap().unwrap();
    assert!(is_alive(first));
    rig.until("test-vm", |status| {
        let usage = status.server.as_ref().and_then(|it| it.usage.as_ref());
        usage.is_some_and(|it| {
            let above_zero = |amount: i64| amount > 0;
            above_zero(it.cpu.amount().unwrap().milli_value())
                && above_zero(it.memory.amount().unwrap().value())
        })
    })
    .await;

    rig.patch("test-vm", json!({ "spec": { "action": "stopped" } }))
        .await;
    rig.until_phase("test-vm", Phase::Stopped).await;
    assert!(!is_alive(first));
    rig.patch("test-vm", json!({ "spec": { "action": "active" } }))
        .await;
    rig.until_phase("test-vm", Phase::Active).await;
    let second = driver.pid(&server).unwrap().unwrap();
    assert_ne!(first, second);

    // Another controller adopts it.
    running.stop().await;
    assert!(is_alive(second), "machines outlive their controller");
    let adopter = self::driver(directory.path()).await.unwrap();
    let running = start(&rig, &adopter);
    rig.patch(
        "test-vm",
        json!({ "spec": { "resource": { "rootDisk": "32Mi" } } }),
    )
    .await;
    rig.until("test-vm", |status| {
        status.observed_generation == Some(4)
            && condition(status, "Ready").is_some_and(|it| it.0 == "True")
    })
    .await;
    assert_eq!(adopter.pid(&server).unwrap(), Some(second));

    rig.delete("test-vm").await;
    rig.until_gone("test-vm").await;
    assert!(!is_alive(second));
    assert!(!adopter.folder(&server).unwrap().exists());
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_machine_that_is_killed_from_outside_is_noticed_and_started_again() {
    let directory = tempfile::tempdir().unwrap();
    let Some(driver) = driver(directory.path()).await else {
        return;
    };
    let rig = Rig::new();
    let running = start(&rig, &driver);
    let resource = json!({ "cpu": 1, "memory": "64Mi", "rootDisk": "16Mi" });
    rig.create(&machine("test-vm", resource)).await;
    rig.until_phase("test-vm", Phase::Active).await;
    let server = rig.server_ref("test-vm");
    let first = driver.pid(&server).unwrap().unwrap();
    let killed = std::process::Command::new("sh")
        .args(["-c", &format!("kill -KILL {first}")])
        .status();
    assert!(killed.unwrap().success());
    rig.until("test-vm", |status| {
        status.phase == Phase::Failed && condition(status, "Ready") == Some(("False", "ServerDied"))
    })
    .await;
    rig.until_phase("test-vm", Phase::Active).await;
    let second = driver.pid(&server).unwrap().unwrap();
    assert_ne!(first, second);
    rig.delete("test-vm").await;
    rig.until_gone("test-vm").await;
    assert!(eventually(|| !is_alive(second)).await);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_machine_that_hangs_is_stopped_and_deleted() {
    let directory = tempfile::tempdir().unwrap();
    // A machine that responds later is only reported as unknown in between.
    let options = QemuOptions {
        accelerator: Accelerator::Tcg,
        grace: Duration::from_millis(300),
        timeouts: Timeouts {
            answer: Duration::from_secs(1),
            quit: Duration::from_millis(500),
            least_quit: Duration::from_millis(100),
            ..Timeouts::default()
        },
        ..QemuOptions::new(directory.path())
    };
    let Some(driver) = driver_of(&options).await else {
        return;
    };
    let rig = Rig::new();
    let running = start(&rig, &driver);
    let resource = json!({ "cpu": 1, "memory": "64Mi", "rootDisk": "16Mi" });
    for name in ["stopped", "deleted"] {
        rig.create(&machine(name, resource.clone())).await;
        rig.until_phase(name, Phase::Active).await;
    }
    let [stopped, deleted] = ["stopped", "deleted"].map(|name| {
        let pid = driver.pid(&rig.server_ref(name)).unwrap().unwrap();
        let paused = std::process::Command::new("sh")
            .args(["-c", &format!("kill -STOP {pid}")])
            .status();
        assert!(paused.unwrap().success());
        pid
    });
    rig.until("stopped", |status| {
        status.phase == Phase::Unknown
            && condition(status, "Ready") == Some(("False", "NotResponding"))
    })
    .await;
    rig.delete("deleted").await;
    rig.patch("stopped", json!({ "spec": { "action": "stopped" } }))
        .await;
    rig.until_phase("stopped", Phase::Stopped).await;
    rig.until_gone("deleted").await;
    assert!(eventually(|| !is_alive(stopped) && !is_alive(deleted)).await);
    rig.delete("stopped").await;
    rig.until_gone("stopped").await;
    running.stop().await;
}
