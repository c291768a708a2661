//! Tests of the code generated for the cases of `testdata`.
//!
//! - On the fake clientset: types, clients, listers and informers.
//! - Against an API server (`common`, and modules with `cases!`): each kind's CRD is installed, every method of its generated client is
//!   called, and its generated informer and lister see the results. Every case takes a `kube::Client` that speaks HTTP. By default the
//!   server is an embedded one on its own port; `CONFORMANCE_KUBECONFIG=…` names a cluster instead. Harness and vocabulary are those of the
//!   embedded server's own suite, and `hack/conformance.sh` runs both.
//!
//! One binary for all golden crates: each additional one would compile the code of all their types again, and link all of kube, hyper and
//! rustls.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_names,
    unreachable_pub,
    reason = "tests panic on failure and choose their own names"
)]

#[path = "../../../../apiserver/tests/conformance/harness.rs"]
mod harness;
#[path = "../../../../apiserver/tests/conformance/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "not every suite says everything")]
mod support;

mod annotated;
mod applying;
mod book;
mod common;
mod conversions;
#[cfg_attr(
    not(feature = "projects"),
    allow(dead_code, reason = "the CRDs of projects need more of it")
)]
mod defaults;
mod definitions;
mod derived;
mod features;
mod foo;
#[cfg(feature = "projects")]
mod from_crds;
mod hyphenated;
mod kinds_anywhere;
mod kubederive;
mod merging;
mod multiversion;
mod network;
mod podset;
mod projects;
mod round_trip;
mod sample_controller;
mod serde_attributes;
mod some_verbs;
mod styled;
mod validation;
mod verbs;
mod virtualmachine;

const SUITE: harness::Suite = harness::Suite {
    prefix: "clients::",
    over_http: true,
    retries: true,
    known: &[],
};
