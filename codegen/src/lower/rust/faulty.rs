//! Kinds with errors, which are skipped on request so that the others are written.

use std::collections::BTreeSet;

use super::{reach::reach, resolve::Resolver};
use crate::{
    diag::{Diagnostic, Diagnostics},
    read::rust::{Item, Layout, Package},
};

/// Removes the kinds of crates that contain what errors are about, and types that only these use.
/// Kinds with an invalid `#[kube(…)]` are in no package. Returns whether errors are about kinds,
/// and other kinds are left.
pub(in crate::lower) fn remove(packages: &mut Vec<Package>, errors: &Diagnostics) -> bool {
    let mut packages_of_crates = packages.iter();
    if !packages_of_crates.all(|package| package.layout == Layout::Crate) {
        return false;
    }
    for package in packages.iter_mut() {
        let is_faulty = |item: &Item| errors.as_slice().iter().any(|error| is_about(error, item));
        let items = package.items.iter().enumerate();
        let faulty = items.filter(|(_, item)| is_faulty(item));
        let faulty: BTreeSet<usize> = faulty.map(|(index, _)| index).collect();
        if !faulty.is_empty() {
            keep_sound(package, &faulty);
        }
    }
    packages.retain(|package| package.items.iter().any(|item| item.kube.is_some()));
    let mut errors = errors.as_slice().iter();
    !packages.is_empty() && errors.all(|error| !error.labels.is_empty())
}

/// Keeps the items that kinds without faulty parts contain.
fn keep_sound(package: &mut Package, faulty: &BTreeSet<usize>) {
    let items = package.items.iter().enumerate();
    let kinds = items.filter(|(_, item)| item.kube.is_some());
    let kinds: Vec<usize> = kinds.map(|(index, _)| index).collect();
    let resolver = Resolver::new(package);
    let mut kept = BTreeSet::new();
    let mut sound = BTreeSet::new();
    for kind in kinds {
        let reached = reach(package, &resolver, &[kind]).items;
        if reached.is_disjoint(faulty) {
            sound.insert(kind);
            kept.extend(reached);
        }
    }
    drop(resolver);
    let mut index = 0;
    package.items.retain_mut(|item| {
        let (is_kept, is_sound) = (kept.contains(&index), sound.contains(&index));
        index += 1;
        if !is_sound {
            item.kube = None;
        }
        is_kept
    });
}

/// Whether an error is at a place in an item.
fn is_about(error: &Diagnostic, item: &Item) -> bool {
    error.labels.first().is_some_and(|label| {
        let place = &label.place;
        item.place.file == place.file && item.extent.contains(&place.range.start)
    })
}
