//! Deep stacks: readers descend as deep as their input is nested, and input may be nested very deep.

use std::panic::{self, AssertUnwindSafe};

use rayon::ThreadPoolBuilder;

use crate::diag::{Diagnostic, Diagnostics};

/// Stack of a thread that reads; only what is used of it takes memory. Input nested deeper than it can hold is refused by the
/// readers' own limits.
const STACK_BYTES: usize = 256 * 1024 * 1024;

/// Runs the work, and what it does in parallel, on threads with a stack for the deepest input that is read.
///
/// # Errors
///
/// Those of the work; or a finding if no thread can be had or the work panicked, which is a defect.
pub(crate) fn on_deep_stack<T: Send>(
    work: impl FnOnce() -> Result<T, Diagnostics> + Send,
) -> Result<T, Diagnostics> {
    let threads = ThreadPoolBuilder::new()
        .stack_size(STACK_BYTES)
        .build()
        .map_err(|error| Diagnostic::error(format!("no thread to work on: {error}")))?;
    panic::catch_unwind(AssertUnwindSafe(|| threads.install(work))).unwrap_or_else(|_| {
        Err(Diagnostic::error("the generator panicked: please report it").into())
    })
}
