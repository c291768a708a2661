//! Facts of a type's source beyond the API: places for diagnostics, and Go's tags.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

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

    /// The place of the first marker whose name ends so and in whose text something stands (`printcolumn`, `.spec.size`).
    #[must_use]
    pub fn marker(&self, name: &str, text: &str) -> Option<&Place> {
        let ends = |known: &str| {
            let before = known.strip_suffix(name);
            before.is_some_and(|before| before.is_empty() || before.ends_with(':'))
        };
        let mut markers = self.0.as_deref()?.markers.iter();
        let (_, place) = markers.find(|(known, place)| {
            let written = place.text.get(place.range.clone()).unwrap_or_default();
            ends(known) && written.contains(text)
        })?;
        Some(place)
    }
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

/// When Go's encoder leaves a field out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Omission {
    /// Never.
    #[default]
    Never,
    /// `omitempty`: false, 0, a nil pointer, an empty text, list or map; never a struct.
    Empty,
    /// `omitzero`, perhaps beside `omitempty`: the zero value, of a struct too.
    Zero,
}

/// A method by which a Go type decides what JSON it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Marshals {
    /// `MarshalJSON`: any JSON.
    Json,
    /// `MarshalText`: a text.
    Text,
}
