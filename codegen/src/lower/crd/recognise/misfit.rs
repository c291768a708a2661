//! Why a Kubernetes type does not fit a schema.

use std::fmt;

use serde_json::Value;

/// A difference between a schema and a type, with its location.
///
/// Formatted lazily, since most schemas differ from most types.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::lower::crd) struct Misfit<'s> {
    /// The properties leading to it, innermost first.
    path: Vec<&'s str>,
    reason: Reason<'s>,
}

/// The kind of difference.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reason<'s> {
    /// A property of the schema.
    Says(&'static str),
    /// The field is missing from the type in some permitted version of Kubernetes.
    NoField(&'static str),
    /// The field is a string that k8s-openapi always writes but Go omits when empty.
    OptionalText,
    /// The default differs from Kubernetes'.
    Default(&'s Value),
    /// Kubernetes does not have this rule.
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

    /// Moves the location below a property.
    pub(super) fn at(mut self, name: &'s str) -> Self {
        self.path.push(name);
        self
    }

    /// Whether omitting empty strings resolves it.
    pub(super) const fn is_optional_text(&self) -> bool {
        matches!(self.reason, Reason::OptionalText)
    }

    /// The depth of the difference: the deeper it is, the closer the schema is to the type.
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
