//! Typed access to the fields of a document. Reports every field that is missing or has the wrong
//! type.

use std::{collections::BTreeSet, mem};

use crate::{
    diag::{Diagnostic, Diagnostics},
    read::yaml::{self, Node, Yaml},
    source::Source,
};

/// Reads one document, and tracks the path for findings.
pub(super) struct Reader<'a> {
    pub(super) source: &'a Source,
    pub(super) diagnostics: &'a mut Diagnostics,
    /// The path of the node being read, as `spec.versions[0]`.
    pub(super) path: String,
    /// Unknown schema keywords already warned about: a schema may repeat one many times.
    pub(super) dropped: BTreeSet<String>,
    /// `spec.preserveUnknownFields`: if set, the API server prunes no fields, regardless of the
    /// schemas.
    pub(super) keeps_unknown: bool,
    /// The keys of versions whose values were written once in `spec`: see
    /// [`v1beta1`](super::v1beta1).
    pub(super) shared: Vec<&'static str>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a Source, diagnostics: &'a mut Diagnostics) -> Self {
        Self {
            source,
            diagnostics,
            path: String::new(),
            dropped: BTreeSet::new(),
            keeps_unknown: false,
            shared: Vec::new(),
        }
    }

    /// Reports an error at a node, with the path of the node being read.
    pub(super) fn error(
        &mut self,
        node: &Node,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push_finding(Diagnostic::error(message), node, help.into());
    }

    /// Reports a warning in the same way as [`error`](Self::error).
    pub(super) fn warn(
        &mut self,
        node: &Node,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push_finding(Diagnostic::warning(message), node, help.into());
    }

    fn push_finding(&mut self, finding: Diagnostic, node: &Node, help: String) {
        let mut diagnostic = finding.at(yaml::place(self.source, node.range.clone()), "");
        if !self.path.is_empty() {
            diagnostic = diagnostic.note(format!("at {}", self.path));
        }
        if !help.is_empty() {
            diagnostic = diagnostic.help(help);
        }
        self.diagnostics.push(diagnostic);
    }

    /// Runs `read` with `key` appended to the path.
    pub(super) fn within<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        self.push(key);
        let value = read(self);
        self.path.truncate(length);
        value
    }

    /// Like [`within`](Self::within) for `key` of a version, or for `shared` of `spec` if the
    /// versions share what is there.
    pub(super) fn within_version<T>(
        &mut self,
        key: &str,
        shared: &str,
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let first = key.split('.').next().unwrap_or(key);
        if !self.shared.contains(&first) {
            return self.within(key, read);
        }
        let path = mem::replace(&mut self.path, format!("spec.{shared}"));
        let value = read(self);
        self.path = path;
        value
    }

    /// Returns the path to show: that of `apiextensions.k8s.io/v1`, or the `internal` one if the
    /// versions share what is there.
    pub(super) fn shown<'p>(&self, path: &'p str, internal: &'p str) -> &'p str {
        let key = path.strip_prefix("spec.versions[0].").unwrap_or_default();
        let first = key.split(['.', '[']).next().unwrap_or_default();
        if self.shared.contains(&first) {
            internal
        } else {
            path
        }
    }

    /// Appends `key` to the path.
    pub(super) fn push(&mut self, key: &str) {
        if !self.path.is_empty() && !key.starts_with('[') {
            self.path.push('.');
        }
        self.path.push_str(key);
    }

    /// Returns a required map.
    pub(super) fn map<'n>(&mut self, node: &'n Node, key: &str) -> Option<&'n Node> {
        match node.get(key) {
            Some(value) if matches!(value.value, Yaml::Map(_)) => Some(value),
            Some(value) => {
                self.wrong_type(value, key, "a map");
                None
            }
            None => {
                self.missing(node, key, "");
                None
            }
        }
    }

    /// Returns a required, non-empty string.
    pub(super) fn string(&mut self, node: &Node, key: &str, help: &str) -> Option<String> {
        match node.get(key) {
            Some(value) => match self.str(value, key) {
                Some("") => {
                    self.error(value, format!("`{key}` is empty"), help);
                    None
                }
                text => text.map(str::to_owned),
            },
            None => {
                self.missing(node, key, help);
                None
            }
        }
    }

    /// Returns an optional string; null counts as absent.
    pub(super) fn optional_string(&mut self, node: &Node, key: &str) -> Option<String> {
        let value = node.get(key).filter(|value| !value.is_null())?;
        self.str(value, key).map(str::to_owned)
    }

    /// Returns the value of a node that must be a string.
    pub(super) fn str<'n>(&mut self, node: &'n Node, key: &str) -> Option<&'n str> {
        let text = node.as_str();
        if text.is_none() {
            self.wrong_type(node, key, "a string");
        }
        text
    }

    /// Returns the value of a node that must be a boolean; null counts as false.
    pub(super) fn bool(&mut self, node: &Node, key: &str) -> bool {
        match node.value {
            Yaml::Bool(flag) => flag,
            Yaml::Null => false,
            _ => {
                self.wrong_type(node, key, "a boolean");
                false
            }
        }
    }

    /// Returns the value of a node that must be a non-negative integer.
    pub(super) fn count(&mut self, node: &Node, key: &str) -> Option<u64> {
        let count = match &node.value {
            Yaml::Number(number) => {
                // `1e3` and `100.0` are accepted as well: Go's int64 decoder accepts integral
                // values in CRDs.
                number.as_u64().or_else(|| {
                    number
                        .as_f64()
                        .filter(|n| n.fract() == 0.0 && *n >= 0.0)
                        .map(|n| n as u64)
                })
            }
            _ => None,
        };
        if count.is_none() && !node.is_null() {
            self.wrong_type(node, key, "a non-negative integer");
        }
        count
    }

    /// Returns a list of strings; empty if the key is absent or null.
    pub(super) fn strings(&mut self, node: &Node, key: &str) -> Vec<String> {
        let Some(value) = node.get(key).filter(|value| !value.is_null()) else {
            return Vec::new();
        };
        if !matches!(value.value, Yaml::List(_)) {
            self.wrong_type(value, key, "a list of strings");
            return Vec::new();
        }
        value
            .items()
            .iter()
            .filter_map(|item| self.str(item, key).map(str::to_owned))
            .collect()
    }

    /// Reports a missing key.
    pub(super) fn missing(&mut self, node: &Node, key: &str, help: &str) {
        let start = node.range.start;
        let at = Node {
            value: Yaml::Null,
            range: start..start,
        };
        self.error(&at, format!("`{key}` is missing"), help);
    }

    /// Reports a document that is only part of a CRD.
    pub(super) fn refuse_part(&mut self, node: &Node) {
        let start = node.range.start;
        let message = "a CustomResourceDefinition needs `spec.group`, `spec.names` and `spec.versions`; this one has none of them";
        self.diagnostics.push(
            Diagnostic::error(message)
                .at(yaml::place(self.source, start..start), "")
                .help(
                    "exclude patches: pass the directory with the complete CRDs (`config/crd/bases`), or pipe the output of \
                     `kustomize build config/crd` to `-`",
                ),
        );
    }

    /// Reports a value of the wrong type.
    pub(super) fn wrong_type(&mut self, node: &Node, key: &str, wanted: &str) {
        let found = node.describe();
        self.error(node, format!("`{key}` must be {wanted}, not {found}"), "");
    }
}
