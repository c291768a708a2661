//! Tests of the runtime; each test's name states what it verifies.
//!
//! There is one binary, as each would link kube, hyper and rustls again. Long sleeps take no time:
//! tests that wait for more than milliseconds use a paused clock (`start_paused`). Those of
//! `conformance` talk to a server over HTTP, with the real clock.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    unreachable_pub,
    reason = "helpers of tests fail as tests do, and a test binary exports nothing"
)]

// The harness of the cases in `conformance`.
#[path = "../../../apiserver/tests/conformance/harness.rs"]
mod harness;
#[path = "../../../apiserver/tests/conformance/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "not every suite says everything")]
mod support;

mod cache;
// The same suite, on packed stores.
mod conformance;
mod control;
mod features;
#[cfg(feature = "packed")]
#[path = "cache/mod.rs"]
#[allow(clippy::duplicate_mod, reason = "one suite, two kinds of stores")]
mod packed_cache;
mod transport;
#[cfg(feature = "webhooks")]
mod webhooks;
mod workqueue;

const SUITE: harness::Suite = harness::Suite {
    prefix: "runtime::",
    over_http: true,
    retries: true,
    known: &[],
};
