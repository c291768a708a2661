//! An attribute that asks for what no schema of a CRD has: an error of its own class.

use crate::{diag::Diagnostic, read::rust::Said};

/// The error for an attribute; `place` follows its name, such as `on a variant`.
pub(super) fn unsupported(said: &Said, place: &str, label: &str) -> Diagnostic {
    let shown = &said.shown;
    Diagnostic::error(match place {
        "" => format!("`{shown}` is not supported"),
        place => format!("`{shown}` {place} is not supported"),
    })
    .at(said.place.clone(), label)
}
