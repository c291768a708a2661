//! The fields of the built-in kinds: which there are, of which types, and what Go writes for their empty values.
//!
//! The table (`builtin-types/types.txt`, made by the script beside it from Kubernetes' sources) serves [`normal`], which does
//! to a JSON object what decoding it into a Go type and encoding it again does, and [`protobuf`], which reads bodies that
//! typed Go clients send.

pub(crate) mod base64;
pub(crate) mod normal;
pub(crate) mod protobuf;
pub(crate) mod scalars;

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A value of a wrong type, in the words of Go's JSON decoder.
pub(crate) type TypeError = String;

/// What a field holds of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    One,
    List,
    Map,
}

/// What Go writes for an empty value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Empty {
    /// Nothing, for a value.
    Omitted,
    /// Nothing, for a pointer; a pointer to a zero value is not empty.
    Pointer,
    /// An empty object.
    Struct,
    /// The zero value.
    Zero,
    /// The field's own fields stand in place of it.
    Inline,
}

/// The type of a field's value, list item or map value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Int32,
    Int64,
    Double,
    Text,
    Bytes,
    /// A struct of the table.
    Struct(String),
    /// A type with a JSON form of its own.
    Special(Special),
}

/// Types whose JSON is not that of their fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    Time,
    MicroTime,
    Quantity,
    IntOrString,
    /// Any JSON.
    Raw,
}

/// One field of a type.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) number: u64,
    pub(crate) empty: Empty,
    pub(crate) shape: Shape,
    pub(crate) kind: Kind,
}

/// A struct type.
pub(crate) type Fields = Vec<Field>;

static TABLE: OnceLock<BTreeMap<&'static str, Fields>> = OnceLock::new();

/// The fields of a type by its short name (`core.v1.Pod`).
pub(crate) fn fields(name: &str) -> Option<&'static Fields> {
    TABLE
        .get_or_init(|| {
            include_str!("../../builtin-types/types.txt")
                .lines()
                .filter(|line| !line.starts_with('#'))
                .filter_map(|line| {
                    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
                    Some((
                        name,
                        rest.split(' ')
                            .filter(|f| !f.is_empty())
                            .map(read_field)
                            .collect::<Option<_>>()?,
                    ))
                })
                .collect()
        })
        .get(name)
}

fn read_field(text: &str) -> Option<Field> {
    let (name, rest) = text.split_once('=')?;
    let (number, rest) = rest.split_once(':')?;
    let empty = match rest.get(..1)? {
        "o" => Empty::Omitted,
        "p" => Empty::Pointer,
        "s" => Empty::Struct,
        "r" => Empty::Zero,
        _ => Empty::Inline,
    };
    let rest = rest.get(1..)?;
    let (shape, kind) = match (rest.strip_prefix("[]"), rest.strip_prefix("{}")) {
        (Some(item), _) => (Shape::List, item),
        (_, Some(value)) => (Shape::Map, value),
        _ => (Shape::One, rest),
    };
    Some(Field {
        name: name.to_owned(),
        number: number.parse().ok()?,
        empty,
        shape,
        kind: read_kind(kind),
    })
}

fn read_kind(text: &str) -> Kind {
    match text {
        "bool" => Kind::Bool,
        "int32" => Kind::Int32,
        "int64" => Kind::Int64,
        "double" => Kind::Double,
        "string" => Kind::Text,
        "bytes" => Kind::Bytes,
        "meta.v1.Time" => Kind::Special(Special::Time),
        "meta.v1.MicroTime" => Kind::Special(Special::MicroTime),
        "resource.Quantity" => Kind::Special(Special::Quantity),
        "intstr.IntOrString" => Kind::Special(Special::IntOrString),
        name if name.starts_with("apiextensions.v1.JSONSchemaPropsOr")
            || matches!(
                name,
                "apiextensions.v1.JSON" | "runtime.RawExtension" | "meta.v1.FieldsV1"
            ) =>
        {
            Kind::Special(Special::Raw)
        }
        name => Kind::Struct(name.to_owned()),
    }
}

/// The short name of the type of a kind (`core.v1.Pod`).
pub(crate) fn type_name(group: &str, version: &str, kind: &str) -> String {
    let package = if group.is_empty() {
        "core"
    } else {
        group.split('.').next().unwrap_or_default()
    };
    format!("{package}.{version}.{kind}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_read_and_every_type_it_names_is_there() {
        let lines = include_str!("../../builtin-types/types.txt")
            .lines()
            .filter(|l| !l.starts_with('#'));
        let mut count = 0;
        for line in lines {
            let name = line.split(' ').next().unwrap();
            for field in fields(name).unwrap_or_else(|| panic!("{line}")) {
                if let Kind::Struct(inner) = &field.kind {
                    assert!(fields(inner).is_some(), "{name}.{}: {inner}", field.name);
                }
            }
            count += 1;
        }
        assert!(count > 300);
    }
}
