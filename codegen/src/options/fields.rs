//! What the configuration says of fields that no marker can be written at.

use crate::{diag::Place, model::FieldConversion};

/// What the configuration says of a field of a CRD.
#[derive(Clone, Debug, PartialEq)]
pub struct CrdField {
    /// The group; any if `None`.
    pub group: Option<String>,
    /// The kind.
    pub kind: String,
    /// The version.
    pub version: String,
    /// The properties that lead to the field, separated by dots.
    pub path: String,
    /// What is said for the conversion between versions.
    pub conversion: FieldConversion,
    /// The place in the configuration.
    pub place: Place,
}
