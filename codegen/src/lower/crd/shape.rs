//! Shapes: types of one version that differ in nothing but name and docs become one type, the others its aliases.

use std::collections::{BTreeMap, HashMap};

use super::draft::Draft;
use crate::model::{Aliasing, StructDef, TypeDef, TypeKind, TypeRef, UnknownFields};

/// Names the drafts and unifies those of one shape. The type with the shortest name stands for all (by path where names are
/// equally long); references keep naming their own path, so that a change elsewhere does not touch them.
///
/// `drafts` are sorted by path with shorter paths first; every reference is to a longer path.
pub(super) fn unify(drafts: Vec<Draft>, names: &BTreeMap<String, String>) -> Vec<TypeDef> {
    let shapes = shapes(&drafts);
    let mut representative: HashMap<usize, usize> = HashMap::new();
    for (index, shape) in shapes.iter().enumerate() {
        let rank = |index: usize| {
            (
                name_of(names, drafts[index].path.as_str()).len(),
                &drafts[index].path,
            )
        };
        let best = representative.entry(*shape).or_insert(index);
        if rank(index) < rank(*best) {
            *best = index;
        }
    }
    let mut types: Vec<TypeDef> = drafts
        .iter()
        .enumerate()
        .map(|(index, draft)| {
            let first = representative.get(&shapes[index]).copied().unwrap_or(index);
            let kind = if first == index {
                named(&draft.kind, names)
            } else {
                let target = TypeRef::Local(name_of(names, drafts[first].path.as_str()).to_owned());
                TypeKind::Alias(Aliasing {
                    target,
                    newtype: false,
                })
            };
            TypeDef {
                name: name_of(names, draft.path.as_str()).to_owned(),
                docs: draft.docs.clone(),
                path: draft.path.as_str().to_owned(),
                kind,
                validation: draft.validation.clone(),
                item: None,
            }
        })
        .collect();
    types.sort_by(|a, b| a.name.cmp(&b.name));
    types
}

/// The shape of each draft: equal numbers mean equal shapes. Roots have one of their own each.
fn shapes(drafts: &[Draft]) -> Vec<usize> {
    let mut shape_of_path: HashMap<&str, usize> = HashMap::with_capacity(drafts.len());
    let mut known: HashMap<String, usize> = HashMap::with_capacity(drafts.len());
    let mut shapes = vec![0; drafts.len()];
    // Longer paths first, so that a reference's shape is known when the type that refers is looked at.
    for (index, draft) in drafts.iter().enumerate().rev() {
        let next = known.len();
        let key = if draft.root {
            format!("root {}", draft.path.as_str())
        } else {
            key(draft, &shape_of_path)
        };
        let shape = *known.entry(key).or_insert(next);
        shapes[index] = shape;
        shape_of_path.insert(draft.path.as_str(), shape);
    }
    shapes
}

/// All that makes a shape, as text: the definition without docs, and references as numbers of shapes.
fn key(draft: &Draft, shape_of_path: &HashMap<&str, usize>) -> String {
    let mut kind = draft.kind.clone();
    map_refs(&mut kind, &|path| {
        format!(
            "#{}",
            shape_of_path.get(path).copied().unwrap_or(usize::MAX)
        )
    });
    match &mut kind {
        TypeKind::Struct(def) => def.fields.iter_mut().for_each(|field| field.docs.clear()),
        TypeKind::Enum(def) => def
            .variants
            .iter_mut()
            .for_each(|variant| variant.docs.clear()),
        TypeKind::Union(_) | TypeKind::Alias(_) => {}
    }
    format!("{kind:?} {:?}", draft.validation)
}

fn named(kind: &TypeKind, names: &BTreeMap<String, String>) -> TypeKind {
    let mut kind = kind.clone();
    map_refs(&mut kind, &|path| name_of(names, path).to_owned());
    kind
}

/// Every path was given a name; a path without one would be a defect, and reads as itself.
fn name_of<'a>(names: &'a BTreeMap<String, String>, path: &'a str) -> &'a str {
    names.get(path).map_or(path, String::as_str)
}

fn map_refs(kind: &mut TypeKind, map: &impl Fn(&str) -> String) {
    if let TypeKind::Struct(StructDef {
        fields,
        unknown_fields,
        ..
    }) = kind
    {
        fields
            .iter_mut()
            .for_each(|field| map_ref(&mut field.ty, map));
        if let UnknownFields::Kept(ty) = unknown_fields {
            map_ref(ty, map);
        }
    }
}

fn map_ref(ty: &mut TypeRef, map: &impl Fn(&str) -> String) {
    match ty {
        TypeRef::Local(path) => *path = map(path),
        TypeRef::List(inner)
        | TypeRef::Map(inner)
        | TypeRef::Optional(inner)
        | TypeRef::Boxed(inner) => map_ref(inner, map),
        _ => {}
    }
}
