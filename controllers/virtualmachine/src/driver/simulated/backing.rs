//! The storage of the servers: in memory, or in a directory that processes share.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use super::Latency;
use super::cloud::{Change, Cloud};
use crate::driver::{DriverError, Server, ServerRef, Term};

/// A line of the journal: a call that changed something, or tried to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Touch {
    /// The time of the call.
    pub at: Timestamp,
    /// The caller's identity.
    pub holder: String,
    /// The caller's shard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<usize>,
    /// The caller's epoch.
    pub epoch: u64,
    /// The call.
    pub call: String,
    /// The server.
    pub server: String,
    /// Whether it was refused because a newer leader had called.
    pub refused: bool,
}

/// Permission to change the servers, which one caller has at a time: the lock of their directory,
/// held until the file is closed.
pub(super) struct Turn {
    _lock: Option<File>,
}

/// The storage of the servers.
pub(super) enum Backing {
    Memory(Mutex<(Cloud, Vec<Touch>)>),
    Directory(PathBuf),
}

impl Backing {
    pub(super) fn in_memory() -> Self {
        Self::Memory(Mutex::default())
    }

    pub(super) fn in_directory(directory: PathBuf) -> Result<Self, DriverError> {
        fs::create_dir_all(directory.join(SERVERS))
            .map_err(|error| DriverError::failed(directory.display(), error))?;
        Ok(Self::Directory(directory))
    }

    /// Waits for a turn without blocking the thread: another process may be paused during its turn.
    pub(super) async fn turn(&self) -> Result<Turn, DriverError> {
        let Self::Directory(directory) = self else {
            return Ok(Turn { _lock: None });
        };
        let failed = |error| DriverError::failed(directory.display(), error);
        let lock = File::create(directory.join(LOCK)).map_err(failed)?;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(Turn { _lock: Some(lock) }),
                Err(TryLockError::WouldBlock) => sleep(TURN_WAIT).await,
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
    }

    /// Applies a call that changes something, unless a newer leader has called.
    pub(super) fn apply(
        &self,
        turn: Turn,
        term: &Term,
        server: &ServerRef,
        change: Change,
        latency: Latency,
    ) -> Result<(), DriverError> {
        self.locked(turn, &server.id(), |cloud, journal| {
            let now = Timestamp::now();
            let newest = *cloud.epoch_of(term.shard);
            let refused = term.epoch < newest;
            journal.push(Touch {
                at: now,
                holder: term.holder.clone(),
                shard: term.shard,
                epoch: term.epoch,
                call: change.operation().as_str().to_owned(),
                server: server.id(),
                refused,
            });
            if refused {
                let epoch = term.epoch;
                return Err(DriverError::Stale { epoch, newest });
            }
            *cloud.epoch_of(term.shard) = term.epoch;
            cloud.apply(server, change, latency, now)
        })?
    }

    /// Changes the server `id` outside of a driver call; blocks the thread until its turn.
    pub(super) fn change<T>(
        &self,
        id: &str,
        change: impl FnOnce(&mut Cloud) -> T,
    ) -> Result<T, DriverError> {
        let turn = match self {
            Self::Memory(_) => Turn { _lock: None },
            Self::Directory(directory) => {
                let failed = |error| DriverError::failed(directory.display(), error);
                let lock = File::create(directory.join(LOCK)).map_err(failed)?;
                lock.lock().map_err(failed)?;
                Turn { _lock: Some(lock) }
            }
        };
        self.locked(turn, id, |cloud, _| change(cloud))
    }

    pub(super) fn status(&self, id: &str) -> Result<Option<Server>, DriverError> {
        let status = |cloud: &Cloud| {
            let server = cloud.servers.get(id)?;
            Some(server.status(id, Timestamp::now()))
        };
        match self {
            Self::Memory(memory) => Ok(status(&memory.lock().0)),
            Self::Directory(directory) => Ok(status(&read_one(directory, id)?)),
        }
    }

    pub(super) fn read(&self) -> Result<Cloud, DriverError> {
        match self {
            Self::Memory(memory) => Ok(memory.lock().0.clone()),
            Self::Directory(directory) => read_all(directory),
        }
    }

    pub(super) fn journal(&self) -> Result<Vec<Touch>, DriverError> {
        match self {
            Self::Memory(memory) => Ok(memory.lock().1.clone()),
            Self::Directory(directory) => {
                let path = directory.join(JOURNAL);
                let text = fs::read_to_string(&path).or_else(|error| match error.kind() {
                    std::io::ErrorKind::NotFound => Ok(String::new()),
                    _ => Err(DriverError::failed(path.display(), error)),
                })?;
                let lines = text.lines().map(serde_json::from_str);
                lines
                    .collect::<Result<_, _>>()
                    .map_err(|error| DriverError::failed(path.display(), error))
            }
        }
    }

    /// Returns the newest epoch that has called.
    pub(super) fn epoch(&self) -> Result<u64, DriverError> {
        match self {
            Self::Memory(memory) => Ok(memory.lock().0.epoch),
            Self::Directory(directory) => Ok(read::<Totals>(&directory.join(TOTALS))?
                .unwrap_or_default()
                .epoch),
        }
    }

    /// Runs `work` on the server `id`. Its changes are stored even if the result is an error.
    fn locked<T>(
        &self,
        turn: Turn,
        id: &str,
        work: impl FnOnce(&mut Cloud, &mut Vec<Touch>) -> T,
    ) -> Result<T, DriverError> {
        match self {
            Self::Memory(memory) => {
                let (cloud, journal) = &mut *memory.lock();
                let result = work(cloud, journal);
                let extra = journal.len().saturating_sub(JOURNAL_LIMIT);
                if extra > JOURNAL_LIMIT / 4 {
                    journal.drain(..extra);
                }
                Ok(result)
            }
            Self::Directory(directory) => {
                let mut cloud = read_one(directory, id)?;
                let (before, mut journal) = (cloud.clone(), Vec::new());
                let result = work(&mut cloud, &mut journal);
                append(&directory.join(JOURNAL), &journal)?;
                write_one(directory, id, &before, &cloud)?;
                drop(turn);
                Ok(result)
            }
        }
    }
}

/// The number of journal lines kept in memory.
const JOURNAL_LIMIT: usize = 100_000;

/// The interval between attempts to get a turn.
const TURN_WAIT: Duration = Duration::from_millis(1);

const LOCK: &str = "lock";
const JOURNAL: &str = "journal.jsonl";

/// The directory with a file per server, so that the cost of a call does not depend on their
/// number.
const SERVERS: &str = "servers";

/// The file with the counters.
const TOTALS: &str = "totals.json";

/// The counters of a cloud, without its servers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Totals {
    epoch: u64,
    #[serde(default)]
    shards: BTreeMap<usize, u64>,
    created: u64,
}

impl Totals {
    fn of(cloud: &Cloud) -> Self {
        Self {
            epoch: cloud.epoch,
            shards: cloud.shards.clone(),
            created: cloud.created,
        }
    }
}

/// Returns the file of the server `id`.
fn file_of(directory: &Path, id: &str) -> Result<PathBuf, DriverError> {
    if id.contains(['/', '\\']) {
        let message =
            format!("invalid server name {id:?}: it must not contain a slash or a backslash");
        return Err(DriverError::Refused(message));
    }
    Ok(directory.join(SERVERS).join(format!("{id}.json")))
}

/// Reads the cloud with no server except `id`.
fn read_one(directory: &Path, id: &str) -> Result<Cloud, DriverError> {
    let totals: Totals = read(&directory.join(TOTALS))?.unwrap_or_default();
    let server = read(&file_of(directory, id)?)?;
    Ok(Cloud {
        epoch: totals.epoch,
        shards: totals.shards,
        created: totals.created,
        servers: server.map(|it| (id.to_owned(), it)).into_iter().collect(),
    })
}

fn read_all(directory: &Path) -> Result<Cloud, DriverError> {
    let servers = directory.join(SERVERS);
    let failed = |error| DriverError::failed(servers.display(), error);
    let mut cloud = read_one(directory, "")?;
    for entry in fs::read_dir(&servers).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let id = path
            .file_name()
            .and_then(|name| name.to_str()?.strip_suffix(".json"));
        if let Some(id) = id
            && let Some(server) = read(&path)?
        {
            cloud.servers.insert(id.to_owned(), server);
        }
    }
    Ok(cloud)
}

/// Writes the differences. A new epoch is written before the change: a process killed in between
/// has already fenced off older terms.
fn write_one(directory: &Path, id: &str, before: &Cloud, after: &Cloud) -> Result<(), DriverError> {
    let totals = directory.join(TOTALS);
    if (before.epoch, &before.shards) != (after.epoch, &after.shards) {
        let created = before.created;
        let epochs = Totals::of(after);
        write(&totals, &Totals { created, ..epochs })?;
    }
    let file = file_of(directory, id)?;
    match after.servers.get(id) {
        Some(server) if before.servers.get(id) == Some(server) => {}
        Some(server) => write(&file, server)?,
        None if before.servers.contains_key(id) => {
            fs::remove_file(&file).map_err(|error| DriverError::failed(file.display(), error))?;
        }
        None => {}
    }
    if before.created != after.created {
        write(&totals, &Totals::of(after))?;
    }
    Ok(())
}

/// Reads a file; `None` if it does not exist.
fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, DriverError> {
    match fs::read(path) {
        Ok(text) => serde_json::from_slice(&text)
            .map(Some)
            .map_err(|error| DriverError::failed(path.display(), error)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(DriverError::failed(path.display(), error)),
    }
}

/// Replaces the file atomically: a process that is killed leaves the old or the new content.
fn write(path: &Path, value: &impl Serialize) -> Result<(), DriverError> {
    let failed = |error| DriverError::failed(path.display(), error);
    let text =
        serde_json::to_vec(value).map_err(|error| DriverError::failed(path.display(), error))?;
    let new = path.with_extension("new");
    fs::write(&new, text).map_err(failed)?;
    fs::rename(&new, path).map_err(failed)
}

fn append(path: &Path, journal: &[Touch]) -> Result<(), DriverError> {
    let failed = |error| DriverError::failed(path.display(), error);
    let mut lines = String::new();
    for touch in journal {
        lines += &serde_json::to_string(touch)
            .map_err(|error| DriverError::failed(path.display(), error))?;
        lines.push('\n');
    }
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .map_err(failed)?;
    file.write_all(lines.as_bytes()).map_err(failed)
}
