//! Why a schema is not a Kubernetes type.

use std::fmt;

/// A difference between a schema and a type, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::lower::crd) struct Misfit {
    /// The properties that lead to it, from the last.
    path: Vec<String>,
    reason: String,
}

impl Misfit {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self {
            path: Vec::new(),
            reason: reason.into(),
        }
    }

    /// The same, below a property.
    pub(super) fn at(mut self, name: &str) -> Self {
        self.path.push(name.to_owned());
        self
    }

    /// How deep it is: the deeper, the nearer is the schema to the type.
    pub(super) fn depth(&self) -> usize {
        self.path.len()
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut path = String::new();
        for name in self.path.iter().rev() {
            if !path.is_empty() && name != "[]" {
                path.push('.');
            }
            path.push_str(name);
        }
        if path.is_empty() {
            f.write_str(&self.reason)
        } else {
            write!(f, "{path}: {}", self.reason)
        }
    }
}
