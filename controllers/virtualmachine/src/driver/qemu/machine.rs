//! The folder of a machine.
//!
//! The definition is the first file created and the last one removed: a folder without it contains
//! nothing of value.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use codegen_runtime::store::ObjectKey;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::lock::{Held, lock, replace, try_lock};
use super::process::Process;
use crate::driver::{DriverError, Power, Resources, ServerRef, ServerSpec};

pub(super) const DISK: &str = "disk.qcow2";
pub(super) const NEW_DISK: &str = "disk.qcow2.new";
pub(super) const LOG: &str = "qemu.log";
pub(super) const SOCKET: &str = "qmp.sock";
const PID: &str = "pid";
const LOCK: &str = "lock";
const DEFINITION: &str = "definition.json";

/// How much of the end of the log is shown, in bytes.
const LOG_END: usize = 400;

/// The desired state of a machine, and its progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Definition {
    /// The namespace of the object.
    pub(super) namespace: String,
    /// The name of the object.
    pub(super) name: String,
    /// The number of processors from the next start on.
    pub(super) cpus: u32,
    /// Memory in bytes from the next start on.
    pub(super) memory: u64,
    /// The size of the disk in bytes.
    pub(super) disk: u64,
    /// Whether the machine should run.
    pub(super) on: bool,
    /// Whether the creation is complete.
    pub(super) created: bool,
    /// The processors and memory of the last start.
    pub(super) started_with: Option<(u32, u64)>,
    /// Since when the guest has been asked to power down.
    pub(super) stopping_since: Option<Timestamp>,
    /// Whether the machine is being deleted.
    pub(super) deleting: bool,
}

impl Definition {
    pub(super) fn new(server: &ServerRef, spec: &ServerSpec) -> Self {
        Self {
            namespace: server.namespace.clone(),
            name: server.name.clone(),
            cpus: spec.resources.cpus,
            memory: spec.resources.memory,
            disk: spec.resources.disk,
            on: spec.power == Power::On,
            created: false,
            started_with: None,
            stopping_since: None,
            deleting: false,
        }
    }

    pub(super) fn key(&self) -> ObjectKey {
        ObjectKey::new(Some(&self.namespace), &self.name)
    }

    /// Returns the sizes with which the machine runs if it is `alive`, or else would start.
    pub(super) fn resources(&self, alive: bool) -> Resources {
        let next = (self.cpus, self.memory);
        let (cpus, memory) = self.started_with.filter(|_| alive).unwrap_or(next);
        Resources {
            cpus,
            memory,
            disk: self.disk,
        }
    }

    /// Returns for how long the guest has been asked to power down.
    pub(super) fn stopping_for(&self) -> Option<Duration> {
        let since = Timestamp::now().duration_since(self.stopping_since?);
        // A clock that was set back must not extend the wait.
        Some(Duration::try_from(since).unwrap_or(Duration::MAX))
    }
}

/// The location of a machine.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) id: String,
    pub(super) folder: PathBuf,
}

impl Machine {
    /// Returns the machine of `server` in the state directory.
    pub(super) fn of(directory: &Path, server: &ServerRef) -> Result<Self, DriverError> {
        let id = server.id();
        let harmless = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '.';
        if server.uid.is_empty() || id.len() > 100 || !id.chars().all(harmless) {
            let message = format!(
                "invalid machine name {id:?}: expected a uid of letters, digits, '-' and '.'"
            );
            return Err(DriverError::Refused(message));
        }
        Ok(Self::named(directory, id))
    }

    fn named(directory: &Path, id: String) -> Self {
        let folder = directory.join(&id);
        Self { id, folder }
    }

    /// Returns all machines in the state directory.
    pub(super) fn all(directory: &Path) -> io::Result<Vec<Self>> {
        let mut machines = Vec::new();
        for entry in fs::read_dir(directory)? {
            let name = entry?.file_name();
            if let Some(id) = name.to_str().filter(|it| it.starts_with("vm-")) {
                machines.push(Self::named(directory, id.to_owned()));
            }
        }
        Ok(machines)
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(super) fn pid_file(&self) -> PathBuf {
        self.path(PID)
    }

    pub(super) fn lock_file(&self) -> PathBuf {
        self.path(LOCK)
    }

    pub(super) fn exists(&self) -> bool {
        self.folder.exists()
    }

    pub(super) fn failed(&self, error: impl std::fmt::Display) -> DriverError {
        DriverError::failed(&self.id, error)
    }

    /// Returns the machine's process, if it is alive. A QEMU that has started to exit is not found,
    /// since it removes its pid file first.
    pub(super) fn process(&self) -> Result<Option<Process>, DriverError> {
        Process::of(&self.pid_file()).map_err(|error| self.failed(error))
    }

    /// Returns all processes of the machine, including those not named by its pid file. Scans every
    /// process of the host.
    pub(super) fn processes(&self) -> Result<Vec<Process>, DriverError> {
        Process::all_of(&self.pid_file()).map_err(|error| self.failed(error))
    }

    /// Reads the definition; `None` if there is none.
    pub(super) fn definition(&self) -> Result<Option<Definition>, DriverError> {
        let text = match fs::read(self.path(DEFINITION)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.failed(error)),
        };
        serde_json::from_slice(&text)
            .map(Some)
            .map_err(|error| self.failed(format_args!("{DEFINITION}: {error}")))
    }

    /// Locks the machine, waiting for a change in progress; `None` if there is no folder.
    pub(super) async fn lock(&self) -> Result<Option<Locked>, DriverError> {
        let held = lock(&self.path(LOCK)).await;
        self.locked(held.map(Some))
    }

    /// Like [`lock`](Self::lock), but creates the folder.
    pub(super) async fn make_and_lock(&self) -> Result<Locked, DriverError> {
        loop {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&self.folder)
                .map_err(|error| self.failed(error))?;
            if let Some(locked) = self.lock().await? {
                return Ok(locked);
            }
        }
    }

    /// Like [`lock`](Self::lock), but also returns `None` if the lock is held.
    pub(super) fn try_lock(&self) -> Result<Option<Locked>, DriverError> {
        // Otherwise, checking a folder that is just being removed would create a file in it.
        let held = if self.path(LOCK).exists() || self.exists() {
            try_lock(&self.path(LOCK))
        } else {
            Ok(None)
        };
        self.locked(held)
    }

    fn locked(&self, held: io::Result<Option<Held>>) -> Result<Option<Locked>, DriverError> {
        match held {
            Ok(held) => Ok(held.map(|held| Locked {
                machine: self.clone(),
                held,
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Returns the end of QEMU's log, on one line; empty if there is no log.
    pub(super) fn log_end(&self) -> String {
        let text = fs::read(self.path(LOG)).unwrap_or_default();
        let end = text.len().saturating_sub(LOG_END);
        let text = String::from_utf8_lossy(text.get(end..).unwrap_or_default());
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let from = lines.len().saturating_sub(3);
        lines.get(from..).unwrap_or_default().join("; ")
    }
}

/// A locked machine. A process that is lent the lock keeps the machine locked as well.
pub(super) struct Locked {
    pub(super) machine: Machine,
    held: Held,
}

impl Locked {
    pub(super) fn write(&self, definition: &Definition) -> Result<(), DriverError> {
        let failed = |error: io::Error| self.machine.failed(error);
        let text =
            serde_json::to_vec_pretty(definition).map_err(|error| self.machine.failed(error))?;
        replace(&self.machine.path(DEFINITION), &text).map_err(failed)
    }

    /// Lends the lock to a process that works on the machine: no one else gets it before that
    /// process has ended or released it.
    pub(super) fn lend(&self) -> Result<File, DriverError> {
        self.held.lend().map_err(|error| self.machine.failed(error))
    }

    /// Records that the process has ended, or no longer needs the lock.
    pub(super) fn take_back(&self) {
        self.held.take_back();
    }

    /// Removes the folder, with the definition last, so that a partly removed folder can still be
    /// identified after a crash.
    pub(super) async fn remove(self) -> Result<(), DriverError> {
        let failed = |error: io::Error| self.machine.failed(error);
        let folder = &self.machine.folder;
        for entry in fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            if name == DEFINITION || name == LOCK {
                continue;
            }
            let removed = if entry.file_type().map_err(failed)?.is_dir() {
                tokio::fs::remove_dir_all(entry.path()).await
            } else {
                tokio::fs::remove_file(entry.path()).await
            };
            absent_is_fine(removed).map_err(failed)?;
        }
        for name in [DEFINITION, LOCK] {
            absent_is_fine(fs::remove_file(folder.join(name))).map_err(failed)?;
        }
        absent_is_fine(fs::remove_dir(folder)).map_err(failed)
    }
}

fn absent_is_fine(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_ids() {
        let check = |uid: &str, expected: bool| {
            let server = ServerRef {
                namespace: "default".to_owned(),
                name: "a".to_owned(),
                uid: uid.to_owned(),
            };
            let found = Machine::of(Path::new("/state"), &server);
            assert_eq!(found.is_ok(), expected, "{uid:?}");
        };
        check("7e4c2a9e-93b1-4c3e-9a55-0c1d2e3f4a5b", true);
        check("1.2", true);
        check("", false);
        check("../../etc", false);
        check("a/b", false);
        check("a,file=/etc/passwd", false);
        check("a b", false);
        check("a\0", false);
        check("é", false);
        check(&"a".repeat(200), false);
    }

    #[test]
    fn the_clock_may_be_set_back() {
        let server = ServerRef {
            namespace: String::new(),
            name: String::new(),
            uid: "1".to_owned(),
        };
        let resources = Resources {
            cpus: 1,
            memory: 2,
            disk: 3,
        };
        let mut definition = Definition::new(
            &server,
            &ServerSpec {
                resources,
                power: Power::Off,
            },
        );
        assert_eq!(definition.stopping_for(), None);
        definition.stopping_since = Some(Timestamp::MAX);
        assert_eq!(definition.stopping_for(), Some(Duration::MAX));
        definition.stopping_since = Some(Timestamp::MIN);
        assert!(definition.stopping_for().unwrap() > Duration::from_secs(3600));
    }
}
