//! Moves the fields that a manager owns through updates to an apply manager: client-go's
//! `csaupgrade`.
//!
//! An object that was written with `PUT` for years has an entry of the operation `Update`. An apply
//! adds another entry of the same manager, and a field that it later leaves out stays, since the
//! first entry still owns it. The move makes both one entry.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{FieldsV1, ManagedFieldsEntry};
use serde_json::{Map, Value, json};

/// Moves the fields that `managers` own through updates to `applier`, the name of an apply manager.
/// `subresource` is empty for the object itself; entries of other subresources stay. Returns
/// whether anything changed.
///
/// Pure; [`Applier::upgrade`](super::Applier::upgrade) reads and writes the object, too. If
/// `applier` has no entry, the most recent one of the managers becomes its entry. Fields of another
/// `apiVersion` than the entry's are given up, as in client-go.
pub fn upgrade_managed_fields(
    entries: &mut Vec<ManagedFieldsEntry>,
    managers: &[&str],
    applier: &str,
    subresource: &str,
) -> bool {
    let is = |entry: &ManagedFieldsEntry, manager: &str, operation: &str| {
        entry.manager.as_deref() == Some(manager)
            && entry.operation.as_deref() == Some(operation)
            && entry.subresource.as_deref().unwrap_or_default() == subresource
    };
    let mut changed = false;
    for manager in managers {
        let (mut moved, mut kept): (Vec<_>, Vec<_>) = std::mem::take(entries)
            .into_iter()
            .partition(|entry| is(entry, manager, "Update"));
        changed |= !moved.is_empty();
        let applied = kept.iter_mut().find(|entry| is(entry, applier, "Apply"));
        match applied {
            Some(applied) => unite(applied, &moved),
            // The server sorts the most recent entry first.
            None if !moved.is_empty() => {
                let mut first = moved.remove(0);
                first.manager = Some(applier.to_owned());
                first.operation = Some("Apply".to_owned());
                unite(&mut first, &moved);
                kept.insert(0, first);
            }
            None => {}
        }
        *entries = kept;
    }
    changed
}

/// Adds the fields of the first of `others` that has the API version of `entry`.
pub(crate) fn unite(entry: &mut ManagedFieldsEntry, others: &[ManagedFieldsEntry]) {
    let mut others = others.iter();
    let same = others.find(|other| other.api_version == entry.api_version);
    let Some(FieldsV1(more)) = same.and_then(|other| other.fields_v1.as_ref()) else {
        return;
    };
    let fields = entry.fields_v1.get_or_insert(FieldsV1(json!({})));
    fields.0 = match is_empty(&fields.0) {
        true => more.clone(),
        false if is_empty(more) => return,
        false => union(&fields.0, more),
    };
}

fn is_empty(set: &Value) -> bool {
    set.as_object().is_none_or(Map::is_empty)
}

/// Returns the union of two sets below the same field. `{}` is the field itself, which next to
/// parts of it is written as `.`.
fn union(one: &Value, other: &Value) -> Value {
    let parts = |set: &Value| match set {
        Value::Object(parts) if !parts.is_empty() => parts.clone(),
        _ => Map::from_iter([(".".to_owned(), json!({}))]),
    };
    if is_empty(one) && is_empty(other) {
        return json!({});
    }
    let mut all = parts(one);
    for (element, set) in parts(other) {
        let united = match all.get(&element) {
            Some(known) => union(known, &set),
            None => set,
        };
        all.insert(element, united);
    }
    Value::Object(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(all: &Value) -> Vec<ManagedFieldsEntry> {
        let all = all.as_array().expect("a list").iter();
        let entry = |it: &Value| ManagedFieldsEntry {
            manager: it[0].as_str().map(str::to_owned),
            operation: it[1].as_str().map(str::to_owned),
            api_version: it[2].as_str().map(str::to_owned),
            fields_v1: Some(FieldsV1(it[3].clone())),
            subresource: it[4].as_str().map(str::to_owned),
            ..ManagedFieldsEntry::default()
        };
        all.map(entry).collect()
    }

    /// Moves the fields of `old` and `older` to `new`.
    fn check(before: &Value, after: &Value) {
        let mut moved = entries(before);
        let changed = upgrade_managed_fields(&mut moved, &["old", "older"], "new", "");
        assert_eq!(moved, entries(after));
        assert_eq!(changed, before != after);
        assert!(!upgrade_managed_fields(
            &mut moved,
            &["old", "older"],
            "new",
            ""
        ));
    }

    #[test]
    fn fields_of_updates_move_to_the_apply_manager() {
        // The entry becomes one of the apply manager, or joins it.
        check(
            &json!([["old", "Update", "v1", {"f:data": {"f:a": {}}}]]),
            &json!([["new", "Apply", "v1", {"f:data": {"f:a": {}}}]]),
        );
        check(
            &json!([
                ["other", "Update", "v1", {"f:data": {"f:c": {}}}],
                ["new", "Apply", "v1", {"f:data": {"f:a": {}}}],
                ["old", "Update", "v1", {"f:data": {"f:b": {}}}],
                ["older", "Update", "v1", {"f:metadata": {}}],
            ]),
            &json!([
                ["other", "Update", "v1", {"f:data": {"f:c": {}}}],
                ["new", "Apply", "v1", {"f:data": {"f:a": {}, "f:b": {}}, "f:metadata": {}}],
            ]),
        );
        check(
            &json!([["other", "Update", "v1", {"f:data": {}}]]),
            &json!([["other", "Update", "v1", {"f:data": {}}]]),
        );
    }

    #[test]
    fn other_versions_are_given_up_and_other_subresources_and_operations_stay() {
        check(
            &json!([
                ["new", "Apply", "v2", {"f:spec": {"f:a": {}}}],
                ["old", "Update", "v1", {"f:spec": {"f:b": {}}}],
                ["old", "Update", "v2", {"f:spec": {"f:c": {}}}],
            ]),
            &json!([["new", "Apply", "v2", {"f:spec": {"f:a": {}, "f:c": {}}}]]),
        );
        let kept = json!([
            ["old", "Apply", "v1", {"f:spec": {}}],
            ["old", "Update", "v1", {"f:status": {}}, "status"],
        ]);
        check(&kept, &kept);
    }

    #[test]
    fn a_field_and_its_parts_are_both_owned_afterwards() {
        check(
            &json!([
                ["new", "Apply", "v1", {"f:data": {}}],
                ["old", "Update", "v1", {"f:data": {"f:a": {}}}],
            ]),
            &json!([["new", "Apply", "v1", {"f:data": {".": {}, "f:a": {}}}]]),
        );
        check(
            &json!([
                ["new", "Apply", "v1", {}],
                ["old", "Update", "v1", {"f:data": {".": {}, "f:a": {}}}],
            ]),
            &json!([["new", "Apply", "v1", {"f:data": {".": {}, "f:a": {}}}]]),
        );
    }
}
