//! Machines and calls that hang, die or are cancelled, and specs that QEMU rejects.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tokio::time::{sleep, timeout};
use virtualmachine_controller::driver::qemu::Qemu;
use virtualmachine_controller::driver::{
    Driver, DriverError, Power, Resources, ServerSpec, ServerState,
};

use crate::qemu::bench::{
    Bench, MIB, impatient, kill, reaches, server, small, term, until, virtual_size,
};

#[tokio::test]
async fn a_machine_that_hangs_is_stopped_and_deleted() {
    let Some(bench) = Bench::new().await else {
        return;
    };
    let driver = &bench.impatient().await;
    let (vm, term) = (server("hangs"), term(0));
    driver.create(&term, &vm, &small(Power::On)).await.unwrap();
    let pid = driver.pid(&vm).unwrap().unwrap();
    kill(pid, "STOP");
    let status = driver.status(&vm).await.unwrap().unwrap();
    assert_eq!(status.state, ServerState::Unknown, "{status:?}");
    assert!(status.message.contains("no answer"), "{status:?}");
    // Calls that are cancelled before QEMU could have answered or quit still stop it.
    let cut = Duration::from_millis(400);
    let _ = timeout(cut, driver.set_power(&term, &vm, Power::Off)).await;
    until("it is not stopped", async || {
        let _ = timeout(cut, driver.set_power(&term, &vm, Power::Off)).await;
        driver.pid(&vm).unwrap().is_none()
    })
    .await;
    reaches(driver, &vm, ServerState::Stopped).await;

    driver.set_power(&term, &vm, Power::On).await.unwrap();
    kill(driver.pid(&vm).unwrap().unwrap(), "STOP");
    driver.delete(&term, &vm).await.unwrap();
    assert!(bench.processes().is_empty());
    assert!(bench.files().is_empty());
}

#[tokio::test]
async fn a_machine_that_hangs_while_it_exits_is_stopped() {
    let Some(bench) = Bench::new().await else {
        return;
    };
    let (driver, vm, term) = (&bench.driver, server("exits"), term(0));
    driver.create(&term, &vm, &small(Power::On)).await.unwrap();
    let pid = driver.pid(&vm).unwrap().unwrap();
    driver.set_power(&term, &vm, Power::Off).await.unwrap();
    // QEMU removes its pid file first when it exits.
    kill(pid, "STOP");
    fs::remove_file(driver.folder(&vm).unwrap().join("pid")).unwrap();
    let status = driver.status(&vm).await.unwrap().unwrap();
    assert_eq!(status.state, ServerState::Stopping, "{status:?}");
    // The time is up sooner for this one.
    reaches(&bench.impatient().await, &vm, ServerState::Stopped).await;
    assert!(bench.processes().is_empty());
}

#[tokio::test]
async fn a_start_that_hangs_is_stopped() {
    let Some(bench) = Bench::new().await else {
        return;
    };
    // QEMU waits for a connection before it daemonizes.
    let mut options = impatient(&bench.directory);
    let wait = "socket,id=hang,server=on,wait=on,path=hang.sock";
    options.arguments = ["-chardev", wait].map(Into::into).into();
    let hanging = Qemu::new(&options).await.unwrap();
    let (vm, term) = (server("starts"), term(0));
    let started = async {
        until("QEMU is not started", async || {
            !bench.processes().is_empty()
        })
        .await;
        sleep(Duration::from_millis(500)).await;
    };
    let spec = small(Power::On);
    tokio::select! {
        created = hanging.create(&term, &vm, &spec) => panic!("it should hang: {created:?}"),
        () = started => {}
    }
    let status = hanging.status(&vm).await.unwrap().unwrap();
    assert_eq!(status.state, ServerState::Creating);
    until("it is not stopped", async || {
        let cut = Duration::from_secs(1);
        let _ = timeout(cut, hanging.set_power(&term, &vm, Power::Off)).await;
        bench.processes().is_empty()
    })
    .await;
    hanging.delete(&term, &vm).await.unwrap();
    assert_eq!(hanging.list().await.unwrap(), []);
}

#[tokio::test]
async fn a_dropped_call_leaves_nothing_twice() {
    let Some(bench) = Bench::new().await else {
        return;
    };
    let (driver, term) = (&bench.driver, term(0));
    for step in 0..12 {
        let vm = server(&format!("dropped-{step}"));
        let delay = Duration::from_millis(step * 12);
        let _ = timeout(delay, driver.create(&term, &vm, &small(Power::On))).await;
        if step % 3 == 2 {
            // Deletion also finds and removes a QEMU that is just starting.
            driver.delete(&term, &vm).await.unwrap();
            assert_eq!(driver.status(&vm).await, Ok(None));
            continue;
        }
        driver.create(&term, &vm, &small(Power::On)).await.unwrap();
        reaches(driver, &vm, ServerState::Running).await;
        let pid = driver.pid(&vm).unwrap().unwrap();
        assert_eq!(bench.processes(), [pid], "step {step}");
        driver.delete(&term, &vm).await.unwrap();
        assert!(bench.processes().is_empty(), "step {step}");
    }
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}

/// Tests each folder that a crash can leave behind.
#[tokio::test]
async fn what_a_crash_leaves_is_completed_or_removed() {
    let Some(bench) = Bench::new().await else {
        return;
    };
    let (driver, term) = (&bench.driver, term(0));
    let definition = |created: bool, on: bool, deleting: bool| {
        serde_json::json!({
            "namespace": "default", "name": "crashed", "cpus": 1, "memory": 64 * MIB, "disk": 16 * MIB,
            "on": on, "created": created, "deleting": deleting,
            "startedWith": null, "stoppingSince": null,
        })
        .to_string()
    };
    let leave = |uid: &str, files: &[(&str, &str)]| {
        let vm = server(uid);
        let folder = driver.folder(&vm).unwrap();
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in files {
            fs::write(folder.join(name), text).unwrap();
        }
        vm
    };

    // Before the definition exists: no machine exists yet, and the remains are cleaned up.
    let vm = leave("1", &[("lock", ""), ("definition.json.new", "{")]);
    assert_eq!(driver.status(&vm).await, Ok(None));
    assert!(bench.files().is_empty(), "{:?}", bench.files());
    let vm = leave("2", &[("lock", "")]);
    driver.create(&term, &vm, &small(Power::On)).await.unwrap();
    reaches(driver, &vm, ServerState::Running).await;
    driver.delete(&term, &vm).await.unwrap();

    // Before, during and after the creation of the disk, before the start.
    let begun = definition(false, true, false);
    for (uid, completes_by) in [("3", "create"), ("4", "set_power"), ("5", "delete")] {
        let vm = leave(
            uid,
            &[("definition.json", &begun), ("disk.qcow2.new", "half")],
        );
        let status = driver.status(&vm).await.unwrap().unwrap();
        assert_eq!(status.state, ServerState::Failed);
        assert_eq!(status.message, "the machine was not fully created");
        match completes_by {
            "create" => driver.create(&term, &vm, &small(Power::On)).await.unwrap(),
            "set_power" => driver.set_power(&term, &vm, Power::On).await.unwrap(),
            _ => {
                driver.delete(&term, &vm).await.unwrap();
                continue;
            }
        }
        reaches(driver, &vm, ServerState::Running).await;
        // After the start, before it was recorded.
        let folder = driver.folder(&vm).unwrap();
        assert!(!folder.join("disk.qcow2.new").exists());
        fs::write(folder.join("definition.json"), &begun).unwrap();
        let pid = driver.pid(&vm).unwrap().unwrap();
        driver.create(&term, &vm, &small(Power::On)).await.unwrap();
        assert_eq!(bench.processes(), [pid]);
        driver.delete(&term, &vm).await.unwrap();
    }

    // In the middle of a deletion.
    let vm = leave("6", &[("definition.json", &definition(true, true, true))]);
    let status = driver.status(&vm).await.unwrap().unwrap();
    assert_eq!(status.state, ServerState::Deleting);
    assert!(driver.set_power(&term, &vm, Power::On).await.is_err());
    driver.delete(&term, &vm).await.unwrap();

    // An unreadable definition does not prevent a deletion.
    let vm = leave("7", &[("definition.json", "{")]);
    assert!(driver.status(&vm).await.is_err());
    driver.delete(&term, &vm).await.unwrap();
    assert!(bench.files().is_empty(), "{:?}", bench.files());
    assert!(bench.processes().is_empty());
}

#[tokio::test]
async fn lost_files() {
    let Some(bench) = Bench::new().await else {
        return;
    };
    let (driver, vm, term) = (&bench.driver, server("lost"), term(0));
    driver.create(&term, &vm, &small(Power::On)).await.unwrap();
    let folder = driver.folder(&vm).unwrap();
    // A machine that lost its pid file is not started a second time, and does not survive its
    // deletion.
    fs::remove_file(folder.join("pid")).unwrap();
    driver.set_power(&term, &vm, Power::On).await.unwrap();
    reaches(driver, &vm, ServerState::Running).await;
    assert_eq!(bench.processes().len(), 1);
    fs::remove_file(folder.join("pid")).unwrap();
    driver.set_power(&term, &vm, Power::Off).await.unwrap();

    // A lost disk is not replaced by an empty one.
    fs::remove_file(folder.join("disk.qcow2")).unwrap();
    let error = driver.set_power(&term, &vm, Power::On).await.unwrap_err();
    assert_eq!(error, DriverError::Failed("the disk is gone".to_owned()));
    let status = driver.status(&vm).await.unwrap().unwrap();
    assert_eq!(status.state, ServerState::Failed);
    assert!(status.message.contains("the disk is gone"), "{status:?}");
    driver.delete(&term, &vm).await.unwrap();
    assert!(bench.processes().is_empty());
}

#[tokio::test]
async fn a_disk_that_a_dying_process_still_has_is_waited_for() {
    let Some(bench) = Bench::new().await else {
        return;
    };
    let (driver, vm, term) = (&bench.driver, server("dying"), term(0));
    driver.create(&term, &vm, &small(Power::Off)).await.unwrap();
    let disk = driver.folder(&vm).unwrap().join("disk.qcow2");
    let larger = Resources {
        disk: 32 * MIB,
        ..small(Power::Off).resources
    };
    for step in ["resize", "start"] {
        // Like a QEMU whose process is no longer found, but whose files are not closed yet.
        let holder = hold(&disk);
        let end = async {
            sleep(Duration::from_millis(300)).await;
            drop(holder);
        };
        let work = async {
            match step {
                "resize" => driver.resize(&term, &vm, &larger).await,
                _ => driver.set_power(&term, &vm, Power::On).await,
            }
        };
        let (worked, ()) = tokio::join!(work, end);
        worked.unwrap();
    }
    reaches(driver, &vm, ServerState::Running).await;
    assert_eq!(virtual_size(&disk), 32 * MIB);

    // A QEMU that keeps the disk is reported with QEMU's own message.
    driver.delete(&term, &vm).await.unwrap();
    driver.create(&term, &vm, &small(Power::Off)).await.unwrap();
    let holder = hold(&disk);
    let impatient = bench.impatient().await;
    let started = impatient.set_power(&term, &vm, Power::On).await;
    let error = started.unwrap_err();
    assert!(error.to_string().contains("another process"), "{error}");
    drop(holder);
    driver.set_power(&term, &vm, Power::On).await.unwrap();
}

/// A QEMU that belongs to no machine and locks the disk until dropped.
struct Holder(Child);

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn hold(disk: &Path) -> Holder {
    let node = format!(
        "driver=qcow2,node-name=disk,file.driver=file,file.filename={}",
        disk.display().to_string().replace(',', ",,")
    );
    let child = Command::new("qemu-system-x86_64")
        .args(["-machine", "none", "-display", "none", "-nodefaults", "-S"])
        .args(["-qmp", "stdio", "-blockdev", &node])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut holder = Holder(child.unwrap());
    // It answers once it has opened the disk. A program that checks the lock could prevent that.
    let mut stdin = holder.0.stdin.as_ref().unwrap();
    stdin
        .write_all(b"{\"execute\": \"qmp_capabilities\"}\n")
        .unwrap();
    let answers = BufReader::new(holder.0.stdout.take().unwrap()).lines();
    let mut answers = answers.map_while(Result::ok);
    assert!(answers.any(|it| it.contains("\"return\"")));
    holder
}

#[tokio::test]
async fn refusals_and_failures() {
    let Some(bench) = Bench::new().await else {
        return;
    };
    let (driver, term) = (&bench.driver, term(0));
    let hostile = server("../../x");
    let error = driver
        .create(&term, &hostile, &small(Power::On))
        .await
        .unwrap_err();
    assert!(matches!(error, DriverError::Refused(_)), "{error}");
    assert!(driver.delete(&term, &hostile).await.is_err());

    let vm = server("none");
    for (cpus, memory, disk) in [(0, MIB, MIB), (1, 0, MIB), (1, MIB, 0)] {
        let resources = Resources { cpus, memory, disk };
        let power = Power::On;
        let spec = ServerSpec { resources, power };
        let error = driver.create(&term, &vm, &spec).await.unwrap_err();
        assert!(matches!(error, DriverError::Refused(_)), "{error}");
    }
    assert!(bench.files().is_empty());
    assert!(driver.set_power(&term, &vm, Power::On).await.is_err());
    assert!(bench.files().is_empty());

    // More than QEMU supports: its message is shown, and the machine can still be corrected or
    // deleted.
    let mut spec = small(Power::On);
    spec.resources.cpus = 100_000;
    let error = driver.create(&term, &vm, &spec).await.unwrap_err();
    assert!(error.to_string().contains("CPUs"), "{error}");
    let status = driver.status(&vm).await.unwrap().unwrap();
    assert_eq!(status.state, ServerState::Failed);
    assert!(status.message.contains("CPUs"), "{status:?}");
    driver
        .resize(&term, &vm, &small(Power::On).resources)
        .await
        .unwrap();
    driver.set_power(&term, &vm, Power::On).await.unwrap();
    reaches(driver, &vm, ServerState::Running).await;
    driver.delete(&term, &vm).await.unwrap();
    for (memory, disk) in [(u64::MAX, MIB), (64 * MIB, u64::MAX)] {
        spec.resources = Resources {
            cpus: 1,
            memory,
            disk,
        };
        assert!(driver.create(&term, &vm, &spec).await.is_err());
        let status = driver.status(&vm).await.unwrap().unwrap();
        assert_eq!(status.state, ServerState::Failed);
        driver.delete(&term, &vm).await.unwrap();
    }
    assert!(bench.files().is_empty());
}
