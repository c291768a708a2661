//! The generator's tests: golden crates, rendered errors, transcripts of the command, hostile input, laws, and the invariants of
//! ARCHITECTURE.md.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_names,
    unreachable_pub,
    reason = "a test that cannot go on has failed, and names are its own"
)]

mod architecture;
mod cli;
mod fail;
#[cfg(feature = "go")]
mod go_manifests;
mod golden;
mod hostile;
#[cfg(feature = "go")]
mod hostile_go;
mod hostile_yaml;
mod laws;
#[cfg(feature = "go")]
mod parity;
mod record;
mod rust_model;
mod support;
