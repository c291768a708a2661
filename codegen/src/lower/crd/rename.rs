//! Renames: type names pinned in the configuration.

use std::collections::BTreeMap;

use crate::{
    diag::{Diagnostic, Diagnostics},
    model::names::{is_keyword, upper_camel},
    read::crd::{
        Crd,
        schema::{Additional, Schema},
    },
};

/// Pinned type names by path, validated against the CRDs.
pub(super) struct Renames<'a>(&'a BTreeMap<String, String>);

impl<'a> Renames<'a> {
    /// Rejects invalid and duplicate type names, and paths that no CRD has: silently ignoring a
    /// rename that no longer applies would hide that its target is gone.
    pub(super) fn check(
        renames: &'a BTreeMap<String, String>,
        crds: &[Crd],
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let mut by_name: BTreeMap<&str, &str> = BTreeMap::new();
        for (path, name) in renames {
            if !is_type_name(name) {
                diagnostics.push(
                    Diagnostic::error(format!("rename of {path}: {name:?} is not a type name"))
                        .help(format!(
                            "write a name in camel case, such as {:?}",
                            upper_camel(path)
                        )),
                );
            }
            if let Some(other) = by_name.insert(name, path) {
                diagnostics.push(Diagnostic::error(format!(
                    "renames give {name} to both {other} and {path}"
                )));
            }
            if let Some(taken) = taken(crds, renames, path, name) {
                diagnostics.push(
                    Diagnostic::error(format!("rename of {path}: {name} is the name of {taken}"))
                        .help("choose another name, or rename that as well"),
                );
            }
            if !crds.iter().any(|crd| has_path(crd, path)) {
                diagnostics.push(
                    Diagnostic::error(format!("rename of {path}: no CRD has this path"))
                        .help("write the kind and the properties that lead to the object or enum, such as `VirtualMachine.spec.resource`, or remove the rename"),
                );
            }
        }
        Self(renames)
    }

    /// Returns the pinned names by path.
    pub(super) const fn names(&self) -> &'a BTreeMap<String, String> {
        self.0
    }
}

/// Returns the kind or list that already has the name and is not renamed itself, in a version that
/// contains the path.
fn taken(
    crds: &[Crd],
    renames: &BTreeMap<String, String>,
    path: &str,
    name: &str,
) -> Option<String> {
    let renamed: Vec<&Crd> = crds.iter().filter(|crd| has_path(crd, path)).collect();
    let beside = |other: &&Crd| {
        renamed.iter().any(|crd| {
            let mut versions = crd.versions.iter();
            crd.group == other.group
                && versions.any(|version| other.versions.iter().any(|v| v.name == version.name))
        })
    };
    crds.iter().filter(beside).find_map(|crd| {
        if upper_camel(&crd.list_kind) == name {
            return Some(format!("the list of {}", crd.kind));
        }
        let is_root = upper_camel(&crd.kind) == name && !renames.contains_key(&crd.kind);
        is_root.then(|| format!("the kind {}", crd.kind))
    })
}

fn is_type_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
        && !is_keyword(name)
}

/// Whether some version contains the property path; list items and map values are transparent.
fn has_path(crd: &Crd, path: &str) -> bool {
    let Some(rest) = path.strip_prefix(crd.kind.as_str()) else {
        return false;
    };
    crd.versions
        .iter()
        .filter_map(|version| version.schema.as_ref())
        .any(|schema| {
            let mut segments = rest.split('.').skip(1);
            (rest.is_empty() || rest.starts_with('.'))
                && segments
                    .try_fold(schema, |schema, name| property(schema, name))
                    .is_some()
        })
}

fn property<'s>(schema: &'s Schema, name: &str) -> Option<&'s Schema> {
    let named = |(key, _): &&(String, Schema)| key == name;
    if let Some((_, found)) = schema.properties.iter().find(named) {
        return Some(found);
    }
    let element = schema.items.as_deref().or(match &schema.additional {
        Additional::Schema(value) => Some(value),
        _ => None,
    })?;
    property(element, name)
}
