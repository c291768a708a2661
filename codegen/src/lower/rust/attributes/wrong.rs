//! A value of an attribute that has the wrong form: an error of its own class.

use crate::{diag::Diagnostic, read::rust::Said};

pub(super) fn wrong(said: &Said, expected: &str) -> Diagnostic {
    Diagnostic::error(format!("invalid value of `{}`", said.shown))
        .at(said.place.clone(), format!("expected {expected}"))
}
