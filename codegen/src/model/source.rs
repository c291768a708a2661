//! Source information about types that is not part of the API: places for diagnostics, and Go tags.

use std::sync::Arc;

use kube_builtin_types::Omission;
use serde::Serialize;

use crate::diag::Place;

/// Where a type or field is declared; absent for a CRD. Not part of the API, so any two values
/// compare equal.
#[derive(Clone, Debug, Default)]
pub struct DeclaredAt(Option<Arc<Declaration>>);

#[derive(Debug)]
struct Declaration {
    place: Place,
    /// Names and places of its markers, in source order.
    markers: Vec<(&'static str, Place)>,
}

impl DeclaredAt {
    /// Creates a declaration at a place, without markers.
    #[must_use]
    pub fn at(place: &Place) -> Self {
        Self::marked(place, Vec::new())
    }

    /// Creates a declaration at a place, with the names and places of its markers.
    #[must_use]
    pub fn marked(place: &Place, markers: Vec<(&'static str, Place)>) -> Self {
        let place = place.clone();
        Self(Some(Arc::new(Declaration { place, markers })))
    }

    /// The place of the declared name.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        self.0.as_deref().map(|declaration| &declaration.place)
    }

    /// Finds the marker whose name ends with `name` and whose text contains `text` (`printcolumn`,
    /// `.spec.size`). Prefers the first marker with `text` as a whole argument, then the first that
    /// contains it, then the only marker of that name.
    #[must_use]
    pub fn marker(&self, name: &str, text: &str) -> Option<&Place> {
        let ends = |known: &str| {
            let before = known.strip_suffix(name);
            before.is_some_and(|before| before.is_empty() || before.ends_with(':'))
        };
        let markers = &self.0.as_deref()?.markers;
        let named = || markers.iter().filter(|(known, _)| ends(known));
        let mut whole = named().filter(|(_, place)| has_argument(place.written(), text));
        let mut within = named().filter(|(_, place)| place.written().contains(text));
        let found = whole.next().or_else(|| within.next());
        let only = || named().next().filter(|_| named().count() == 1);
        found.or_else(only).map(|(_, place)| place)
    }
}

/// Whether the text is an argument of the marker, with or without quotation marks.
fn has_argument(marker: &str, text: &str) -> bool {
    let opens = |c: char| matches!(c, '=' | '"' | '`' | '\'' | '{' | ';' | ' ');
    let closes = |c: char| matches!(c, ',' | '"' | '`' | '\'' | '}' | ';' | ' ');
    marker.match_indices(text).any(|(at, _)| {
        let (before, rest) = marker.split_at(at);
        let after = rest.get(text.len()..).unwrap_or_default();
        before.chars().next_back().is_some_and(opens) && after.chars().next().is_none_or(closes)
    })
}

impl PartialEq for DeclaredAt {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// How Go's encoding/json writes a field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GoField {
    /// The Go name.
    pub name: String,
    /// When the encoder omits the field.
    pub omits: Omission,
    /// Whether the field is a pointer.
    pub pointer: bool,
    /// Whether markers or the tag declare it required; the metadata of a root may still be
    /// optional.
    pub required: bool,
    /// What the type says of the values, or of the items of lists and maps.
    #[serde(skip)]
    pub value: GoValue,
}

/// What a Go type says of its values beyond their schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GoValue {
    /// They are durations.
    Duration,
    /// They are unsigned integers.
    Unsigned,
    /// Nothing.
    #[default]
    Plain,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(markers: &[&str], text: &str, expected: Option<usize>) {
        let file: String = markers.join("\n");
        let mut start = 0;
        let whole = Place {
            file: "types.rs".into(),
            text: file.as_str().into(),
            range: 0..0,
        };
        let places = markers.iter().map(|marker| {
            let range = start..start + marker.len();
            start = range.end + 1;
            ("kubebuilder:printcolumn", whole.at(range))
        });
        let declared = DeclaredAt::marked(&whole, places.collect());
        let found = declared.marker("printcolumn", text).map(Place::written);
        assert_eq!(found, expected.map(|index| markers[index]), "{text}");
    }

    #[test]
    fn a_marker_is_found_by_a_whole_argument_before_a_part_of_one() {
        let markers = [
            "+kubebuilder:printcolumn:name=A,JSONPath=`.spec.sizes`",
            "+kubebuilder:printcolumn:name=B,JSONPath=`.status.spec.size`",
            "+kubebuilder:printcolumn:name=C,JSONPath=.spec.size,type=string",
        ];
        check(&markers, ".spec.size", Some(2));
        check(&markers, ".spec.sizes", Some(0));
        check(&markers, ".status", Some(1));
        check(&markers, ".other", None);
        // Escapes hide the text, but the only marker of the name still matches.
        check(&markers[..1], ".other", Some(0));
    }
}
