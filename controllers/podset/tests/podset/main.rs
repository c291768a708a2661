//! The controller at work on an embedded API server, and the scenarios also on a real one.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    unreachable_pub,
    reason = "a test that cannot go on has failed, and names are its own"
)]

mod crash_points;
mod demo;
mod deploy;
mod hostile;
mod scenarios;
mod support;
