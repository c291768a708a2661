//! `storage_migration_*`: kinds whose stored objects are rewritten. The names are our own.

use super::owned::owned_series;
use super::series::{Counter, Gauge};

owned_series! {
    /// The series of one kind. Clones share them.
    pub(crate) struct MigrationMetrics of (crd) {
        pending: Gauge = MIGRATION_PENDING;
        written: Counter = MIGRATION_OBJECTS;
        failed: Counter = MIGRATION_FAILURES;
    }
}

impl MigrationMetrics {
    pub(crate) fn began(&self) {
        self.pending.set(1);
    }

    pub(crate) fn ended(&self) {
        self.pending.set(0);
    }

    pub(crate) fn wrote(&self) {
        self.written.inc();
    }

    pub(crate) fn failed(&self) {
        self.failed.inc();
    }
}
