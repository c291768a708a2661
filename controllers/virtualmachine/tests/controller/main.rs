//! The controller at work on the fake clientset and on an embedded API server.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    unreachable_pub,
    reason = "a test that cannot go on has failed, and names are its own"
)]

mod crash_points;
mod deploy;
mod epochs;
mod events;
mod faults;
mod hostile;
mod many;
mod orphans;
mod phases;
mod priorities;
mod processes;
mod qemu;
mod rbac;
mod schema;
mod support;
mod unanswered;
