//! Drivers, which run the servers: one trait and its implementations.
//!
//! A server belongs to one `VirtualMachine` object and is named after its uid, so that any process
//! can find it again, and a machine that is deleted and recreated under its old name gets a new
//! server. The rules of [`Driver`] let a controller stop or crash between any two calls: the next
//! call sees the effects of earlier ones, and repeating a call changes nothing.
//!
//! The controller only calls a driver through [`Servers`], which checks leadership first and adds a
//! timeout to each call.

mod error;
mod fencing;
pub mod kubevirt;
mod metrics;
#[cfg(target_os = "linux")]
pub mod qemu;
mod servers;
pub mod simulated;

use std::fmt;
use std::sync::Arc;

use codegen_runtime::kube::ResourceExt;
use codegen_runtime::store::ObjectKey;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

pub use self::error::DriverError;
pub use self::fencing::Fencing;
pub use self::metrics::DriverMetrics;
pub use self::servers::Servers;
use crate::apis::cloudnative::v1alpha1::VirtualMachine;

/// The result of a driver call.
pub type DriverFuture<'a, T> = BoxFuture<'a, Result<T, DriverError>>;

/// A callback with the key of a machine whose server changed by itself.
pub type Changed = Arc<dyn Fn(ObjectKey) + Send + Sync>;

/// Runs servers.
///
/// Every call is
///
/// - *idempotent*: a state that is already reached is not an error. Deleting a missing server
///   succeeds, and creating one that exists leaves it unchanged;
/// - *cancellable*: its future may be dropped at any await point. The next call continues from the
///   state reached;
/// - *short*: it requests a change and returns when the change is in progress;
///   [`status`](Self::status) reports progress.
///
/// Calls that change the same server are never concurrent; [`status`](Self::status) may be called
/// at any time, and calls for different servers may be concurrent.
///
/// A call that changes something carries the [`Term`] in which it was decided. A driver whose
/// servers outlive the process must reject ([`DriverError::Stale`]) calls with a term older than
/// the newest it has seen of the same [shard](Term::shard).
pub trait Driver: Send + Sync + 'static {
    /// The value of `--vm-driver`.
    fn name(&self) -> &'static str;

    /// Whether the server exists, or any part of it.
    fn exists<'a>(&'a self, server: &'a ServerRef) -> DriverFuture<'a, bool> {
        Box::pin(async move { Ok(self.status(server).await?.is_some()) })
    }

    /// Returns all existing servers, including those without an object. A server that records its
    /// owner has the name and the namespace of that object; for others both are empty.
    fn list(&self) -> DriverFuture<'_, Vec<ServerRef>>;

    /// Returns the newest [epoch](Term::epoch) that has called; 0 if none is known.
    fn newest_epoch(&self) -> DriverFuture<'_, u64> {
        Box::pin(async { Ok(0) })
    }

    /// Returns the state of the server; `None` if no part of it exists. A server that exists but
    /// does not respond is [`Unknown`](ServerState::Unknown), not an error.
    fn status<'a>(&'a self, server: &'a ServerRef) -> DriverFuture<'a, Option<Server>>;

    /// Creates the server, and starts it if `spec` says so.
    fn create<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        spec: &'a ServerSpec,
    ) -> DriverFuture<'a, ()>;

    /// Starts the server, or stops it: gracefully first, then by force. Stopping does not depend on
    /// the server's response.
    fn set_power<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        power: Power,
    ) -> DriverFuture<'a, ()>;

    /// Changes the server's sizes. The disk grows immediately or at the next start; processors and
    /// memory change at the next start. The caller stops the server first if
    /// [`needs_restart`](Resources::needs_restart) says so.
    fn resize<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        resources: &'a Resources,
    ) -> DriverFuture<'a, ()>;

    /// Stops the server by force, and removes everything that belongs to it. Does not depend on the
    /// server's response.
    fn delete<'a>(&'a self, term: &'a Term, server: &'a ServerRef) -> DriverFuture<'a, ()>;

    /// Runs alongside the controller until `stop` is cancelled, for caches or process watches.
    /// Calls `changed` for each machine whose server changed without a call; the usage refresh
    /// finds missed changes.
    fn run(&self, changed: Changed, stop: CancellationToken) -> DriverFuture<'_, ()> {
        drop(changed);
        Box::pin(async move {
            stop.cancelled().await;
            Ok(())
        })
    }
}

/// Identifies a server by the object that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerRef {
    /// The namespace of the object.
    pub namespace: String,
    /// The name of the object.
    pub name: String,
    /// The uid of the object.
    pub uid: String,
}

impl ServerRef {
    /// Returns the server of `machine`.
    pub fn of(machine: &VirtualMachine) -> Self {
        Self {
            namespace: machine.namespace().unwrap_or_default(),
            name: machine.name_any(),
            uid: machine.uid().unwrap_or_default(),
        }
    }

    /// Returns the server with the driver's name `id`, without its object's name and namespace;
    /// `None` if `id` is not a valid name.
    pub fn from_id(id: &str) -> Option<Self> {
        let uid = id.strip_prefix("vm-").filter(|uid| !uid.is_empty())?;
        Some(Self {
            namespace: String::new(),
            name: String::new(),
            uid: uid.to_owned(),
        })
    }

    /// Returns the server's name at its driver, such as `vm-7e4c2a9e-…`: a DNS label, unique for
    /// each object ever created.
    pub fn id(&self) -> String {
        format!("vm-{}", self.uid)
    }

    /// Returns the key of the object.
    pub fn key(&self) -> ObjectKey {
        ObjectKey::new(Some(&self.namespace), &self.name)
    }
}

impl fmt::Display for ServerRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}/{})", self.id(), self.namespace, self.name)
    }
}

/// The caller of a driver: a process and its epoch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Term {
    /// The identity of the process.
    pub holder: String,
    /// The part of the machines that the process owns in this term; `None` for all of them. Epochs
    /// are compared within a part.
    pub shard: Option<usize>,
    /// The [epoch](codegen_runtime::leader::Leadership::epoch) of its leadership; without leader
    /// election, the newest epoch that the driver knew when it was first asked.
    pub epoch: u64,
}

/// The sizes of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// The number of processors.
    pub cpus: u32,
    /// Memory, in bytes.
    pub memory: u64,
    /// Root disk, in bytes.
    pub disk: u64,
}

impl Resources {
    /// Whether a running server must be stopped to change to `wanted`.
    pub fn needs_restart(&self, wanted: &Self) -> bool {
        (self.cpus, self.memory) != (wanted.cpus, wanted.memory)
    }
}

/// The definition of a server to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSpec {
    /// The sizes of the server.
    pub resources: Resources,
    /// Whether to start the server.
    pub power: Power,
}

/// Whether a server should run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// The server runs.
    On,
    /// The server exists, but does not run.
    Off,
}

/// A server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The state of the server.
    pub state: ServerState,
    /// The sizes with which it runs, or would start. The disk may be slightly larger than
    /// requested.
    pub resources: Resources,
    /// Its usage, if it runs and the driver reports usage.
    pub usage: Option<Usage>,
    /// A human-readable explanation of the state; may be empty.
    pub message: String,
}

/// The state of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerState {
    /// It is being created or started.
    Creating,
    /// It runs.
    Running,
    /// It is being stopped.
    Stopping,
    /// It is stopped, as requested.
    Stopped,
    /// It stopped without a request, or could not be created.
    Failed,
    /// It is being deleted.
    Deleting,
    /// It exists, but does not respond.
    Unknown,
}

impl ServerState {
    /// The value in the status of the object.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Creating => "creating",
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
            Self::Deleting => "deleting",
            Self::Unknown => "unknown",
        }
    }
}

/// The usage of a running server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Processor time, in thousandths of a processor.
    pub millicpus: u64,
    /// Memory, in bytes.
    pub memory: u64,
}
