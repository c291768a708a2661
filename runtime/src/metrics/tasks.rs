//! `background_task_*`: tasks that retry on their own. The names are our own: client-go has no such
//! metrics.

use std::sync::Arc;

#[cfg(feature = "prometheus")]
use prometheus_client::encoding::EncodeLabelSet;

use super::owned::{Owner, Owners};
use super::series::{Counter, Family, Gauge, Registry};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "prometheus", derive(EncodeLabelSet))]
struct Labels {
    task: String,
    name: String,
}

/// The series of one task. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct TaskMetrics {
    _owner: Arc<Owner<Labels>>,
    failing: Gauge,
    failures: Counter,
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

pub(super) struct Families {
    failing: Family<Labels, Gauge>,
    failures: Family<Labels, Counter>,
    owners: Owners<Labels>,
}

impl Families {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let failing = Family::<Labels, Gauge>::default();
        let failures = Family::<Labels, Counter>::default();
        let help = "1 while a background task fails, 0 while it works";
        registry.register("background_task_failing", help, failing.clone());
        let help = "Failed tries of a background task";
        registry.register("background_task_failures", help, failures.clone());
        Self {
            failing: failing.clone(),
            failures: failures.clone(),
            owners: Owners::new(move |labels| {
                failing.remove(labels);
                failures.remove(labels);
            }),
        }
    }

    pub(super) fn of(&self, task: &str, name: &str) -> TaskMetrics {
        let labels = Labels {
            task: task.to_owned(),
            name: name.to_owned(),
        };
        TaskMetrics {
            _owner: self.owners.of(&labels),
            failing: self.failing.get_or_create_owned(&labels),
            failures: self.failures.get_or_create_owned(&labels),
        }
    }
}
