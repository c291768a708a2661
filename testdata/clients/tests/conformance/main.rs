//! The output for every case in `testdata`, against an API server: each kind's CRD is installed, every method of
//! its generated client is called, and its generated informer and lister see what comes of it.
//!
//! Every case takes a `kube::Client` that speaks HTTP. By default the server is the embedded one on a port of its own;
//! `CONFORMANCE_KUBECONFIG=…` names a cluster instead. Harness and vocabulary are those of the embedded server's own suite, and
//! `hack/conformance.sh` runs both sides.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_names,
    reason = "all of this is test code, and a case fails by panicking"
)]

#[path = "../../../../apiserver/tests/conformance/harness.rs"]
mod harness;
#[path = "../../../../apiserver/tests/conformance/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "not every suite says everything")]
mod support;

mod annotated;
mod applying;
mod common;
#[cfg_attr(
    not(feature = "projects"),
    allow(dead_code, reason = "the CRDs of projects need more of it")
)]
mod definitions;
mod derived;
#[cfg(feature = "projects")]
mod from_crds;
mod some_verbs;

const SUITE: harness::Suite = harness::Suite {
    prefix: "clients::",
    over_http: true,
    retries: true,
    known: &[],
};
