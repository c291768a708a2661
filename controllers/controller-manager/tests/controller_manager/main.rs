//! Tests of the loops: scenarios that any implementation can run, and crash points of this one.

#![allow(
    clippy::expect_used,
    clippy::print_stderr,
    reason = "tests panic on failure and print messages"
)]

mod cluster;
mod crash_points;
mod deploy;
mod hostile;
mod program;
mod scenario;
mod selection;
mod support;
