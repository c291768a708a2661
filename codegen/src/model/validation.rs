//! Validations: constraints of a schema on a value beyond its type.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use crate::sparse::{Absent, Sparse};

/// Apimachinery's pattern of a quantity, which controller-gen adds to every field of that type.
pub const QUANTITY_PATTERN: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

/// All constraints from a structural schema or `+kubebuilder:validation:` markers beyond the type. Most fields have none.
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
    /// The allowed values, unless they form a separate [`TypeKind::Enum`](super::TypeKind::Enum).
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
    /// Constraints on list items or map values that have no type of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<Box<Validation>>,
    /// The type in the schema, if it differs from that of the Rust type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_: Option<String>,
    /// Whether the schema places no constraints on the value.
    #[serde(skip_serializing_if = "is_false")]
    pub schemaless: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_docs: Option<ExternalDocs>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Value>,
    /// The documentation of an element's type that has no Rust equivalent.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub docs: String,
}

/// Documentation hosted elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExternalDocs {
    /// Its URL.
    pub url: String,
    /// A short description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// `allOf`, `anyOf`, `oneOf` and `not`: structural schemas allow only value validations in them.
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
    /// Whether there are none.
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
    /// Whether a union of the struct expresses the same rule, so that documentation can omit it: see `lower::unions`.
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
