//! The fields of the built-in kinds: their names, types, and Go's encoding of empty values.
//!
//! The data comes from the table that the generator uses, too (`kube-builtin-types`). [`normal`]
//! uses it to mirror a decode into the Go type and re-encode, [`protobuf`] to read the bodies of
//! typed Go clients, [`apply`](crate::apply) and [`patch`](crate::patch) to merge objects.

pub(crate) mod base64;
pub(crate) mod normal;
pub(crate) mod protobuf;
pub(crate) mod scalars;
mod table;

use serde_json::Value;

pub(crate) use table::{find, names};

/// The message of Go's JSON decoder about a value of the wrong type.
pub(crate) type TypeError = String;

/// Whether a field holds one value, a list or a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cardinality {
    One,
    List,
    Map,
}

/// How Go encodes an empty value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Empty {
    /// Omitted: a value with `omitempty`.
    Omitted,
    /// Omitted if nil: a pointer; a pointer to a zero value is written.
    Pointer,
    /// As an empty object.
    Struct,
    /// As the zero value.
    Zero,
}

/// The type of a field's value, list item or map value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Int32,
    Int64,
    Double,
    /// A string, with the name of its Go type.
    Text(&'static str),
    Bytes,
    /// A struct of the table, by its short name.
    Struct(&'static str),
    /// A type with a custom JSON encoding.
    Special(Special),
}

/// Types whose JSON encoding is not that of their fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    Time,
    MicroTime,
    Quantity,
    IntOrString,
    /// Any JSON value.
    Raw,
    /// A whole object of any kind.
    Extension,
}

impl Special {
    /// Returns the special type with this short name.
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

    /// Whether Go writes the zero value despite `omitempty`, because the type is a struct.
    fn is_written(self) -> bool {
        !matches!(self, Self::Raw | Self::Extension)
    }
}

/// How server-side apply merges a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    /// As a single value.
    Atomic,
    /// Field by field.
    Granular,
    /// A list as a set of its values.
    Set,
    /// A list by these key fields of its items.
    Keys(Vec<&'static str>),
}

/// One field of a type.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    /// The field's path of protobuf numbers: those of the enclosing embedded structs, then its own;
    /// empty if protobuf does not carry it.
    pub(crate) numbers: Vec<u64>,
    pub(crate) empty: Empty,
    pub(crate) cardinality: Cardinality,
    pub(crate) kind: Kind,
    pub(crate) merge: Merge,
    /// The merge key of strategic merge patches where it differs from `merge`; empty to replace the
    /// value.
    pub(crate) patch: Option<&'static str>,
    /// The default of an absent field.
    pub(crate) default: Option<Value>,
}

/// The fields of a struct type.
pub(crate) type Fields = Vec<Field>;

/// A struct type; the fields of embedded structs are inlined.
#[derive(Debug)]
pub(crate) struct Type {
    /// Whether server-side apply treats the type as a single value.
    pub(crate) is_atomic: bool,
    pub(crate) fields: Fields,
}

/// Returns the fields of a type by its short name.
pub(crate) fn fields(name: &str) -> Option<&'static Fields> {
    find(name).map(|known| &known.fields)
}

/// Returns the short name of a kind's type (`core.v1.Pod`).
pub(crate) fn type_name(group: &str, version: &str, kind: &str) -> String {
    let package = if group.is_empty() {
        "core"
    } else {
        group.split('.').next().unwrap_or_default()
    };
    format!("{package}.{version}.{kind}")
}
