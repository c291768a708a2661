//! Threads: one pool for all parallel work of the process, with stacks large enough for the deepest
//! input.
//!
//! Readers recurse as deep as their input is nested. Their own limits reject input that these
//! stacks cannot hold.

use std::{
    io,
    panic::{self, AssertUnwindSafe},
    sync::OnceLock,
};

use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};

use crate::diag::Diagnostic;

/// Stack size of a thread, in bytes; only the used part is committed.
const STACK_BYTES: usize = 256 * 1024 * 1024;

/// Runs the work, and its parallel parts, on the pool. Nested calls share the pool's threads.
///
/// # Errors
///
/// No thread can be started, or the work panicked, which is a bug.
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

/// Applies the work to each item on the pool; results are in the order of the items.
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

/// Runs both in parallel on the pool; outside of the pool, one after the other.
pub(crate) fn join(first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    if rayon::current_thread_index().is_some() {
        rayon::join(first, second);
    } else {
        first();
        second();
    }
}

/// Drops a value on an idle thread of the pool; outside of the pool, on the current thread.
/// Dropping a large tree of small objects takes as long as building it.
#[expect(clippy::disallowed_methods, reason = "in the pool of the caller")]
pub(crate) fn discard<T: Send + 'static>(value: T) {
    if rayon::current_thread_index().is_some() {
        rayon::spawn(move || drop(value));
    }
}
