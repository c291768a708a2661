//! What a type's source says beyond the API: places for diagnostics, and Go's tags.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::diag::Place;

/// Where a type or field is declared; none in a CRD. No part of the API, so that any two are equal.
#[derive(Clone, Debug, Default)]
pub struct DeclaredAt(Option<Arc<Place>>);

impl DeclaredAt {
    /// A declaration at a place.
    #[must_use]
    pub fn at(place: &Place) -> Self {
        Self(Some(Arc::new(place.clone())))
    }

    /// The place of the name.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        self.0.as_deref()
    }
}

impl PartialEq for DeclaredAt {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// What Go's encoding/json makes of a field.
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
