//! The markers of one place: looked up by name, checked against each other.

use serde_json::Value;

use super::MarkerDef;
use crate::diag::{Diagnostic, Diagnostics, Place};

/// A marker as read.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// What the registry says of it.
    pub def: &'static MarkerDef,
    /// What it was given, in the order given.
    pub arguments: Vec<Argument>,
    /// The whole marker, from the `+` on.
    pub place: Place,
}

/// An argument as read.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Its name; empty for the value right after the `=`.
    pub name: &'static str,
    /// Its value.
    pub value: Value,
    /// Where the value stands.
    pub place: Place,
}

impl Marker {
    /// The argument of the given name.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&Argument> {
        self.arguments.iter().find(|argument| argument.name == name)
    }

    /// The value of the given name.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.argument(name).map(|argument| &argument.value)
    }

    /// The text of the given name.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.value(name).and_then(Value::as_str)
    }

    /// The texts of the given name; none if it is absent.
    #[must_use]
    pub fn texts(&self, name: &str) -> Vec<String> {
        let items = self.value(name).and_then(Value::as_array);
        items
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    }
}

/// The markers of one place, in the order in which they stand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarkerSet(pub Vec<Marker>);

impl MarkerSet {
    /// The first marker of the given name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Marker> {
        self.all(name).next()
    }

    /// Whether there is one.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Every marker of the given name.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &Marker> {
        self.0.iter().filter(move |marker| marker.def.name == name)
    }

    /// The value right after the `=` of the marker, if that is text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(|marker| marker.text(""))
    }

    /// The value right after the `=` of the marker, if that is a truth.
    #[must_use]
    pub fn bool(&self, name: &str) -> Option<bool> {
        self.get(name)?.value("")?.as_bool()
    }

    /// Reports markers that stand twice and pairs that contradict each other.
    pub fn check(&self, diagnostics: &mut Diagnostics) {
        for (index, marker) in self.0.iter().enumerate() {
            let before = &self.0[..index];
            if let Some(first) = before
                .iter()
                .find(|other| other.def.name == marker.def.name)
                && (!marker.def.repeats || first.arguments_equal(marker))
            {
                diagnostics.push(
                    Diagnostic::error(format!("`+{}` stands twice", marker.def.name))
                        .at(marker.place.clone(), "the second time")
                        .at(first.place.clone(), "the first time")
                        .help("remove one of them"),
                );
                continue;
            }
            for other in before {
                if contradict(marker.def.name, other.def.name) {
                    diagnostics.push(
                        Diagnostic::error(format!(
                            "`+{}` contradicts `+{}`",
                            marker.def.name, other.def.name
                        ))
                        .at(marker.place.clone(), "this one")
                        .at(other.place.clone(), "and this one")
                        .help("remove one of them"),
                    );
                }
            }
        }
    }
}

impl Marker {
    fn arguments_equal(&self, other: &Self) -> bool {
        let values = |marker: &Self| {
            marker
                .arguments
                .iter()
                .map(|argument| (argument.name, argument.value.clone()))
                .collect::<Vec<_>>()
        };
        values(self) == values(other)
    }
}

fn contradict(a: &str, b: &str) -> bool {
    CONTRADICTIONS
        .iter()
        .any(|&(x, y)| (x, y) == (a, b) || (y, x) == (a, b))
}

/// Pairs of markers that cannot both hold.
const CONTRADICTIONS: &[(&str, &str)] = &[
    ("genclient:noVerbs", "genclient:onlyVerbs"),
    ("genclient:noVerbs", "genclient:skipVerbs"),
    ("genclient:noVerbs", "genclient:readonly"),
    ("genclient:readonly", "genclient:onlyVerbs"),
    ("genclient:readonly", "genclient:skipVerbs"),
    ("genclient:onlyVerbs", "genclient:skipVerbs"),
    ("genclient:noStatus", "kubebuilder:subresource:status"),
    ("kubebuilder:storageversion", "kubebuilder:skipversion"),
    ("kubebuilder:unservedversion", "kubebuilder:skipversion"),
    ("optional", "required"),
    ("optional", "kubebuilder:validation:Required"),
    ("required", "kubebuilder:validation:Optional"),
    (
        "kubebuilder:validation:Required",
        "kubebuilder:validation:Optional",
    ),
    ("kubebuilder:default", "default"),
    ("mapType", "structType"),
    (
        "kubebuilder:validation:Schemaless",
        "kubebuilder:validation:Type",
    ),
    ("kubebuilder:title", "kubebuilder:validation:Title"),
];
