//! The files of the hand-over.

#[path = "../../src/informer/handler.rs"]
pub mod handler;
#[path = "../../src/informer/listener.rs"]
pub mod listener;
#[path = "../../src/informer/processor.rs"]
pub mod processor;
#[path = "../../src/informer/queue.rs"]
pub mod queue;

use crate::sync;

pub use codegen_runtime::informer::InformerError;
