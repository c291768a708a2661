//! What the server offers beside the API: sockets, faults, reactors, the record, bounds.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and may print what it measured"
)]

mod support;

#[path = "server/bounds.rs"]
mod bounds;
#[path = "server/controllers.rs"]
mod controllers;
#[path = "server/faults.rs"]
mod faults;
#[path = "server/listener.rs"]
mod listener;
#[path = "server/rbac.rs"]
mod rbac;
#[path = "server/serving.rs"]
mod serving;
