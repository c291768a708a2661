//! Usage of servers, refreshed on a timer.

use std::time::Duration;

use codegen_runtime::error::chain;
use codegen_runtime::kube::core::Selector;
use codegen_runtime::store::ObjectKey;
use codegen_runtime::workqueue::WorkQueue;
use futures::StreamExt;
use tokio::time::{MissedTickBehavior, interval};

use super::turn::Turns;
use crate::apis::cloudnative::v1alpha1::VirtualMachinePhase as Phase;

/// The number of machines checked concurrently.
const CONCURRENCY: usize = 16;

/// Checks every machine in a settled phase once per `period`, forever: writes usage that changed,
/// and only enqueues machines that could not be checked, or whose server's state does not match
/// their phase.
pub(super) async fn refresh_usage(turns: &Turns, queue: &WorkQueue<ObjectKey>, period: Duration) {
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The first tick is immediate, when there is nothing to refresh yet.
    ticks.tick().await;
    loop {
        ticks.tick().await;
        let machines = turns.reconciler.lister().list(&Selector::default());
        let settled = machines.iter().filter(|machine| {
            let phase = machine.status.as_ref().map(|status| status.phase);
            matches!(phase, Some(Phase::Active | Phase::Stopped))
                && machine.metadata.deletion_timestamp.is_none()
        });
        futures::stream::iter(settled)
            .for_each_concurrent(CONCURRENCY, async |machine| {
                let Some(turn) = turns.of(machine) else {
                    return;
                };
                let key = ObjectKey::of(&**machine);
                match turn.run(turn.cx.refresh_usage(machine)).await {
                    None | Some(Ok(false)) => {}
                    Some(Ok(true)) => queue.add(key),
                    Some(Err(error)) => {
                        let error = chain(&error);
                        tracing::debug!(machine = %key, %error, "cannot refresh the usage");
                        queue.add(key);
                    }
                }
            })
            .await;
    }
}
