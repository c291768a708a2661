//! Tests of the network controller on a fake API server, with a simulated backend and with
//! Neutron's API.

#![allow(
    clippy::unwrap_used,
    unreachable_pub,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests panic on failure"
)]

mod behaviour;
mod crash_points;
mod deploy;
mod fake_neutron;
mod hostile;
mod neutron;
mod openstack;
mod per_deployment;
mod sharded;
mod signals;
mod support;
