//! Whether the driver accepts this process's calls.
//!
//! A driver rejects epochs older than the newest that has called. That is intended for a former
//! leader. It also happens to the current one if the Lease has lost earlier epochs: it was deleted
//! while no candidate ran, or the API server came back empty. Such a leader takes a higher epoch,
//! and reports the problem until it has one.

use std::sync::Arc;

use codegen_runtime::leader::Leadership;
use parking_lot::{Mutex, MutexGuard};

/// The driver's verdict on this process's epoch. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// Without leader election: the newest epoch when the driver was first asked.
    adopted: u64,
    /// A rejection that has not been resolved yet.
    refused: Option<Refusal>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Refusal {
    epoch: u64,
    newest: u64,
}

impl Standing {
    /// Returns an error while the driver rejects this process's calls, for readiness checks.
    ///
    /// # Errors
    ///
    /// A message with the rejected and the newest epoch.
    pub fn check(&self) -> Result<(), String> {
        match self.state().refused {
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

    /// Records that the driver rejected `epoch` because it has seen `newest`. If this process
    /// leads, takes a higher epoch in the background.
    pub(super) fn refused(&self, epoch: u64, newest: u64, leadership: Option<&Leadership>) {
        let refusal = Refusal { epoch, newest };
        let before = self.state().refused.replace(refusal);
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
        let standing = self.clone();
        tokio::spawn(async move { standing.outrank(&leadership, newest).await });
    }

    /// Waits until this leader's epoch is above `newest`; does nothing if this process no longer
    /// leads.
    pub(super) async fn outrank(&self, leadership: &Leadership, newest: u64) {
        if let Ok(epoch) = leadership.outrank(newest).await {
            tracing::info!(epoch, newest, "took an epoch that the driver accepts");
            let mut state = self.state();
            if state.refused.is_some_and(|it| it.newest <= newest) {
                state.refused = None;
            }
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
        let standing = Standing::default();
        assert_eq!((standing.epoch(None), standing.check()), (0, Ok(())));
        standing.adopt(7);
        assert_eq!(standing.epoch(None), 7);
        standing.refused(7, 9, None);
        assert_eq!(
            standing.check(),
            Err("the driver rejects epoch 7: the newest is 9".to_owned())
        );
    }
}
