//! Latency: `cargo bench -p codegen-runtime --bench latency`.
//!
//! - From a watch event on the wire to the start of its reconciliation, on an idle controller.
//! - From the end of a leader to the first work of the next one, between real processes and over
//!   HTTP: with a leader that is asked to stop, and with one that is killed.
//!
//! The contenders are further processes of this program, started with `contend`.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot run has no figure, and what it finds it prints"
)]
#![allow(missing_docs, reason = "a binary exports nothing")]

mod failover;
mod reconcile;

use std::time::Duration;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, url, identity] = &arguments[..]
        && role == "contend"
    {
        return failover::contend(url, identity);
    }
    report("event to reconcile start", reconcile::measure(2_000));
    report(
        "fail-over, leader told to stop",
        failover::measure(8, false),
    );
    report("fail-over, leader killed", failover::measure(4, true));
    println!(
        "(lease duration {:?}, renew deadline {:?}, retry period {:?})",
        failover::LEASE,
        failover::RENEW,
        failover::RETRY
    );
}

/// Prints the median, the 99th percentile and the longest of `times`.
fn report(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
    println!(
        "{what:<32} median {:>10.3?}   p99 {:>10.3?}   max {:>10.3?}   of {}",
        at(0.5),
        at(0.99),
        at(1.0),
        times.len()
    );
}
