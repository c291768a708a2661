//! Helpers for the tests of controllers. Not for production: failed expectations panic.
//!
//! [`cluster::Cluster`] is the embedded or real cluster that scenarios run on; [`deploy::Deploy`]
//! checks a controller's deployment files; [`program::Program`] runs a controller's binary as a
//! process. A controller that runs inside the test is the runtime's `fake::Running`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "tests panic on failure"
)]

pub mod cluster;
pub mod deploy;
pub mod program;
