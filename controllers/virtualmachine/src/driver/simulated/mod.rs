//! Simulated servers, with latency and injectable faults.
//!
//! With a [directory](Simulated::in_directory) several processes share one set of servers, as they
//! would share a real provider: each call takes the directory's lock, and appends a line with
//! caller and request to `journal.jsonl`. Unlike with a real provider, a process that is paused
//! while it holds the lock blocks the others.

mod backing;
mod cloud;
mod faults;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::time::sleep;

use self::backing::Backing;
pub use self::backing::Touch;
use self::cloud::Change;
pub use self::cloud::{Cloud, SimulatedServer};
use self::faults::Faults;
pub use self::faults::{Fault, Lost, Operation};
use super::{
    Driver, DriverError, DriverFuture, Power, Resources, Server, ServerRef, ServerSpec, Term,
};

/// The duration of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// The duration of each call.
    pub call: Duration,
    /// From the call that creates or starts a server until it runs.
    pub start: Duration,
    /// From the call that stops a server until it is stopped.
    pub stop: Duration,
}

impl Latency {
    /// No delays.
    pub const NONE: Self = Self {
        call: Duration::ZERO,
        start: Duration::ZERO,
        stop: Duration::ZERO,
    };
}

impl Default for Latency {
    /// Short enough to wait for, long enough to be observed.
    fn default() -> Self {
        Self {
            call: Duration::from_millis(5),
            start: Duration::from_millis(800),
            stop: Duration::from_millis(400),
        }
    }
}

/// The simulated driver. Clones share their servers.
#[derive(Clone)]
pub struct Simulated {
    shared: Arc<Shared>,
}

struct Shared {
    latency: Latency,
    backing: Backing,
    faults: Mutex<Faults>,
}

impl Simulated {
    /// Creates a driver whose servers end with the process.
    pub fn new(latency: Latency) -> Self {
        Self::over(latency, Backing::in_memory())
    }

    /// Creates a driver whose servers are kept in `directory`, which is created if it is missing.
    ///
    /// # Errors
    ///
    /// If the directory cannot be created.
    pub fn in_directory(
        latency: Latency,
        directory: impl Into<PathBuf>,
    ) -> Result<Self, DriverError> {
        Ok(Self::over(
            latency,
            Backing::in_directory(directory.into())?,
        ))
    }

    fn over(latency: Latency, backing: Backing) -> Self {
        let shared = Shared {
            latency,
            backing,
            faults: Mutex::default(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Returns all current servers, by id.
    ///
    /// # Errors
    ///
    /// If the directory cannot be read.
    pub fn cloud(&self) -> Result<Cloud, DriverError> {
        self.shared.backing.read()
    }

    /// Returns the calls that changed something, or tried to, oldest first.
    ///
    /// # Errors
    ///
    /// If the directory cannot be read.
    pub fn journal(&self) -> Result<Vec<Touch>, DriverError> {
        self.shared.backing.journal()
    }

    /// Injects a fault into later calls.
    pub fn fault(&self, fault: Fault) {
        self.faults().add(fault);
    }

    /// Removes all faults.
    pub fn clear_faults(&self) {
        self.faults().clear();
    }

    /// Kills the server, like a host that fails. Returns whether it existed.
    ///
    /// # Errors
    ///
    /// If the directory cannot be used.
    pub fn kill(&self, server: &ServerRef) -> Result<bool, DriverError> {
        let id = server.id();
        self.shared.backing.change(&id, |cloud| cloud.kill(&id))
    }

    /// Removes the server with its disk, without a request. Returns whether it existed.
    ///
    /// # Errors
    ///
    /// If the directory cannot be used.
    pub fn lose(&self, server: &ServerRef) -> Result<bool, DriverError> {
        let id = server.id();
        self.shared.backing.change(&id, |cloud| cloud.lose(&id))
    }

    /// Sets the server's load to `percent` of its processors and memory. Returns whether it
    /// existed.
    ///
    /// # Errors
    ///
    /// If the directory cannot be used.
    pub fn load(&self, server: &ServerRef, percent: u64) -> Result<bool, DriverError> {
        let id = server.id();
        self.shared
            .backing
            .change(&id, |cloud| cloud.load(&id, percent))
    }

    fn faults(&self) -> MutexGuard<'_, Faults> {
        self.shared.faults.lock()
    }

    /// Executes one call: latency, faults before and after, the change itself, and its line in the
    /// journal.
    async fn call(
        &self,
        term: &Term,
        server: &ServerRef,
        change: Change,
    ) -> Result<(), DriverError> {
        let operation = change.operation();
        sleep(self.shared.latency.call).await;
        let fault = self.faults().take(operation);
        if let Some(fault) = &fault
            && fault.lost == Lost::Request
        {
            return fault.fail().await;
        }
        let backing = &self.shared.backing;
        let turn = backing.turn().await?;
        backing.apply(turn, term, server, change, self.shared.latency)?;
        match fault {
            Some(fault) => fault.fail().await,
            None => Ok(()),
        }
    }

    async fn look(&self, server: &ServerRef) -> Result<Option<Server>, DriverError> {
        self.read(Operation::Status).await?;
        self.shared.backing.status(&server.id())
    }

    /// Executes a call that changes nothing: latency and faults.
    async fn read(&self, operation: Operation) -> Result<(), DriverError> {
        sleep(self.shared.latency.call).await;
        let fault = self.faults().take(operation);
        match fault {
            Some(fault) => fault.fail().await,
            None => Ok(()),
        }
    }
}

impl Driver for Simulated {
    fn name(&self) -> &'static str {
        "simulated"
    }

    fn list(&self) -> DriverFuture<'_, Vec<ServerRef>> {
        Box::pin(async {
            self.read(Operation::List).await?;
            Ok(self.cloud()?.list())
        })
    }

    fn newest_epoch(&self) -> DriverFuture<'_, u64> {
        Box::pin(async { self.shared.backing.epoch() })
    }

    fn status<'a>(&'a self, server: &'a ServerRef) -> DriverFuture<'a, Option<Server>> {
        Box::pin(self.look(server))
    }

    fn create<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        spec: &'a ServerSpec,
    ) -> DriverFuture<'a, ()> {
        Box::pin(self.call(term, server, Change::Create(spec.clone())))
    }

    fn set_power<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        power: Power,
    ) -> DriverFuture<'a, ()> {
        Box::pin(self.call(term, server, Change::SetPower(power)))
    }

    fn resize<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        resources: &'a Resources,
    ) -> DriverFuture<'a, ()> {
        Box::pin(self.call(term, server, Change::Resize(*resources)))
    }

    fn delete<'a>(&'a self, term: &'a Term, server: &'a ServerRef) -> DriverFuture<'a, ()> {
        Box::pin(self.call(term, server, Change::Delete))
    }
}

impl fmt::Debug for Simulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulated")
            .field("latency", &self.shared.latency)
            .finish_non_exhaustive()
    }
}
