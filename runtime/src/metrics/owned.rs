//! Series that exist as long as something reports to them.
//!
//! One rule for everything that registers with a [`Metrics`](super::Metrics) and has labels of its
//! own: the metrics hold it weakly, and its series are gone when its last handle is dropped.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

/// Removes the series with these labels from their families.
type Remove<L> = Arc<dyn Fn(&L) + Send + Sync>;

type Live<L> = Arc<Mutex<BTreeMap<L, Weak<Owner<L>>>>>;

/// The owners of one kind, by their labels.
pub(super) struct Owners<L: Ord> {
    live: Live<L>,
    remove: Remove<L>,
}

/// What the handles of one owner share. Its series are removed when it is dropped.
pub(super) struct Owner<L: Ord> {
    labels: L,
    live: Live<L>,
    remove: Remove<L>,
}

impl<L: Ord + Clone> Owners<L> {
    pub(super) fn new(remove: impl Fn(&L) + Send + Sync + 'static) -> Self {
        Self {
            live: Arc::default(),
            remove: Arc::new(remove),
        }
    }

    /// Returns the owner with `labels`. Create its series after that, as long as it is held.
    pub(super) fn of(&self, labels: &L) -> Arc<Owner<L>> {
        let mut live = self.live.lock();
        if let Some(known) = live.get(labels) {
            match known.upgrade() {
                Some(owner) => return owner,
                // It is just being dropped, and will find that it has been replaced.
                None => (self.remove)(labels),
            }
        }
        let owner = Arc::new(Owner {
            labels: labels.clone(),
            live: self.live.clone(),
            remove: self.remove.clone(),
        });
        live.insert(labels.clone(), Arc::downgrade(&owner));
        owner
    }
}

impl<L: Ord> Owner<L> {
    pub(super) fn labels(&self) -> &L {
        &self.labels
    }
}

impl<L: Ord> Drop for Owner<L> {
    fn drop(&mut self) {
        let mut live = self.live.lock();
        let own: *const Self = self;
        if live.get(&self.labels).is_some_and(|it| it.as_ptr() == own) {
            live.remove(&self.labels);
            (self.remove)(&self.labels);
        }
    }
}

impl<L: Ord + std::fmt::Debug> std::fmt::Debug for Owner<L> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.labels.fmt(f)
    }
}

/// Declares the series of an owner, each a row of field, type and metric, and their `Families`,
/// by the owner's labels.
macro_rules! owned_series {
    (
        $(#[$doc:meta])*
        $vis:vis struct $metrics:ident of ($($label:ident),+) {
            $($field:ident: $series:ident = $metric:ident;)+
        }
    ) => {
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(
            feature = "prometheus",
            derive(prometheus_client::encoding::EncodeLabelSet)
        )]
        struct Labels {
            $($label: String,)+
        }

        $(#[$doc])*
        #[derive(Debug, Clone)]
        $vis struct $metrics {
            _owner: std::sync::Arc<super::owned::Owner<Labels>>,
            $($field: $series,)+
        }

        #[derive(Clone, Default)]
        struct Table {
            $($field: super::series::Family<Labels, $series>,)+
        }

        pub(super) struct Families {
            table: Table,
            owners: super::owned::Owners<Labels>,
        }

        impl Families {
            pub(super) fn register(registry: &mut super::series::Registry) -> Self {
                let table = Table::default();
                $(super::table::$metric.register(registry, table.$field.clone());)+
                let own = table.clone();
                let owners = super::owned::Owners::new(move |labels| {
                    $(own.$field.remove(labels);)+
                });
                Self { table, owners }
            }

            pub(super) fn of(&self, $($label: &str),+) -> $metrics {
                let labels = Labels {
                    $($label: $label.to_owned(),)+
                };
                $metrics {
                    _owner: self.owners.of(&labels),
                    $($field: self.table.$field.get_or_create_owned(&labels),)+
                }
            }
        }
    };
}
pub(super) use owned_series;

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn series_are_removed_with_the_last_handle_of_their_owner() {
        let removed = Arc::new(AtomicUsize::new(0));
        let count = removed.clone();
        let owners = Owners::new(move |_: &&str| {
            count.fetch_add(1, Ordering::SeqCst);
        });
        let (first, second) = (owners.of(&"a"), owners.of(&"a"));
        let other = owners.of(&"b");
        drop(first);
        assert_eq!(removed.load(Ordering::SeqCst), 0);
        drop(second);
        assert_eq!(removed.load(Ordering::SeqCst), 1);
        assert_eq!(owners.live.lock().len(), 1);
        let again = owners.of(&"a");
        drop((again, other));
        assert_eq!(removed.load(Ordering::SeqCst), 3);
        assert!(owners.live.lock().is_empty());
    }
}
