//! Interruption: a run that is asked to stop leaves nothing half-written.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use super::Error;

static REQUESTED: AtomicBool = AtomicBool::new(false);
static WRITERS: AtomicUsize = AtomicUsize::new(0);

/// The state that an interruption meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupted {
    /// Nothing of this process is on disk, and nothing will be: it may end at once.
    Idle,
    /// A run is writing. It undoes what it staged, or finishes if it is already renaming, and returns.
    Writing,
}

/// Asks the runs of this process to stop writing, for good: for handlers of signals.
#[must_use]
pub fn interrupt() -> Interrupted {
    REQUESTED.store(true, SeqCst);
    // A writer counts itself before it looks at the request, so one of both sees the other.
    if WRITERS.load(SeqCst) == 0 {
        Interrupted::Idle
    } else {
        Interrupted::Writing
    }
}

/// An error if the process was asked to stop.
pub(super) fn check() -> Result<(), Error> {
    if REQUESTED.load(SeqCst) {
        Err(Error::Interrupted)
    } else {
        Ok(())
    }
}

/// A run that writes, while it lives.
pub(super) struct Writer(());

impl Writer {
    pub(super) fn begin() -> Result<Self, Error> {
        WRITERS.fetch_add(1, SeqCst);
        let writer = Self(());
        check().map(|()| writer)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        WRITERS.fetch_sub(1, SeqCst);
    }
}
