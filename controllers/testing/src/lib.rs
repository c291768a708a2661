//! Helpers for the tests of controllers. Never for production builds: failed expectations panic.
//!
//! [`cluster::Cluster`] is where scenarios run, embedded or real; [`deploy::Deploy`] checks the files that a controller is deployed
//! with; [`program::Program`] is a controller's binary as a process. A controller at work is the runtime's `fake::Running`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "a test that cannot go on has failed"
)]

pub mod cluster;
pub mod deploy;
pub mod program;
