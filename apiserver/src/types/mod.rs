//! The fields of the built-in kinds: which there are, of which types, and what Go writes for their empty values.
//!
//! The table (`builtin-types/types.txt`, made by the script beside it from Kubernetes' sources) serves [`normal`], which does
//! to a JSON object what decoding it into a Go type and encoding it again does, [`protobuf`], which reads bodies that
//! typed Go clients send, and [`apply`](crate::apply) and [`patch`](crate::patch), which merge objects.

pub(crate) mod base64;
pub(crate) mod normal;
pub(crate) mod protobuf;
pub(crate) mod scalars;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;

/// A value of a wrong type, in the words of Go's JSON decoder.
pub(crate) type TypeError = String;

/// The relation of a field to its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    One,
    List,
    Map,
}

/// The form in which Go writes an empty value.
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
    /// A string, and the name of its Go type.
    Text(&'static str),
    Bytes,
    /// A struct of the table.
    Struct(&'static str),
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
    /// An object of any kind, whole.
    Extension,
}

/// How server-side apply merges a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    /// As one value.
    Atomic,
    /// By its fields.
    Granular,
    /// A list by its values.
    Set,
    /// A list by these fields of its items.
    Keys(Vec<&'static str>),
}

/// One field of a type.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) number: u64,
    pub(crate) empty: Empty,
    pub(crate) shape: Shape,
    pub(crate) kind: Kind,
    pub(crate) merge: Merge,
    /// The exception to how strategic merge patches treat such a field: the key to merge by, or empty to replace.
    pub(crate) patch: Option<&'static str>,
    /// The default of a field that is a key.
    pub(crate) default: Option<Value>,
}

/// The fields of a struct type.
pub(crate) type Fields = Vec<Field>;

/// A struct type.
#[derive(Debug)]
pub(crate) struct Type {
    /// Whether server-side apply merges it as one value.
    pub(crate) is_atomic: bool,
    pub(crate) fields: Fields,
}

static TABLE: LazyLock<BTreeMap<&'static str, Type>> = LazyLock::new(|| {
    include_str!("../../builtin-types/types.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(read_line)
        .collect()
});

/// All types, by their short names (`core.v1.Pod`).
pub(crate) fn all() -> &'static BTreeMap<&'static str, Type> {
    &TABLE
}

/// The fields of a type by its short name.
pub(crate) fn fields(name: &str) -> Option<&'static Fields> {
    TABLE.get(name).map(|known| &known.fields)
}

fn read_line(line: &'static str) -> Option<(&'static str, Type)> {
    let mut words = line.split(' ');
    let name = words.next()?;
    let fields = words.map(read_field).collect::<Option<_>>()?;
    let is_atomic = name.starts_with('!');
    let known = Type { is_atomic, fields };
    Some((name.trim_start_matches('!'), known))
}

fn read_field(text: &'static str) -> Option<Field> {
    let (name, rest) = text.split_once('=')?;
    let (number, rest) = rest.split_once(':')?;
    let empty = match rest.get(..1)? {
        "o" => Empty::Omitted,
        "p" => Empty::Pointer,
        "s" => Empty::Struct,
        "r" => Empty::Zero,
        _ => Empty::Inline,
    };
    let mut options = rest.get(1..)?.split(';');
    let rest = options.next()?;
    let (shape, kind) = match (rest.strip_prefix("[]"), rest.strip_prefix("{}")) {
        (Some(item), _) => (Shape::List, item),
        (_, Some(value)) => (Shape::Map, value),
        _ => (Shape::One, rest),
    };
    let mut field = Field {
        name,
        number: number.parse().ok()?,
        empty,
        shape,
        kind: read_kind(kind),
        merge: match shape {
            Shape::List => Merge::Atomic,
            Shape::One | Shape::Map => Merge::Granular,
        },
        patch: None,
        default: None,
    };
    for option in options {
        match option.split_once('=').unwrap_or((option, "")) {
            ("keys", keys) => field.merge = Merge::Keys(keys.split(',').collect()),
            ("set", _) => field.merge = Merge::Set,
            ("atomic", _) => field.merge = Merge::Atomic,
            ("patch", key) => field.patch = Some(key),
            ("default", value) => field.default = Some(serde_json::from_str(value).ok()?),
            _ => return None,
        }
    }
    Some(field)
}

fn read_kind(text: &'static str) -> Kind {
    if let Some(("string", go_type)) = text.split_once('/') {
        return Kind::Text(go_type);
    }
    match text {
        "bool" => Kind::Bool,
        "int32" => Kind::Int32,
        "int64" => Kind::Int64,
        "double" => Kind::Double,
        "string" => Kind::Text("string"),
        "bytes" => Kind::Bytes,
        "meta.v1.Time" => Kind::Special(Special::Time),
        "meta.v1.MicroTime" => Kind::Special(Special::MicroTime),
        "resource.Quantity" => Kind::Special(Special::Quantity),
        "intstr.IntOrString" => Kind::Special(Special::IntOrString),
        "runtime.RawExtension" => Kind::Special(Special::Extension),
        "apiextensions.v1.JSON" | "meta.v1.FieldsV1" => Kind::Special(Special::Raw),
        name if name.starts_with("apiextensions.v1.JSONSchemaPropsOr")
            || name.ends_with(".ExtraValue") =>
        {
            Kind::Special(Special::Raw)
        }
        name => Kind::Struct(name),
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
            let name = line.split(' ').next().unwrap().trim_start_matches('!');
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
