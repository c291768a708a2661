//! Tests of the controller on an embedded API server; the scenarios also run on a real one.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    unreachable_pub,
    reason = "tests panic on failure and choose their own names"
)]

mod crash_points;
mod demo;
mod deploy;
mod hostile;
mod scenarios;
mod storage_scenarios;
mod support;
