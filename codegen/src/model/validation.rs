//! Validations: constraints of a schema on a value beyond its type.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use super::constraint::{Constraint, Put, constraints, simple};
use crate::sparse::{Absent, Sparse};

/// Apimachinery's pattern of a quantity, which controller-gen adds to every field of that type.
pub const QUANTITY_PATTERN: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

/// All constraints from a structural schema or `+kubebuilder:validation:` markers beyond the type.
/// Most fields have none.
pub type Validation = Sparse<Constraints>;

impl Absent for Constraints {
    fn absent() -> &'static Self {
        static ABSENT: LazyLock<Constraints> = LazyLock::new(Constraints::default);
        &ABSENT
    }
}

constraints! {
    /// The parts of a [`Validation`].
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    #[allow(
        missing_docs,
        reason = "the fields are JSON Schema's and x-kubernetes-…'s own, under their own names"
    )]
    pub struct Constraints {
        minimum: Option<Number> = "minimum", compared;
        maximum: Option<Number> = "maximum", compared;
        multiple_of: Option<Number> = "multipleOf", compared;
        exclusive_minimum: bool = "exclusiveMinimum", compared;
        exclusive_maximum: bool = "exclusiveMaximum", compared;
        min_length: Option<u64> = "minLength", compared;
        max_length: Option<u64> = "maxLength", compared;
        pattern: Option<String> = "pattern", compared;
        format: Option<String> = "format";
        min_items: Option<u64> = "minItems", compared;
        max_items: Option<u64> = "maxItems", compared;
        unique_items: bool = "uniqueItems", compared;
        min_properties: Option<u64> = "minProperties", compared;
        max_properties: Option<u64> = "maxProperties", compared;
        /// The allowed values, unless they form a separate
        /// [`TypeKind::Enum`](super::TypeKind::Enum).
        #[serde(rename = "enum")]
        enum_: Vec<Value> = "enum", compared;
        combinators: Combinators = "allOf, anyOf, oneOf or not", compared;
        /// `x-kubernetes-validations`.
        rules: Vec<CelRule> = "x-kubernetes-validations", compared;
        list_type: Option<ListType> = "x-kubernetes-list-type", compared;
        list_map_keys: Vec<String> = "x-kubernetes-list-map-keys";
        map_type: Option<MapType> = "x-kubernetes-map-type", compared;
        int_or_string: bool = "x-kubernetes-int-or-string";
        preserve_unknown_fields: bool = "x-kubernetes-preserve-unknown-fields";
        embedded_resource: bool = "x-kubernetes-embedded-resource";
        /// Constraints on list items or map values that have no type of their own.
        element: Option<Box<Validation>> = "";
        /// The type in the schema, if it differs from that of the Rust type.
        #[serde(rename = "type")]
        type_: Option<String> = "type";
        /// Whether the schema places no constraints on the value.
        schemaless: bool = "";
        external_docs: Option<ExternalDocs> = "externalDocs";
        title: Option<String> = "title";
        example: Option<Value> = "example";
        /// The documentation of an element's type that has no Rust equivalent.
        docs: String = "";
    }
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
    /// Whether a union of the struct expresses the same rule, so that documentation can omit it:
    /// see `lower::unions`.
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

simple! {
    Option<Number>, Option<u64>, Option<String>, Option<Value>, Option<ExternalDocs>, Vec<String>, String, bool,
}

/// The order of values does not count.
impl Constraint for Vec<Value> {
    fn agrees(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|value| other.contains(value))
    }
}

/// Lists are atomic by default.
impl Constraint for Option<ListType> {
    fn is_default(&self) -> bool {
        matches!(self, None | Some(ListType::Atomic))
    }
}

/// Maps are granular by default.
impl Constraint for Option<MapType> {
    fn is_default(&self) -> bool {
        matches!(self, None | Some(MapType::Granular))
    }
}

/// The rules of both apply.
impl Constraint for Vec<CelRule> {
    fn fill(&mut self, below: &Self) {
        self.extend(below.iter().cloned());
    }
}

/// The schemas of both apply.
impl Constraint for Combinators {
    fn fill(&mut self, below: &Self) {
        self.all_of.extend(below.all_of.iter().cloned());
        self.any_of.extend(below.any_of.iter().cloned());
        self.one_of.extend(below.one_of.iter().cloned());
        self.not.fill(&below.not);
    }

    fn put(&self, _: &'static str, put: &mut Put<'_>) {
        self.all_of.put("allOf", put);
        self.any_of.put("anyOf", put);
        self.one_of.put("oneOf", put);
        self.not.put("not", put);
    }
}

impl Constraint for Option<Box<Value>> {}

impl Constraint for Option<Box<Validation>> {
    fn fill(&mut self, below: &Self) {
        match (self, below) {
            (Some(own), Some(below)) => own.fill(below),
            (own, below) => own.clone_from(below),
        }
    }
}
