//! The sink of the reflector, under loom.

#[path = "../../src/reflector/sink.rs"]
mod sink;

pub use sink::{Change, Replace, Sink};
