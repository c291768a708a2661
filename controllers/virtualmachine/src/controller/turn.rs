//! Turns to work on a machine, in the term of the machine's part if the controller is sharded.

use codegen_runtime::controller::{self, Fence};
use codegen_runtime::kube::api::ObjectMeta;
use codegen_runtime::shard::ShardPermit;
use codegen_runtime::store::ObjectKey;

use super::Reconciler;
use crate::apis::cloudnative::v1alpha1::VirtualMachine;
use crate::driver::ServerRef;

/// Gives turns to work on machines.
#[derive(Clone)]
pub(super) struct Turns {
    pub(super) reconciler: Reconciler,
    pub(super) fence: Fence,
}

/// The right to work on a machine, until it is dropped.
pub(super) struct Turn {
    /// Calls the driver in the term of this turn.
    pub(super) cx: Reconciler,
    own: controller::Turn,
}

impl Turns {
    /// Returns a turn for the machine `key`; `None` if it is another process's.
    pub(super) fn of_key(&self, key: &ObjectKey) -> Option<Turn> {
        self.fence.enter(key).map(|own| self.turn(own))
    }

    /// Returns a turn for `machine`; `None` if it is another process's.
    pub(super) fn of(&self, machine: &VirtualMachine) -> Option<Turn> {
        self.fence.enter_object(machine).map(|own| self.turn(own))
    }

    /// Returns a turn for the machine that `server` belonged to; `None` if it is another process's.
    pub(super) fn of_server(&self, server: &ServerRef) -> Option<Turn> {
        self.of(&machine_of(server))
    }

    fn turn(&self, own: controller::Turn) -> Turn {
        let cx = match own.permit() {
            None => self.reconciler.clone(),
            Some(permit) => self.reconciler.in_shard(permit),
        };
        Turn { cx, own }
    }
}

impl Turn {
    /// Runs `work` within the term; `None` if the term ends before.
    pub(super) async fn run<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.own.run(work).await
    }

    /// Whether the machine's part is to be given to another process.
    pub(super) fn is_called_back(&self) -> bool {
        let is_called_back = |permit: &ShardPermit| permit.term().token().is_cancelled();
        self.own.permit().is_some_and(is_called_back)
    }
}

/// Returns what is known of the machine that `server` belongs to.
pub(super) fn machine_of(server: &ServerRef) -> VirtualMachine {
    let metadata = ObjectMeta {
        namespace: Some(server.namespace.clone()),
        name: Some(server.name.clone()),
        uid: Some(server.uid.clone()),
        ..ObjectMeta::default()
    };
    VirtualMachine {
        metadata,
        ..VirtualMachine::default()
    }
}
