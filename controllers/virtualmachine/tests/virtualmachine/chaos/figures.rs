//! The results of a run, and the line that prints them.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use virtualmachine_controller::driver::simulated::Touch;

#[derive(Default)]
pub struct Figures {
    pub seed: u64,
    pub took: Duration,
    pub machines: usize,
    /// How often each event happened.
    pub events: BTreeMap<&'static str, u32>,
    /// The times from the death or the freezing of a leader to the next leader.
    pub fail_overs: Vec<Duration>,
    pub calls: usize,
    pub refused: usize,
    pub epochs: usize,
    pub converged_in: Duration,
    /// The memory of the largest controller, before and after.
    pub memory: (u64, u64),
}

impl Figures {
    pub fn count(&mut self, event: &'static str) {
        *self.events.entry(event).or_default() += 1;
    }

    /// Counts the calls, refusals and epochs of the journal.
    ///
    /// # Panics
    ///
    /// If two epochs overlap, or two processes share an epoch.
    pub fn read(&mut self, journal: &[Touch]) {
        let mut holders: BTreeMap<u64, &str> = BTreeMap::new();
        let mut newest = 0;
        for touch in journal {
            self.calls += 1;
            if touch.refused {
                self.refused += 1;
                continue;
            }
            assert!(
                touch.epoch >= newest,
                "epoch {} after {newest}: {touch:?}",
                touch.epoch
            );
            newest = touch.epoch;
            let holder = *holders.entry(touch.epoch).or_insert(&touch.holder);
            assert_eq!(holder, touch.holder, "two in epoch {newest}: {touch:?}");
        }
        self.epochs = holders.len();
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |time: Duration| time.as_secs_f64();
        write!(
            f,
            "chaos: seed {}, {:.0} s, {} machines:",
            self.seed,
            seconds(self.took),
            self.machines
        )?;
        for (n, (event, times)) in self.events.iter().enumerate() {
            let comma = if n > 0 { "," } else { "" };
            write!(f, "{comma} {event} {times}")?;
        }
        let mut fail_overs = self.fail_overs.clone();
        fail_overs.sort();
        let median = fail_overs
            .get(fail_overs.len() / 2)
            .copied()
            .unwrap_or_default();
        let longest = fail_overs.last().copied().unwrap_or_default();
        let mebibytes = |bytes: u64| bytes >> 20;
        write!(
            f,
            "; {} driver calls in {} epochs, {} refused; fail-over {:.1} s, at most {:.1} s; converged in {:.1} s; memory {} → {} MiB",
            self.calls,
            self.epochs,
            self.refused,
            seconds(median),
            seconds(longest),
            seconds(self.converged_in),
            mebibytes(self.memory.0),
            mebibytes(self.memory.1),
        )
    }
}
