//! The QEMU driver with real machines, which have no more than firmware to run.
//!
//! Without QEMU these tests are skipped, and say so; with `QEMU_REQUIRED` set, as by `hack/qemu.sh`, they fail.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::fs;
use std::future::Future;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use virtualmachine_controller::driver::qemu::{Accelerator, Qemu, QemuOptions};
use virtualmachine_controller::driver::{
    Driver, DriverError, Power, Resources, Server, ServerRef, ServerSpec, ServerState, Term,
};

const MIB: u64 = 1 << 20;

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A state directory of its own, and a driver over it. What still runs in the end is killed.
struct Bench {
    root: PathBuf,
    directory: PathBuf,
    driver: Qemu,
}

impl Bench {
    /// `None`, with a message, without QEMU.
    async fn new() -> Option<Self> {
        Self::deep("").await
    }

    async fn deep(below: &str) -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "qemu, test={} {}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let root = std::env::temp_dir().join(name);
        let directory = root.join(below);
        match Qemu::new(&options(&directory)).await {
            Ok(driver) => Some(Self {
                root,
                directory,
                driver,
            }),
            Err(error) if error.to_string().contains("is missing") => {
                assert!(std::env::var_os("QEMU_REQUIRED").is_none(), "{error}");
                // Past the harness, which shows nothing of tests that pass.
                let _ = writeln!(std::io::stderr(), "skipped: {error}");
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Another driver over the same machines, as in another process.
    async fn another(&self) -> Qemu {
        Qemu::new(&options(&self.directory)).await.unwrap()
    }

    fn files(&self) -> BTreeSet<String> {
        fs::read_dir(&self.directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect()
    }

    /// All processes that have to do with this directory.
    fn processes(&self) -> Vec<u32> {
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").unwrap() {
            let path = entry.unwrap().path();
            let text = fs::read(path.join("cmdline")).unwrap_or_default();
            let pid = path.file_name().and_then(|it| it.to_str()?.parse().ok());
            if let Some(pid) = pid
                && String::from_utf8_lossy(&text).contains(&*self.directory.to_string_lossy())
            {
                found.push(pid);
            }
        }
        found
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        for pid in self.processes() {
            kill(pid, "KILL");
        }
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn options(directory: &Path) -> QemuOptions {
    let mut options = QemuOptions::new(directory);
    options.accelerator = Accelerator::Tcg;
    options.grace = Duration::from_secs(1);
    options
}

fn server(uid: &str) -> ServerRef {
    ServerRef {
        namespace: "default".to_owned(),
        name: format!("machine-{uid}"),
        uid: uid.to_owned(),
    }
}

fn small(power: Power) -> ServerSpec {
    let resources = Resources {
        cpus: 1,
        memory: 64 * MIB,
        disk: 16 * MIB,
    };
    ServerSpec { resources, power }
}

fn term(epoch: u64) -> Term {
    Term {
        holder: "test".to_owned(),
        epoch,
    }
}

fn kill(pid: u32, signal: &str) {
    let status = Command::new("kill")
        .args(["-s", signal, &pid.to_string()])
        .status()
        .unwrap();
    assert!(status.success() || signal == "KILL");
}

fn virtual_size(disk: &Path) -> u64 {
    let output = Command::new("qemu-img")
        .args(["info", "-U", "--output=json"])
        .arg(disk)
        .output()
        .unwrap();
    let info: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    info["virtual-size"].as_u64().unwrap()
}

async fn reaches(driver: &Qemu, server: &ServerRef, state: ServerState) -> Server {
    let mut last = None;
    let wait = async {
        loop {
            let status = driver.status(server).await.unwrap();
            if let Some(status) = &status
                && status.state == state
            {
                return status.clone();
            }
            last = status;
            sleep(Duration::from_millis(50)).await;
        }
    };
    let reached = timeout(PATIENCE, wait).await;
    reached.unwrap_or_else(|_| panic!("not {state:?} but {last:?}"))
}

async fn until<F: Future<Output = bool>>(what: &str, mut check: impl FnMut() -> F) {
    let started = Instant::now();
    while !check().await {
        assert!(started.elapsed() < PATIENCE, "{what}");
        sleep(Duration::from_millis(50)).await;
    }
}

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
    assert!(usage.millicpus > 0, "{usage:?}");
    assert!(usage.memory > MIB, "{usage:?}");
    assert_eq!(status.resources, small(Power::On).resources);
    let disk = driver.folder(&vm).unwrap().join("disk.qcow2");
    assert_eq!(virtual_size(&disk), 16 * MIB);
    // A state already reached stays.
    driver.create(&term, &vm, &small(Power::On)).await.unwrap();
    driver.set_power(&term, &vm, Power::On).await.unwrap();
    assert_eq!(driver.pid(&vm), Ok(Some(pid)));
    assert_eq!(bench.processes(), [pid]);

    // Firmware doesn't listen: after the grace it is stopped.
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
    let status = driver.status(&vm).await.unwrap().unwrap();
    assert_eq!(status.state, ServerState::Stopped);
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
    // The disk grows at once, the rest with the next start.
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
    // Long enough for the watch to have seen it.
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
        status
            .message
            .starts_with("QEMU has ended, though nobody asked it to"),
        "{status:?}"
    );
    assert_eq!(status.usage, None);
    // It is there: creating it changes nothing.
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

    // The first one's term is over.
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

    // A power-down that one asked for is carried on by the other.
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
async fn a_machine_that_hangs_is_stopped_and_deleted() {
    let Some(bench) = Bench::new().await else {
        return;
    };
    let (driver, vm, term) = (&bench.driver, server("hangs"), term(0));
    driver.create(&term, &vm, &small(Power::On)).await.unwrap();
    let pid = driver.pid(&vm).unwrap().unwrap();
    kill(pid, "STOP");
    let status = driver.status(&vm).await.unwrap().unwrap();
    assert_eq!(status.state, ServerState::Unknown, "{status:?}");
    assert!(status.message.contains("no answer"), "{status:?}");
    // Calls that are cut off before QEMU could have answered get it stopped all the same.
    let cut = Duration::from_millis(900);
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
async fn a_start_that_hangs_is_stopped() {
    let Some(bench) = Bench::new().await else {
        return;
    };
    // It waits for somebody to connect, before it leaves for the background.
    let mut options = options(&bench.directory);
    let wait = "socket,id=hang,server=on,wait=on,path=hang.sock";
    options.arguments = ["-chardev", wait].map(Into::into).into();
    let hanging = Qemu::new(&options).await.unwrap();
    let (vm, term) = (server("starts"), term(0));
    let cut = Duration::from_secs(2);
    let created = timeout(cut, hanging.create(&term, &vm, &small(Power::On))).await;
    assert!(created.is_err(), "it should hang: {created:?}");
    let status = hanging.status(&vm).await.unwrap().unwrap();
    assert_eq!(status.state, ServerState::Creating);
    until("it is not stopped", async || {
        let _ = timeout(cut, hanging.set_power(&term, &vm, Power::Off)).await;
        bench.processes().is_empty()
    })
    .await;
    hanging.delete(&term, &vm).await.unwrap();
    assert_eq!(hanging.list().await.unwrap(), []);
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
    // Whose it was can't be read any more.
    let folder = driver.folder(&vm).unwrap();
    fs::write(folder.join("definition.json"), "{").unwrap();
    let listed = driver.list().await.unwrap();
    assert_eq!(listed, [ServerRef::from_id(&vm.id()).unwrap()]);
    driver.delete(&term(7), &vm).await.unwrap();
    assert_eq!(driver.list().await.unwrap(), []);
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
            // Also what is just being started is found and removed.
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

/// Each folder that a crash can leave.
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

    // Before the definition: there is nothing yet, and what there is gets swept up.
    let vm = leave("1", &[("lock", ""), ("definition.json.new", "{")]);
    assert_eq!(driver.status(&vm).await, Ok(None));
    assert!(bench.files().is_empty(), "{:?}", bench.files());
    let vm = leave("2", &[("lock", "")]);
    driver.create(&term, &vm, &small(Power::On)).await.unwrap();
    reaches(driver, &vm, ServerState::Running).await;
    driver.delete(&term, &vm).await.unwrap();

    // Before the disk, in the middle of it, and before the start.
    let begun = definition(false, true, false);
    for (uid, completes_by) in [("3", "create"), ("4", "set_power"), ("5", "delete")] {
        let vm = leave(
            uid,
            &[("definition.json", &begun), ("disk.qcow2.new", "half")],
        );
        let status = driver.status(&vm).await.unwrap().unwrap();
        assert_eq!(status.state, ServerState::Failed);
        assert_eq!(status.message, "the machine was not completed");
        match completes_by {
            "create" => driver.create(&term, &vm, &small(Power::On)).await.unwrap(),
            "set_power" => driver.set_power(&term, &vm, Power::On).await.unwrap(),
            _ => {
                driver.delete(&term, &vm).await.unwrap();
                continue;
            }
        }
        reaches(driver, &vm, ServerState::Running).await;
        // After the start, before that was written.
        let folder = driver.folder(&vm).unwrap();
        assert!(!folder.join("disk.qcow2.new").exists());
        fs::write(folder.join("definition.json"), &begun).unwrap();
        let pid = driver.pid(&vm).unwrap().unwrap();
        driver.create(&term, &vm, &small(Power::On)).await.unwrap();
        assert_eq!(bench.processes(), [pid]);
        driver.delete(&term, &vm).await.unwrap();
    }

    // In the middle of a removal.
    let vm = leave("6", &[("definition.json", &definition(true, true, true))]);
    let status = driver.status(&vm).await.unwrap().unwrap();
    assert_eq!(status.state, ServerState::Deleting);
    assert!(driver.set_power(&term, &vm, Power::On).await.is_err());
    driver.delete(&term, &vm).await.unwrap();

    // A definition that nobody can read doesn't keep a machine from being deleted.
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
    // A machine that lost its pid file isn't started beside itself, and doesn't outlive its removal.
    fs::remove_file(folder.join("pid")).unwrap();
    driver.set_power(&term, &vm, Power::On).await.unwrap();
    reaches(driver, &vm, ServerState::Running).await;
    assert_eq!(bench.processes().len(), 1);
    fs::remove_file(folder.join("pid")).unwrap();
    driver.set_power(&term, &vm, Power::Off).await.unwrap();

    // A disk that is gone is not replaced by an empty one.
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

    // More than QEMU can give: its own words are seen, and the machine can still be mended or removed.
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

#[tokio::test]
async fn a_deep_directory_and_an_image() {
    // Deeper than the address of a socket can be.
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

/// What the driver doesn't need the process for goes on when it is gone: the machine itself.
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
    // Neither its parent nor its session is this process's, and it has none of its files.
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
