//! The controller's tests: at work on the fake clientset and on API servers, its drivers, and chaos.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    unreachable_pub,
    reason = "a test that cannot go on has failed, and names are its own"
)]

mod chaos;
mod controller;
mod kubevirt;
mod qemu;
