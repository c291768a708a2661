//! Converts definitions of the table to the model.

use kube_builtin_types::{Body, Definition, Field as Row, Type};

use super::paths;
use crate::model::{
    Aliasing, DeclaredAt, EnumDef, EnumValues, Field, GoField, KnownType, StructDef, TypeDef,
    TypeKind, TypeRef, UnknownFields, Validation, Variant,
    names::schema::{OPEN_VARIANT, field_names, variant_names},
};

/// Converts a definition of the table to the model. `docs` holds the documentation of the type,
/// then of its fields or values.
pub(super) fn type_def(
    name: &str,
    definition: Definition<Validation>,
    docs: Vec<String>,
) -> Option<TypeDef> {
    let mut docs = docs.into_iter();
    let own = docs.next().unwrap_or_default();
    let kind = match definition.body {
        Body::Struct(rows) => {
            let json_names: Vec<&str> = rows.iter().map(|row| row.json_name.as_str()).collect();
            let rust_names = field_names(&json_names, &[]);
            let fields = rows.into_iter().zip(rust_names);
            TypeKind::Struct(StructDef {
                fields: fields
                    .map(|(row, rust_name)| field(row, rust_name, docs.next().unwrap_or_default()))
                    .collect::<Option<_>>()?,
                unknown_fields: UnknownFields::Pruned,
                ..StructDef::default()
            })
        }
        Body::Alias(target) => TypeKind::Alias(Aliasing {
            target: type_ref(target)?,
            newtype: false,
        }),
        Body::Enum(values) => TypeKind::Enum(enum_def(values, docs)),
    };
    Some(TypeDef {
        name: name.to_owned(),
        docs: own,
        path: name.to_owned(),
        shared: false,
        kind,
        validation: definition.rules,
        item: None,
        marshals: definition.marshals,
        whole: false,
        converted_by_hand: false,
        declared: DeclaredAt::default(),
    })
}

fn enum_def(values: Vec<String>, mut docs: impl Iterator<Item = String>) -> EnumDef {
    let texts: Vec<&str> = values.iter().map(String::as_str).collect();
    let names = variant_names(&texts);
    let variants = names.into_iter().zip(values);
    EnumDef {
        values: EnumValues::Texts,
        variants: variants
            .map(|(name, value)| Variant {
                name,
                value,
                docs: docs.next().unwrap_or_default(),
            })
            .collect(),
        open: Some(OPEN_VARIANT.to_owned()),
        default: None,
        zero_is_empty: true,
    }
}

fn field(row: Row<Validation>, rust_name: String, docs: String) -> Option<Field> {
    Some(Field {
        option: row.option,
        required: row.required,
        nullable: row.nullable,
        default: row.default,
        go: Some(GoField {
            name: row.go_name,
            omits: row.omits,
            pointer: row.pointer,
            required: row.required,
            ..GoField::default()
        }),
        validation: row.rules,
        docs,
        json_name: row.json_name,
        rust_name,
        ..Field::required("", type_ref(row.ty)?)
    })
}

fn type_ref(ty: Type) -> Option<TypeRef> {
    Some(match ty {
        Type::Bool => TypeRef::Bool,
        Type::Int32 => TypeRef::Int32,
        Type::Int64 => TypeRef::Int64,
        Type::Integer(name) => TypeRef::Integer(name),
        Type::Float => TypeRef::Float,
        Type::Text => TypeRef::String,
        Type::Bytes => TypeRef::Known(KnownType::ByteString),
        Type::Any => TypeRef::Any,
        Type::List(inner) => TypeRef::List(Box::new(type_ref(*inner)?)),
        Type::Map(inner) => TypeRef::Map(Box::new(type_ref(*inner)?)),
        Type::Named(package, name) => paths::at_path(paths::rust_path(&package, &name)?),
    })
}
