//! Settings that every controller shares.

use codegen_runtime::metrics::Metrics;

/// The settings of the process for each of its controllers.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The number of keys reconciled concurrently.
    pub workers: usize,
    /// The metrics of queues and reconciliations.
    pub metrics: Metrics,
}
