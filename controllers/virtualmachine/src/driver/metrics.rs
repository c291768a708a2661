//! `virtualmachine_driver_*`: metrics of the driver's calls and their results.

use std::time::Duration;

use codegen_runtime::metrics::Metrics;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Ended {
    driver: &'static str,
    call: &'static str,
    result: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Called {
    driver: &'static str,
    call: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfDriver {
    driver: &'static str,
}

/// From an in-memory call to one that waits for a guest, in seconds.
const BUCKETS: [f64; 10] = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];

/// The metrics of driver calls. Clones share their series.
#[derive(Clone, Debug)]
pub struct DriverMetrics {
    calls: Family<Ended, Counter>,
    durations: Family<Called, Histogram, fn() -> Histogram>,
    orphans: Family<OfDriver, Gauge>,
    removed: Family<OfDriver, Counter>,
}

impl DriverMetrics {
    /// Registers the metric families with `metrics`; call it once per `Metrics`.
    pub fn register(metrics: &Metrics) -> Self {
        let families = Self::default();
        metrics.register(|registry| {
            registry.register(
                "virtualmachine_driver_calls",
                "Driver calls by result",
                families.calls.clone(),
            );
            registry.register(
                "virtualmachine_driver_call_duration_seconds",
                "Duration of driver calls",
                families.durations.clone(),
            );
            registry.register(
                "virtualmachine_driver_orphaned_servers",
                "Servers whose object is gone",
                families.orphans.clone(),
            );
            registry.register(
                "virtualmachine_driver_orphaned_servers_removed",
                "Servers removed because their object was gone",
                families.removed.clone(),
            );
        });
        families
    }

    pub(super) fn ended(
        &self,
        driver: &'static str,
        call: &'static str,
        result: &'static str,
        took: Duration,
    ) {
        let ended = Ended {
            driver,
            call,
            result,
        };
        self.calls.get_or_create(&ended).inc();
        let called = Called { driver, call };
        self.durations
            .get_or_create(&called)
            .observe(took.as_secs_f64());
    }

    pub(crate) fn orphans(&self, driver: &'static str, count: usize) {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        self.orphans.get_or_create(&OfDriver { driver }).set(count);
    }

    pub(crate) fn orphan_removed(&self, driver: &'static str) {
        self.removed.get_or_create(&OfDriver { driver }).inc();
    }
}

impl Default for DriverMetrics {
    /// Unregistered metrics.
    fn default() -> Self {
        Self {
            calls: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
            orphans: Family::default(),
            removed: Family::default(),
        }
    }
}
