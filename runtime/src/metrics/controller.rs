//! `controller_runtime_*`: the metrics of reconcilers.

#[cfg(feature = "prometheus")]
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "prometheus")]
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue, LabelValueEncoder};

use super::owned::{Owner, Owners};
use super::series::{Counter, Family, Gauge, Histogram, Registry};
use super::table;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "prometheus", derive(EncodeLabelSet))]
struct Labels {
    controller: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "prometheus", derive(EncodeLabelSet))]
struct ResultLabels {
    controller: String,
    result: ReconcileResult,
}

/// The outcome of a reconciliation: the `result` label of `controller_runtime_reconcile_total`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReconcileResult {
    /// Done until something changes.
    Success,
    /// The reconciler requested to run again after its back-off.
    Requeue,
    /// The reconciler requested to run again after a specified delay.
    RequeueAfter,
    /// The reconciliation failed, panicked or timed out.
    Error,
}

impl ReconcileResult {
    const ALL: [Self; 4] = [
        Self::Success,
        Self::Requeue,
        Self::RequeueAfter,
        Self::Error,
    ];

    /// Returns the label's value.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Requeue => "requeue",
            Self::RequeueAfter => "requeue_after",
            Self::Error => "error",
        }
    }
}

#[cfg(feature = "prometheus")]
impl EncodeLabelValue for ReconcileResult {
    fn encode(&self, encoder: &mut LabelValueEncoder) -> Result<(), fmt::Error> {
        EncodeLabelValue::encode(&self.as_str(), encoder)
    }
}

/// The series of one controller. Clones share them.
#[derive(Debug, Clone)]
pub struct ControllerMetrics {
    _owner: Arc<Owner<Labels>>,
    totals: [Counter; 4],
    errors: Counter,
    terminal_errors: Counter,
    panics: Counter,
    mapping_panics: Counter,
    timeouts: Counter,
    time: Histogram,
    /// `controller_runtime_max_concurrent_reconciles`.
    max_concurrent: Gauge,
    /// `controller_runtime_active_workers`.
    active: Gauge,
}

impl ControllerMetrics {
    pub(crate) fn set_max_concurrent(&self, workers: usize) {
        self.max_concurrent
            .set(i64::try_from(workers).unwrap_or(i64::MAX));
    }

    /// Counts a worker as busy until the guard is dropped.
    pub(crate) fn busy(&self) -> Busy<'_> {
        self.active.inc();
        Busy(&self.active)
    }

    pub(crate) fn finished(&self, result: ReconcileResult, took: Duration) {
        let [success, requeue, requeue_after, error] = &self.totals;
        match result {
            ReconcileResult::Success => success.inc(),
            ReconcileResult::Requeue => requeue.inc(),
            ReconcileResult::RequeueAfter => requeue_after.inc(),
            ReconcileResult::Error => {
                self.errors.inc();
                error.inc()
            }
        };
        self.time.observe(took.as_secs_f64());
    }

    pub(crate) fn terminal_error(&self) {
        self.terminal_errors.inc();
    }

    pub(crate) fn panicked(&self) {
        self.panics.inc();
    }

    /// Counts a panic of a predicate or mapping.
    pub(crate) fn mapping_panicked(&self) {
        self.mapping_panics.inc();
    }

    pub(crate) fn timed_out(&self) {
        self.timeouts.inc();
    }
}

/// A busy worker.
pub(crate) struct Busy<'a>(&'a Gauge);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.dec();
    }
}

pub(super) struct Families {
    totals: Family<ResultLabels, Counter>,
    errors: Family<Labels, Counter>,
    terminal_errors: Family<Labels, Counter>,
    panics: Family<Labels, Counter>,
    mapping_panics: Family<Labels, Counter>,
    timeouts: Family<Labels, Counter>,
    time: Family<Labels, Histogram, fn() -> Histogram>,
    max_concurrent: Family<Labels, Gauge>,
    active: Family<Labels, Gauge>,
    owners: Owners<Labels>,
}

/// controller-runtime's buckets, in seconds.
const BUCKETS: [f64; 40] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9,
    1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0,
    25.0, 30.0, 40.0, 50.0, 60.0,
];

impl Families {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let families = Self::new();
        table::RECONCILE_ERRORS.register(registry, families.errors.clone());
        table::TERMINAL_RECONCILE_ERRORS.register(registry, families.terminal_errors.clone());
        table::RECONCILE_PANICS.register(registry, families.panics.clone());
        table::RECONCILE_TIMEOUTS.register(registry, families.timeouts.clone());
        table::MAPPING_PANICS.register(registry, families.mapping_panics.clone());
        table::RECONCILES.register(registry, families.totals.clone());
        table::RECONCILE_TIME.register(registry, families.time.clone());
        table::MAX_CONCURRENT_RECONCILES.register(registry, families.max_concurrent.clone());
        table::ACTIVE_WORKERS.register(registry, families.active.clone());
        families
    }

    fn new() -> Self {
        let totals = Family::<ResultLabels, Counter>::default();
        let counters: [Family<Labels, Counter>; 5] = Default::default();
        let seconds: fn() -> Histogram = || Histogram::new(BUCKETS);
        let time = Family::<Labels, Histogram, _>::new_with_constructor(seconds);
        let gauges: [Family<Labels, Gauge>; 2] = Default::default();
        let [errors, terminal_errors, panics, mapping_panics, timeouts] = counters.clone();
        let [max_concurrent, active] = gauges.clone();
        Self {
            totals: totals.clone(),
            errors,
            terminal_errors,
            panics,
            mapping_panics,
            timeouts,
            time: time.clone(),
            max_concurrent,
            active,
            owners: Owners::new(move |labels: &Labels| {
                for result in ReconcileResult::ALL {
                    let controller = labels.controller.clone();
                    totals.remove(&ResultLabels { controller, result });
                }
                for counter in &counters {
                    counter.remove(labels);
                }
                for gauge in &gauges {
                    gauge.remove(labels);
                }
                time.remove(labels);
            }),
        }
    }

    pub(super) fn of(&self, name: &str) -> ControllerMetrics {
        let labels = Labels {
            controller: name.to_owned(),
        };
        let total = |result| {
            let labels = ResultLabels {
                controller: name.to_owned(),
                result,
            };
            self.totals.get_or_create_owned(&labels)
        };
        ControllerMetrics {
            _owner: self.owners.of(&labels),
            totals: ReconcileResult::ALL.map(total),
            errors: self.errors.get_or_create_owned(&labels),
            terminal_errors: self.terminal_errors.get_or_create_owned(&labels),
            panics: self.panics.get_or_create_owned(&labels),
            mapping_panics: self.mapping_panics.get_or_create_owned(&labels),
            timeouts: self.timeouts.get_or_create_owned(&labels),
            time: self.time.get_or_create_owned(&labels),
            max_concurrent: self.max_concurrent.get_or_create_owned(&labels),
            active: self.active.get_or_create_owned(&labels),
        }
    }
}
