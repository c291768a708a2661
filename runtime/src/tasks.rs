//! Background tasks that can fail for ever: what each of them reports while it fails.
//!
//! Such a task retries on its own, and nobody waits for its result. Without a report, a replica
//! that lacks a permission looks healthy. [`TASKS`] lists them all; the README has the same table.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::metrics::{Metrics, TaskMetrics};

/// The time between two log lines about a task that keeps failing.
const REMIND: Duration = Duration::from_secs(60);

/// How long a task may fail before `/readyz` says so: a few retries.
const GRACE: Duration = Duration::from_secs(10);

/// A kind of task that can fail for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Election,
    Events,
    Informer,
    Cluster,
    Certificate,
    Registration,
    MetricsCertificate,
    Shards,
}

/// What `/readyz` does about a task that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// It fails.
    Fails,
    /// It lists the task as degraded, and passes.
    Warns,
}

/// The row of a kind of task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// What the task does, as in "cannot get the Lease".
    pub(crate) does: &'static str,
    /// The `task` label of the metric, or the metric of its own.
    pub(crate) metric: &'static str,
    /// What is logged, at WARN.
    #[cfg_attr(not(test), expect(dead_code, reason = "compared with the README"))]
    pub(crate) log: &'static str,
    /// The check of `/readyz`, and what it does.
    pub(crate) check: (&'static str, Check),
}

/// All kinds of tasks that can fail for ever.
pub(crate) const TASKS: [(Task, Row); 8] = [
    (
        Task::Election,
        Row {
            does: "get the Lease",
            metric: "leader-election",
            log: "at once, then once a minute",
            check: ("leaderElection", Check::Fails),
        },
    ),
    (
        Task::Shards,
        Row {
            does: "read and write who owns which shard",
            metric: "shards",
            log: "at once, then once a minute",
            check: ("shards", Check::Fails),
        },
    ),
    (
        Task::Events,
        Row {
            does: "write events",
            metric: "events",
            log: "refused events once for each reason; otherwise at once, then once a minute",
            check: ("events", Check::Warns),
        },
    ),
    (
        Task::Certificate,
        Row {
            does: "renew the webhook certificate",
            metric: "webhook-certificate",
            log: "at once, then once a minute",
            check: ("webhookCertificate", Check::Warns),
        },
    ),
    (
        Task::Registration,
        Row {
            does: "register the webhook certificate with its clients",
            metric: "webhook-registration",
            log: "at once, then once a minute",
            check: ("webhookRegistration", Check::Warns),
        },
    ),
    (
        Task::MetricsCertificate,
        Row {
            does: "renew the metrics certificate",
            metric: "metrics-certificate",
            log: "at once, then once a minute",
            check: ("metricsCertificate", Check::Warns),
        },
    ),
    (
        Task::Cluster,
        Row {
            does: "run the controllers of a cluster",
            metric: "cluster",
            log: "at once, then once a minute",
            check: ("clusters", Check::Warns),
        },
    ),
    (
        Task::Informer,
        Row {
            does: "list and watch",
            metric: "reflector_failing",
            log: "each try, after a back-off of up to 30 to 60 s",
            check: ("informers", Check::Warns),
        },
    ),
];

impl Task {
    pub(crate) fn row(self) -> Row {
        let found = TASKS.iter().find(|(task, _)| *task == self);
        // The test below finds a row for each.
        found.unwrap_or(&TASKS[0]).1
    }
}

/// The state of one task. Clones share it.
#[derive(Clone)]
pub(crate) struct Progress {
    task: Task,
    /// The name of what it works on, such as a Lease.
    name: Arc<str>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    failure: Option<Failure>,
    metrics: Option<TaskMetrics>,
}

struct Failure {
    since: Instant,
    told: Option<Instant>,
    error: String,
}

impl Progress {
    pub(crate) fn new(task: Task, name: &str) -> Self {
        Self {
            task,
            name: name.into(),
            state: Arc::default(),
        }
    }

    /// Reports to `metrics`, unless it reports already.
    pub(crate) fn report_to(&self, metrics: &Metrics) {
        let mut state = self.state.lock();
        let create = || metrics.task(self.task.row().metric, &self.name);
        let failing = state.failure.is_some();
        state
            .metrics
            .get_or_insert_with(create)
            .set_failing(failing);
    }

    pub(crate) fn task(&self) -> Task {
        self.task
    }

    /// Records a failed try, and logs it at WARN: the first one, then one a minute.
    pub(crate) fn failed(&self, error: impl fmt::Display) {
        let now = Instant::now();
        let error = error.to_string();
        let due = {
            let mut state = self.state.lock();
            let failure = state.record(now, &error);
            let due = failure.told.is_none_or(|told| now - told >= REMIND);
            if due {
                failure.told = Some(now);
            }
            due.then(|| now - failure.since)
        };
        if let Some(failing_for) = due {
            let seconds = failing_for.as_secs();
            tracing::warn!(task = self.task.row().metric, name = %self.name, seconds, error, "cannot {}", self.task.row().does);
        }
    }

    /// Like [`Self::failed`], for a failure that the caller has logged.
    pub(crate) fn failed_and_told(&self, error: impl fmt::Display) {
        let now = Instant::now();
        self.state.lock().record(now, &error.to_string()).told = Some(now);
    }

    /// Records a try that succeeded.
    pub(crate) fn works(&self) {
        let mut state = self.state.lock();
        let failure = state.failure.take();
        if let (Some(_), Some(metrics)) = (&failure, &state.metrics) {
            metrics.set_failing(false);
        }
        drop(state);
        if let Some(Failure {
            since,
            told: Some(_),
            ..
        }) = failure
        {
            let seconds = since.elapsed().as_secs();
            tracing::info!(task = self.task.row().metric, name = %self.name, seconds, "can {} again", self.task.row().does);
        }
    }

    /// Fails while the task has been failing for longer than a few retries take.
    pub(crate) fn check(&self) -> Result<(), String> {
        match &self.state.lock().failure {
            Some(failure) if failure.since.elapsed() >= GRACE => Err(format!(
                "cannot {} ({}) for {} s: {}",
                self.task.row().does,
                self.name,
                failure.since.elapsed().as_secs(),
                failure.error
            )),
            _ => Ok(()),
        }
    }

    /// Returns the last error, while the task fails.
    pub(crate) fn error(&self) -> Option<String> {
        let state = self.state.lock();
        Some(state.failure.as_ref()?.error.clone())
    }
}

impl State {
    fn record(&mut self, now: Instant, error: &str) -> &mut Failure {
        if let Some(metrics) = &self.metrics {
            metrics.failed();
        }
        let failure = self.failure.get_or_insert_with(|| Failure {
            since: now,
            told: None,
            error: String::new(),
        });
        error.clone_into(&mut failure.error);
        failure
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress")
            .field("task", &self.task)
            .field("name", &self.name)
            .field("error", &self.error())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_readme_has_the_table_of_tasks() {
        let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
        let readme = fs::read_to_string(readme).unwrap();
        for (task, row) in TASKS {
            assert_eq!(task.row().metric, row.metric);
            let (check, effect) = row.check;
            let effect = match effect {
                Check::Fails => "fails after 10 s",
                Check::Warns => "degraded after 10 s",
            };
            let metric = match task {
                Task::Informer => format!("`{}`", row.metric),
                _ => format!("`background_task_failing{{task=\"{}\"}}`", row.metric),
            };
            let line = format!(
                "| {} | {} | {metric} | `{check}`: {effect} |",
                row.does, row.log
            );
            assert!(readme.contains(&line), "README.md lacks\n{line}");
        }
        let rows = readme.matches(" after 10 s |").count();
        assert_eq!(rows, TASKS.len(), "rows of the README's table");
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_that_fails_is_told_after_a_few_tries_and_until_it_works() {
        let metrics = Metrics::new();
        let progress = Progress::new(Task::Election, "lock");
        progress.report_to(&metrics);
        progress.failed("no permission");
        assert_eq!(progress.check(), Ok(()));
        assert_eq!(progress.error().as_deref(), Some("no permission"));
        tokio::time::advance(GRACE).await;
        progress.failed("no namespace");
        let expected = "cannot get the Lease (lock) for 10 s: no namespace";
        assert_eq!(progress.check(), Err(expected.to_owned()));
        #[cfg(feature = "prometheus")]
        {
            let labels = "{task=\"leader-election\",name=\"lock\"}";
            let text = metrics.encode().unwrap();
            assert!(
                text.contains(&format!("background_task_failing{labels} 1")),
                "{text}"
            );
            assert!(text.contains(&format!("background_task_failures_total{labels} 2")));
        }
        progress.works();
        assert_eq!(progress.check(), Ok(()));
        #[cfg(feature = "prometheus")]
        {
            drop(progress);
            let text = metrics.encode().unwrap();
            assert!(!text.contains("leader-election"), "{text}");
        }
    }
}
