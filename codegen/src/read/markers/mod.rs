//! Markers: `+name`, `+name=value`, `+name:argument=value,…` in comments, as Go's generators read
//! them.
//!
//! Each marker is a Rust type with its arguments as fields, defined once in one of the tables
//! below: name, targets, meaning, default, arguments and effect on a schema. [`REGISTRY`] lists the
//! definitions, [`parse()`] parses a marker by its definition, lowering queries a [`MarkerSet`] by
//! type, and `kube-codegen markers` prints the table. Unknown markers are errors with a suggestion.
//! The grammar of values is controller-tools'; see `grammar`. Start reading at `define`.

mod define;
mod grammar;
mod ignored;
mod page;
mod parse;
mod set;
#[cfg(test)]
mod tests;

pub mod client;
pub mod conversion;
pub mod crd;
pub mod field;
pub mod go;
pub mod object;
pub mod package;
pub mod rbac;
pub mod rules;
pub mod webhook;

use std::{collections::HashMap, sync::LazyLock};

pub use define::{
    ArgumentDef, At, FromArgument, Json, Length, MarkerDef, MarkerType, Raw, Requires, SchemaPart,
    SchemaRule, Target, ValueKind, Words,
};
pub use grammar::ValueError;
pub use ignored::IgnoredMarkers;
pub use page::reference_page;
pub(crate) use parse::misplaced;
pub use parse::{RawMarker, is_marker, parse};
pub use set::{Argument, Found, Marker, MarkerSet};

/// The advice for a type or field whose JSON form is not known.
pub(crate) const DECLARE_TYPE: &str = "say what is on the wire: `+kubebuilder:pruning:PreserveUnknownFields` for any value, or \
     `+kubebuilder:validation:Type=…` for a string, a number or a boolean";

/// The advice for what cannot be read from Rust source.
pub(crate) const ASK_COMPILER: &str = "or ask the compiler: `--evaluate`, in codegen.toml `evaluate = true` under [crate.manifests], for kinds that \
     derive kube's `CustomResource`, public ones if the crate is a library";

/// Every marker, in the order in which `kube-codegen markers` lists them.
pub static REGISTRY: &[MarkerDef] = &TABLE;

const PARTS: [&[MarkerDef]; 10] = [
    client::MARKERS,
    package::MARKERS,
    object::MARKERS,
    crd::MARKERS,
    rbac::MARKERS,
    webhook::MARKERS,
    field::MARKERS,
    rules::MARKERS,
    conversion::MARKERS,
    go::MARKERS,
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

/// Returns the marker with the name or alias.
#[must_use]
pub fn find(name: &str) -> Option<&'static MarkerDef> {
    static BY_NAME: LazyLock<HashMap<&str, &MarkerDef>> = LazyLock::new(|| {
        let names = REGISTRY.iter().flat_map(|def| {
            let names = std::iter::once(&def.name).chain(def.aliases);
            names.map(move |name| (*name, def))
        });
        names.collect()
    });
    BY_NAME.get(name).copied()
}

/// All names of all markers.
fn names() -> impl Iterator<Item = &'static str> {
    REGISTRY
        .iter()
        .flat_map(|def| std::iter::once(def.name).chain(def.aliases.iter().copied()))
}
