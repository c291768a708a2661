//! The set of fields that a configuration specifies.

use std::collections::BTreeSet;

use serde_json::Value;

use super::element::Element;
use super::set::Set;
use super::types::{ListShape, MapShape, Type};

/// Returns every leaf and list item of a value.
pub(super) fn field_set(ty: &Type<'_>, value: &Value) -> Set {
    collect(ty, value).below
}

/// Placeholder for items without an identity, such as those that pruning has emptied. It keeps the
/// list non-empty in the set, so that items of other managers are restored.
const NAMELESS: Element = Element::Index(-1);

/// The fields that a value specifies.
#[derive(Default)]
struct Mentioned {
    /// Whether the value as a whole is specified.
    itself: bool,
    below: Set,
}

fn collect(ty: &Type<'_>, value: &Value) -> Mentioned {
    let atom = ty.atom().deduce(Some(value));
    let whole = Mentioned {
        itself: true,
        below: Set::default(),
    };
    if let Some(map) = &atom.map {
        if map.atomic {
            whole
        } else {
            collect_map(map, value)
        }
    } else if atom.scalar.is_some() {
        whole
    } else if let Some(list) = &atom.list {
        if list.is_atomic() {
            whole
        } else {
            collect_list(list, value)
        }
    } else {
        Mentioned::default()
    }
}

fn collect_map(map: &MapShape<'_>, value: &Value) -> Mentioned {
    let mut found = Mentioned::default();
    for (name, value) in value.as_object().into_iter().flatten() {
        let field = collect(&map.field(name), value);
        let empty = value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
        let itself = field.itself || empty || !map.declares(name);
        found
            .below
            .add(Element::Field(name.clone()), itself, field.below);
    }
    found
}

fn collect_list(list: &ListShape<'_>, value: &Value) -> Mentioned {
    let mut found = Mentioned::default();
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let name = |item| list.element_of(item).unwrap_or(NAMELESS);
    let elements: Vec<Element> = items.iter().map(name).collect();
    let (mut seen, mut repeated) = (BTreeSet::new(), BTreeSet::new());
    for element in &elements {
        if !seen.insert(element) {
            repeated.insert(element.clone());
        }
    }
    for (item, element) in items.iter().zip(elements) {
        let below = if repeated.contains(&element) {
            Set::default()
        } else {
            collect(&list.element, item).below
        };
        found.below.add(element, true, below);
    }
    found
}
