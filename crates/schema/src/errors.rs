//! The violations of an object, and the rules that were not evaluated.

use std::collections::BTreeSet;
use std::fmt;

use crate::field::{FieldError, go_quote};

/// A rule that applies to a value and was not evaluated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unevaluated {
    /// The path of the value, `<nil>` for the object itself.
    pub field: String,
    /// The rule's expression.
    pub rule: String,
    /// Why it was not evaluated.
    pub reason: String,
}

/// Why an object is invalid, or not known to be valid.
///
/// Its `Display` is the API server's: one error as is, several as `[first, second]`; rules that
/// were not evaluated follow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldErrors {
    errors: Vec<FieldError>,
    unevaluated: BTreeSet<Unevaluated>,
}

impl FieldErrors {
    /// Returns the violations for which the server would refuse the object.
    #[must_use]
    pub fn errors(&self) -> &[FieldError] {
        &self.errors
    }

    /// Returns the rules that apply to the object but were not evaluated; only a server can decide
    /// whether they hold.
    pub fn unevaluated(&self) -> impl Iterator<Item = &Unevaluated> {
        self.unevaluated.iter()
    }

    /// Whether a server would refuse the object. If false, some rules were not evaluated.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Returns only the errors.
    #[must_use]
    pub fn into_errors(self) -> Vec<FieldError> {
        self.errors
    }

    pub(crate) fn extend(&mut self, others: Self) {
        self.errors.extend(others.errors);
        self.unevaluated.extend(others.unevaluated);
    }

    #[cfg(feature = "cel")]
    pub(crate) fn add(&mut self, error: FieldError) {
        self.errors.push(error);
    }

    pub(crate) fn add_unevaluated(&mut self, rule: Unevaluated) {
        self.unevaluated.insert(rule);
    }

    pub(crate) fn finish(self) -> Result<(), Self> {
        if self.errors.is_empty() && self.unevaluated.is_empty() {
            Ok(())
        } else {
            Err(self)
        }
    }
}

impl From<Vec<FieldError>> for FieldErrors {
    fn from(errors: Vec<FieldError>) -> Self {
        Self {
            errors,
            unevaluated: BTreeSet::new(),
        }
    }
}

impl fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.errors.as_slice() {
            [] => {}
            [one] => write!(f, "{one}")?,
            [first, rest @ ..] => {
                write!(f, "[{first}")?;
                for error in rest {
                    write!(f, ", {error}")?;
                }
                write!(f, "]")?;
            }
        }
        for (i, one) in self.unevaluated.iter().enumerate() {
            let separator = if i > 0 || !self.errors.is_empty() {
                "; "
            } else {
                ""
            };
            let (rule, reason) = (go_quote(&one.rule), &one.reason);
            write!(
                f,
                "{separator}{}: rule not evaluated: {rule}: {reason}",
                one.field
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for FieldErrors {}
