//! `virtualmachine_driver_*`: what the controller asks of its driver, and what becomes of it.

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

/// From a call in memory to one that waits for a guest, in seconds.
const BUCKETS: [f64; 10] = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];

/// The metrics of a driver's calls. Clones share their series.
#[derive(Clone, Debug)]
pub struct DriverMetrics {
    calls: Family<Ended, Counter>,
    durations: Family<Called, Histogram, fn() -> Histogram>,
    orphans: Family<OfDriver, Gauge>,
    removed: Family<OfDriver, Counter>,
}

impl DriverMetrics {
    /// Registers the families with `metrics`; once for each set.
    pub fn register(metrics: &Metrics) -> Self {
        let families = Self::default();
        metrics.register(|registry| {
            registry.register(
                "virtualmachine_driver_calls",
                "Calls of the driver, by what became of them",
                families.calls.clone(),
            );
            registry.register(
                "virtualmachine_driver_call_duration_seconds",
                "How long the driver's calls took",
                families.durations.clone(),
            );
            registry.register(
                "virtualmachine_driver_orphaned_servers",
                "Servers whose object is gone, as last seen",
                families.orphans.clone(),
            );
            registry.register(
                "virtualmachine_driver_orphaned_servers_removed",
                "Servers that were removed because their object is gone",
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
    /// Series that nobody scrapes.
    fn default() -> Self {
        Self {
            calls: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
            orphans: Family::default(),
            removed: Family::default(),
        }
    }
}
