//! The markers of one declaration: looked up by type, and checked against each other.

use std::{collections::BTreeSet, fmt, ops::Deref};

use serde_json::Value;

use super::{
    MarkerDef, MarkerType, client, crd,
    field::{self, Optional, Required, ValidationOptional, ValidationRequired},
};
use crate::diag::{Diagnostic, Diagnostics, Place};

/// A parsed marker.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// Its entry in the table.
    pub def: &'static MarkerDef,
    /// Its arguments, in source order.
    pub arguments: Vec<Argument>,
    /// The whole marker, starting with the `+`.
    pub place: Place,
    /// The attribute that replaces a marker, such as `#[schemars(range(max))]`.
    pub attribute: Option<String>,
}

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.attribute {
            Some(attribute) => f.write_str(attribute),
            None => write!(f, "+{}", self.def.name),
        }
    }
}

/// A parsed argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Its name; empty for the value directly after the `=`.
    pub name: &'static str,
    /// Its value.
    pub value: Value,
    /// The place of the value.
    pub place: Place,
}

impl Marker {
    /// Returns the argument with the name.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&Argument> {
        self.arguments.iter().find(|argument| argument.name == name)
    }

    /// Whether it is of type `T`.
    #[must_use]
    pub fn is<T: MarkerType>(&self) -> bool {
        self.def.name == T::DEF.name
    }

    fn read<T: MarkerType>(&self) -> Option<Found<'_, T>> {
        if !self.is::<T>() {
            return None;
        }
        Some(Found {
            marker: T::read(self)?,
            place: &self.place,
        })
    }

    /// Whether it has the same arguments as another marker with the same definition.
    pub(crate) fn arguments_equal(&self, other: &Self) -> bool {
        let values = |marker: &Self| {
            let arguments = marker.arguments.iter();
            arguments
                .map(|argument| (argument.name, argument.value.clone()))
                .collect::<Vec<_>>()
        };
        values(self) == values(other)
    }
}

/// A marker converted to its type, with its place.
#[derive(Clone, Debug)]
pub struct Found<'a, T> {
    /// Its arguments.
    pub marker: T,
    /// The whole marker, starting with the `+`.
    pub place: &'a Place,
}

impl<T> Deref for Found<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.marker
    }
}

/// The markers of one declaration, in source order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarkerSet(pub Vec<Marker>);

impl MarkerSet {
    /// Returns the first marker of type `T`.
    #[must_use]
    pub fn get<T: MarkerType>(&self) -> Option<Found<'_, T>> {
        self.all().next()
    }

    /// Whether there is a marker of type `T`.
    #[must_use]
    pub fn has<T: MarkerType>(&self) -> bool {
        self.0.iter().any(Marker::is::<T>)
    }

    /// Returns all markers of type `T`.
    pub fn all<T: MarkerType>(&self) -> impl Iterator<Item = Found<'_, T>> {
        self.0.iter().filter_map(Marker::read)
    }

    /// Returns the name and place of each marker.
    #[must_use]
    pub fn places(&self) -> Vec<(&'static str, Place)> {
        let markers = self.0.iter();
        markers
            .map(|marker| (marker.def.name, marker.place.clone()))
            .collect()
    }

    /// Reports duplicate and contradictory markers.
    pub fn check(&self, diagnostics: &mut Diagnostics) {
        let names: BTreeSet<&str> = self.0.iter().map(|marker| marker.def.name).collect();
        for (index, marker) in self.0.iter().enumerate() {
            let before = &self.0[..index];
            if let Some(first) = before
                .iter()
                .find(|other| other.def.name == marker.def.name)
                && !marker.def.stands_anywhere()
                && (!marker.def.repeats || first.arguments_equal(marker))
            {
                diagnostics.push(
                    Diagnostic::error(format!("duplicate marker `{marker}`"))
                        .at(marker.place.clone(), "the second time")
                        .at(first.place.clone(), "the first time")
                        .help("remove one of them"),
                );
                continue;
            }
            // Skip the quadratic search: a type may have thousands of rules.
            if !names.iter().any(|name| contradict(marker.def.name, name)) {
                continue;
            }
            for other in before {
                if contradict(marker.def.name, other.def.name) {
                    diagnostics.push(
                        Diagnostic::error(format!("`{marker}` contradicts `{other}`"))
                            .at(marker.place.clone(), "this one")
                            .at(other.place.clone(), "and this one")
                            .help("remove one of them"),
                    );
                }
            }
        }
    }
}

fn contradict(a: &str, b: &str) -> bool {
    CONTRADICTIONS
        .iter()
        .any(|&(x, y)| (x, y) == (a, b) || (y, x) == (a, b))
}

const fn pair<A: MarkerType, B: MarkerType>() -> (&'static str, &'static str) {
    (A::DEF.name, B::DEF.name)
}

/// Pairs of markers that contradict each other.
const CONTRADICTIONS: &[(&str, &str)] = &[
    pair::<client::NoVerbs, client::OnlyVerbs>(),
    pair::<client::NoVerbs, client::SkipVerbs>(),
    pair::<client::NoVerbs, client::ReadOnly>(),
    pair::<client::ReadOnly, client::OnlyVerbs>(),
    pair::<client::ReadOnly, client::SkipVerbs>(),
    pair::<client::OnlyVerbs, client::SkipVerbs>(),
    pair::<client::NoStatus, crd::StatusSubresource>(),
    pair::<crd::StorageVersion, crd::SkipVersion>(),
    pair::<crd::UnservedVersion, crd::SkipVersion>(),
    pair::<Optional, Required>(),
    pair::<Optional, ValidationRequired>(),
    pair::<Required, ValidationOptional>(),
    pair::<ValidationRequired, ValidationOptional>(),
    pair::<field::MapTypeMarker, field::StructTypeMarker>(),
];
