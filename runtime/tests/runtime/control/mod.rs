//! Tests of the parts of controllers on an embedded API server; each test's name states what it
//! verifies.
//!
//! Long sleeps take no time: tests that wait for more than milliseconds use a paused clock
//! (`start_paused`).

#![allow(dead_code, reason = "the server serves more than each test uses")]

mod applying;
mod caches;
mod clusters;
mod context;
mod controller;
mod convergence;
mod definitions;
mod endpoints;
mod events;
mod examples;
mod finalizers;
mod kinds;
mod leader;
mod leader_config;
mod leaks;
mod manager;
mod mapping;
mod monitoring;
mod one_run;
mod owners;
mod retrying;
mod rig;
mod secure_metrics;
mod server;
mod sharding;
mod shards;
mod sources;
mod spanning;
mod stopping;
mod storage_migration;
mod triggers;
mod upgrading;
mod writing;

use std::time::Duration;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// Lets all other tasks run until they are idle.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}
