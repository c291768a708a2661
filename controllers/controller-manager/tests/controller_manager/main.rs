//! The loops at work: one suite of scenarios that any implementation can be held to, and crash points of this one.

#![allow(
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a test that cannot go on has failed, and says so"
)]

mod cluster;
mod crash_points;
mod deploy;
mod hostile;
mod program;
mod scenario;
mod selection;
mod support;
