//! Measures the usage of machines from their processes.

use std::collections::BTreeMap;
use std::time::Duration;

use super::process::{self, Process};
use crate::driver::Usage;
use parking_lot::Mutex;

/// The minimum age of a sample to replace: processor time is only counted in hundredths of a
/// second.
const SHORTEST: Duration = Duration::from_secs(1);

/// The processor time of a process at one point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sample {
    /// The start time of the process, which together with its pid identifies it.
    started: u64,
    pid: i32,
    /// The time since the host booted.
    at: Duration,
    ticks: u64,
}

/// Keeps an earlier sample of each machine's processor time.
#[derive(Default)]
pub(super) struct Meter {
    samples: Mutex<BTreeMap<String, Sample>>,
}

impl Meter {
    /// Returns the usage of the machine `id`'s process since its last sample; at the first call,
    /// since its start.
    pub(super) fn measure(&self, id: &str, process: &Process) -> std::io::Result<Usage> {
        let now = Sample {
            started: process.stat.started,
            pid: process.pid,
            at: process::uptime()?,
            ticks: process.stat.ticks,
        };
        let second = rustix::param::clock_ticks_per_second().max(1);
        let mut samples = self.samples.lock();
        let earlier = samples
            .get(id)
            .filter(|it| (it.started, it.pid) == (now.started, now.pid))
            .copied()
            .unwrap_or_else(|| now.at_start(second));
        if now.at.saturating_sub(earlier.at) >= SHORTEST {
            samples.insert(id.to_owned(), now);
        }
        Ok(Usage {
            millicpus: now.millicpus_since(&earlier, second),
            memory: process.resident(),
        })
    }

    /// Drops the samples of the machine.
    pub(super) fn forget(&self, id: &str) {
        let mut samples = self.samples.lock();
        samples.remove(id);
    }
}

impl Sample {
    /// Returns the sample at the start of the same process; `second` is the number of ticks per
    /// second.
    fn at_start(self, second: u64) -> Self {
        let at = self.started.saturating_mul(1000) / second;
        Self {
            at: Duration::from_millis(at),
            ticks: 0,
            ..self
        }
    }

    /// Returns the usage between two samples in thousandths of a processor; `second` is the number
    /// of ticks per second.
    fn millicpus_since(&self, earlier: &Self, second: u64) -> u64 {
        let ticks = u128::from(self.ticks.saturating_sub(earlier.ticks));
        // A process that was just started may be younger than a tick.
        let elapsed = self.at.saturating_sub(earlier.at).as_millis().max(10);
        u64::try_from(ticks * 1_000_000 / u128::from(second) / elapsed).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at: u64, ticks: u64) -> Sample {
        Sample {
            started: 500,
            pid: 7,
            at: Duration::from_millis(at),
            ticks,
        }
    }

    #[test]
    fn thousandths_of_a_processor() {
        let check = |earlier: (u64, u64), now: (u64, u64), expected| {
            let earlier = sample(earlier.0, earlier.1);
            let found = sample(now.0, now.1).millicpus_since(&earlier, 100);
            assert_eq!(found, expected);
        };
        check((10_000, 100), (12_000, 200), 500);
        check((10_000, 100), (12_000, 500), 2000);
        check((10_000, 100), (12_000, 100), 0);
        // Neither time nor ticks run backwards; if they seem to, the result is zero.
        check((12_000, 200), (10_000, 100), 0);
        check((10_000, 0), (10_000, u64::MAX), u64::MAX);
    }

    #[test]
    fn the_first_look_takes_the_average() {
        let now = sample(7_000, 50);
        assert_eq!(now.at_start(100), sample(5_000, 0));
        assert_eq!(now.millicpus_since(&now.at_start(100), 100), 250);
    }
}
