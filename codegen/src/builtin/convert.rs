//! Converts between the table's definitions and the model's.

use kube_builtin_types::{Body, Definition, Field as Row, Type};

use super::paths;
use crate::model::{
    Aliasing, DeclaredAt, EnumDef, EnumValues, Field, GoField, KnownType, StructDef, TypeDef,
    TypeKind, TypeRef, UnknownFields, Validation, Variant,
    names::schema::{OPEN_VARIANT, field_names, variant_names},
};

/// Converts a definition of the table to the model. `docs` holds the documentation of the type, then of its fields or values.
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

/// Converts a definition of the model to the table, with its documentation; `None` if the table cannot represent it.
#[cfg(feature = "go")]
pub(super) fn definition(
    builtin: crate::lower::go::Builtin,
) -> Option<(Definition<Validation>, Vec<String>)> {
    let crate::lower::go::Builtin {
        def,
        mut fields,
        atomic,
    } = builtin;
    let mut docs = vec![def.docs];
    let body = match def.kind {
        TypeKind::Struct(body) => {
            let rows = body.fields.into_iter().map(|mut field| {
                docs.push(std::mem::take(&mut field.docs));
                row(fields.remove(&field.json_name).unwrap_or_default(), field)
            });
            Body::Struct(rows.collect::<Option<_>>()?)
        }
        TypeKind::Alias(alias) => Body::Alias(named(&alias.target)?),
        TypeKind::Enum(body) => {
            let values = body.variants.into_iter().map(|variant| {
                docs.push(variant.docs);
                variant.value
            });
            Body::Enum(values.collect())
        }
        TypeKind::Union(_) => return None,
    };
    let definition = Definition {
        body,
        rules: def.validation,
        atomic,
        marshals: def.marshals,
    };
    Some((definition, docs))
}

#[cfg(feature = "go")]
fn row(native: crate::lower::go::Native, field: Field) -> Option<Row<Validation>> {
    let go = field.go.unwrap_or_default();
    Some(Row {
        ty: named(&field.ty)?,
        protobuf: native.protobuf,
        patch: native.patch,
        required: field.required,
        nullable: field.nullable,
        option: field.option,
        pointer: go.pointer,
        omits: go.omits,
        default: field.default,
        rules: field.validation,
        go_name: go.name,
        json_name: field.json_name,
    })
}

#[cfg(feature = "go")]
fn named(ty: &TypeRef) -> Option<Type> {
    Some(match ty {
        TypeRef::Bool => Type::Bool,
        TypeRef::Int32 => Type::Int32,
        TypeRef::Int64 => Type::Int64,
        TypeRef::Integer(name) => Type::Integer(name.clone()),
        TypeRef::Float => Type::Float,
        TypeRef::String => Type::Text,
        TypeRef::Any => Type::Any,
        TypeRef::Known(KnownType::ByteString) => Type::Bytes,
        TypeRef::List(inner) => Type::List(Box::new(named(inner)?)),
        TypeRef::Map(inner) => Type::Map(Box::new(named(inner)?)),
        ty => {
            let path = ty.path()?;
            let (module, name) = path.rsplit_once("::")?;
            Type::Named(paths::go_package(module)?, name.to_owned())
        }
    })
}
