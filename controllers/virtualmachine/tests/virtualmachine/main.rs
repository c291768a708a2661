//! Tests of the controller on the fake clientset and on API servers, of its drivers, and chaos
//! tests.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    unreachable_pub,
    reason = "tests panic on failure and choose their own names"
)]

mod chaos;
mod controller;
mod kubevirt;
mod qemu;
