//! Brings one machine to what its spec says.
//!
//! Nothing is remembered between two calls but what the API server and the driver say: a process may end after any call, and
//! the next one goes on from there. The order of writes is what makes that safe:
//!
//! 1. the finalizer, before anything is created;
//! 2. the status that announces a step, before the step;
//! 3. the step;
//! 4. the status with its result.
//!
//! When a machine is deleted, the finalizer goes last, once the driver says that nothing is left.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use codegen_runtime::event::EventRecorder;
use codegen_runtime::kube;
use codegen_runtime::kube::ResourceExt;
use codegen_runtime::kube::api::PostParams;
use codegen_runtime::retry;
use codegen_runtime::store::{ObjectKey, WaitError};
use jiff::Timestamp;
use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

use super::crashes::Crashes;
use super::status::changed_usage;
use super::work::Work;
use crate::apis::cloudnative::v1alpha1::{VirtualMachine, VirtualMachinePhase as Phase};
use crate::driver::{DriverError, ServerRef, ServerState, Servers};
use crate::generated::clientset::Clientset;
use crate::generated::clientset::typed::cloudnative::v1alpha1::VirtualMachines;
use crate::generated::listers::cloudnative::v1alpha1::VirtualMachineLister;

/// The finalizer, which holds a machine until its server is gone.
pub const FINALIZER: &str = "cloudnative.czs/virtualmachine";

/// For how long a cache may lag behind this process's own writes.
const CACHE_LAG: Duration = Duration::from_secs(5);

/// The next action for a machine's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing until something changes.
    Done,
    /// Look again after that time.
    After(Duration),
    /// Try again after the key's back-off. What failed is in the status.
    BackOff,
}

/// Why a machine could not be reconciled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReconcileError {
    /// A call of the API server failed.
    #[error("{what}: {source}")]
    Api {
        /// The operation.
        what: &'static str,
        /// The server's answer.
        source: Box<kube::Error>,
    },
    /// A call of the driver failed.
    #[error("{what}: {source}")]
    Driver {
        /// The operation.
        what: &'static str,
        /// The driver's answer.
        source: DriverError,
    },
    /// The cache does not show this process's last write.
    #[error(transparent)]
    Cache(#[from] WaitError),
}

impl ReconcileError {
    /// Whether another client changed the machine meanwhile: not an error, but a reason to look again.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Api { source, .. } if retry::is_conflict(source))
    }

    /// Whether this process no longer leads: no error of the machine's.
    pub fn is_leadership_lost(&self) -> bool {
        let lost = DriverError::LeadershipLost;
        matches!(self, Self::Driver { source, .. } if *source == lost)
    }

    /// Whether the machine is gone.
    fn is_not_found(&self) -> bool {
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

// +kubebuilder:rbac:groups=cloudnative.czs,resources=virtualmachines,verbs=get;list;patch;watch
// +kubebuilder:rbac:groups=cloudnative.czs,resources=virtualmachines/status,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
//
// The Lease of leader election, in the controller's own namespace.
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=create;get;update;watch,namespace=virtualmachine-system

/// The reconciler: machines in, calls of the API server and the driver out.
pub struct Reconciler {
    clientset: Clientset,
    lister: VirtualMachineLister,
    pub(super) servers: Servers,
    pub(super) events: EventRecorder,
    pub(super) poll: Duration,
    pub(super) crashes: Crashes,
    /// This process's last write to each machine that the cache has not shown yet.
    written: Mutex<BTreeMap<ObjectKey, Written>>,
}

/// A write: the object's uid, and the version that it got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    uid: String,
    version: String,
}

impl Reconciler {
    /// A reconciler that reads machines from `lister`, and looks after what is under way every `poll`.
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
            crashes: Crashes::default(),
            written: Mutex::default(),
        }
    }

    /// The machines.
    pub fn lister(&self) -> &VirtualMachineLister {
        &self.lister
    }

    /// The driver, as this process may use it.
    pub fn servers(&self) -> &Servers {
        &self.servers
    }

    /// Brings the machine `key` to what its spec says, as far as it goes without waiting. `retries` says how often this
    /// failed in a row. When `stop` is cancelled no further step begins.
    ///
    /// A machine that is gone is not an error: nothing is left of it, or its finalizer would have kept it.
    ///
    /// # Errors
    ///
    /// If the API server or the driver fails. What concerns the machine rather than this process is in its status then.
    pub async fn reconcile(
        &self,
        key: &ObjectKey,
        retries: u32,
        stop: &CancellationToken,
    ) -> Result<Next, ReconcileError> {
        self.see_own_writes(key).await?;
        let Ok(machine) = self.lister.get(key) else {
            return Ok(Next::Done);
        };
        let machine = VirtualMachine::clone(&machine);
        let result = Work::new(self, self.machines(key), machine)
            .run(retries, stop)
            .await;
        match result {
            Err(error) if error.is_not_found() => Ok(Next::Done),
            result => result,
        }
    }

    /// Writes the usage of `machine`'s server to its status, if it changed. Tells whether the server is in a state that the
    /// machine's phase does not expect: then the machine should be reconciled.
    ///
    /// # Errors
    ///
    /// The driver or the API server fails. A conflict is not an error: the next round retries.
    pub async fn refresh_usage(&self, machine: &VirtualMachine) -> Result<bool, ReconcileError> {
        let status = self.servers.status(&ServerRef::of(machine)).await;
        let server = status.map_err(|source| ReconcileError::Driver {
            what: "status",
            source,
        })?;
        let phase = machine.status.as_ref().map(|status| status.phase);
        let expected = match phase {
            Some(Phase::Active) => ServerState::Running,
            Some(Phase::Stopped) => ServerState::Stopped,
            _ => return Ok(false),
        };
        let Some(server) = server.filter(|server| server.state == expected) else {
            return Ok(true);
        };
        let Some(status) = changed_usage(machine, &server, Timestamp::now()) else {
            return Ok(false);
        };
        let mut changed = machine.clone();
        changed.status = Some(status);
        let key = ObjectKey::of(machine);
        match self.write_status(&self.machines(&key), &changed).await {
            Err(error) if error.is_conflict() || error.is_not_found() => Ok(false),
            result => result.map(|_| false),
        }
    }

    pub(super) fn clientset(&self) -> &Clientset {
        &self.clientset
    }

    fn machines(&self, key: &ObjectKey) -> VirtualMachines {
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

    /// Remembers a write.
    pub(super) fn wrote(&self, machine: &VirtualMachine) {
        if let Some(version) = machine.resource_version() {
            let uid = machine.uid().unwrap_or_default();
            let written = Written { uid, version };
            self.written().insert(ObjectKey::of(machine), written);
        }
    }

    /// Waits until the cache shows what this process wrote last: deciding on less would undo or repeat it.
    async fn see_own_writes(&self, key: &ObjectKey) -> Result<(), ReconcileError> {
        let Some(last) = self.written().get(key).cloned() else {
            return Ok(());
        };
        let lister = &self.lister;
        // Another object has the name now, whose versions may be lower: an API server that lost its data starts its count again.
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

    /// Whether the cache shows the machine as the API server has it: then that has lost what this process wrote.
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
