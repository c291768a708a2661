//! A type of the table and its row: JSON with short keys, since each stands thousands of times.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::text::Type;

/// A type, with rules (list and map semantics, bounds, patterns, …) of the caller's type.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition<R> {
    /// Its shape.
    pub body: Body<R>,
    /// The rules for it as a whole, with those of the structs that are embedded in it, as
    /// controller-gen puts them into schemas.
    pub rules: R,
    /// Whether it is declared atomic, so that server-side apply merges it as one value. An embedded
    /// struct has no say in this.
    pub atomic: bool,
    /// The method by which it writes itself, if it has one.
    pub marshals: Option<Marshals>,
}

/// The shape of a type.
#[derive(Clone, Debug, PartialEq)]
pub enum Body<R> {
    /// A struct; the fields of embedded structs stand in their place.
    Struct(Vec<Field<R>>),
    /// Another name for a type.
    Alias(Type),
    /// A text with these values.
    Enum(Vec<String>),
}

/// A method by which a Go type decides what JSON it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Marshals {
    /// `MarshalJSON`: any JSON.
    Json,
    /// `MarshalText`: a text.
    Text,
}

/// When Go's encoder leaves a field out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Omission {
    /// Never.
    #[default]
    Never,
    /// `omitempty`: false, 0, a nil pointer, an empty text, list or map; never a struct.
    Empty,
    /// `omitzero`, perhaps beside `omitempty`: the zero value, of a struct too.
    Zero,
}

/// How a strategic merge patch merges a field: Go's tags `patchStrategy` and `patchMergeKey`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patch {
    /// `merge`, `replace`, `retainKeys`, or several with commas.
    #[serde(rename = "s", default, skip_serializing_if = "String::is_empty")]
    pub strategy: String,
    /// The field by which items of a list are told apart; empty without one.
    #[serde(rename = "k", default, skip_serializing_if = "String::is_empty")]
    pub key: String,
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq)]
pub struct Field<R> {
    /// The name on the wire.
    pub json_name: String,
    /// The name in Go.
    pub go_name: String,
    /// The type, of a pointer that which it points to.
    pub ty: Type,
    /// The numbers of the field in protobuf: those of the embedded structs that lead to it, then
    /// its own. Empty for what protobuf does not carry.
    pub protobuf: Vec<u64>,
    /// How patches merge it, if a tag says so.
    pub patch: Option<Patch>,
    /// Whether the schema demands it.
    pub required: bool,
    /// Whether it may be null.
    pub nullable: bool,
    /// Whether Rust holds it as an `Option`.
    pub option: bool,
    /// Whether it is a pointer in Go.
    pub pointer: bool,
    /// When Go's encoder leaves it out.
    pub omits: Omission,
    /// The value that the server fills in.
    pub default: Option<Value>,
    /// The rules for its value.
    pub rules: R,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Row<R> {
    /// The fields of a struct.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) f: Option<Vec<FieldRow<R>>>,
    /// The type that it is another name for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) a: Option<Type>,
    /// The values of an enum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) e: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) v: Option<R>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) s: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) m: Option<Marshals>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct FieldRow<R> {
    pub(crate) j: String,
    /// The Go name, where it is not the name on the wire with a capital.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) g: Option<String>,
    pub(crate) t: Type,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) n: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) p: Option<Patch>,
    /// Letters: `r`equired, `n`ullable, `o`ption, `p`ointer, omit`e`mpty, omit`z`ero.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) k: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) x: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) v: Option<R>,
}

/// The definition in a row.
pub(crate) fn decode<R: DeserializeOwned + Default>(row: &str) -> Option<Definition<R>> {
    let row: Row<R> = serde_json::from_str(row).ok()?;
    let body = match (row.f, row.a, row.e) {
        (Some(fields), ..) => Body::Struct(fields.into_iter().map(FieldRow::into_field).collect()),
        (_, Some(target), _) => Body::Alias(target),
        (.., Some(values)) => Body::Enum(values),
        (None, None, None) => return None,
    };
    Some(Definition {
        body,
        rules: row.v.unwrap_or_default(),
        atomic: row.s,
        marshals: row.m,
    })
}

impl<R: Default> FieldRow<R> {
    fn into_field(self) -> Field<R> {
        let has = |letter: char| self.k.contains(letter);
        let omits = match (has('z'), has('e')) {
            (true, _) => Omission::Zero,
            (false, true) => Omission::Empty,
            (false, false) => Omission::Never,
        };
        Field {
            go_name: self.g.unwrap_or_else(|| capital(&self.j)),
            json_name: self.j,
            ty: self.t,
            protobuf: self.n,
            patch: self.p,
            required: has('r'),
            nullable: has('n'),
            option: has('o'),
            pointer: has('p'),
            omits,
            default: self.x,
            rules: self.v.unwrap_or_default(),
        }
    }
}

pub(crate) fn capital(name: &str) -> String {
    let mut chars = name.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}
