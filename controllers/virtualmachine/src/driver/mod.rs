//! Where servers run: one trait, and what implements it.
//!
//! A server belongs to one `VirtualMachine` object and is named after its uid, so that any process can find it again, and a
//! machine that is deleted and recreated under its old name gets another server. The rules of [`Driver`] let a controller stop or
//! crash between any two calls: whatever was done is seen by the next call, and doing it again changes nothing.
//!
//! The controller never calls a driver directly but through [`Servers`], which gives each call a deadline and checks the
//! leadership first.

mod error;
pub mod kubevirt;
mod metrics;
#[cfg(target_os = "linux")]
pub mod qemu;
mod servers;
pub mod simulated;
mod standing;

use std::fmt;
use std::sync::Arc;

use codegen_runtime::kube::ResourceExt;
use codegen_runtime::store::ObjectKey;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

pub use self::error::DriverError;
pub use self::metrics::DriverMetrics;
pub use self::servers::Servers;
pub use self::standing::Standing;
use crate::apis::cloudnative::v1alpha1::VirtualMachine;

/// The result of a driver's call.
pub type DriverFuture<'a, T> = BoxFuture<'a, Result<T, DriverError>>;

/// Called with the key of a machine whose server changed by itself.
pub type Changed = Arc<dyn Fn(ObjectKey) + Send + Sync>;

/// Something that runs servers.
///
/// Every call is
///
/// - *idempotent*: a state already reached is left alone and is not an error. Deleting a missing server succeeds, creating one that
///   is there leaves it as it is;
/// - *cancellable*: its future may be dropped at any await point. The next call goes on from what was reached;
/// - *short*: it asks for a change and returns when the change is under way; [`status`](Self::status) reports progress.
///
/// Calls that change one server are never made concurrently; [`status`](Self::status) may come at any time, and calls for
/// different servers do.
///
/// A call that changes something carries the [`Term`] in which it was decided. A driver whose servers outlive the process must
/// refuse ([`DriverError::Stale`]) the calls of a term older than the newest it has seen.
pub trait Driver: Send + Sync + 'static {
    /// The value of `--vm-driver`.
    fn name(&self) -> &'static str;

    /// Whether there is a server, or anything left of one.
    fn exists<'a>(&'a self, server: &'a ServerRef) -> DriverFuture<'a, bool> {
        Box::pin(async move { Ok(self.status(server).await?.is_some()) })
    }

    /// All servers that there are, also those that no object asks for any more. A server that says whose it was has the name and the
    /// namespace of its object; in that of another both are empty.
    fn list(&self) -> DriverFuture<'_, Vec<ServerRef>>;

    /// The newest [epoch](Term::epoch) that has called; 0 if none is known.
    fn newest_epoch(&self) -> DriverFuture<'_, u64> {
        Box::pin(async { Ok(0) })
    }

    /// The state of the server; `None` if nothing is left of it. A server that is there and gives no answer is
    /// [`Unknown`](ServerState::Unknown), and no error.
    fn status<'a>(&'a self, server: &'a ServerRef) -> DriverFuture<'a, Option<Server>>;

    /// Creates the server, and starts it if `spec` says so.
    fn create<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        spec: &'a ServerSpec,
    ) -> DriverFuture<'a, ()>;

    /// Starts the server, or stops it: gracefully first, by force if it doesn't listen. Stopping needs no answer from the server.
    fn set_power<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        power: Power,
    ) -> DriverFuture<'a, ()>;

    /// Changes the server's sizes. The disk grows at once or with the next start; processors and memory change with the next start.
    /// The caller stops the server first where [`needs_restart`](Resources::needs_restart) says so.
    fn resize<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        resources: &'a Resources,
    ) -> DriverFuture<'a, ()>;

    /// Stops the server by force, and removes all that belongs to it. That needs no answer from the server.
    fn delete<'a>(&'a self, term: &'a Term, server: &'a ServerRef) -> DriverFuture<'a, ()>;

    /// Runs beside the controller until `stop` is cancelled: caches, watches on processes. Calls `changed` for each machine whose
    /// server changed other than by a call; what is missed is found when usage is refreshed.
    fn run(&self, changed: Changed, stop: CancellationToken) -> DriverFuture<'_, ()> {
        drop(changed);
        Box::pin(async move {
            stop.cancelled().await;
            Ok(())
        })
    }
}

/// Names a server: by the object that it belongs to.
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
    /// The server of `machine`.
    pub fn of(machine: &VirtualMachine) -> Self {
        Self {
            namespace: machine.namespace().unwrap_or_default(),
            name: machine.name_any(),
            uid: machine.uid().unwrap_or_default(),
        }
    }

    /// The server called `id` at its driver, of which no more is known; `None` if no server can be called so.
    pub fn from_id(id: &str) -> Option<Self> {
        let uid = id.strip_prefix("vm-").filter(|uid| !uid.is_empty())?;
        Some(Self {
            namespace: String::new(),
            name: String::new(),
            uid: uid.to_owned(),
        })
    }

    /// The server's name at its driver, such as `vm-7e4c2a9e-…`: a DNS label, different for each object that ever was.
    pub fn id(&self) -> String {
        format!("vm-{}", self.uid)
    }

    /// The key of the object.
    pub fn key(&self) -> ObjectKey {
        ObjectKey::new(Some(&self.namespace), &self.name)
    }
}

impl fmt::Display for ServerRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}/{})", self.id(), self.namespace, self.name)
    }
}

/// On whose behalf a call is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Term {
    /// The identity of the process.
    pub holder: String,
    /// The [epoch](codegen_runtime::leader::Leadership::epoch) of its leadership; without leader election the newest that the driver
    /// knew when it was first asked.
    pub epoch: u64,
}

/// The sizes of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Processors.
    pub cpus: u32,
    /// Memory, in bytes.
    pub memory: u64,
    /// Root disk, in bytes.
    pub disk: u64,
}

impl Resources {
    /// Whether a running server must be stopped to become as `wanted`.
    pub fn needs_restart(&self, wanted: &Self) -> bool {
        (self.cpus, self.memory) != (wanted.cpus, wanted.memory)
    }
}

/// The definition of a server to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSpec {
    /// Its sizes.
    pub resources: Resources,
    /// Whether it is started.
    pub power: Power,
}

/// Whether a server should run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// It should run.
    On,
    /// It should be there, and not run.
    Off,
}

/// A server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Its effect.
    pub state: ServerState,
    /// Its sizes: those with which it runs, or with which it would start. The disk may be a little larger than asked for.
    pub resources: Resources,
    /// Its usage, if it runs and the driver reports usage.
    pub usage: Option<Usage>,
    /// More about the state, for people; may be empty.
    pub message: String,
}

/// The state of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerState {
    /// It is being made, or started.
    Creating,
    /// It runs.
    Running,
    /// It is being stopped.
    Stopping,
    /// It does not run, as asked.
    Stopped,
    /// It does not run, though nobody asked it to stop; or could not be made.
    Failed,
    /// It is being removed.
    Deleting,
    /// It is there, and does not say what it does.
    Unknown,
}

impl ServerState {
    /// The word for it in the status of the object.
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
