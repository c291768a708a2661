//! The runtime's statements, each pinned by a test named after it.
//!
//! One binary: each more would link the whole of kube, hyper and rustls again. Long sleeps take no time: the tests that wait
//! for more than milliseconds run on a paused clock (`start_paused`).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    unreachable_pub,
    reason = "helpers of tests fail as tests do, and a test binary exports nothing"
)]

mod cache;
mod control;
mod features;
mod transport;
#[cfg(feature = "webhooks")]
mod webhooks;
mod workqueue;
