//! Shapes: types of one version that differ only in names and docs have the same shape.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::mem::discriminant;

use serde_json::Value;

use super::extract::Unnamed;
use crate::model::{EnumDef, Field, StructDef, TypeKind, TypeRef, UnknownFields, Variant};

/// Returns the shape of each type: equal numbers mean equal shapes. Each root has its own shape.
///
/// `types` are sorted by path with shorter paths first; every reference is to a longer path.
/// References to types of the same shape are equal; if classes are specified, references to types
/// of the same class.
pub(super) fn shapes(types: &[Unnamed<'_>], class_of: Option<&[usize]>) -> Vec<usize> {
    let mut of_path: ShapeOfPath<'_> = HashMap::with_capacity(types.len());
    // The first type of each shape, by a hash that equal shapes share.
    let mut known: HashMap<u64, Vec<(usize, &Unnamed<'_>)>> = HashMap::with_capacity(types.len());
    let mut shapes = vec![0; types.len()];
    // Longer paths first, so that the shapes of referenced types are known.
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

/// The shapes known so far.
type ShapeOfPath<'a> = HashMap<&'a str, usize>;

/// Hashes most of what [`is_same`] compares: types of the same shape have equal hashes, others
/// rarely.
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

/// Whether two types differ only in names, docs, and paths of references to the same shape.
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
    // Destructure exhaustively, so that a new field of `Field` must be handled here.
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
        // There are no markers.
        conversion: _,
        // Determined later.
        demanded: _,
        undeclared: _,
        merged: _,
        hashed: _,
        with: _,
        derived: _,
        embedded_in: _,
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
