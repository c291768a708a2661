//! The servers, in memory or in a directory that processes share.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use super::Latency;
use super::faults::Operation;
use crate::driver::{
    DriverError, Power, Resources, Server, ServerRef, ServerSpec, ServerState, Term, Usage,
};

/// All servers of a simulation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cloud {
    /// The newest epoch that has called.
    pub epoch: u64,
    /// How many servers were ever created.
    pub created: u64,
    /// The servers by their ids.
    pub servers: BTreeMap<String, SimulatedServer>,
}

/// One simulated server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SimulatedServer {
    /// The namespace of the object that it was made for.
    #[serde(default)]
    pub namespace: String,
    /// The name of that object.
    #[serde(default)]
    pub name: String,
    /// Processors with which it runs, or would start.
    pub cpus: u32,
    /// Memory in bytes.
    pub memory: u64,
    /// Disk in bytes.
    pub disk: u64,
    /// Sizes that hold from the next start on.
    pub next: Option<(u32, u64)>,
    /// Whether it should run.
    pub on: bool,
    /// Whether it died.
    pub dead: bool,
    /// Its load in percent; `None` for one that follows from its id.
    pub load: Option<u64>,
    /// Until when it starts or stops.
    pub busy_until: Timestamp,
}

/// A line of the journal: a call that changed something, or tried to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Touch {
    /// When.
    pub at: Timestamp,
    /// The caller's identity.
    pub holder: String,
    /// The caller's epoch.
    pub epoch: u64,
    /// The call.
    pub call: String,
    /// The server.
    pub server: String,
    /// Whether it was refused because a newer leader had called.
    pub refused: bool,
}

/// A call that changes a server.
pub(super) enum Change {
    Create(ServerSpec),
    SetPower(Power),
    Resize(Resources),
    Delete,
}

impl Change {
    pub(super) fn operation(&self) -> Operation {
        match self {
            Self::Create(_) => Operation::Create,
            Self::SetPower(_) => Operation::SetPower,
            Self::Resize(_) => Operation::Resize,
            Self::Delete => Operation::Delete,
        }
    }
}

impl Cloud {
    fn apply(
        &mut self,
        of: &ServerRef,
        change: Change,
        latency: Latency,
        now: Timestamp,
    ) -> Result<(), DriverError> {
        let id = &of.id();
        let after = |delay| now + SignedDuration::try_from(delay).unwrap_or(SignedDuration::MAX);
        match change {
            Change::Create(ServerSpec { resources, power }) => {
                self.created += u64::from(!self.servers.contains_key(id));
                self.servers
                    .entry(id.to_owned())
                    .or_insert(SimulatedServer {
                        namespace: of.namespace.clone(),
                        name: of.name.clone(),
                        cpus: resources.cpus,
                        memory: resources.memory,
                        disk: resources.disk,
                        next: None,
                        on: power == Power::On,
                        dead: false,
                        load: None,
                        busy_until: after(latency.start),
                    });
            }
            Change::SetPower(power) => {
                let on = power == Power::On;
                let server = self.server(id)?;
                if server.on == on && !server.dead {
                    return Ok(());
                }
                if let Some((cpus, memory)) = server.next.take_if(|_| on) {
                    (server.cpus, server.memory) = (cpus, memory);
                }
                (server.on, server.dead) = (on, false);
                server.busy_until = after(if on { latency.start } else { latency.stop });
            }
            Change::Resize(wanted) => {
                let server = self.server(id)?;
                if wanted.disk < server.disk {
                    return Err(DriverError::Refused("a disk can only grow".to_owned()));
                }
                server.disk = wanted.disk;
                if server.on && !server.dead {
                    server.next = Some((wanted.cpus, wanted.memory));
                } else {
                    (server.cpus, server.memory, server.next) = (wanted.cpus, wanted.memory, None);
                }
            }
            Change::Delete => drop(self.servers.remove(id)),
        }
        Ok(())
    }

    /// All servers, by the objects that they were made for.
    pub(super) fn list(&self) -> Vec<ServerRef> {
        let named = |(id, server): (&String, &SimulatedServer)| {
            let of = ServerRef::from_id(id)?;
            Some(ServerRef {
                namespace: server.namespace.clone(),
                name: server.name.clone(),
                ..of
            })
        };
        self.servers.iter().filter_map(named).collect()
    }

    fn server(&mut self, id: &str) -> Result<&mut SimulatedServer, DriverError> {
        let missing = || DriverError::Failed(format!("there is no server {id}"));
        self.servers.get_mut(id).ok_or_else(missing)
    }

    pub(super) fn kill(&mut self, id: &str) -> bool {
        self.servers
            .get_mut(id)
            .map(|server| server.dead = true)
            .is_some()
    }

    pub(super) fn load(&mut self, id: &str, percent: u64) -> bool {
        self.servers
            .get_mut(id)
            .map(|server| server.load = Some(percent))
            .is_some()
    }

    pub(super) fn lose(&mut self, id: &str) -> bool {
        self.servers.remove(id).is_some()
    }
}

impl SimulatedServer {
    /// The state that a caller sees at `now`.
    fn status(&self, id: &str, now: Timestamp) -> Server {
        let state = match (self.dead, self.on, now < self.busy_until) {
            (true, ..) => ServerState::Failed,
            (_, true, true) => ServerState::Creating,
            (_, true, false) => ServerState::Running,
            (_, false, true) => ServerState::Stopping,
            (_, false, false) => ServerState::Stopped,
        };
        Server {
            state,
            resources: Resources {
                cpus: self.cpus,
                memory: self.memory,
                disk: self.disk,
            },
            usage: (state == ServerState::Running).then(|| self.usage(id)),
            message: if self.dead {
                "the server died".to_owned()
            } else {
                String::new()
            },
        }
    }

    /// By the load to order; else one that differs from server to server, and stays the same: from 5 to 44 percent.
    fn usage(&self, id: &str) -> Usage {
        let by_id = || 5 + id.bytes().map(u64::from).sum::<u64>() % 40;
        let percent = self.load.unwrap_or_else(by_id);
        Usage {
            millicpus: u64::from(self.cpus) * 10 * percent,
            memory: self.memory / 100 * percent,
        }
    }
}

/// Leave to change the servers, which one caller has at a time: the lock of their directory, held until the file is closed.
pub(super) struct Turn {
    _lock: Option<File>,
}

/// Where the servers are.
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

    /// Waits for a turn without holding up the thread: a process may be paused in the middle of its own.
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

    /// A call that changes something, unless a newer leader has called.
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
            let newest = cloud.epoch;
            let refused = term.epoch < newest;
            journal.push(Touch {
                at: now,
                holder: term.holder.clone(),
                epoch: term.epoch,
                call: change.operation().as_str().to_owned(),
                server: server.id(),
                refused,
            });
            if refused {
                let epoch = term.epoch;
                return Err(DriverError::Stale { epoch, newest });
            }
            cloud.epoch = term.epoch;
            cloud.apply(server, change, latency, now)
        })?
    }

    /// A change of the server `id` that nobody asked for; waits for its turn on the thread.
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

    /// The newest epoch that has called.
    pub(super) fn epoch(&self) -> Result<u64, DriverError> {
        match self {
            Self::Memory(memory) => Ok(memory.lock().0.epoch),
            Self::Directory(directory) => Ok(read::<Totals>(&directory.join(TOTALS))?
                .unwrap_or_default()
                .epoch),
        }
    }

    /// Works on the server `id` alone. What it changes is kept, also if the result is an error of the caller's.
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

/// Lines that are kept in memory.
const JOURNAL_LIMIT: usize = 100_000;

/// Between two tries to get a turn.
const TURN_WAIT: Duration = Duration::from_millis(1);

const LOCK: &str = "lock";
const JOURNAL: &str = "journal.jsonl";

/// A file for each server, so that a call costs the same however many there are.
const SERVERS: &str = "servers";

/// The file of what is counted.
const TOTALS: &str = "totals.json";

/// A cloud without its servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Totals {
    epoch: u64,
    created: u64,
}

impl Totals {
    fn of(cloud: &Cloud) -> Self {
        Self {
            epoch: cloud.epoch,
            created: cloud.created,
        }
    }
}

/// The file of the server `id`.
fn file_of(directory: &Path, id: &str) -> Result<PathBuf, DriverError> {
    if id.contains(['/', '\\']) {
        let message = format!("{id:?} can't name a server");
        return Err(DriverError::Refused(message));
    }
    Ok(directory.join(SERVERS).join(format!("{id}.json")))
}

/// The cloud with no server but `id`.
fn read_one(directory: &Path, id: &str) -> Result<Cloud, DriverError> {
    let totals: Totals = read(&directory.join(TOTALS))?.unwrap_or_default();
    let server = read(&file_of(directory, id)?)?;
    Ok(Cloud {
        epoch: totals.epoch,
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

/// Writes what differs. A new epoch comes before the change that it made: whoever is killed in between has still fenced others off.
fn write_one(directory: &Path, id: &str, before: &Cloud, after: &Cloud) -> Result<(), DriverError> {
    let totals = directory.join(TOTALS);
    if before.epoch != after.epoch {
        let created = before.created;
        let epoch = after.epoch;
        write(&totals, &Totals { epoch, created })?;
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

/// `None` if there is no such file.
fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, DriverError> {
    match fs::read(path) {
        Ok(text) => serde_json::from_slice(&text)
            .map(Some)
            .map_err(|error| DriverError::failed(path.display(), error)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(DriverError::failed(path.display(), error)),
    }
}

/// Replaces the file as a whole: a process that is killed leaves the old one or the new one.
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
