//! Unions: fields of one object of which the schema or its rules limit how many may be set.

use serde::Serialize;

/// Fields of a struct of which the schema or its rules limit how many may be set.
///
/// Derived from all constraints on the struct (`oneOf`, `anyOf`, `allOf`, `not`, numbers of
/// properties, CEL rules), so that the result does not depend on how the input expresses them: see
/// `lower::unions`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldUnion {
    /// How many may be set.
    pub bound: UnionBound,
    /// The fields, at least two, in the order of the struct.
    pub members: Vec<UnionMember>,
    /// The JSON name of the enum field whose value selects the member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discriminator: Option<String>,
    /// The enum of the members generated with the struct; `None` if several members can be set at
    /// once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<UnionView>,
}

/// How many members of a union may be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum UnionBound {
    /// Exactly one.
    ExactlyOne,
    /// Zero or one.
    AtMostOne,
    /// One or more.
    AtLeastOne,
}

/// A field of a union.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnionMember {
    /// The JSON name of the field.
    pub field: String,
    /// The name of the variant of the view.
    pub variant: String,
    /// The only discriminator value with which the field may be set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// The names of the items generated for a union.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnionView {
    /// The name of the enum, unique among the types of the version.
    pub name: String,
    /// The name of the struct's method that returns it.
    pub method: String,
}

impl FieldUnion {
    /// Returns the member for a field.
    #[must_use]
    pub fn member(&self, field: &str) -> Option<&UnionMember> {
        self.members.iter().find(|member| member.field == field)
    }
}
