//! Updates ownership for a write (structured-merge-diff's `merge.Updater`).

use serde_json::Value;

use super::compare::{Comparison, compare, same_value};
use super::conflict::Clash;
use super::field_set::field_set;
use super::managed::{Managed, Manager, Owned};
use super::merge::merge;
use super::reconcile::reconcile;
use super::remove::remove_items;
use super::set::Set;
use super::types::Type;

/// The type of the object and the fields that the endpoint cannot change.
pub(super) struct Updater<'a> {
    pub(super) ty: Type<'a>,
    pub(super) excluded: Set,
    pub(super) api_version: &'a str,
}

impl Updater<'_> {
    /// Removes changed fields from all other managers; without `force`, owned ones are conflicts.
    fn take(
        &self,
        change: (&Value, &Value),
        managed: &mut Managed,
        writer: &Manager,
        force: bool,
    ) -> Result<Comparison, Vec<Clash>> {
        let mut changes = compare(&self.ty, change.0, change.1);
        changes.exclude(&self.excluded);
        let written = changes.modified.clone().union(&changes.added);
        let mut clashes = Vec::new();
        for (manager, owned) in managed
            .0
            .iter_mut()
            .filter(|(manager, _)| *manager != writer)
        {
            let conflict = owned.set.intersection(&written);
            if conflict.is_empty() {
                continue;
            }
            if force {
                owned.set = owned.set.difference(&conflict);
            } else {
                clashes.extend(conflict.paths().into_iter().map(|path| Clash {
                    manager: manager.clone(),
                    path,
                }));
            }
        }
        if !clashes.is_empty() {
            return Err(clashes);
        }
        for (manager, owned) in &mut managed.0 {
            if manager != writer {
                owned.set = owned.set.difference(&changes.removed);
            }
        }
        managed.drop_empty();
        Ok(changes)
    }

    /// Records the changes of an update under `writer`.
    pub(super) fn update(
        &self,
        live: &Value,
        new: &Value,
        managed: &mut Managed,
        writer: &Manager,
    ) {
        self.reconcile(managed);
        let Ok(changes) = self.take((live, new), managed, writer, true) else {
            return;
        };
        let before = managed
            .0
            .get(writer)
            .map(|owned| owned.set.clone())
            .unwrap_or_default();
        let set = before
            .difference(&changes.removed)
            .union(&changes.modified)
            .union(&changes.added);
        let set = set.recursive_difference(&self.excluded);
        let time = managed.0.get(writer).and_then(|owned| owned.time.clone());
        managed.0.insert(writer.clone(), self.owned(set, time));
        managed.drop_empty();
    }

    /// Merges an applied configuration. Returns `None` if the object does not change.
    pub(super) fn apply(
        &self,
        live: &Value,
        config: &Value,
        managed: &mut Managed,
        writer: &Manager,
        force: bool,
    ) -> Result<Option<Value>, Vec<Clash>> {
        self.reconcile(managed);
        let merged = merge(&self.ty, Some(live), Some(config)).unwrap_or_default();
        let last = managed.0.get(writer).cloned();
        let set = field_set(&self.ty, config).recursive_difference(&self.excluded);
        let time = last.as_ref().and_then(|last| last.time.clone());
        managed.0.insert(writer.clone(), self.owned(set, time));
        let new = match last.filter(|last| !last.set.is_empty()) {
            Some(last) => self.prune(&merged, managed, &last.set),
            None => merged,
        };
        self.take((live, &new), managed, writer, force)?;
        Ok((!same_value(live, &new)).then_some(new))
    }

    /// Removes the fields that the manager applied last time, unless a manager still owns them.
    fn prune(&self, merged: &Value, managed: &Managed, last: &Set) -> Value {
        let named = |set: &Set| set.with_named_fields(&self.ty);
        let last = named(last);
        let merged_set = named(&field_set(&self.ty, merged));

        let pruned = remove_items(&self.ty, merged, &last);
        // Restore the fields that others own or that the new configuration has.
        let kept = managed
            .0
            .values()
            .fold(Set::default(), |all, owned| all.union(&owned.set));
        let pruned_set = named(&field_set(&self.ty, &pruned));
        let back = pruned_set.union(&named(&kept));
        let pruned = remove_items(&self.ty, merged, &merged_set.difference(&back));
        // Restore the fields that the manager never owned.
        let pruned_set = named(&field_set(&self.ty, &pruned));
        let gone = merged_set.difference(&pruned_set).intersection(&last);
        remove_items(&self.ty, merged, &gone)
    }

    fn reconcile(&self, managed: &mut Managed) {
        for owned in managed.0.values_mut() {
            owned.set = reconcile(std::mem::take(&mut owned.set), &self.ty);
        }
    }

    fn owned(&self, set: Set, time: Option<String>) -> Owned {
        Owned {
            set,
            api_version: self.api_version.to_owned(),
            time,
        }
    }
}
