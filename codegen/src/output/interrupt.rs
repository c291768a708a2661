//! Interruption: an interrupted run leaves no partial output.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use super::Error;

static REQUESTED: AtomicBool = AtomicBool::new(false);
static WRITERS: AtomicUsize = AtomicUsize::new(0);

/// The state of the process when it is interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupted {
    /// This process has no files in progress and will not write any: it may exit at once.
    Idle,
    /// A run is writing. It removes its staged files, or finishes if it is already renaming, and
    /// returns.
    Writing,
}

/// Permanently asks the runs of this process to stop writing; for signal handlers.
#[must_use]
pub fn interrupt() -> Interrupted {
    REQUESTED.store(true, SeqCst);
    // A writer registers itself before it checks the request, so at least one side sees the other.
    if WRITERS.load(SeqCst) == 0 {
        Interrupted::Idle
    } else {
        Interrupted::Writing
    }
}

/// Returns an error if the process was interrupted.
pub(super) fn check() -> Result<(), Error> {
    if REQUESTED.load(SeqCst) {
        Err(Error::Interrupted)
    } else {
        Ok(())
    }
}

/// Registers a writing run until it is dropped.
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
