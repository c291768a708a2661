//! Settings that every controller shares.

use codegen_runtime::metrics::Metrics;

/// The settings that the process has for each of its controllers.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Keys that are reconciled at a time.
    pub workers: usize,
    /// Where queues and reconciliations are counted.
    pub metrics: Metrics,
}
