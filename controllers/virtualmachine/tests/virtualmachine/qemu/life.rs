//! The lifecycle of machines: created, resized, stopped, started, adopted, deleted.

use std::fs;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use virtualmachine_controller::driver::qemu::Qemu;
use virtualmachine_controller::driver::{
    Driver, DriverError, Power, Resources, ServerRef, ServerState,
};

use crate::qemu::bench::{
    Bench, MIB, kill, options, reaches, server, small, term, until, virtual_size,
};

#[tokio::test]
async fn a_life() {
    let Some(bench) = Bench::new().await else {
        return;
    };
    let (driver, vm, term) = (&bench.driver, server("life"), term(0));
    assert_eq!(driver.status(&vm).await, Ok(None));
    assert!(!driver.exists(&vm).await.unwrap());

    driver.create(&term, &vm, &small(Power::On)).await.unwrap();
    let status = reaches(driver, &vm, ServerState::Running).await;
    let pid = driver.pid(&vm).unwrap().unwrap();
    let usage = status.usage.unwrap();
    assert!(usage.memory > MIB, "{usage:?}");
    // It may have run for less than a clock tick.
    until("it has used a processor", async || {
        let status = driver.status(&vm).await.unwrap().unwrap();
        status.usage.is_some_and(|usage| usage.millicpus > 0)
    })
    .await;
    assert_eq!(status.resources, small(Power::On).resources);
    let disk = driver.folder(&vm).unwrap().join("disk.qcow2");
    assert_eq!(virtual_size(&disk), 16 * MIB);
    // A state that is already reached stays.
    driver.create(&term, &vm, &small(Power::On)).await.unwrap();
    driver.set_power(&term, &vm, Power::On).await.unwrap();
    assert_eq!(driver.pid(&vm), Ok(Some(pid)));
    assert_eq!(bench.processes(), [pid]);

    // The firmware ignores the power button: QEMU is stopped after the grace period.
    let asked = Instant::now();
    driver.set_power(&term, &vm, Power::Off).await.unwrap();
    driver.set_power(&term, &vm, Power::Off).await.unwrap();
    let status = driver.status(&vm).await.unwrap().unwrap();
    assert_eq!(status.state, ServerState::Stopping);
    assert_eq!(driver.pid(&vm), Ok(Some(pid)));
    let status = reaches(driver, &vm, ServerState::Stopped).await;
    assert!(asked.elapsed() >= Duration::from_secs(1));
    assert_eq!((status.usage, status.message.as_str()), (None, ""));
    assert!(bench.processes().is_empty());
    driver.set_power(&term, &vm, Power::Off).await.unwrap();

    driver.set_power(&term, &vm, Power::On).await.unwrap();
    reaches(driver, &vm, ServerState::Running).await;
    assert_ne!(driver.pid(&vm), Ok(Some(pid)));

    driver.delete(&term, &vm).await.unwrap();
    assert_eq!(driver.status(&vm).await, Ok(None));
    assert!(bench.processes().is_empty());
    assert!(bench.files().is_empty(), "{:?}", bench.files());
    driver.delete(&term, &vm).await.unwrap();
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}

#[tokio::test]
async fn a_machine_that_is_made_stopped() {
    let Some(bench) = Bench::new().await else {
        return;
    };
    let (driver, vm, term) = (&bench.driver, server("off"), term(0));
    driver.create(&term, &vm, &small(Power::Off)).await.unwrap();
    // Not immediately: a child that another test forks holds the machine's lock until it has
    // executed its program.
    reaches(driver, &vm, ServerState::Stopped).await;
    assert!(bench.processes().is_empty());
    assert_eq!(
        virtual_size(&driver.folder(&vm).unwrap().join("disk.qcow2")),
        16 * MIB
    );
    driver.delete(&term, &vm).await.unwrap();
    assert!(bench.files().is_empty());
}

#[tokio::test]
async fn sizes_change() {
    let Some(bench) = Bench::new().await else {
        return;
    };
    let (driver, vm, term) = (&bench.driver, server("sizes"), term(0));
    driver.create(&term, &vm, &small(Power::On)).await.unwrap();
    let disk = driver.folder(&vm).unwrap().join("disk.qcow2");
    let old = small(Power::On).resources;
    let wanted = Resources {
        cpus: 2,
        memory: 96 * MIB,
        disk: 24 * MIB,
    };
    // The disk grows immediately, the rest changes at the next start.
    driver.resize(&term, &vm, &wanted).await.unwrap();
    driver.resize(&term, &vm, &wanted).await.unwrap();
    assert_eq!(virtual_size(&disk), 24 * MIB);
    let status = reaches(driver, &vm, ServerState::Running).await;
    let now = Resources {
        disk: wanted.disk,
        ..old
    };
    assert_eq!(status.resources, now);
    driver.set_power(&term, &vm, Power::Off).await.unwrap();
    let status = reaches(driver, &vm, ServerState::Stopped).await;
    assert_eq!(status.resources, wanted);
    let larger = Resources {
        disk: 24 * MIB + 1,
        ..wanted
    };
    driver.resize(&term, &vm, &larger).await.unwrap();
    assert_eq!(virtual_size(&disk), 24 * MIB + 512);
    driver.set_power(&term, &vm, Power::On).await.unwrap();
    let status = reaches(driver, &vm, ServerState::Running).await;
    assert_eq!(status.resources, larger);
    let pid = driver.pid(&vm).unwrap().unwrap();
    let arguments = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap();
    assert!(
        arguments.contains("-smp\u{0}2\0-m\u{0}96M\0"),
        "{arguments:?}"
    );

    let error = driver.resize(&term, &vm, &wanted).await.unwrap_err();
    assert_eq!(
        error,
        DriverError::Refused("a disk can only grow".to_owned())
    );
    driver.delete(&term, &vm).await.unwrap();
}

#[tokio::test]
async fn a_machine_that_is_killed_is_noticed_and_can_be_started_again() {
    let Some(bench) = Bench::new().await else {
        return;
    };
    let (driver, vm, term) = (&bench.driver, server("killed"), term(0));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let stop = CancellationToken::new();
    let watch = tokio::spawn({
        let (driver, stop, heard) = (driver.clone(), stop.clone(), heard.clone());
        async move {
            let changed = Arc::new(move |key| heard.lock().unwrap().push(key));
            driver.run(changed, stop).await
        }
    });
    driver.create(&term, &vm, &small(Power::On)).await.unwrap();
    reaches(driver, &vm, ServerState::Running).await;
    // Real time, since QEMU is a process: the watch polls every 500 ms, and does not report a
    // machine that it first sees running.
    sleep(Duration::from_millis(1200)).await;
    heard.lock().unwrap().clear();

    let pid = driver.pid(&vm).unwrap().unwrap();
    kill(pid, "KILL");
    until("nobody noticed", async || {
        heard.lock().unwrap().contains(&vm.key())
    })
    .await;
    let status = driver.status(&vm).await.unwrap().unwrap();
    assert_eq!(status.state, ServerState::Failed);
    assert!(
        status.message.starts_with("QEMU exited unexpectedly"),
        "{status:?}"
    );
    assert_eq!(status.usage, None);
    // The machine exists: creating it changes nothing.
    driver.create(&term, &vm, &small(Power::On)).await.unwrap();
    assert!(bench.processes().is_empty());

    driver.set_power(&term, &vm, Power::On).await.unwrap();
    reaches(driver, &vm, ServerState::Running).await;
    stop.cancel();
    assert_eq!(watch.await.unwrap(), Ok(()));
    driver.delete(&term, &vm).await.unwrap();
    assert!(bench.processes().is_empty());
}

#[tokio::test]
async fn another_controller_adopts_what_runs() {
    let Some(bench) = Bench::new().await else {
        return;
    };
    let vm = server("adopted");
    let first = &bench.driver;
    first
        .create(&term(3), &vm, &small(Power::On))
        .await
        .unwrap();
    let pid = first.pid(&vm).unwrap().unwrap();

    let second = bench.another().await;
    let status = reaches(&second, &vm, ServerState::Running).await;
    assert!(status.usage.unwrap().memory > 0);
    second
        .create(&term(4), &vm, &small(Power::On))
        .await
        .unwrap();
    assert_eq!(second.pid(&vm), Ok(Some(pid)));
    assert_eq!(bench.processes(), [pid]);

    // The first driver's term is over.
    let stale = Err(DriverError::Stale {
        epoch: 3,
        newest: 4,
    });
    let other = server("other");
    assert_eq!(
        first.create(&term(3), &other, &small(Power::On)).await,
        stale
    );
    assert_eq!(first.set_power(&term(3), &vm, Power::Off).await, stale);
    let resources = small(Power::On).resources;
    assert_eq!(first.resize(&term(3), &vm, &resources).await, stale);
    assert_eq!(first.delete(&term(3), &vm).await, stale);
    assert_eq!(first.status(&other).await, Ok(None));
    assert_eq!(first.pid(&vm), Ok(Some(pid)));

    // The other driver continues a power-down that one requested.
    second.set_power(&term(4), &vm, Power::Off).await.unwrap();
    let third = bench.another().await;
    reaches(&third, &vm, ServerState::Stopped).await;
    third.delete(&term(4), &vm).await.unwrap();
    assert!(bench.processes().is_empty());
}

#[tokio::test]
async fn a_start_while_it_stops() {
    let Some(bench) = Bench::new().await else {
        return;
    };
    let (driver, vm, term) = (&bench.driver, server("again"), term(0));
    driver.create(&term, &vm, &small(Power::On)).await.unwrap();
    let pid = driver.pid(&vm).unwrap().unwrap();
    driver.set_power(&term, &vm, Power::Off).await.unwrap();
    driver.set_power(&term, &vm, Power::On).await.unwrap();
    let status = driver.status(&vm).await.unwrap().unwrap();
    assert_eq!(status.state, ServerState::Stopping);
    reaches(driver, &vm, ServerState::Running).await;
    assert_ne!(driver.pid(&vm), Ok(Some(pid)));
    driver.delete(&term, &vm).await.unwrap();
}

#[tokio::test]
async fn machines_are_listed_with_their_objects() {
    let Some(bench) = Bench::new().await else {
        return;
    };
    let (driver, vm) = (&bench.driver, server("listed"));
    assert_eq!(driver.newest_epoch().await, Ok(0));
    driver
        .create(&term(7), &vm, &small(Power::Off))
        .await
        .unwrap();
    assert_eq!(driver.newest_epoch().await, Ok(7));
    assert_eq!(driver.list().await.unwrap(), std::slice::from_ref(&vm));
    // The owner can no longer be read.
    let folder = driver.folder(&vm).unwrap();
    fs::write(folder.join("definition.json"), "{").unwrap();
    let listed = driver.list().await.unwrap();
    assert_eq!(listed, [ServerRef::from_id(&vm.id()).unwrap()]);
    driver.delete(&term(7), &vm).await.unwrap();
    assert_eq!(driver.list().await.unwrap(), []);
}

#[tokio::test]
async fn a_deep_directory_and_an_image() {
    // Deeper than a socket address can be.
    let Some(bench) = Bench::deep(&"deep/".repeat(30)).await else {
        return;
    };
    let image = bench.directory.join("image.qcow2");
    let made = Command::new("qemu-img")
        .args(["create", "-q", "-f", "qcow2"])
        .arg(&image)
        .arg("8M")
        .status();
    assert!(made.unwrap().success());
    let mut options = options(&bench.directory);
    options.image = Some(image);
    let driver = Qemu::new(&options).await.unwrap();
    let (vm, term) = (server("deep"), term(0));

    let mut spec = small(Power::On);
    spec.resources.disk = 4 * MIB;
    let error = driver.create(&term, &vm, &spec).await.unwrap_err();
    assert!(matches!(error, DriverError::Refused(_)), "{error}");
    driver.create(&term, &vm, &small(Power::On)).await.unwrap();
    reaches(&driver, &vm, ServerState::Running).await;
    let disk = driver.folder(&vm).unwrap().join("disk.qcow2");
    assert_eq!(virtual_size(&disk), 16 * MIB);
    driver.delete(&term, &vm).await.unwrap();
    assert!(bench.processes().is_empty());
}

/// Machines run independently of the controller's process.
#[tokio::test]
async fn machines_belong_to_nobody() {
    let Some(bench) = Bench::new().await else {
        return;
    };
    let (driver, vm, term) = (&bench.driver, server("free"), term(0));
    driver.create(&term, &vm, &small(Power::On)).await.unwrap();
    let pid = driver.pid(&vm).unwrap().unwrap();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat
        .rsplit_once(')')
        .unwrap()
        .1
        .split_whitespace()
        .collect();
    let own = std::process::id().to_string();
    // Its parent and session are not this process's, and it has none of its files open.
    assert_ne!(fields[1], own);
    let session = fs::read_to_string("/proc/self/stat").unwrap();
    let session: Vec<&str> = session
        .rsplit_once(')')
        .unwrap()
        .1
        .split_whitespace()
        .collect();
    assert_ne!(fields[3], session[3]);
    let folder = driver.folder(&vm).unwrap();
    for entry in fs::read_dir(format!("/proc/{pid}/fd")).unwrap() {
        let target = fs::read_link(entry.unwrap().path()).unwrap();
        assert!(!target.ends_with("lock"), "{target:?} in {folder:?}");
    }
    driver.delete(&term, &vm).await.unwrap();
}
