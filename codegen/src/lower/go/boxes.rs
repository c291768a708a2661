//! Boxes around fields through which a type would contain itself.

use std::collections::{BTreeMap, BTreeSet};

use super::cx::Cx;
use crate::model::{TypeDef, TypeKind, TypeRef};

/// Puts fields that lead back to their type by value into boxes; lists and maps hold theirs apart.
pub(super) fn add(cx: &Cx<'_>, types: &mut BTreeMap<String, Vec<TypeDef>>) {
    let homes: BTreeMap<String, String> = types
        .keys()
        .filter_map(|package| Some((package.clone(), cx.home(package)?.path.clone())))
        .collect();
    let mut edges: BTreeMap<String, Vec<String>> = BTreeMap::new();
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
            edges.insert(format!("{home}::{}", def.name), targets);
        }
    }
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
                let returns =
                    path(home, &field.ty).is_some_and(|target| leads_to(&edges, &target, &own));
                if returns {
                    field.ty = TypeRef::Boxed(Box::new(field.ty.clone()));
                }
            }
        }
    }
}

/// The path of a type that is held by value.
fn path(home: &str, ty: &TypeRef) -> Option<String> {
    match ty {
        TypeRef::Local(name) => Some(format!("{home}::{name}")),
        TypeRef::External(external) => Some(external.segments.join("::")),
        _ => None,
    }
}

fn leads_to(edges: &BTreeMap<String, Vec<String>>, from: &str, to: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut stack = vec![from];
    while let Some(at) = stack.pop() {
        if at == to {
            return true;
        }
        if seen.insert(at) {
            stack.extend(edges.get(at).into_iter().flatten().map(String::as_str));
        }
    }
    false
}
