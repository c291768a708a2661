//! Chaos: three controllers, an API server and a proxy between them, each in its own process that
//! is killed, frozen or emptied, while machines are created, changed and deleted on a driver with
//! faults. Everything is on loopback, bounded in time, and derived from a seed.
//!
//! Run by `hack/chaos.sh`. In the end servers and objects must match, the driver's journal must
//! show one epoch at a time, and memory must be back to its initial level.

mod figures;
mod machines;
mod processes;
mod roles;
mod run;

use std::time::Duration;

use crate::chaos::run::Plan;

/// Reads a number from the environment.
pub fn number(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name}={text:?} is not a number")),
        Err(_) => otherwise,
    }
}

/// Ignored because it takes minutes and kills processes: `hack/chaos.sh` runs it, in CI for a
/// minute.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: hack/chaos.sh"]
async fn chaos() {
    let plan = Plan {
        time: Duration::from_secs(number("CHAOS_SECONDS", 60)),
        seed: number("CHAOS_SEED", 1),
        machines: usize::try_from(number("CHAOS_MACHINES", 100)).unwrap(),
    };
    println!("{}", run::run(&plan).await);
}
