//! The result of validating one value, and its errors.

use std::collections::HashSet;

use serde_json::Value;

use crate::field::Path;
use crate::field::{FieldError, FieldErrorKind};

/// The maximum number of errors that one validation reports: a request of 3 MB can contain a
/// million.
const MAX_ERRORS: usize = 1000;

/// Errors without duplicates, and the number of checks: of several failing branches, the one with
/// the most checks is reported.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    errors: Vec<FieldError>,
    seen: HashSet<String>,
    matches: usize,
}

impl Outcome {
    pub(crate) fn add(&mut self, error: FieldError) {
        if self.errors.len() < MAX_ERRORS && self.seen.insert(error.to_string()) {
            self.errors.push(error);
        }
    }

    pub(crate) fn add_all(&mut self, errors: impl IntoIterator<Item = FieldError>) {
        for error in errors {
            self.add(error);
        }
    }

    pub(crate) fn merge(&mut self, other: Outcome) {
        self.matches += other.matches;
        self.add_all(other.errors);
    }

    pub(crate) fn count(&mut self, checks: usize) {
        self.matches += checks;
    }

    pub(crate) fn matches(&self) -> usize {
        self.matches
    }

    pub(crate) fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    /// Drops the errors and keeps the count.
    pub(crate) fn forgive(&mut self) {
        self.errors.clear();
        self.seen.clear();
    }

    pub(crate) fn into_errors(self) -> Vec<FieldError> {
        self.errors
    }
}

/// `<field>: Invalid value: <value>: <field> in body <rule>`.
pub(crate) fn invalid(path: &Path<'_>, value: Value, rule: &str) -> FieldError {
    let detail = format!("{} in body {rule}", path.render());
    FieldError::with_value(path.field(), FieldErrorKind::Invalid, value, detail)
}

/// `<nil>: Invalid value: "": "<field>" <rule>`: errors of combinations carry no field of their
/// own.
pub(crate) fn composite(path: &Path<'_>, rule: &str) -> FieldError {
    let detail = format!("{} {rule}", crate::field::go_quote(&path.render()));
    fieldless(detail)
}

/// An error that the server reports without a field.
pub(crate) fn fieldless(detail: String) -> FieldError {
    FieldError::with_value("<nil>", FieldErrorKind::Invalid, Value::from(""), detail)
}
