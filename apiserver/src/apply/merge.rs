//! Merges an applied configuration into the live object.
//!
//! Nothing is removed here: leaves get the applied value, maps and keyed lists are merged, and
//! lists keep the live order unless the configuration orders its items differently.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Map, Value};

use super::element::Element;
use super::types::{Atom, ListShape, MapShape, Type};

/// Merges `right` into `left`; returns `None` if the result is empty.
pub(super) fn merge(ty: &Type<'_>, left: Option<&Value>, right: Option<&Value>) -> Option<Value> {
    let (left_atom, right_atom) = (ty.atom().deduce(left), ty.atom().deduce(right));
    // If the shapes differ, the right one wins.
    let atom = if right.is_none() {
        left_atom
    } else {
        right_atom
    };
    merge_atom(&atom, left, right)
}

fn merge_atom(atom: &Atom<'_>, left: Option<&Value>, right: Option<&Value>) -> Option<Value> {
    let leaf = || right.or(left).cloned();
    if let Some(map) = &atom.map {
        let (l, r) = (
            left.and_then(Value::as_object),
            right.and_then(Value::as_object),
        );
        let empty = |map: Option<&Map<String, Value>>| map.is_none_or(Map::is_empty);
        if map.atomic || empty(l) && empty(r) {
            return leaf();
        }
        return merge_map(map, l, r);
    }
    if atom.scalar.is_some() {
        return leaf();
    }
    let list = atom.list.as_ref()?;
    let (l, r) = (items(left), items(right));
    if list.is_atomic() || l.is_empty() && r.is_empty() {
        return leaf();
    }
    merge_list(list, l, r)
}

/// Removes the nulls that [`merge`] discards from `right`: those beside live items that are merged
/// one by one.
pub(super) fn drop_merged_nulls(ty: &Type<'_>, left: &Value, right: &mut Value) {
    let (Some(map), Value::Object(fields)) = (ty.atom().deduce(Some(right)).map, right) else {
        return;
    };
    if map.atomic {
        return;
    }
    fields.retain(|name, value| {
        let Some(live) = left.get(name) else {
            return true;
        };
        let ty = map.field(name);
        drop_merged_nulls(&ty, live, value);
        !(value.is_null() && has_merged_items(&ty, live))
    });
}

/// Whether a live value is a map or list that is not empty and whose items are merged one by one.
fn has_merged_items(ty: &Type<'_>, live: &Value) -> bool {
    let atom = ty.atom().deduce(Some(live));
    match live {
        Value::Object(fields) => !fields.is_empty() && atom.map.is_some_and(|map| !map.atomic),
        Value::Array(items) => !items.is_empty() && atom.list.is_some_and(|it| !it.is_atomic()),
        _ => false,
    }
}

fn items(side: Option<&Value>) -> &[Value] {
    side.and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

fn merge_map(
    map: &MapShape<'_>,
    left: Option<&Map<String, Value>>,
    right: Option<&Map<String, Value>>,
) -> Option<Value> {
    let names: BTreeSet<&String> = left.into_iter().chain(right).flat_map(Map::keys).collect();
    let merged: Map<String, Value> = names
        .into_iter()
        .filter_map(|name| {
            let l = left.and_then(|fields| fields.get(name));
            let r = right.and_then(|fields| fields.get(name));
            Some((name.clone(), merge(&map.field(name), l, r)?))
        })
        .collect();
    (!merged.is_empty()).then_some(Value::Object(merged))
}

/// The items of a list by element. A duplicate live item counts as null, so that it is not merged
/// with the applied one.
type Index<'v> = BTreeMap<Element, &'v Value>;

static NULL: Value = Value::Null;

fn index<'v>(list: &ListShape<'_>, items: &'v [Value]) -> (Vec<Element>, Index<'v>) {
    let mut order = Vec::with_capacity(items.len());
    let mut by_element = Index::new();
    for item in items {
        let Ok(element) = list.element_of(item) else {
            continue;
        };
        by_element
            .entry(element.clone())
            .and_modify(|found| *found = &NULL)
            .or_insert(item);
        order.push(element);
    }
    (order, by_element)
}

fn merge_list(list: &ListShape<'_>, left: &[Value], right: &[Value]) -> Option<Value> {
    let (left_order, left_items) = index(list, left);
    let (right_order, right_items) = index(list, right);
    let mut shared: VecDeque<&Element> = right_order
        .iter()
        .filter(|e| left_items.contains_key(*e))
        .collect();
    let mut next_shared = shared.pop_front();
    let mut taken: BTreeSet<&Element> = BTreeSet::new();
    let mut out = Vec::with_capacity(left.len().max(right.len()));
    let both = |element: &Element| merge_item(list, element, &left_items, &right_items);
    let (mut l, mut r) = (0, 0);
    loop {
        let (left_element, right_element) = (left_order.get(l), right_order.get(r));
        if let (Some(le), Some(re)) = (left_element, right_element) {
            if le == re {
                taken.insert(le);
                out.extend(both(le));
                l += 1;
                r += 1;
                next_shared = shared.pop_front();
                continue;
            }
            if right_items.contains_key(le) && next_shared.is_some_and(|next| next != le) {
                l += 1;
                continue;
            }
        }
        if let Some(le) = left_element {
            if !right_items.contains_key(le) {
                out.extend(
                    left.get(l)
                        .and_then(|item| merge(&list.element, Some(item), None)),
                );
                l += 1;
                continue;
            }
            if taken.contains(le) {
                l += 1;
            }
        }
        match right_element {
            Some(re) => {
                taken.insert(re);
                out.extend(both(re));
                r += 1;
                if next_shared == Some(re) {
                    next_shared = shared.pop_front();
                }
            }
            None if left_order.get(l).is_none() => break,
            None => {}
        }
    }
    (!out.is_empty()).then_some(Value::Array(out))
}

fn merge_item(
    list: &ListShape<'_>,
    element: &Element,
    left: &Index<'_>,
    right: &Index<'_>,
) -> Option<Value> {
    merge(
        &list.element,
        left.get(element).copied(),
        right.get(element).copied(),
    )
}
