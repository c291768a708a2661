//! What markers say of a field for the conversion between versions.

use crate::diag::Place;

/// What markers or the configuration say of a field for the conversion between versions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldConversion {
    /// Its names in versions that do not have its own.
    pub renamed_from: Vec<String>,
    /// Its paths from the object in versions that do not have it at its own.
    pub moved_from: Vec<String>,
    /// Values that other versions spell differently: the own and the other one.
    pub values: Vec<(String, String)>,
    /// How many times the number is that of versions with the old name or path.
    pub factor: Option<u64>,
    /// Why versions without the field may lose it.
    pub lossy: Option<String>,
    /// Whether the user converts its values, whatever their types (`+k8s:conversion-gen=false`).
    pub by_hand: bool,
    /// The place of what the configuration says; `None` for markers, which are at the field.
    pub place: Option<Place>,
}
