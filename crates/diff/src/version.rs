//! A version of a CRD.

use serde_json::Value;

use crate::finding::Finding;
use crate::place::{Pointer, list, pointer, text};
use crate::rules::Rule;

/// A version with its index in its CRD.
#[derive(Clone, Copy)]
pub(crate) struct Version<'a> {
    pub(crate) name: &'a str,
    pub(crate) index: usize,
    pub(crate) value: &'a Value,
}

impl Version<'_> {
    pub(crate) fn is_served(self) -> bool {
        self.value.get("served") == Some(&Value::Bool(true))
    }

    pub(crate) fn is_stored(self) -> bool {
        self.value.get("storage") == Some(&Value::Bool(true))
    }

    /// Where a key of the version is in its CRD.
    pub(crate) fn pointer(self, keys: &[&str]) -> Pointer {
        let index = self.index.to_string();
        pointer(&[&["spec", "versions", &index], keys].concat())
    }
}

/// The versions of a CRD.
pub(crate) fn versions(crd: &Value) -> Vec<Version<'_>> {
    let all = list(crd, &["spec", "versions"]).iter().enumerate();
    all.map(|(index, value)| Version {
        name: text(value, &["name"]),
        index,
        value,
    })
    .collect()
}

/// Whether a CRD keeps unknown fields of all objects.
pub(crate) fn preserves(crd: &Value) -> bool {
    crd.pointer("/spec/preserveUnknownFields") == Some(&Value::Bool(true))
}

/// A finding about a whole version.
pub(crate) fn at(
    crd: &str,
    version: Version<'_>,
    rule: &'static Rule,
    message: impl Into<String>,
) -> Finding {
    Finding {
        rule,
        crd: crd.to_owned(),
        version: version.name.to_owned(),
        path: String::new(),
        old: None,
        new: None,
        message: message.into(),
        harms: Vec::new(),
        reason: String::new(),
        rust: String::new(),
    }
}
