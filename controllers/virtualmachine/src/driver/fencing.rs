//! Whether the driver accepts this process's calls.
//!
//! A driver rejects epochs older than the newest that has called. That is intended for a former
//! leader. It also happens to the current one if the Lease has lost earlier epochs: it was deleted
//! while no candidate ran, or the API server came back empty. Such a leader takes a higher epoch,
//! and reports the problem until it has one.

use std::collections::BTreeMap;
use std::sync::Arc;

use codegen_runtime::leader::Leadership;
use parking_lot::{Mutex, MutexGuard};

/// The driver's verdict on this process's epoch. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Fencing {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// Without leader election: the newest epoch when the driver was first asked.
    adopted: u64,
    /// The rejections that have not been resolved yet, by shard.
    refused: BTreeMap<Option<usize>, Refusal>,
}

/// A call that the driver rejected because it had seen a newer epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) epoch: u64,
    pub(super) newest: u64,
}

impl Fencing {
    /// Returns an error while the driver rejects this process's calls, for readiness checks.
    ///
    /// # Errors
    ///
    /// A message with the rejected and the newest epoch.
    pub fn check(&self) -> Result<(), String> {
        match self.state().refused.values().next() {
            None => Ok(()),
            Some(Refusal { epoch, newest }) => Err(format!(
                "the driver rejects epoch {epoch}: the newest is {newest}"
            )),
        }
    }

    /// Returns the epoch of this process's calls.
    pub(super) fn epoch(&self, leadership: Option<&Leadership>) -> u64 {
        leadership.map_or_else(|| self.state().adopted, Leadership::epoch)
    }

    /// Without leader election there is no one to fence off: calls continue with the newest epoch.
    pub(super) fn adopt(&self, newest: u64) {
        self.state().adopted = newest;
    }

    /// Records that the driver rejected a call. If this process leads, or owns the shard, takes a
    /// higher epoch in the background.
    pub(super) fn refused(
        &self,
        refusal: Refusal,
        shard: Option<usize>,
        leadership: Option<&Leadership>,
    ) {
        let Refusal { epoch, newest } = refusal;
        let before = self.state().refused.insert(shard, refusal);
        if before == Some(refusal) {
            return;
        }
        let Some(leadership) = leadership.cloned() else {
            tracing::error!(
                epoch,
                newest,
                "the driver rejects this process since a leader has called; run with --leader-elect, or restart"
            );
            return;
        };
        tracing::error!(
            epoch,
            newest,
            "the driver rejects this leader's epoch; taking a higher one"
        );
        let fencing = self.clone();
        tokio::spawn(async move { fencing.outrank(&leadership, shard, newest).await });
    }

    /// Waits until the epoch of this term is above `newest`, or the term is over. The refusal of a
    /// shard ends with its term; a leader's ends its process.
    pub(super) async fn outrank(&self, leadership: &Leadership, shard: Option<usize>, newest: u64) {
        match leadership.outrank(newest).await {
            Ok(epoch) => tracing::info!(epoch, newest, "took an epoch that the driver accepts"),
            Err(_) if shard.is_none() => return,
            Err(_) => {}
        }
        let mut state = self.state();
        if state
            .refused
            .get(&shard)
            .is_some_and(|it| it.newest <= newest)
        {
            state.refused.remove(&shard);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_without_election_adopts_and_says_when_it_is_refused() {
        let fencing = Fencing::default();
        assert_eq!((fencing.epoch(None), fencing.check()), (0, Ok(())));
        fencing.adopt(7);
        assert_eq!(fencing.epoch(None), 7);
        let refusal = Refusal {
            epoch: 7,
            newest: 9,
        };
        fencing.refused(refusal, None, None);
        assert_eq!(
            fencing.check(),
            Err("the driver rejects epoch 7: the newest is 9".to_owned())
        );
    }
}
