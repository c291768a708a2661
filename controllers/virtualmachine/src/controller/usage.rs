//! Usage of servers, refreshed on a timer.

use std::time::Duration;

use codegen_runtime::error::chain;
use codegen_runtime::kube::core::Selector;
use codegen_runtime::store::ObjectKey;
use codegen_runtime::workqueue::WorkQueue;
use futures::StreamExt;
use tokio::time::{MissedTickBehavior, interval};

use super::Reconciler;
use crate::apis::cloudnative::v1alpha1::VirtualMachinePhase as Phase;

/// The number of machines checked concurrently.
const CONCURRENCY: usize = 16;

/// Checks every machine in a settled phase once per `period`, forever: writes usage that changed,
/// and only enqueues machines that could not be checked, or whose server's state does not match
/// their phase.
pub(super) async fn refresh_usage(
    reconciler: &Reconciler,
    queue: &WorkQueue<ObjectKey>,
    period: Duration,
) {
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The first tick is immediate, when there is nothing to refresh yet.
    ticks.tick().await;
    loop {
        ticks.tick().await;
        let machines = reconciler.lister().list(&Selector::default());
        let settled = machines.iter().filter(|machine| {
            let phase = machine.status.as_ref().map(|status| status.phase);
            matches!(phase, Some(Phase::Active | Phase::Stopped))
                && machine.metadata.deletion_timestamp.is_none()
        });
        futures::stream::iter(settled)
            .for_each_concurrent(CONCURRENCY, async |machine| {
                let key = ObjectKey::of(&**machine);
                match reconciler.refresh_usage(machine).await {
                    Ok(false) => {}
                    Ok(true) => queue.add(key),
                    Err(error) => {
                        let error = chain(&error);
                        tracing::debug!(machine = %key, %error, "cannot refresh the usage");
                        queue.add(key);
                    }
                }
            })
            .await;
    }
}
