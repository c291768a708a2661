//! Markers of other tools to ignore: names, or name prefixes followed by `*`.

use super::{RawMarker, find};

/// The patterns of markers to ignore; markers in the table are never ignored.
#[derive(Clone, Copy, Debug, Default)]
pub struct IgnoredMarkers<'a>(pub &'a [String]);

impl IgnoredMarkers<'_> {
    /// Whether a marker belongs to another tool.
    pub(crate) fn contains(&self, marker: &RawMarker) -> bool {
        let name = marker.written_name();
        let matches = |pattern: &String| match pattern.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == pattern,
        };
        self.0.iter().any(matches) && find(name).is_none()
    }
}
