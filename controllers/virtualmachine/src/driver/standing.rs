//! Whether the driver takes this process's calls.
//!
//! A driver refuses epochs older than the newest that has called. That is as it should be for a leader that is over. It also
//! happens to the one that leads, when the Lease no longer knows the epochs of before: it was deleted while no contender ran, or the
//! API server came back empty. Such a leader takes a higher epoch, and says so meanwhile.

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
    /// The refusal that nothing has been done about yet.
    refused: Option<Refusal>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Refusal {
    epoch: u64,
    newest: u64,
}

impl Standing {
    /// For readiness checks: an error as long as the driver refuses this process's calls.
    ///
    /// # Errors
    ///
    /// The epochs.
    pub fn check(&self) -> Result<(), String> {
        match self.state().refused {
            None => Ok(()),
            Some(Refusal { epoch, newest }) => Err(format!(
                "the driver refuses epoch {epoch}: {newest} has called"
            )),
        }
    }

    /// The epoch of this process's calls.
    pub(super) fn epoch(&self, leadership: Option<&Leadership>) -> u64 {
        leadership.map_or_else(|| self.state().adopted, Leadership::epoch)
    }

    /// Without leader election nobody else is to be fenced off: calls go on under the newest epoch.
    pub(super) fn adopt(&self, newest: u64) {
        self.state().adopted = newest;
    }

    /// The driver refused `epoch`, since `newest` has called. Takes a higher one if this process leads: the elector finds out.
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
                "the driver refuses this process: a leader has called; run with --leader-elect, or restart"
            );
            return;
        };
        tracing::error!(
            epoch,
            newest,
            "the driver refuses this leader's epoch; taking a higher one"
        );
        let standing = self.clone();
        tokio::spawn(async move { standing.outrank(&leadership, newest).await });
    }

    /// Waits until this leader's epoch is above `newest`; does nothing if it no longer leads.
    pub(super) async fn outrank(&self, leadership: &Leadership, newest: u64) {
        if let Ok(epoch) = leadership.outrank(newest).await {
            tracing::info!(epoch, newest, "took an epoch that the driver admits");
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
            Err("the driver refuses epoch 7: 9 has called".to_owned())
        );
    }
}
