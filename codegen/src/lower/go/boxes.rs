//! Boxes fields through which a type would contain itself.

use std::collections::BTreeMap;

use super::cx::Cx;
use crate::{
    graph,
    model::{TypeDef, TypeKind, TypeRef},
};

/// Boxes fields that lead back to their own type by value; lists and maps already add indirection.
pub(super) fn add(cx: &Cx<'_>, types: &mut BTreeMap<String, Vec<TypeDef>>) {
    let homes: BTreeMap<String, String> = types
        .keys()
        .filter_map(|package| Some((package.clone(), cx.home(package)?.path.clone())))
        .collect();
    let mut targets_of: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (package, defs) in &*types {
        let Some(home) = homes.get(package) else {
            continue;
        };
        for def in defs {
            let targets = match &def.kind {
                TypeKind::Struct(def) => {
                    let fields = def.fields.iter();
                    fields.filter_map(|field| path(home, &field.ty)).collect()
                }
                TypeKind::Alias(alias) => path(home, &alias.target).into_iter().collect(),
                _ => Vec::new(),
            };
            targets_of.insert(format!("{home}::{}", def.name), targets);
        }
    }
    let components = components(&targets_of);
    for (package, defs) in types {
        let Some(home) = homes.get(package) else {
            continue;
        };
        for def in defs {
            let own = format!("{home}::{}", def.name);
            let TypeKind::Struct(body) = &mut def.kind else {
                continue;
            };
            for field in &mut body.fields {
                // A field needs a box if its target and its type contain each other.
                let target = path(home, &field.ty);
                let component = target.and_then(|target| components.get(&target));
                if component.is_some_and(|component| components.get(&own) == Some(component)) {
                    field.ty = TypeRef::Boxed(Box::new(field.ty.clone()));
                }
            }
        }
    }
}

/// Returns the path of a type held by value.
fn path(home: &str, ty: &TypeRef) -> Option<String> {
    match ty {
        TypeRef::Local(name) => Some(format!("{home}::{name}")),
        TypeRef::External(external) => Some(external.segments.join("::")),
        _ => None,
    }
}

/// Returns the strongly connected component of each type: types in the same one contain each other.
fn components(targets_of: &BTreeMap<String, Vec<String>>) -> BTreeMap<String, usize> {
    let numbers: BTreeMap<&str, usize> = targets_of.keys().map(String::as_str).zip(0..).collect();
    let number = |target: &String| numbers.get(target.as_str()).copied();
    let edges: Vec<Vec<usize>> = targets_of
        .values()
        .map(|targets| targets.iter().filter_map(number).collect())
        .collect();
    let components = graph::components(&edges);
    targets_of.keys().cloned().zip(components).collect()
}
