//! Markers: `+name`, `+name=value`, `+name:argument=value,…` in comments, as Go's generators read them.
//!
//! One table, [`REGISTRY`], says which markers there are, where they may stand and what they take; [`parse()`] reads the text
//! of one against it. Nothing is ever ignored: what the table does not know is an error with a suggestion. The grammar of
//! values is that of controller-tools; see `grammar`.

mod client;
mod crd;
mod grammar;
mod package;
mod parse;
mod set;
#[cfg(test)]
mod tests;
mod validation;

use serde::Serialize;

pub use grammar::ValueError;
pub(crate) use parse::misplaced;
pub use parse::{RawMarker, is_marker, parse};
pub use set::{Argument, Marker, MarkerSet};

/// A marker that the generator knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MarkerDef {
    /// The name without the `+`: `genclient:onlyVerbs`.
    pub name: &'static str,
    /// How it is written, with placeholders in angle brackets: `+genclient:onlyVerbs=<verb>,…`.
    pub syntax: &'static str,
    /// Where it may stand.
    pub targets: &'static [Target],
    /// What it says, in a sentence.
    pub meaning: &'static str,
    /// What holds where it is absent; empty if nothing is to be said.
    pub default: &'static str,
    /// What it takes. A first argument without a name is the value right after the `=`.
    pub arguments: &'static [ArgumentDef],
    /// Whether it may stand more than once in one place.
    pub repeats: bool,
}

/// An argument of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ArgumentDef {
    /// Its name; empty for the value right after the `=`.
    pub name: &'static str,
    /// The type of its value.
    pub kind: ValueKind,
    /// Whether it must be given.
    pub required: bool,
    /// What it says.
    pub meaning: &'static str,
}

/// The type of a value, which decides how its text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ValueKind {
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Int,
    /// A number.
    Number,
    /// Text: bare, in double quotes or in backticks.
    String,
    /// One of the given words.
    Choice(&'static [&'static str]),
    /// Texts: `a;b` or `{a,b}`.
    Strings,
    /// Values of any type: `1;2` or `{1,2}`.
    Values,
    /// A value whose type is guessed from its text: `true`, `1.5`, `text`, `{1,2}`, `{key: value}`.
    Any,
    /// JSON.
    Json,
    /// Words between commas, as gengo's markers write lists.
    Words,
}

/// Where a marker may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Target {
    /// At the top of the version's `mod.rs`, apart from the first item by a blank line.
    Package,
    /// Above a struct, an enum or a type alias.
    Type,
    /// Above a field.
    Field,
    /// Above a variant of an enum.
    Variant,
}

impl Target {
    /// The place in words.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Package => "at the top of the version's mod.rs",
            Self::Type => "above a type",
            Self::Field => "above a field",
            Self::Variant => "above a variant",
        }
    }
}

impl MarkerDef {
    /// Whether it may stand at the target.
    #[must_use]
    pub fn allows(&self, target: Target) -> bool {
        self.targets.contains(&target)
    }

    /// Whether it may stand apart from any type, in any file: rules and webhooks belong to code, not to types.
    #[must_use]
    pub fn stands_anywhere(&self) -> bool {
        matches!(self.name, "kubebuilder:rbac" | "kubebuilder:webhook")
    }
}

/// Every marker, in the order in which `kube-codegen markers` lists them.
pub static REGISTRY: &[MarkerDef] = &TABLE;

const PARTS: [&[MarkerDef]; 4] = [
    client::MARKERS,
    package::MARKERS,
    crd::MARKERS,
    validation::MARKERS,
];

static TABLE: [MarkerDef; count(&PARTS)] = concat(&PARTS);

const fn count(parts: &[&[MarkerDef]]) -> usize {
    let mut total = 0;
    let mut part = 0;
    while part < parts.len() {
        total += parts[part].len();
        part += 1;
    }
    total
}

const fn concat<const N: usize>(parts: &[&[MarkerDef]]) -> [MarkerDef; N] {
    let mut table = [parts[0][0]; N];
    let (mut at, mut part) = (0, 0);
    while part < parts.len() {
        let mut index = 0;
        while index < parts[part].len() {
            table[at] = parts[part][index];
            at += 1;
            index += 1;
        }
        part += 1;
    }
    table
}

/// The marker of the given name.
#[must_use]
pub fn find(name: &str) -> Option<&'static MarkerDef> {
    REGISTRY.iter().find(|def| def.name == name)
}

/// A marker without arguments.
const fn flag(
    name: &'static str,
    syntax: &'static str,
    targets: &'static [Target],
    meaning: &'static str,
    default: &'static str,
) -> MarkerDef {
    MarkerDef {
        name,
        syntax,
        targets,
        meaning,
        default,
        arguments: &[],
        repeats: false,
    }
}

/// A marker with arguments.
const fn with(base: MarkerDef, arguments: &'static [ArgumentDef]) -> MarkerDef {
    MarkerDef { arguments, ..base }
}

/// A marker that may stand more than once.
const fn repeated(base: MarkerDef) -> MarkerDef {
    MarkerDef {
        repeats: true,
        ..base
    }
}

/// A value right after the `=`.
const fn value(kind: ValueKind) -> ArgumentDef {
    required("", kind, "the value")
}

const fn required(name: &'static str, kind: ValueKind, meaning: &'static str) -> ArgumentDef {
    ArgumentDef {
        name,
        kind,
        required: true,
        meaning,
    }
}

const fn optional(name: &'static str, kind: ValueKind, meaning: &'static str) -> ArgumentDef {
    ArgumentDef {
        name,
        kind,
        required: false,
        meaning,
    }
}
