//! `controller_runtime_webhook_*`: controller-runtime's metrics of webhooks.

use std::time::Instant;

#[cfg(feature = "prometheus")]
use prometheus_client::encoding::EncodeLabelSet;

use super::series::{Counter, Family, Gauge, Histogram, Registry, exponential_buckets};
use super::table;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "prometheus", derive(EncodeLabelSet))]
struct ResultLabels {
    webhook: String,
    code: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "prometheus", derive(EncodeLabelSet))]
struct Labels {
    /// The path.
    webhook: String,
}

/// The series of all webhooks. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct WebhookMetrics {
    requests: Family<ResultLabels, Counter>,
    latency: Family<Labels, Histogram, fn() -> Histogram>,
    in_flight: Family<Labels, Gauge>,
}

impl WebhookMetrics {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let histogram: fn() -> Histogram = || Histogram::new(exponential_buckets(0.001, 2.0, 15));
        let metrics = Self {
            requests: Family::default(),
            latency: Family::new_with_constructor(histogram),
            in_flight: Family::default(),
        };
        table::WEBHOOK_REQUESTS.register(registry, metrics.requests.clone());
        table::WEBHOOK_LATENCY.register(registry, metrics.latency.clone());
        table::WEBHOOK_IN_FLIGHT.register(registry, metrics.in_flight.clone());
        metrics
    }

    /// Records the start of a request.
    pub(crate) fn call(&self, webhook: &str) -> WebhookCall {
        let labels = Labels {
            webhook: webhook.to_owned(),
        };
        self.in_flight.get_or_create(&labels).inc();
        WebhookCall {
            metrics: self.clone(),
            labels,
            started: Instant::now(),
        }
    }
}

/// One request; dropping it ends its time in flight.
#[derive(Debug)]
pub(crate) struct WebhookCall {
    metrics: WebhookMetrics,
    labels: Labels,
    started: Instant,
}

impl WebhookCall {
    /// Records the response's status code.
    pub(crate) fn answered(self, code: u16) {
        let labels = ResultLabels {
            webhook: self.labels.webhook.clone(),
            code: code.to_string(),
        };
        self.metrics.requests.get_or_create(&labels).inc();
        let took = self.started.elapsed().as_secs_f64();
        self.metrics
            .latency
            .get_or_create(&self.labels)
            .observe(took);
    }
}

impl Drop for WebhookCall {
    fn drop(&mut self) {
        self.metrics.in_flight.get_or_create(&self.labels).dec();
    }
}
