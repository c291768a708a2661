//! Shapes: types of one version that differ in nothing but name and docs become one type, the others its aliases.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::mem::discriminant;

use rayon::prelude::*;
use serde_json::Value;

use super::draft::Draft;
use crate::model::{
    Aliasing, DeclaredAt, EnumDef, Field, StructDef, TypeDef, TypeKind, TypeRef, UnknownFields,
    Variant,
};

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
    let target = |shape| {
        let first = representative.get(shape).copied()?;
        let name = name_of(names, drafts[first].path.as_str()).to_owned();
        Some((first, name))
    };
    let targets: Vec<Option<(usize, String)>> = shapes.iter().map(target).collect();
    let mut types: Vec<TypeDef> = drafts
        .into_par_iter()
        .zip(targets)
        .enumerate()
        .map(|(index, (draft, target))| {
            let kind = match target {
                Some((first, name)) if first != index => TypeKind::Alias(Aliasing {
                    target: TypeRef::Local(name),
                    newtype: false,
                }),
                _ => named(draft.kind, names),
            };
            TypeDef {
                name: name_of(names, draft.path.as_str()).to_owned(),
                docs: draft.docs,
                path: draft.path.as_str().to_owned(),
                kind,
                validation: draft.validation,
                item: None,
                marshals: None,
                declared: DeclaredAt::default(),
            }
        })
        .collect();
    types.par_sort_by(|a, b| a.name.cmp(&b.name));
    types
}

/// The shape of each draft: equal numbers mean equal shapes. Roots have one of their own each.
fn shapes(drafts: &[Draft]) -> Vec<usize> {
    let mut of_path: ShapeOfPath<'_> = HashMap::with_capacity(drafts.len());
    // The first draft of each shape, by a digest that equal shapes share.
    let mut known: HashMap<u64, Vec<(usize, &Draft)>> = HashMap::with_capacity(drafts.len());
    let mut shapes = vec![0; drafts.len()];
    // Longer paths first, so that a reference's shape is known when the type that refers is looked at.
    for (index, draft) in drafts.iter().enumerate().rev() {
        let alike = known.entry(digest(draft, &of_path)).or_default();
        let equal = alike
            .iter()
            .find(|(_, other)| is_same(draft, other, &of_path));
        let shape = match equal {
            Some((shape, _)) => *shape,
            None => {
                alike.push((index, draft));
                index
            }
        };
        shapes[index] = shape;
        of_path.insert(draft.path.as_str(), shape);
    }
    shapes
}

/// The shapes that are known so far.
type ShapeOfPath<'a> = HashMap<&'a str, usize>;

/// A number that drafts of one shape share and others hardly do: of most that [`is_same`] compares.
fn digest(draft: &Draft, shapes: &ShapeOfPath<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    match &draft.kind {
        TypeKind::Struct(def) => def.fields.iter().for_each(|field| {
            field.json_name.hash(&mut hasher);
            field.required.hash(&mut hasher);
            discriminant(&field.ty).hash(&mut hasher);
            field.validation.pattern.hash(&mut hasher);
            let default = field.default.as_ref().map(Value::to_string);
            default.hash(&mut hasher);
            if let Some(path) = field.ty.local() {
                shapes.get(path).hash(&mut hasher);
            }
        }),
        TypeKind::Enum(def) => def
            .variants
            .iter()
            .for_each(|variant| variant.value.hash(&mut hasher)),
        TypeKind::Union(_) | TypeKind::Alias(_) => {}
    }
    hasher.finish()
}

/// Whether two drafts differ in nothing but names, docs, and the paths that references to one shape take.
fn is_same(a: &Draft, b: &Draft, shapes: &ShapeOfPath<'_>) -> bool {
    let kinds = match (&a.kind, &b.kind) {
        (TypeKind::Struct(a), TypeKind::Struct(b)) => is_same_struct(a, b, shapes),
        (TypeKind::Enum(a), TypeKind::Enum(b)) => is_same_enum(a, b),
        _ => false,
    };
    kinds && !a.root && !b.root && a.validation == b.validation
}

fn is_same_struct(a: &StructDef, b: &StructDef, shapes: &ShapeOfPath<'_>) -> bool {
    let unknown_fields = match (&a.unknown_fields, &b.unknown_fields) {
        (UnknownFields::Kept(a), UnknownFields::Kept(b)) => is_same_type(a, b, shapes),
        (a, b) => a == b,
    };
    unknown_fields
        && a.tuple == b.tuple
        && a.fields.len() == b.fields.len()
        && a.fields
            .iter()
            .zip(&b.fields)
            .all(|(a, b)| is_same_field(a, b, shapes))
}

fn is_same_field(a: &Field, b: &Field, shapes: &ShapeOfPath<'_>) -> bool {
    // Named one by one, so that a field of `Field` that is new is thought of here.
    let Field {
        json_name,
        rust_name,
        docs: _,
        ty,
        option,
        required,
        nullable,
        default,
        flatten,
        skip,
        validation,
        go: _,
        declared: _,
    } = a;
    (json_name, rust_name) == (&b.json_name, &b.rust_name)
        && is_same_type(ty, &b.ty, shapes)
        && (option, required, nullable) == (&b.option, &b.required, &b.nullable)
        && (flatten, skip) == (&b.flatten, &b.skip)
        && (default, validation) == (&b.default, &b.validation)
}

fn is_same_enum(a: &EnumDef, b: &EnumDef) -> bool {
    let is_same_variant = |(a, b): (&Variant, &Variant)| a.name == b.name && a.value == b.value;
    (&a.open, a.default) == (&b.open, b.default)
        && a.variants.len() == b.variants.len()
        && a.variants.iter().zip(&b.variants).all(is_same_variant)
}

fn is_same_type(a: &TypeRef, b: &TypeRef, shapes: &ShapeOfPath<'_>) -> bool {
    match (a, b) {
        (TypeRef::Local(a), TypeRef::Local(b)) => shapes.get(a.as_str()) == shapes.get(b.as_str()),
        (TypeRef::List(a), TypeRef::List(b))
        | (TypeRef::Map(a), TypeRef::Map(b))
        | (TypeRef::Optional(a), TypeRef::Optional(b))
        | (TypeRef::Boxed(a), TypeRef::Boxed(b)) => is_same_type(a, b, shapes),
        (a, b) => a == b,
    }
}

fn named(mut kind: TypeKind, names: &BTreeMap<String, String>) -> TypeKind {
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
