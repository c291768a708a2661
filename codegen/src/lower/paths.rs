//! Assigns each type its path in the API: the first path from a root that leads to it.

use std::collections::{BTreeMap, VecDeque};

use crate::model::{Field, Resource, TypeDef, TypeKind, TypeRef};

/// Sets the path of every type that a resource reaches; other types keep their name as path.
pub(super) fn assign(resources: &[Resource], types: &mut [TypeDef]) {
    let index: BTreeMap<&str, usize> = types
        .iter()
        .enumerate()
        .map(|(index, def)| (def.name.as_str(), index))
        .collect();
    let mut paths: BTreeMap<usize, String> = BTreeMap::new();
    let mut queue = VecDeque::new();
    for resource in resources {
        if let Some(&root) = index.get(resource.root.as_str()) {
            paths.entry(root).or_insert_with(|| resource.kind.clone());
            queue.push_back(root);
        }
    }
    while let Some(at) = queue.pop_front() {
        let base = paths.get(&at).cloned().unwrap_or_default();
        for (name, ty) in children(&types[at].kind) {
            let Some(&child) = ty.local().and_then(|name| index.get(name)) else {
                continue;
            };
            if let std::collections::btree_map::Entry::Vacant(entry) = paths.entry(child) {
                entry.insert(match name {
                    Some(name) => format!("{base}.{name}"),
                    None => base.clone(),
                });
                queue.push_back(child);
            }
        }
    }
    drop(index);
    for (at, path) in paths {
        types[at].path = path;
    }
}

/// Returns the types that a type contains, each with the name of its property, or `None` if it is
/// at the same location.
fn children(kind: &TypeKind) -> Vec<(Option<&str>, &TypeRef)> {
    let property = |field: &'_ Field| (!field.flatten).then_some(());
    match kind {
        TypeKind::Struct(def) => def
            .fields
            .iter()
            .map(|field| {
                (
                    property(field).map(|()| field.json_name.as_str()),
                    &field.ty,
                )
            })
            .collect(),
        TypeKind::Union(def) => def
            .variants
            .iter()
            .flat_map(|variant| {
                variant.fields.iter().map(move |field| {
                    let name = if variant.named {
                        &field.json_name
                    } else {
                        &variant.json_name
                    };
                    (Some(name.as_str()), &field.ty)
                })
            })
            .collect(),
        TypeKind::Alias(alias) => vec![(None, &alias.target)],
        TypeKind::Enum(_) => Vec::new(),
    }
}
