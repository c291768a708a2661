//! The runtime against an API server: informers, leader election, events, finalizers, apply, controllers and typed clients.
//!
//! Every case takes a `kube::Client` that speaks HTTP and knows nothing of the server behind it. By default that is the
//! embedded server on a port of its own; `CONFORMANCE_KUBECONFIG=…` names a cluster instead, as for the conformance suite of
//! the embedded server, whose harness and vocabulary these cases share. `hack/conformance.sh` runs both sides.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "all of this is test code, and a case fails by panicking"
)]

#[path = "../../../apiserver/tests/conformance/harness.rs"]
mod harness;
#[path = "../../../apiserver/tests/conformance/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "not every suite says everything")]
mod support;

mod apply;
mod common;
mod configurations;
mod controllers;
mod dynamic;
mod events;
mod finalizers;
mod informers;
mod leader;
mod reflectors;
mod typed_client;

const SUITE: harness::Suite = harness::Suite {
    prefix: "runtime::",
    over_http: true,
    retries: true,
    known: &[],
};
