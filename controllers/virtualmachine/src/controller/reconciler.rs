//! What reconciliations share: clients, the cache and what this process has written.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::event::EventRecorder;
use codegen_runtime::kube;
use codegen_runtime::kube::ResourceExt;
use codegen_runtime::kube::api::PostParams;
use codegen_runtime::retry;
use codegen_runtime::shard::ShardPermit;
use codegen_runtime::store::{ObjectKey, WaitError};
use parking_lot::{Mutex, MutexGuard};

use super::crashes::Crashes;
use crate::apis::cloudnative::v1alpha1::VirtualMachine;
use crate::driver::{DriverError, Servers};
use crate::generated::clientset::Clientset;
use crate::generated::clientset::typed::cloudnative::v1alpha1::VirtualMachines;
use crate::generated::listers::cloudnative::v1alpha1::VirtualMachineLister;

/// The finalizer, which keeps a machine until its server is gone.
pub const FINALIZER: &str = "cloudnative.czs/virtualmachine";

/// How long to wait for the cache to show this process's own writes.
const CACHE_LAG: Duration = Duration::from_secs(5);

/// The next action for a machine's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Do nothing until something changes.
    Done,
    /// Reconcile again after that time.
    After(Duration),
    /// Retry after the key's back-off. The status reports the failure.
    BackOff,
}

/// Why a machine could not be reconciled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReconcileError {
    /// An API request failed.
    #[error("{what}")]
    Api {
        /// The operation.
        what: &'static str,
        /// The error.
        source: Box<kube::Error>,
    },
    /// A driver call failed.
    #[error("{what}")]
    Driver {
        /// The operation.
        what: &'static str,
        /// The error.
        source: DriverError,
    },
    /// The cache does not show this process's last write.
    #[error(transparent)]
    Cache(#[from] WaitError),
}

impl ReconcileError {
    /// Whether the error is a conflict with another client's write: not a failure, but a reason to
    /// retry.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Api { source, .. } if retry::is_conflict(source))
    }

    /// Whether this process no longer leads: not a failure of the machine.
    pub fn is_leadership_lost(&self) -> bool {
        let lost = DriverError::LeadershipLost;
        matches!(self, Self::Driver { source, .. } if *source == lost)
    }

    /// Whether the machine is gone.
    pub(super) fn is_not_found(&self) -> bool {
        match self {
            Self::Api { source, .. } => {
                matches!(&**source, kube::Error::Api(status) if status.is_not_found())
            }
            _ => false,
        }
    }
}

pub(super) fn api(what: &'static str) -> impl FnOnce(kube::Error) -> ReconcileError {
    move |source| ReconcileError::Api {
        what,
        source: Box::new(source),
    }
}

/// Reconciles machines by calls to the API server and the driver.
#[derive(Clone)]
pub struct Reconciler {
    clientset: Clientset,
    pub(super) lister: VirtualMachineLister,
    pub(super) servers: Servers,
    pub(super) events: EventRecorder,
    pub(super) poll: Duration,
    pub(super) crashes: Arc<Crashes>,
    /// This process's last write to each machine, if the cache does not show it yet.
    written: Arc<Mutex<BTreeMap<ObjectKey, Written>>>,
}

/// A write: the object's uid, and the resulting resourceVersion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    uid: String,
    version: String,
}

impl Reconciler {
    /// Creates a reconciler that reads machines from `lister`, and checks changes in progress every
    /// `poll`.
    pub fn new(
        clientset: Clientset,
        lister: VirtualMachineLister,
        servers: Servers,
        events: EventRecorder,
        poll: Duration,
    ) -> Self {
        Self {
            clientset,
            lister,
            servers,
            events,
            poll,
            crashes: Arc::default(),
            written: Arc::default(),
        }
    }

    /// The lister of machines.
    pub fn lister(&self) -> &VirtualMachineLister {
        &self.lister
    }

    /// The driver, as used by this process.
    pub fn servers(&self) -> &Servers {
        &self.servers
    }

    /// Returns a reconciler with the same state, whose calls of the driver are made in the term of
    /// a shard.
    pub(super) fn in_shard(&self, permit: &ShardPermit) -> Self {
        let mut own = self.clone();
        own.servers = own.servers.in_shard(permit);
        own
    }

    /// Drops what is only known of a machine that this process works on.
    pub(super) fn left(&self, key: &ObjectKey) {
        self.written().remove(key);
    }

    pub(super) fn clientset(&self) -> &Clientset {
        &self.clientset
    }

    pub(super) fn machines(&self, key: &ObjectKey) -> VirtualMachines {
        let namespace = key.namespace().unwrap_or_default();
        self.clientset
            .cloudnative_v1alpha1()
            .virtual_machines(namespace)
    }

    pub(super) async fn write_status(
        &self,
        machines: &VirtualMachines,
        machine: &VirtualMachine,
    ) -> Result<VirtualMachine, ReconcileError> {
        let written = machines
            .update_status(machine, &PostParams::default())
            .await
            .map_err(api("cannot write the status"))?;
        self.wrote(&written);
        Ok(written)
    }

    /// Records a write.
    pub(super) fn wrote(&self, machine: &VirtualMachine) {
        if let Some(version) = machine.resource_version() {
            let uid = machine.uid().unwrap_or_default();
            let written = Written { uid, version };
            self.written().insert(ObjectKey::of(machine), written);
        }
    }

    /// Waits until the cache shows this process's last write: decisions on older data would undo or
    /// repeat it.
    pub(super) async fn see_own_writes(&self, key: &ObjectKey) -> Result<(), ReconcileError> {
        let Some(last) = self.written().get(key).cloned() else {
            return Ok(());
        };
        let lister = &self.lister;
        // A new object has this name, and its versions may be lower: an API server that lost its
        // data restarts its count.
        let is_another = lister
            .get(key)
            .is_ok_and(|cached| cached.uid().as_deref() != Some(&last.uid));
        if !is_another
            && let Err(error) = lister
                .wait_for_resource_version(&last.version, CACHE_LAG)
                .await
            && !self.is_up_to_date(key).await?
        {
            return Err(error.into());
        }
        let mut written = self.written();
        if written.get(key) == Some(&last) {
            written.remove(key);
        }
        Ok(())
    }

    /// Whether the cache matches the API server: if so, the API server has lost this process's
    /// write.
    async fn is_up_to_date(&self, key: &ObjectKey) -> Result<bool, ReconcileError> {
        let live = self.machines(key).get_opt(key.name()).await;
        let live = live.map_err(api("cannot read the machine"))?;
        let cached = self.lister.get(key).ok();
        let version = |machine: &VirtualMachine| (machine.uid(), machine.resource_version());
        Ok(live.as_ref().map(version) == cached.as_deref().map(version))
    }

    pub(super) fn written(&self) -> MutexGuard<'_, BTreeMap<ObjectKey, Written>> {
        self.written.lock()
    }
}

impl fmt::Debug for Reconciler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reconciler")
            .field("servers", &self.servers)
            .finish_non_exhaustive()
    }
}
