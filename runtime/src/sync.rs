//! The locks and flags of the hand-overs in `informer` and `workqueue::core`, in one place that
//! loom can replace (`tests/loom/sync.rs`). Other code uses `parking_lot`.

use std::sync::PoisonError;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
pub(crate) use std::sync::{Mutex, MutexGuard};

/// Locks the mutex even after a holder has panicked: every holder leaves its data consistent.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
