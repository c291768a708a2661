//! Suppresses cascading errors: findings that merely follow from errors that the readers already
//! reported.
//!
//! An unreadable marker is missing from its item, so findings about its absence are not reported.

use std::{collections::BTreeSet, ops::Range, sync::Arc};

use crate::{
    diag::{Diagnostic, Diagnostics, Label, Severity},
    read::rust::Package,
};

/// The extent of an item: its file, and its byte range.
type Extent = (Arc<str>, Range<usize>);

/// The places where the readers found errors.
#[derive(Default)]
pub(super) struct CascadingErrors {
    has_errors: bool,
    items: Vec<Extent>,
    /// The items with errors.
    faulty: Vec<Extent>,
    /// Files with errors outside of items: CRDs, or errors that concern a package.
    files: BTreeSet<Arc<str>>,
}

impl CascadingErrors {
    pub(super) fn new(found: &Diagnostics, packages: &[Package]) -> Self {
        let mut cascading = Self::default();
        if !found.has_errors() {
            return cascading;
        }
        cascading.has_errors = true;
        let items = packages.iter().flat_map(|package| &package.items);
        let extents = items.map(|item| (Arc::clone(&item.place.file), item.extent.clone()));
        cascading.items = extents.collect();
        let errors = found.as_slice().iter();
        let errors = errors.filter(|finding| finding.severity == Severity::Error);
        for label in errors.flat_map(|error| &error.labels) {
            match cascading.item_at(label).cloned() {
                Some(item) => cascading.faulty.push(item),
                None => drop(cascading.files.insert(Arc::clone(&label.place.file))),
            }
        }
        cascading
    }

    /// Removes cascading errors from findings. A finding without a place may follow from any error.
    pub(super) fn without(&self, found: Diagnostics) -> Diagnostics {
        let mut kept = Diagnostics::new();
        for finding in found {
            if !self.has_errors || !self.is_echo(&finding) {
                kept.push(finding);
            }
        }
        kept
    }

    fn is_echo(&self, finding: &Diagnostic) -> bool {
        let is_doubtful = |label: &Label| match self.item_at(label) {
            Some(item) => self.faulty.contains(item),
            None => self.files.contains(&label.place.file),
        };
        finding.labels.is_empty() || finding.labels.iter().any(is_doubtful)
    }

    /// Returns the item that a label is in.
    fn item_at(&self, label: &Label) -> Option<&Extent> {
        let mut items = self.items.iter();
        items.find(|(file, extent)| {
            *file == label.place.file && extent.contains(&label.place.range.start)
        })
    }
}
