//! Who may work on a machine: without shards the process that runs the controller, and otherwise
//! the owner of the machine's part.

use std::future::Future;

use codegen_runtime::controller::ShardGate;
use codegen_runtime::kube::api::ObjectMeta;
use codegen_runtime::leader::Leadership;
use codegen_runtime::shard::ShardPermit;
use codegen_runtime::store::ObjectKey;

use super::Reconciler;
use crate::apis::cloudnative::v1alpha1::VirtualMachine;
use crate::driver::ServerRef;

/// Gives turns to work on machines.
#[derive(Clone)]
pub(super) struct Turns {
    pub(super) reconciler: Reconciler,
    pub(super) leadership: Option<Leadership>,
    pub(super) gate: Option<ShardGate>,
}

/// The right to work on a machine, until it is dropped.
pub(super) struct Turn {
    /// Calls the driver in the term of this turn.
    pub(super) cx: Reconciler,
    term: Option<Leadership>,
    permit: Option<ShardPermit>,
}

impl Turns {
    /// Returns a turn for the machine `key`; `None` if it is another process's.
    pub(super) fn of_key(&self, key: &ObjectKey) -> Option<Turn> {
        self.turn(|gate| gate.enter(key))
    }

    /// Returns a turn for `machine`; `None` if it is another process's.
    pub(super) fn of(&self, machine: &VirtualMachine) -> Option<Turn> {
        self.turn(|gate| gate.enter_object(machine))
    }

    /// Returns a turn for the machine that `server` belonged to; `None` if it is another process's.
    pub(super) fn of_server(&self, server: &ServerRef) -> Option<Turn> {
        self.of(&machine_of(server))
    }

    fn turn(&self, enter: impl FnOnce(&ShardGate) -> Option<ShardPermit>) -> Option<Turn> {
        let Some(gate) = &self.gate else {
            return Some(Turn {
                cx: self.reconciler.clone(),
                term: self.leadership.clone(),
                permit: None,
            });
        };
        let permit = enter(gate)?;
        Some(Turn {
            cx: self.reconciler.in_shard(&permit),
            term: Some(permit.term().clone()),
            permit: Some(permit),
        })
    }
}

impl Turn {
    /// Runs `work` within the term; `None` if the term ends before.
    pub(super) async fn run<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        match &self.term {
            None => Some(work.await),
            Some(term) => term.fence(work).await.ok(),
        }
    }

    /// Whether the machine's part is to be given to another process.
    pub(super) fn is_called_back(&self) -> bool {
        let permit = self.permit.as_ref();
        permit.is_some_and(|permit| permit.term().token().is_cancelled())
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
