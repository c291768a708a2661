//! Facts of a type's source beyond the API: places for diagnostics, and Go's tags.

use std::sync::Arc;

use kube_builtin_types::Omission;
use serde::Serialize;

use crate::diag::Place;

/// Where a type or field is declared; none in a CRD. No part of the API, so that any two are equal.
#[derive(Clone, Debug, Default)]
pub struct DeclaredAt(Option<Arc<Declaration>>);

#[derive(Debug)]
struct Declaration {
    place: Place,
    /// Names and places of its markers, in the order in which they stand.
    markers: Vec<(&'static str, Place)>,
}

impl DeclaredAt {
    /// A declaration at a place, without markers.
    #[must_use]
    pub fn at(place: &Place) -> Self {
        Self::marked(place, Vec::new())
    }

    /// A declaration at a place, with the names and places of its markers.
    #[must_use]
    pub fn marked(place: &Place, markers: Vec<(&'static str, Place)>) -> Self {
        let place = place.clone();
        Self(Some(Arc::new(Declaration { place, markers })))
    }

    /// The place of the name.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        self.0.as_deref().map(|declaration| &declaration.place)
    }

    /// The place of the marker whose name ends so and in whose text something stands (`printcolumn`, `.spec.size`): the first
    /// of which it is a whole argument, else the first in which it stands, else the only one of the name.
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

/// Whether a text is an argument of a marker, in quotation marks or without.
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
    /// When the encoder leaves the field out.
    pub omits: Omission,
    /// Whether the field is a pointer.
    pub pointer: bool,
    /// Whether markers or the tag say that it is required, which the metadata of a root need not be.
    pub required: bool,
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
        // Escapes hide the text; a marker without a rival is meant all the same.
        check(&markers[..1], ".other", Some(0));
    }
}
