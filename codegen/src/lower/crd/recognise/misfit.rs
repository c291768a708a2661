//! Why a schema is not a Kubernetes type.

use std::fmt;

use serde_json::Value;

/// A difference between a schema and a type, and where it is.
///
/// Most schemas differ from most types, so that nothing is put into words before somebody asks.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::lower::crd) struct Misfit<'s> {
    /// The properties that lead to it, from the last.
    path: Vec<&'s str>,
    reason: Reason<'s>,
}

/// A difference.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reason<'s> {
    /// The schema's side.
    Says(&'static str),
    /// The type has no such field in every permitted version of Kubernetes.
    NoField(&'static str),
    /// A text that k8s-openapi always writes, and Go leaves out when empty.
    OptionalText,
    /// The default is not that of Kubernetes.
    Default(&'s Value),
    /// Kubernetes has no such rule.
    Rule(&'static str),
}

impl<'s> Misfit<'s> {
    pub(super) const fn new(reason: Reason<'s>) -> Self {
        Self {
            path: Vec::new(),
            reason,
        }
    }

    pub(super) const fn says(what: &'static str) -> Self {
        Self::new(Reason::Says(what))
    }

    /// The same, below a property.
    pub(super) fn at(mut self, name: &'s str) -> Self {
        self.path.push(name);
        self
    }

    /// Whether it is none where texts are left out when empty.
    pub(super) const fn is_optional_text(&self) -> bool {
        matches!(self.reason, Reason::OptionalText)
    }

    /// How deep it is: the deeper, the nearer is the schema to the type.
    pub(super) const fn depth(&self) -> usize {
        self.path.len()
    }
}

impl fmt::Display for Misfit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.path.iter().rev().enumerate() {
            let dot = if index > 0 && *name != "[]" { "." } else { "" };
            write!(f, "{dot}{name}")?;
        }
        if !self.path.is_empty() {
            f.write_str(": ")?;
        }
        match &self.reason {
            Reason::Says(what) => f.write_str(what),
            Reason::NoField(name) => write!(
                f,
                "{name} has no such field in every permitted version of Kubernetes"
            ),
            Reason::OptionalText => {
                f.write_str("k8s-openapi always writes it, and the schema does not require it")
            }
            Reason::Default(default) => write!(f, "the default {default} is not Kubernetes'"),
            Reason::Rule(keyword) => {
                write!(f, "{keyword} is not among Kubernetes' rules, or differs")
            }
        }
    }
}
