//! The output for the cases of `testdata`, at work: types, clients, listers and informers on the fake clientset.
//!
//! One binary over all golden crates: each more would link the whole of kube, hyper and rustls again.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_names,
    unreachable_pub,
    reason = "a test that cannot go on has failed, and names are its own"
)]

mod features;
mod foo;
mod hyphenated;
mod kubederive;
mod merging;
mod multiversion;
mod network;
mod podset;
mod projects;
mod round_trip;
mod sample_controller;
mod serde_attributes;
mod styled;
mod validation;
mod verbs;
mod virtualmachine;
