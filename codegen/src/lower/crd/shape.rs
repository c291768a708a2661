//! Shapes: which types of one version differ in nothing but names and docs.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::mem::discriminant;

use serde_json::Value;

use super::unnamed::Unnamed;
use crate::model::{EnumDef, Field, StructDef, TypeKind, TypeRef, UnknownFields, Variant};

/// The shape of each type: equal numbers mean equal shapes. Roots have one of their own each.
///
/// `types` are sorted by path with shorter paths first; every reference is to a longer path. References to types of one shape are the same;
/// where classes are given, those to types of one class.
pub(super) fn shapes(types: &[Unnamed<'_>], class_of: Option<&[usize]>) -> Vec<usize> {
    let mut of_path: ShapeOfPath<'_> = HashMap::with_capacity(types.len());
    // The first type of each shape, by a digest that equal shapes share.
    let mut known: HashMap<u64, Vec<(usize, &Unnamed<'_>)>> = HashMap::with_capacity(types.len());
    let mut shapes = vec![0; types.len()];
    // Longer paths first, so that a reference's shape is known when the type that refers is looked at.
    for (index, def) in types.iter().enumerate().rev() {
        let alike = known.entry(digest(def, &of_path)).or_default();
        let equal = alike
            .iter()
            .find(|(_, other)| is_same(def, other, &of_path));
        let shape = match equal {
            Some((shape, _)) => *shape,
            None => {
                alike.push((index, def));
                index
            }
        };
        shapes[index] = shape;
        let class = class_of.and_then(|classes| classes.get(index).copied());
        of_path.insert(def.path.as_str(), class.unwrap_or(shape));
    }
    shapes
}

/// The shapes that are known so far.
type ShapeOfPath<'a> = HashMap<&'a str, usize>;

/// A number that types of one shape share and others hardly do: of most that [`is_same`] compares.
fn digest(def: &Unnamed<'_>, shapes: &ShapeOfPath<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    match &def.kind {
        TypeKind::Struct(def) => def.fields.iter().for_each(|field| {
            field.json_name.hash(&mut hasher);
            (field.required, field.sparse).hash(&mut hasher);
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

/// Whether two types differ in nothing but names, docs, and the paths that references to one shape take.
fn is_same(a: &Unnamed<'_>, b: &Unnamed<'_>, shapes: &ShapeOfPath<'_>) -> bool {
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
        sparse,
        default,
        flatten,
        skip,
        validation,
        go: _,
        declared: _,
        // Decided later.
        undeclared: _,
        hashed: _,
        with: _,
        derived: _,
    } = a;
    (json_name, rust_name) == (&b.json_name, &b.rust_name)
        && is_same_type(ty, &b.ty, shapes)
        && (option, required, nullable) == (&b.option, &b.required, &b.nullable)
        && *sparse == b.sparse
        && (flatten, skip) == (&b.flatten, &b.skip)
        && (default, validation) == (&b.default, &b.validation)
}

fn is_same_enum(a: &EnumDef, b: &EnumDef) -> bool {
    let is_same_variant = |(a, b): (&Variant, &Variant)| a.name == b.name && a.value == b.value;
    (a.values, &a.open, a.default) == (b.values, &b.open, b.default)
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
