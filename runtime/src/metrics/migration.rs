//! `storage_migration_*`: kinds whose stored objects are rewritten. The names are our own.

use std::sync::Arc;

#[cfg(feature = "prometheus")]
use prometheus_client::encoding::EncodeLabelSet;

use super::owned::{Owner, Owners};
use super::series::{Counter, Family, Gauge, Registry};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "prometheus", derive(EncodeLabelSet))]
struct Labels {
    crd: String,
}

/// The series of one kind. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct MigrationMetrics {
    _owner: Arc<Owner<Labels>>,
    pending: Gauge,
    written: Counter,
    failed: Counter,
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

pub(super) struct Families {
    pending: Family<Labels, Gauge>,
    written: Family<Labels, Counter>,
    failed: Family<Labels, Counter>,
    owners: Owners<Labels>,
}

impl Families {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let pending = Family::<Labels, Gauge>::default();
        let written = Family::<Labels, Counter>::default();
        let failed = Family::<Labels, Counter>::default();
        let families = Self {
            pending: pending.clone(),
            written: written.clone(),
            failed: failed.clone(),
            owners: Owners::new(move |labels| {
                pending.remove(labels);
                written.remove(labels);
                failed.remove(labels);
            }),
        };
        registry.register(
            "storage_migration_pending",
            "1 while objects of the kind may be stored in an old version",
            families.pending.clone(),
        );
        registry.register(
            "storage_migration_objects",
            "Objects that were written in the storage version",
            families.written.clone(),
        );
        registry.register(
            "storage_migration_failures",
            "Objects that could not be written in the storage version",
            families.failed.clone(),
        );
        families
    }

    pub(super) fn of(&self, crd: &str) -> MigrationMetrics {
        let labels = Labels {
            crd: crd.to_owned(),
        };
        MigrationMetrics {
            _owner: self.owners.of(&labels),
            pending: self.pending.get_or_create_owned(&labels),
            written: self.written.get_or_create_owned(&labels),
            failed: self.failed.get_or_create_owned(&labels),
        }
    }
}
