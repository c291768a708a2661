//! loom's locks and flags in place of the crate's (`src/sync.rs`).

use std::sync::PoisonError;

pub use loom::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
pub use loom::sync::{Mutex, MutexGuard};

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
