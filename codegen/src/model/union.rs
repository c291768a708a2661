//! Unions: fields of one object that belong together, since its schema or its rules bound how many of them are set.

use serde::Serialize;

/// Fields of a struct of which a schema or its rules bound how many are set.
///
/// It is found out from all that is demanded of the struct (`oneOf`, `anyOf`, `allOf`, `not`, numbers of properties, rules in
/// CEL), so that it is the same whatever the input writes: see `lower::unions`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldUnion {
    /// How many may be set.
    pub bound: UnionBound,
    /// The fields, at least two, in the struct's order.
    pub members: Vec<UnionMember>,
    /// The JSON name of the enum field whose value says which member is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discriminator: Option<String>,
    /// The enum of the members that is generated beside the struct; none where several can be set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<UnionView>,
}

/// How many members of a union may be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum UnionBound {
    /// One.
    ExactlyOne,
    /// One or none.
    AtMostOne,
    /// One or several.
    AtLeastOne,
}

/// A field of a union.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnionMember {
    /// The JSON name of the field.
    pub field: String,
    /// The variant of the view.
    pub variant: String,
    /// The only value of the discriminator with which the field may be set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// The names of what is generated for a union.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnionView {
    /// The enum, unique among the types of the version.
    pub name: String,
    /// The method of the struct that gives it.
    pub method: String,
}

impl FieldUnion {
    /// The member that a field is.
    #[must_use]
    pub fn member(&self, field: &str) -> Option<&UnionMember> {
        self.members.iter().find(|member| member.field == field)
    }
}
