//! Compares two objects field by field.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::element::{Element, FieldPath};
use super::set::Set;
use super::types::{Atom, ListShape, MapShape, Type};

/// The fields that differ; the sets are disjoint.
#[derive(Clone, Debug, Default)]
pub(super) struct Comparison {
    pub(super) removed: Set,
    pub(super) modified: Set,
    pub(super) added: Set,
}

impl Comparison {
    /// Removes some fields and everything under them.
    pub(super) fn exclude(&mut self, fields: &Set) {
        self.removed = self.removed.recursive_difference(fields);
        self.modified = self.modified.recursive_difference(fields);
        self.added = self.added.recursive_difference(fields);
    }
}

/// Compares two values of the same type.
pub(super) fn compare(ty: &Type<'_>, left: &Value, right: &Value) -> Comparison {
    let mut walk = Walk::default();
    walk.value(ty, Some(left), Some(right));
    walk.found
}

#[derive(Default)]
struct Walk {
    path: FieldPath,
    found: Comparison,
}

impl Walk {
    fn value(&mut self, ty: &Type<'_>, left: Option<&Value>, right: Option<&Value>) {
        let (left_atom, right_atom) = (ty.atom().deduce(left), ty.atom().deduce(right));
        let leaf = if right.is_none() {
            self.atom(&left_atom, left, right)
        } else if left.is_none() || left_atom.same_shapes(&right_atom) {
            self.atom(&right_atom, left, right)
        } else {
            self.atom(&left_atom, left, right);
            self.atom(&right_atom, left, right)
        };
        if !leaf {
            if left.is_none() {
                self.found.added.insert(&self.path);
            } else if right.is_none() {
                self.found.removed.insert(&self.path);
            }
        }
    }

    /// Compares one shape; returns whether it was treated as a leaf.
    fn atom(&mut self, atom: &Atom<'_>, left: Option<&Value>, right: Option<&Value>) -> bool {
        if let Some(map) = &atom.map {
            let (l, r) = (entries(left), entries(right));
            if map.atomic || l == 0 && r == 0 {
                self.leaf(left, right);
                return true;
            }
            self.map(map, left, right);
            false
        } else if atom.scalar.is_some() {
            self.leaf(left, right);
            true
        } else if let Some(list) = &atom.list {
            let (l, r) = (items(left), items(right));
            if list.is_atomic() || l.is_empty() && r.is_empty() {
                self.leaf(left, right);
                return true;
            }
            self.list(list, l, r);
            false
        } else {
            false
        }
    }

    fn leaf(&mut self, left: Option<&Value>, right: Option<&Value>) {
        let set = match (left, right) {
            (None, _) => &mut self.found.added,
            (_, None) => &mut self.found.removed,
            (Some(left), Some(right)) if same_value(left, right) => return,
            _ => &mut self.found.modified,
        };
        set.insert(&self.path);
    }

    fn map(&mut self, map: &MapShape<'_>, left: Option<&Value>, right: Option<&Value>) {
        let fields = |side: Option<&'_ Value>| {
            side.and_then(Value::as_object)
                .into_iter()
                .flat_map(|map| map.keys().cloned())
                .collect::<Vec<_>>()
        };
        let names: BTreeSet<String> = fields(left).into_iter().chain(fields(right)).collect();
        for name in names {
            let (l, r) = (
                left.and_then(|v| v.get(&name)),
                right.and_then(|v| v.get(&name)),
            );
            let ty = map.field(&name);
            self.path.push(Element::Field(name));
            self.value(&ty, l, r);
            self.path.pop();
        }
    }

    fn list(&mut self, list: &ListShape<'_>, left: &[Value], right: &[Value]) {
        let (left, right) = (by_element(list, left), by_element(list, right));
        let elements: BTreeSet<&Element> = left.keys().chain(right.keys()).collect();
        for element in elements {
            let none = Vec::new();
            let (l, r) = (
                left.get(element).unwrap_or(&none),
                right.get(element).unwrap_or(&none),
            );
            self.path.push(element.clone());
            self.items(list, l, r);
            self.path.pop();
        }
    }

    /// Compares the items with the same key. Duplicates are compared as a whole.
    fn items(&mut self, list: &ListShape<'_>, left: &[&Value], right: &[&Value]) {
        match (left, right) {
            ([] | [_], [] | [_]) => {
                self.value(&list.element, left.first().copied(), right.first().copied())
            }
            ([_, _, ..], [_, _, ..]) => {
                let same = left.len() == right.len()
                    && left.iter().zip(right).all(|(l, r)| same_value(l, r));
                if !same {
                    self.found.modified.insert(&self.path);
                }
            }
            ([_, _, ..], _) => {
                if let [only] = right {
                    self.value(&list.element, None, Some(only));
                }
                self.found.removed.insert(&self.path);
            }
            _ => {
                if let [only] = left {
                    self.value(&list.element, Some(only), None);
                }
                self.found.added.insert(&self.path);
            }
        }
    }
}

fn entries(side: Option<&Value>) -> usize {
    side.and_then(Value::as_object)
        .map_or(0, serde_json::Map::len)
}

fn items(side: Option<&Value>) -> &[Value] {
    side.and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

fn by_element<'v>(list: &ListShape<'_>, items: &'v [Value]) -> BTreeMap<Element, Vec<&'v Value>> {
    let mut found: BTreeMap<Element, Vec<&Value>> = BTreeMap::new();
    for item in items {
        if let Ok(element) = list.element_of(item) {
            found.entry(element).or_default().push(item);
        }
    }
    found
}

/// Whether two values are equal; `1` and `1.0` are the same number.
pub(super) fn same_value(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(l), Value::Number(r)) => {
            l == r || l.as_f64() == r.as_f64() && (l.is_f64() || r.is_f64())
        }
        (Value::Array(l), Value::Array(r)) => {
            l.len() == r.len() && l.iter().zip(r).all(|(l, r)| same_value(l, r))
        }
        (Value::Object(l), Value::Object(r)) => {
            l.len() == r.len()
                && l.iter()
                    .all(|(key, l)| r.get(key).is_some_and(|r| same_value(l, r)))
        }
        _ => left == right,
    }
}
