//! Virtual machines on this host: one QEMU process each.
//!
//! A machine is a folder of the state directory, named after the object's uid. It contains a
//! definition with the desired state, a qcow2 root disk, the QMP socket, the pid file and the log.
//! The processes outlive the controller, and the next one finds them through their folders. A crash
//! at any point leaves a folder that the next call completes or removes.
//!
//! Controllers on one host share the state directory. Each machine has a lock that is held during
//! changes, by the call and by the programs that the call runs. The newest epoch that has called is
//! stored, so that a leader of an earlier term changes nothing, even if it was paused in the middle
//! of a call.
//!
//! A dead machine is not restarted automatically: it is [`Failed`](super::ServerState::Failed)
//! until [`set_power`](Driver::set_power) starts it again.
//!
//! Start reading at [`Qemu`], then `calls` for the changes and `status` for the reported state.

mod calls;
mod command;
mod guest;
mod lock;
mod machine;
mod process;
mod qmp;
mod status;
mod timeouts;
mod usage;
mod watch;

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use self::command::Programs;
use self::lock::Epoch;
use self::machine::Machine;
pub use self::timeouts::Timeouts;
use self::usage::Meter;
use super::{
    Changed, Driver, DriverError, DriverFuture, Power, Resources, Server, ServerRef, ServerSpec,
    Term,
};

/// The driver's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QemuOptions {
    /// The directory for machines, created if it is missing.
    pub directory: PathBuf,
    /// QEMU for x86-64: a path, or a name to search in PATH.
    pub qemu: PathBuf,
    /// QEMU's tool for disk images.
    pub qemu_img: PathBuf,
    /// The accelerator that runs the guests' instructions.
    pub accelerator: Accelerator,
    /// How long a guest may take to power down before it is forced to stop.
    pub grace: Duration,
    /// How long the driver waits for a QEMU that does not respond.
    pub timeouts: Timeouts,
    /// The base image of new disks, which must neither move nor change; empty disks if `None`.
    pub image: Option<PathBuf>,
    /// Whether QEMU's seccomp sandbox is enabled, which denies system calls that it does not need.
    /// QEMU must be built with seccomp.
    pub sandbox: bool,
    /// Additional arguments for every machine, such as a network or firmware.
    pub arguments: Vec<OsString>,
}

impl QemuOptions {
    /// Returns options for machines in `directory`, with Debian's program names and a grace period
    /// of 30 seconds.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
            qemu: PathBuf::from("qemu-system-x86_64"),
            qemu_img: PathBuf::from("qemu-img"),
            accelerator: Accelerator::Auto,
            grace: Duration::from_secs(30),
            timeouts: Timeouts::default(),
            image: None,
            sandbox: true,
            arguments: Vec::new(),
        }
    }
}

/// The accelerator that runs the guests' instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Accelerator {
    /// KVM if the host permits it, or else emulation.
    #[default]
    Auto,
    /// KVM. Machines do not start without it.
    Kvm,
    /// Emulation, which is slow.
    Tcg,
}

/// The driver for machines on this host. Clones share their state.
#[derive(Clone)]
pub struct Qemu {
    shared: Arc<Shared>,
}

struct Shared {
    directory: PathBuf,
    grace: Duration,
    timeouts: Timeouts,
    programs: Programs,
    epoch: Epoch,
    meter: Meter,
}

impl Qemu {
    /// Creates a driver for the machines in the directory of `options`, including running ones.
    ///
    /// # Errors
    ///
    /// If a timeout is invalid; if the programs or the image cannot be used, with the package to
    /// install; or if the directory cannot be created.
    pub async fn new(options: &QemuOptions) -> Result<Self, DriverError> {
        options.timeouts.check()?;
        let programs = Programs::find(options).await?;
        let directory = make(&options.directory)
            .map_err(|error| DriverError::failed(options.directory.display(), error))?;
        let shared = Shared {
            epoch: Epoch::in_directory(&directory),
            directory,
            grace: options.grace,
            timeouts: options.timeouts,
            programs,
            meter: Meter::default(),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// Returns the folder of the server, with its disk and QEMU's log.
    ///
    /// # Errors
    ///
    /// If the object's uid is not a valid folder name.
    pub fn folder(&self, server: &ServerRef) -> Result<PathBuf, DriverError> {
        Ok(Machine::of(&self.shared.directory, server)?.folder)
    }

    /// Returns the pid of the server's QEMU process, if it runs.
    ///
    /// # Errors
    ///
    /// If the object's uid is not a valid folder name, or the process cannot be inspected.
    pub fn pid(&self, server: &ServerRef) -> Result<Option<u32>, DriverError> {
        let process = Machine::of(&self.shared.directory, server)?.process()?;
        Ok(process.and_then(|it| u32::try_from(it.pid).ok()))
    }
}

/// Creates the directory, private to this user, and returns its canonical path, by which processes
/// are recognized.
fn make(directory: &Path) -> std::io::Result<PathBuf> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)?;
    fs::canonicalize(directory)
}

impl Driver for Qemu {
    fn name(&self) -> &'static str {
        "qemu"
    }

    fn list(&self) -> DriverFuture<'_, Vec<ServerRef>> {
        Box::pin(async { self.shared.list() })
    }

    fn newest_epoch(&self) -> DriverFuture<'_, u64> {
        Box::pin(async { self.shared.epoch.newest(None) })
    }

    fn status<'a>(&'a self, server: &'a ServerRef) -> DriverFuture<'a, Option<Server>> {
        Box::pin(self.shared.status(server))
    }

    fn create<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        spec: &'a ServerSpec,
    ) -> DriverFuture<'a, ()> {
        Box::pin(self.shared.create(term, server, spec))
    }

    fn set_power<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        power: Power,
    ) -> DriverFuture<'a, ()> {
        Box::pin(self.shared.set_power(term, server, power))
    }

    fn resize<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        resources: &'a Resources,
    ) -> DriverFuture<'a, ()> {
        Box::pin(self.shared.resize(term, server, resources))
    }

    fn delete<'a>(&'a self, term: &'a Term, server: &'a ServerRef) -> DriverFuture<'a, ()> {
        Box::pin(self.shared.delete(term, server))
    }

    fn run(&self, changed: Changed, stop: CancellationToken) -> DriverFuture<'_, ()> {
        Box::pin(watch::run(&self.shared, changed, stop))
    }
}

impl fmt::Debug for Qemu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Qemu")
            .field("directory", &self.shared.directory)
            .finish_non_exhaustive()
    }
}
