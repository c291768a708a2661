//! Per-task exponential backoff of controllers (`ItemExponentialFailureRateLimiter` in client-go).

use std::collections::BTreeMap;
use std::time::Duration;

use parking_lot::Mutex;

use crate::store::{Key, ResourceId};

/// The delay after the first failure; it doubles with each further one.
const SHORTEST: Duration = Duration::from_millis(5);

/// A unit of a controller's work: the controller's name and the object.
pub(crate) type Task = (&'static str, ResourceId, Key);

#[derive(Debug, Default)]
struct Failures {
    count: u32,
    /// Whether a retry is scheduled.
    waits: bool,
}

/// The failed tasks.
#[derive(Debug, Default)]
pub(crate) struct Backoff(Mutex<BTreeMap<Task, Failures>>);

impl Backoff {
    /// Counts a failure. Returns the delay after which the caller must retry, or `None` if a retry
    /// is already scheduled.
    pub(crate) fn fail(&self, task: &Task, longest: Duration) -> Option<Duration> {
        let mut all = self.0.lock();
        let failures = all.entry(task.clone()).or_default();
        if failures.waits {
            return None;
        }
        let factor = 1 << failures.count.min(30);
        failures.count += 1;
        failures.waits = true;
        Some(SHORTEST.saturating_mul(factor).min(longest))
    }

    /// Records that the scheduled retry of a task starts.
    pub(crate) fn retry(&self, task: &Task) {
        let mut all = self.0.lock();
        match all.get_mut(task) {
            Some(failures) if failures.count > 0 => failures.waits = false,
            // The task succeeded while its retry was scheduled.
            _ => drop(all.remove(task)),
        }
    }

    /// Resets the failures of a task that succeeded. A scheduled retry stays scheduled.
    pub(crate) fn forget(&self, task: &Task) {
        let mut all = self.0.lock();
        match all.get_mut(task) {
            Some(failures) if failures.waits => failures.count = 0,
            _ => drop(all.remove(task)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_start_anew_after_success() {
        let backoff = Backoff::default();
        let task = ("test", ResourceId(1), Key::new("", "a"));
        let longest = Duration::from_millis(30);
        let mut waits = Vec::new();
        for _ in 0..5 {
            let wait = backoff.fail(&task, longest).unwrap();
            // Only one retry is scheduled at a time.
            assert_eq!(backoff.fail(&task, longest), None);
            backoff.retry(&task);
            waits.push(wait.as_millis());
        }
        assert_eq!(waits, [5, 10, 20, 30, 30]);
        backoff.forget(&task);
        assert_eq!(backoff.fail(&task, longest), Some(SHORTEST));
    }

    #[test]
    fn a_task_that_is_done_while_it_waits_leaves_nothing() {
        let backoff = Backoff::default();
        let task = ("test", ResourceId(1), Key::new("", "a"));
        let longest = Duration::from_secs(1);
        for _ in 0..5 {
            backoff.fail(&task, longest);
            backoff.retry(&task);
        }
        backoff.fail(&task, longest);
        backoff.forget(&task);
        // The retry is still scheduled.
        assert_eq!(backoff.fail(&task, longest), None);
        backoff.retry(&task);
        assert!(backoff.0.lock().is_empty());
        assert_eq!(backoff.fail(&task, longest), Some(SHORTEST));
    }
}
