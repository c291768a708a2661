//! Reconciles one machine.
//!
//! All state is in the API server and the driver: a process may end after any call, and the next
//! one continues from there. The order of writes makes that safe:
//!
//! 1. the finalizer, before anything is created;
//! 2. the status that announces a step, before the step;
//! 3. the step;
//! 4. the status with its result.
//!
//! When a machine is deleted, the finalizer is removed last, once the driver reports that the
//! server is gone.

use codegen_runtime::store::ObjectKey;
use jiff::Timestamp;

use super::reconciler::{Next, ReconcileError, Reconciler};
use super::status::changed_usage;
use super::work::Work;
use crate::apis::cloudnative::v1alpha1::{VirtualMachine, VirtualMachinePhase as Phase};
use crate::driver::{ServerRef, ServerState};

// +kubebuilder:rbac:groups=cloudnative.czs,resources=virtualmachines,verbs=get;list;patch;watch
// +kubebuilder:rbac:groups=cloudnative.czs,resources=virtualmachines/status,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
//
// The Leases of leader election and of shards, in the controller's own namespace.
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=create;delete;get;list;update;watch,namespace=virtualmachine-system

impl Reconciler {
    /// Reconciles the machine `key` as far as possible without waiting. `retries` is the number of
    /// consecutive failures. Once `must_stop` returns true, no further step starts.
    ///
    /// A missing machine is not an error: its finalizer is only removed once its server is gone.
    ///
    /// # Errors
    ///
    /// If the API server or the driver fails. Failures of the machine itself are reported in its
    /// status.
    pub async fn reconcile(
        &self,
        key: &ObjectKey,
        retries: u32,
        must_stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Next, ReconcileError> {
        self.see_own_writes(key).await?;
        let Ok(machine) = self.lister.get(key) else {
            return Ok(Next::Done);
        };
        let machine = VirtualMachine::clone(&machine);
        let result = Work::new(self, self.machines(key), machine)
            .run(retries, must_stop)
            .await;
        match result {
            Err(error) if error.is_not_found() => Ok(Next::Done),
            result => result,
        }
    }

    /// Updates the usage in `machine`'s status, if it changed. Returns whether the server's state
    /// does not match the machine's phase, so that the machine should be reconciled.
    ///
    /// # Errors
    ///
    /// If the driver or the API server fails. A conflict is not an error: the next round retries.
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
}
