//! Validations: what a schema demands of a value beyond its type.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use crate::sparse::{Absent, Sparse};

/// Apimachinery's pattern of a quantity, which controller-gen puts at every field of that type.
pub const QUANTITY_PATTERN: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

/// Everything that a structural schema or `+kubebuilder:validation:` markers demand beyond the type. Most fields of an API demand
/// nothing.
pub type Validation = Sparse<Constraints>;

impl Absent for Constraints {
    fn absent() -> &'static Self {
        static ABSENT: LazyLock<Constraints> = LazyLock::new(Constraints::default);
        &ABSENT
    }
}

/// The parts of a [`Validation`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[allow(
    missing_docs,
    reason = "the fields are JSON Schema's and x-kubernetes-…'s own, under their own names"
)]
pub struct Constraints {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Number>,
    #[serde(skip_serializing_if = "is_false")]
    pub exclusive_minimum: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub exclusive_maximum: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiple_of: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u64>,
    #[serde(skip_serializing_if = "is_false")]
    pub unique_items: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_properties: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_properties: Option<u64>,
    /// The permitted values, where they do not make a [`TypeKind::Enum`](super::TypeKind::Enum) of their own.
    #[serde(rename = "enum", skip_serializing_if = "Vec::is_empty")]
    pub enum_: Vec<Value>,
    #[serde(skip_serializing_if = "Combinators::is_empty")]
    pub combinators: Combinators,
    /// `x-kubernetes-validations`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<CelRule>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list_type: Option<ListType>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub list_map_keys: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map_type: Option<MapType>,
    #[serde(skip_serializing_if = "is_false")]
    pub int_or_string: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub preserve_unknown_fields: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub embedded_resource: bool,
    /// Validations of a list's items or a map's values, where they are not a type of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<Box<Validation>>,
    /// The type in the schema, where it is not the Rust type's own.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_: Option<String>,
    /// The schema says nothing of the value.
    #[serde(skip_serializing_if = "is_false")]
    pub schemaless: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_docs: Option<ExternalDocs>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Value>,
    /// Documentation of an element's own type, where that has none in Rust.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub docs: String,
}

/// Documentation elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExternalDocs {
    /// Where it stands.
    pub url: String,
    /// Its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// `allOf`, `anyOf`, `oneOf` and `not`: value validations only, which is all that a structural schema permits there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[allow(missing_docs, reason = "JSON Schema's own names")]
pub struct Combinators {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub all_of: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub any_of: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not: Option<Box<Value>>,
}

impl Combinators {
    /// Whether none is given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A rule in the Common Expression Language (`x-kubernetes-validations`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[allow(missing_docs, reason = "the API's own names")]
pub struct CelRule {
    pub rule: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_expression: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional_old_self: Option<bool>,
    /// Whether a union of the struct says the same, so that documentation need not: see `lower::unions`.
    #[serde(skip)]
    pub said_by_union: bool,
}

/// `x-kubernetes-list-type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ListType {
    /// One value, replaced as a whole.
    Atomic,
    /// Scalars, each at most once.
    Set,
    /// Objects, each key combination at most once.
    Map,
}

/// `x-kubernetes-map-type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MapType {
    /// Fields are merged one by one.
    Granular,
    /// One value, replaced as a whole.
    Atomic,
}
