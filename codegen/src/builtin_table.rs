//! Builds the table of the crate `kube-builtin-types` from the sources of `k8s.io`, with this
//! crate's own Go reader.
//!
//! [`builtin`](crate::builtin) reads the table that this module writes. Start reading at [`make`].

use std::path::Path;

use kube_builtin_types::{Body, Definition, Field as Row, Type, pack};

use crate::{
    builtin::go_package,
    config::{self, Error, go::KubernetesSources},
    diag::Diagnostics,
    lower::go::{Builtin, Native, definitions},
    model::{Field, KnownType, TypeKind, TypeRef, Validation},
    options::Compat,
    read::{go, markers::IgnoredMarkers},
};

/// The files of the table, as checked in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// Everything except documentation.
    pub types: Vec<u8>,
    /// The documentation.
    pub docs: Vec<u8>,
}

/// Reads the packages that match the patterns and packs their exported types.
///
/// # Errors
///
/// Packages that cannot be read.
pub fn make(patterns: &[String], dir: &Path) -> Result<Files, Error> {
    let environment = config::go::Environment::from_process();
    let sources = config::go::load(patterns, dir, &environment, KubernetesSources::Definitions)
        .map_err(Error::Config)?;
    if let Some(missing) = sources.missing.values().next() {
        return Err(Error::Config(missing.clone().into()));
    }
    let mut found = Diagnostics::new();
    let module = go::read(&sources, IgnoredMarkers(&[]), Compat::Strict, &mut found);
    let exported = definitions(&module, &mut found)
        .into_iter()
        .filter(|((_, name), _)| name.starts_with(char::is_uppercase));
    let types: Vec<_> = exported
        .filter_map(|((package, name), builtin)| {
            let (definition, docs) = definition(builtin)?;
            Some((package, name, definition, docs))
        })
        .collect();
    let (types, docs) = pack(types.iter().map(|(package, name, definition, docs)| {
        (package.as_str(), name.as_str(), definition, &docs[..])
    }));
    Ok(Files { types, docs })
}

/// Converts a definition of the model to the table, with its documentation; `None` if the table
/// cannot represent it.
fn definition(builtin: Builtin) -> Option<(Definition<Validation>, Vec<String>)> {
    let Builtin {
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

fn row(native: Native, field: Field) -> Option<Row<Validation>> {
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
            Type::Named(go_package(module)?, name.to_owned())
        }
    })
}
