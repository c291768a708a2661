//! The set of fields that a configuration mentions.

use std::collections::BTreeSet;

use serde_json::Value;

use super::element::{Element, FieldPath};
use super::set::Set;
use super::types::{ListShape, MapShape, Type};

/// Every leaf and list item of a value.
pub(super) fn field_set(ty: &Type<'_>, value: &Value) -> Set {
    let mut set = Set::default();
    visit(ty, value, &mut Vec::new(), &mut set);
    set
}

fn visit(ty: &Type<'_>, value: &Value, path: &mut FieldPath, set: &mut Set) {
    let atom = ty.atom().deduce(Some(value));
    if let Some(map) = &atom.map {
        visit_map(map, value, path, set);
    } else if atom.scalar.is_some() {
        set.insert(path);
    } else if let Some(list) = &atom.list {
        visit_list(list, value, path, set);
    }
}

fn visit_map(map: &MapShape<'_>, value: &Value, path: &mut FieldPath, set: &mut Set) {
    if map.atomic {
        set.insert(path);
        return;
    }
    let Value::Object(fields) = value else {
        return;
    };
    for (name, value) in fields {
        path.push(Element::Field(name.clone()));
        visit(&map.field(name), value, path, set);
        let empty = value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
        if empty || !map.declares(name) {
            set.insert(path);
        }
        path.pop();
    }
}

fn visit_list(list: &ListShape<'_>, value: &Value, path: &mut FieldPath, set: &mut Set) {
    if list.is_atomic() {
        set.insert(path);
        return;
    }
    let Value::Array(items) = value else {
        return;
    };
    let elements: Vec<Option<Element>> = items
        .iter()
        .map(|item| list.element_of(item).ok())
        .collect();
    let (mut seen, mut repeated) = (BTreeSet::new(), BTreeSet::new());
    for element in elements.iter().flatten() {
        if !seen.insert(element) {
            repeated.insert(element);
        }
    }
    for (item, element) in items.iter().zip(&elements) {
        let Some(element) = element else {
            continue;
        };
        path.push(element.clone());
        if !repeated.contains(element) {
            visit(&list.element, item, path, set);
        }
        set.insert(path);
        path.pop();
    }
}
