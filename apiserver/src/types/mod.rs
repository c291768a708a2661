//! The fields of the built-in kinds: which there are, of which types, and what Go writes for their empty values.
//!
//! They come from the table that the generator uses too (`kube-builtin-types`) and serve [`normal`], which does to a JSON object
//! what decoding it into a Go type and encoding it again does, [`protobuf`], which reads bodies that typed Go clients send, and
//! [`apply`](crate::apply) and [`patch`](crate::patch), which merge objects.

pub(crate) mod base64;
pub(crate) mod normal;
pub(crate) mod protobuf;
pub(crate) mod scalars;
mod table;

use serde_json::Value;

pub(crate) use table::{find, names};

/// A value of a wrong type, in the words of Go's JSON decoder.
pub(crate) type TypeError = String;

/// The relation of a field to its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cardinality {
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

impl Special {
    /// The special type of a short name.
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "meta.v1.Time" => Self::Time,
            "meta.v1.MicroTime" => Self::MicroTime,
            "resource.Quantity" => Self::Quantity,
            "intstr.IntOrString" => Self::IntOrString,
            "runtime.RawExtension" => Self::Extension,
            _ => return None,
        })
    }

    /// Whether Go writes the zero value in spite of `omitempty`, since it is a struct.
    fn is_written(self) -> bool {
        !matches!(self, Self::Raw | Self::Extension)
    }
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
    /// The numbers in protobuf of the embedded structs that lead to it, then its own; empty for what protobuf does not carry.
    pub(crate) numbers: Vec<u64>,
    pub(crate) empty: Empty,
    pub(crate) cardinality: Cardinality,
    pub(crate) kind: Kind,
    pub(crate) merge: Merge,
    /// The exception to how strategic merge patches treat such a field: the key to merge by, or empty to replace.
    pub(crate) patch: Option<&'static str>,
    /// The value of a field that is not there.
    pub(crate) default: Option<Value>,
}

/// The fields of a struct type.
pub(crate) type Fields = Vec<Field>;

/// A struct type; the fields of embedded structs stand in their place.
#[derive(Debug)]
pub(crate) struct Type {
    /// Whether server-side apply merges it as one value.
    pub(crate) is_atomic: bool,
    pub(crate) fields: Fields,
}

/// The fields of a type by its short name.
pub(crate) fn fields(name: &str) -> Option<&'static Fields> {
    find(name).map(|known| &known.fields)
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
