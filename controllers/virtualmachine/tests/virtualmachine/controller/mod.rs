//! Tests of the controller on the fake clientset and on an embedded API server.

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
mod sharded;
mod support;
mod unanswered;
