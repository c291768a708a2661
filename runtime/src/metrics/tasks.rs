//! `background_task_*`: tasks that retry on their own. The names are our own: client-go has no such
//! metrics.

use super::owned::owned_series;
use super::series::{Counter, Gauge};

owned_series! {
    /// The series of one task. Clones share them.
    pub(crate) struct TaskMetrics of (task, name) {
        failing: Gauge = TASK_FAILING;
        failures: Counter = TASK_FAILURES;
    }
}

impl TaskMetrics {
    pub(crate) fn failed(&self) {
        self.failures.inc();
        self.set_failing(true);
    }

    pub(crate) fn set_failing(&self, failing: bool) {
        self.failing.set(i64::from(failing));
    }
}
