//! Adapts ownership recorded with an earlier schema: fields that have become atomic are owned as a
//! whole.

use super::element::{Element, FieldPath};
use super::set::Set;
use super::types::Type;

/// Returns the set adapted to the current schema.
pub(super) fn reconcile(set: Set, ty: &Type<'_>) -> Set {
    let mut atomic = Set::default();
    visit(ty, Some(&set), false, &mut Vec::new(), &mut atomic);
    if atomic.is_empty() {
        set
    } else {
        set.recursive_difference(&atomic).union(&atomic)
    }
}

fn visit(ty: &Type<'_>, set: Option<&Set>, is_leaf: bool, path: &mut FieldPath, atomic: &mut Set) {
    let atom = ty.atom();
    let below = |element: &Element| -> Option<Type<'_>> {
        if let Some(map) = &atom.map {
            let Element::Field(name) = element else {
                return None;
            };
            let ty = map.field(name);
            return (!matches!(ty, Type::Undeclared)).then_some(ty);
        }
        atom.list.as_ref().map(|list| list.element.clone())
    };
    if let Some(map) = &atom.map {
        if map.is_deduced() {
            return;
        }
        if !is_leaf && map.atomic {
            if set.is_some_and(|set| !set.is_empty()) {
                atomic.insert(path);
            }
            return;
        }
    } else if atom.scalar.is_some() {
        return;
    } else if let Some(list) = &atom.list
        && !is_leaf
        && list.is_atomic()
    {
        atomic.insert(path);
        return;
    }
    let Some(set) = set else {
        return;
    };
    let children = set
        .children()
        .filter(|(element, _)| !set.has_member(element));
    let elements = children
        .map(|(element, _)| (element, false))
        .chain(set.members().map(|element| (element, true)));
    for (element, is_member) in elements {
        if let Some(ty) = below(element) {
            let children = set.below(element);
            path.push(element.clone());
            visit(&ty, children, is_member && children.is_none(), path, atomic);
            path.pop();
        }
    }
}
