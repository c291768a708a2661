//! An attribute and a marker that say different things: an error of its own class.

use crate::{
    diag::Diagnostic,
    read::{markers::Marker, rust::Said},
};

pub(super) fn contradiction(shown: &str, known: &Marker, said: &Said) -> Diagnostic {
    Diagnostic::error(format!("`{shown}` contradicts `{known}`"))
        .at(said.place.clone(), "this one")
        .at(known.place.clone(), "and this one")
        .help("remove one of them")
}
