//! A row of the table: a definition in a form that is small, and that both sides of the table read.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::{
    Aliasing, DeclaredAt, EnumDef, ExternalType, Field, GoField, KnownType, Marshals, Omission,
    StructDef, TypeDef, TypeKind, TypeRef, UnknownFields, Validation, Variant,
    names::schema::{OPEN_VARIANT, field_names, variant_names},
};

/// A type; the keys are short, since each stands thousands of times.
#[derive(Serialize, Deserialize)]
struct Row {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    d: String,
    /// The fields of a struct.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    f: Option<Vec<FieldRow>>,
    /// The type that it is another name for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    a: Option<String>,
    /// The values of an enum, with docs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    e: Option<Vec<(String, String)>>,
    #[serde(default, skip_serializing_if = "is_default")]
    v: Validation,
    /// The method by which it writes itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    m: Option<Marshals>,
}

#[derive(Serialize, Deserialize)]
struct FieldRow {
    /// The name on the wire.
    j: String,
    /// The Go name, where it is not the name on the wire with a capital.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    g: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    d: String,
    /// The type.
    t: String,
    /// Letters: `r`equired, `n`ullable, `o`ption, `p`ointer, omit`e`mpty, omit`z`ero.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    k: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    x: Option<Value>,
    #[serde(default, skip_serializing_if = "is_default")]
    v: Validation,
}

fn is_default(validation: &Validation) -> bool {
    *validation == Validation::default()
}

/// The row of a definition, as one line.
#[cfg(feature = "go")]
pub(super) fn encode(def: &TypeDef) -> Option<String> {
    let mut row = Row {
        d: def.docs.clone(),
        f: None,
        a: None,
        e: None,
        v: def.validation.clone(),
        m: def.marshals,
    };
    match &def.kind {
        TypeKind::Struct(def) => {
            row.f = Some(def.fields.iter().map(encode_field).collect::<Option<_>>()?)
        }
        TypeKind::Alias(alias) => row.a = Some(encode_type(&alias.target)?),
        TypeKind::Enum(def) => {
            let values = def.variants.iter();
            row.e = Some(
                values
                    .map(|one| (one.value.clone(), one.docs.clone()))
                    .collect(),
            );
        }
        TypeKind::Union(_) => return None,
    }
    serde_json::to_string(&row).ok()
}

#[cfg(feature = "go")]
fn encode_field(field: &Field) -> Option<FieldRow> {
    let go = field.go.clone().unwrap_or_default();
    let flags = [
        ('r', field.required),
        ('n', field.nullable),
        ('o', field.option),
        ('p', go.pointer),
        ('e', go.omits == Omission::Empty),
        ('z', go.omits == Omission::Zero),
    ];
    Some(FieldRow {
        g: (go.name != capital(&field.json_name)).then_some(go.name),
        j: field.json_name.clone(),
        d: field.docs.clone(),
        t: encode_type(&field.ty)?,
        k: flags
            .iter()
            .filter(|(_, on)| *on)
            .map(|(letter, _)| *letter)
            .collect(),
        x: field.default.clone(),
        v: field.validation.clone(),
    })
}

fn capital(name: &str) -> String {
    let mut chars = name.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

/// The definition in a row.
pub(super) fn decode(name: &str, row: &str) -> Option<TypeDef> {
    let row: Row = serde_json::from_str(row).ok()?;
    let kind = match (row.f, row.a, row.e) {
        (Some(fields), _, _) => {
            let json_names: Vec<&str> = fields.iter().map(|field| field.j.as_str()).collect();
            let rust_names = field_names(&json_names, &[]);
            let fields = fields.into_iter().zip(rust_names);
            TypeKind::Struct(StructDef {
                fields: fields
                    .map(|(row, rust_name)| decode_field(row, rust_name))
                    .collect::<Option<_>>()?,
                unknown_fields: UnknownFields::Pruned,
                tuple: false,
            })
        }
        (None, Some(target), _) => TypeKind::Alias(Aliasing {
            target: decode_type(&target)?,
            newtype: false,
        }),
        (None, None, Some(values)) => TypeKind::Enum(decode_enum(values)),
        (None, None, None) => return None,
    };
    Some(TypeDef {
        name: name.to_owned(),
        docs: row.d,
        path: name.to_owned(),
        shared: false,
        kind,
        validation: row.v,
        item: None,
        marshals: row.m,
        declared: DeclaredAt::default(),
    })
}

fn decode_enum(values: Vec<(String, String)>) -> EnumDef {
    let texts: Vec<&str> = values.iter().map(|(value, _)| value.as_str()).collect();
    let names = variant_names(&texts);
    let variants = names.into_iter().zip(values);
    EnumDef {
        variants: variants
            .map(|(name, (value, docs))| Variant { name, value, docs })
            .collect(),
        open: Some(OPEN_VARIANT.to_owned()),
        default: None,
        zero_is_empty: true,
    }
}

fn decode_field(row: FieldRow, rust_name: String) -> Option<Field> {
    let has = |letter: char| row.k.contains(letter);
    let omits = match (has('z'), has('e')) {
        (true, _) => Omission::Zero,
        (false, true) => Omission::Empty,
        (false, false) => Omission::Never,
    };
    Some(Field {
        ty: decode_type(&row.t)?,
        option: has('o'),
        required: has('r'),
        nullable: has('n'),
        default: row.x,
        flatten: false,
        skip: false,
        go: Some(GoField {
            name: row.g.unwrap_or_else(|| capital(&row.j)),
            omits,
            pointer: has('p'),
            required: has('r'),
        }),
        declared: DeclaredAt::default(),
        validation: row.v,
        docs: row.d,
        json_name: row.j,
        rust_name,
    })
}

/// `[` and `{` stand for a list and a map of what follows; other types are a letter, or a path.
#[cfg(feature = "go")]
fn encode_type(ty: &TypeRef) -> Option<String> {
    Some(match ty {
        TypeRef::Bool => "b".to_owned(),
        TypeRef::Int32 => "i".to_owned(),
        TypeRef::Int64 => "l".to_owned(),
        TypeRef::Float => "f".to_owned(),
        TypeRef::String => "s".to_owned(),
        TypeRef::Any => "*".to_owned(),
        TypeRef::Integer(name) => format!("#{name}"),
        TypeRef::List(inner) => format!("[{}", encode_type(inner)?),
        TypeRef::Map(inner) => format!("{{{}", encode_type(inner)?),
        ty => ty.path()?,
    })
}

fn decode_type(text: &str) -> Option<TypeRef> {
    if let Some(inner) = text.strip_prefix('[') {
        return Some(TypeRef::List(Box::new(decode_type(inner)?)));
    }
    if let Some(inner) = text.strip_prefix('{') {
        return Some(TypeRef::Map(Box::new(decode_type(inner)?)));
    }
    if let Some(name) = text.strip_prefix('#') {
        return Some(TypeRef::Integer(name.to_owned()));
    }
    Some(match text {
        "b" => TypeRef::Bool,
        "i" => TypeRef::Int32,
        "l" => TypeRef::Int64,
        "f" => TypeRef::Float,
        "s" => TypeRef::String,
        "*" => TypeRef::Any,
        path => {
            let segments: Vec<&str> = path.split("::").collect();
            let known = KnownType::at(segments.get(1..).unwrap_or_default());
            known.map_or_else(
                || {
                    let segments = segments.iter().map(|&segment| segment.to_owned());
                    TypeRef::External(ExternalType::new(segments.collect()))
                },
                TypeRef::Known,
            )
        }
    })
}
