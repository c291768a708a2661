//! What the hand-over is given.

#[path = "../../src/reflector/sink.rs"]
mod sink;

pub use sink::{Change, Replace, Sink};
