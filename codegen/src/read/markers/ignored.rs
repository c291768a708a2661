//! Markers of other tools, which are passed over: names, or beginnings of names with `*` after them.

use super::{RawMarker, find};

/// The patterns of the markers to pass over; what the table knows is never passed over.
#[derive(Clone, Copy, Debug, Default)]
pub struct IgnoredMarkers<'a>(pub &'a [String]);

impl IgnoredMarkers<'_> {
    /// Whether a marker is another tool's.
    pub(crate) fn contains(&self, marker: &RawMarker) -> bool {
        let name = marker.written_name();
        let matches = |pattern: &String| match pattern.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == pattern,
        };
        self.0.iter().any(matches) && find(name).is_none()
    }
}
