//! Real machines on this host: one QEMU process each.
//!
//! A machine is a folder of the state directory, named after the object's uid: a definition that says what should be, a qcow2
//! root disk, the socket on which QEMU is spoken to, its pid file and its log. The processes outlive the controller, and the
//! next one finds them through their folders. Whatever is killed at whatever moment leaves a folder that the next call
//! completes or removes.
//!
//! Controllers of one host share the state directory. Each machine has a lock that is held while it is changed, by the call
//! and by the programs that the call runs; and the newest epoch that has called is kept, so that a leader of an earlier term
//! changes nothing, even if it was stopped in the middle of a call.
//!
//! Nobody starts a machine that died: it is [`Failed`](super::ServerState::Failed) until [`set_power`](Driver::set_power) starts
//! it again.
//!
//! Start reading at [`Qemu`], then `calls` for what each call does and `status` for what it shows.

mod calls;
mod command;
mod guest;
mod lock;
mod machine;
mod process;
mod qmp;
mod status;
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
use self::usage::Meter;
use super::{
    Changed, Driver, DriverError, DriverFuture, Power, Resources, Server, ServerRef, ServerSpec,
    Term,
};

/// The driver's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QemuOptions {
    /// Where machines are kept. It is made if it is missing.
    pub directory: PathBuf,
    /// QEMU for x86-64: a path, or a name to look for where programs are.
    pub qemu: PathBuf,
    /// QEMU's tool for disk images.
    pub qemu_img: PathBuf,
    /// The accelerator that runs the guests' instructions.
    pub accelerator: Accelerator,
    /// How long a guest may take to power down before it is stopped by force.
    pub grace: Duration,
    /// The image that new disks start from, which must stay where it is and as it is; without one they are empty.
    pub image: Option<PathBuf>,
    /// Whether QEMU denies itself the system calls that it doesn't need. It must be built with seccomp.
    pub sandbox: bool,
    /// More arguments for every machine, such as a network or firmware.
    pub arguments: Vec<OsString>,
}

impl QemuOptions {
    /// Machines in `directory`, with Debian's names of the programs, and 30 seconds to power down.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
            qemu: PathBuf::from("qemu-system-x86_64"),
            qemu_img: PathBuf::from("qemu-img"),
            accelerator: Accelerator::Auto,
            grace: Duration::from_secs(30),
            image: None,
            sandbox: true,
            arguments: Vec::new(),
        }
    }
}

/// The accelerator that runs the guests' instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Accelerator {
    /// KVM where the host lets it be used, else QEMU itself.
    #[default]
    Auto,
    /// The host's processor. Machines don't start without it.
    Kvm,
    /// QEMU itself, slowly.
    Tcg,
}

/// The driver for machines on this host. Clones share what they know.
#[derive(Clone)]
pub struct Qemu {
    shared: Arc<Shared>,
}

struct Shared {
    directory: PathBuf,
    grace: Duration,
    programs: Programs,
    epoch: Epoch,
    meter: Meter,
}

impl Qemu {
    /// A driver over the machines in the directory of `options`, also those that run already.
    ///
    /// # Errors
    ///
    /// If the programs or the image can't be used, the error says what to install; or if the directory can't be made.
    pub async fn new(options: &QemuOptions) -> Result<Self, DriverError> {
        let programs = Programs::find(options).await?;
        let directory = make(&options.directory)
            .map_err(|error| DriverError::failed(options.directory.display(), error))?;
        let shared = Shared {
            epoch: Epoch::in_directory(&directory),
            directory,
            grace: options.grace,
            programs,
            meter: Meter::default(),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// The folder of the server: its disk, and QEMU's log.
    ///
    /// # Errors
    ///
    /// If the object's uid can't name a folder.
    pub fn folder(&self, server: &ServerRef) -> Result<PathBuf, DriverError> {
        Ok(Machine::of(&self.shared.directory, server)?.folder)
    }

    /// The number of the server's QEMU process, if it runs.
    ///
    /// # Errors
    ///
    /// If the object's uid can't name a folder, or processes can't be looked at.
    pub fn pid(&self, server: &ServerRef) -> Result<Option<u32>, DriverError> {
        let process = Machine::of(&self.shared.directory, server)?.process()?;
        Ok(process.and_then(|it| u32::try_from(it.pid).ok()))
    }
}

/// Makes the directory, private to this user, and returns its canonical path, by which processes are recognised.
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
        Box::pin(async { self.shared.epoch.newest() })
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
