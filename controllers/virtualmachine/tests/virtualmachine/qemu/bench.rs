//! A state directory with a driver, and helpers to inspect its machines.

use std::collections::BTreeSet;
use std::fs;
use std::future::Future;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tokio::time::{sleep, timeout};
use virtualmachine_controller::driver::qemu::{Accelerator, Qemu, QemuOptions, Timeouts};
use virtualmachine_controller::driver::{
    Driver, Power, Resources, Server, ServerRef, ServerSpec, ServerState, Term,
};

pub const MIB: u64 = 1 << 20;

/// Longer than any operation takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A temporary state directory with a driver. Processes that still run at the end are killed.
pub struct Bench {
    root: PathBuf,
    pub directory: PathBuf,
    pub driver: Qemu,
}

impl Bench {
    /// Returns `None`, and prints a message, if QEMU is missing.
    pub async fn new() -> Option<Self> {
        Self::deep("").await
    }

    pub async fn deep(below: &str) -> Option<Self> {
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
                // Written directly, since the test harness captures the output of passing tests.
                let _ = writeln!(std::io::stderr(), "skipped: {error}");
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Creates another driver for the same machines, as in another process.
    pub async fn another(&self) -> Qemu {
        Qemu::new(&options(&self.directory)).await.unwrap()
    }

    /// Creates another driver for the same machines that soon ends what does not respond.
    pub async fn impatient(&self) -> Qemu {
        Qemu::new(&impatient(&self.directory)).await.unwrap()
    }

    pub fn files(&self) -> BTreeSet<String> {
        fs::read_dir(&self.directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect()
    }

    /// Returns all processes that refer to this directory.
    pub fn processes(&self) -> Vec<u32> {
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

pub fn options(directory: &Path) -> QemuOptions {
    let mut options = QemuOptions::new(directory);
    options.accelerator = Accelerator::Tcg;
    options.grace = Duration::from_secs(1);
    options
}

/// Options for machines that hang. No test may expect one to respond within these times.
pub fn impatient(directory: &Path) -> QemuOptions {
    let mut options = options(directory);
    options.grace = Duration::from_millis(300);
    options.timeouts = Timeouts {
        answer: Duration::from_millis(900),
        quit: Duration::from_millis(600),
        least_quit: Duration::from_millis(100),
        disk: Duration::from_millis(100),
        ..Timeouts::default()
    };
    options
}

pub fn server(uid: &str) -> ServerRef {
    ServerRef {
        namespace: "default".to_owned(),
        name: format!("machine-{uid}"),
        uid: uid.to_owned(),
    }
}

pub fn small(power: Power) -> ServerSpec {
    let resources = Resources {
        cpus: 1,
        memory: 64 * MIB,
        disk: 16 * MIB,
    };
    ServerSpec { resources, power }
}

pub fn term(epoch: u64) -> Term {
    Term {
        holder: "test".to_owned(),
        shard: None,
        epoch,
    }
}

pub fn kill(pid: u32, signal: &str) {
    let status = Command::new("kill")
        .args(["-s", signal, &pid.to_string()])
        .status()
        .unwrap();
    assert!(status.success() || signal == "KILL");
}

pub fn virtual_size(disk: &Path) -> u64 {
    let output = Command::new("qemu-img")
        .args(["info", "-U", "--output=json"])
        .arg(disk)
        .output()
        .unwrap();
    let info: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    info["virtual-size"].as_u64().unwrap()
}

pub async fn reaches(driver: &Qemu, server: &ServerRef, state: ServerState) -> Server {
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

pub async fn until<F: Future<Output = bool>>(what: &str, mut check: impl FnMut() -> F) {
    let started = Instant::now();
    while !check().await {
        assert!(started.elapsed() < PATIENCE, "{what}");
        sleep(Duration::from_millis(50)).await;
    }
}
