//! The files of the hand-over.

#[path = "../../src/informer/handler.rs"]
pub mod handler;
#[path = "../../src/informer/listener.rs"]
pub mod listener;
#[path = "../../src/informer/processor.rs"]
pub mod processor;
#[path = "../../src/informer/queue.rs"]
pub mod queue;

/// The locks and flags of the hand-over, as loom has them.
mod sync {
    pub(super) use loom::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
    pub(super) use loom::sync::{Mutex, MutexGuard};
}

pub use codegen_runtime::informer::InformerError;
