//! Tests of the generator: golden crates, rendered errors, command transcripts, hostile input,
//! properties, and the invariants of ARCHITECTURE.md.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_names,
    unreachable_pub,
    reason = "a panic fails the test, and placeholder names are fine"
)]

mod architecture;
mod book;
mod cli;
mod codes;
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
