//! Threads: one pool for all parallel work of the process, with stacks for the deepest input.
//!
//! Readers descend as deep as their input is nested. Their own limits refuse input that these stacks cannot hold.

use std::{
    io,
    panic::{self, AssertUnwindSafe},
    sync::OnceLock,
};

use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};

use crate::diag::Diagnostic;

/// Stack of a thread, in bytes; only what is used of it takes memory.
const STACK_BYTES: usize = 256 * 1024 * 1024;

/// Runs the work, and what it does in parallel, on the pool. Runs inside of one another share its threads.
///
/// # Errors
///
/// No thread can be started, or the work panicked, which is a defect.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that starts threads"
)]
pub(crate) fn run<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Diagnostic> {
    static POOL: OnceLock<Result<ThreadPool, String>> = OnceLock::new();
    let pool = POOL.get_or_init(|| {
        ThreadPoolBuilder::new()
            .stack_size(STACK_BYTES)
            .build()
            .map_err(|error| error.to_string())
    });
    let pool = pool
        .as_ref()
        .map_err(|error| Diagnostic::error(format!("cannot start threads: {error}")))?;
    panic::catch_unwind(AssertUnwindSafe(|| pool.install(work)))
        .map_err(|_| Diagnostic::error("the generator panicked: please report it"))
}

/// Does the work for each item, on the pool; what comes of it is in the order of the items.
///
/// # Errors
///
/// As [`run`].
pub(crate) fn map<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Send + Sync,
) -> io::Result<Vec<R>> {
    run(|| items.par_iter().map(work).collect()).map_err(|failed| io::Error::other(failed.message))
}

/// Does both, at once on two threads of the pool; outside of the pool, one after the other.
pub(crate) fn join(first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    if rayon::current_thread_index().is_some() {
        rayon::join(first, second);
    } else {
        first();
        second();
    }
}

/// Drops a value on whichever thread of the pool has nothing else to do; outside of the pool, here. Taking down a large tree of
/// small things takes as long as making it.
#[expect(clippy::disallowed_methods, reason = "in the pool of the caller")]
pub(crate) fn discard<T: Send + 'static>(value: T) {
    if rayon::current_thread_index().is_some() {
        rayon::spawn(move || drop(value));
    }
}
