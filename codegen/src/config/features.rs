//! Features of crates whose kinds are read, selected as cargo selects them.

use std::{collections::BTreeSet, path::Path};

use super::{Error, disk::Disk, layout::shown};
use crate::{
    diag::{Diagnostic, Diagnostics},
    source::RustFeatures,
    suggest::closest,
};

/// The selected features; by default those that a crate enables by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    pub(crate) names: Vec<String>,
    pub(crate) all: bool,
    pub(crate) without_default: bool,
}

impl Selection {
    /// Returns the features that are on in the crate of a source root; `None` without a manifest
    /// that can be read, whose errors cargo reports.
    ///
    /// # Errors
    ///
    /// The crate does not have a selected feature.
    pub(super) fn of(&self, root: &Path, disk: &Disk) -> Result<Option<RustFeatures>, Error> {
        let folder = super::layout::whole(root);
        let Some(folder) = super::layout::manifest_folder(&folder) else {
            return Ok(None);
        };
        let text = disk.bytes(&folder.join("Cargo.toml")).ok();
        let text = text.and_then(|text| String::from_utf8(text).ok());
        let Some(Ok(manifest)) = text.map(|text| text.parse::<toml::Table>()) else {
            return Ok(None);
        };
        let known = Known::new(&manifest);
        let names = self.selected(&known).map_err(|unknown| {
            let error = Diagnostic::error(format!("{} has no feature `{unknown}`", shown(root)));
            let near = closest(unknown, known.names.iter().map(String::as_str));
            let help = near.map(|near| format!("did you mean `{near}`?"));
            Error::Config(Diagnostics::from(match help {
                Some(help) => error.help(help),
                None => error,
            }))
        })?;
        Ok(Some(RustFeatures {
            names,
            is_default: *self == Self::default(),
        }))
    }

    /// Returns the features that a selection of a dependent turns on, without those that the crate
    /// does not have.
    pub(super) fn within(mut self, manifest: &toml::Table) -> RustFeatures {
        let known = Known::new(manifest);
        self.names.retain(|name| known.names.contains(name));
        RustFeatures {
            names: self.selected(&known).unwrap_or_default(),
            is_default: false,
        }
    }

    fn selected(&self, known: &Known<'_>) -> Result<BTreeSet<String>, &str> {
        let unknown = self.names.iter().find(|name| !known.names.contains(*name));
        if let Some(unknown) = unknown {
            return Err(unknown);
        }
        let mut next: Vec<&str> = self.names.iter().map(String::as_str).collect();
        if self.all {
            next.extend(known.names.iter().map(String::as_str));
        }
        if !self.without_default {
            next.push("default");
        }
        let mut selected = BTreeSet::new();
        while let Some(name) = next.pop() {
            if known.names.contains(name) && selected.insert(name.to_owned()) {
                next.extend(known.enabled_by(name));
            }
        }
        Ok(selected)
    }
}

/// The features that a manifest declares.
struct Known<'a> {
    table: Option<&'a toml::Table>,
    /// The features, and the optional dependencies that are features.
    names: BTreeSet<String>,
}

impl<'a> Known<'a> {
    fn new(manifest: &'a toml::Table) -> Self {
        let table = manifest.get("features").and_then(toml::Value::as_table);
        let mut names: BTreeSet<String> = table
            .into_iter()
            .flat_map(toml::Table::keys)
            .cloned()
            .collect();
        let dependencies = ["dependencies", "build-dependencies"];
        let dependencies = dependencies
            .iter()
            .filter_map(|it| manifest.get(*it)?.as_table());
        let is_optional = |value: &toml::Value| {
            let optional = value.get("optional").and_then(toml::Value::as_bool);
            optional == Some(true)
        };
        let known = Self {
            table,
            names: BTreeSet::new(),
        };
        let hidden: BTreeSet<&str> = known
            .all_enabled()
            .filter_map(|it| it.strip_prefix("dep:"))
            .collect();
        let optional =
            dependencies.flat_map(|it| it.iter().filter(|(_, value)| is_optional(value)));
        names.extend(
            optional
                .map(|(name, _)| name.clone())
                .filter(|name| !hidden.contains(name.as_str())),
        );
        Self { names, ..known }
    }

    fn all_enabled(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let lists = self.table.into_iter().flat_map(toml::Table::values);
        lists.flat_map(texts)
    }

    /// What a feature enables: features, and dependencies whose features it names (`dep/feature`).
    fn enabled_by(&self, name: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let list = self.table.and_then(|table| table.get(name));
        let enabled = list.into_iter().flat_map(texts);
        enabled
            .filter(|it| !it.contains("?/"))
            .map(|it| it.split('/').next().unwrap_or(it))
    }
}

/// Returns what features enable in other crates, as written: `dep:name`, `name/feature` and
/// `name?/feature`.
pub(super) fn enabled_elsewhere<'m>(
    manifest: &'m toml::Table,
    features: &BTreeSet<String>,
) -> Vec<&'m str> {
    let table = manifest.get("features").and_then(toml::Value::as_table);
    let lists = features.iter().filter_map(|name| table?.get(name));
    let enabled = lists.flat_map(texts);
    enabled
        .filter(|it| it.starts_with("dep:") || it.contains('/'))
        .collect()
}

pub(super) fn texts(list: &toml::Value) -> impl Iterator<Item = &str> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(toml::Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_selected_as_by_cargo() {
        let manifest: toml::Table = "[features]\ndefault = [\"a\"]\na = [\"b\", \"dep:x\", \"y/std\", \"z?/std\"]\nb = []\nc = [\"d\"]\nd = [\"c\"]\n\
             [dependencies]\nx = { version = \"1\", optional = true }\ny = { version = \"1\", optional = true }\n\
             z = { version = \"1\", optional = true }\nw = \"1\"\n"
            .parse()
            .unwrap();
        let check =
            |names: &[&str], all: bool, without_default: bool, expected: Result<&[&str], &str>| {
                let selection = Selection {
                    names: names.iter().map(|it| (*it).to_owned()).collect(),
                    all,
                    without_default,
                };
                let selected = selection.selected(&Known::new(&manifest));
                let expected = expected.map(|it| it.iter().map(|it| (*it).to_owned()).collect());
                assert_eq!(selected, expected, "{selection:?}");
            };
        check(&[], false, false, Ok(&["a", "b", "default", "y"]));
        check(&[], false, true, Ok(&[]));
        check(&["c"], false, true, Ok(&["c", "d"]));
        check(&["z"], false, true, Ok(&["z"]));
        check(&["x"], false, true, Err("x"));
        check(&["w"], false, true, Err("w"));
        let all = ["a", "b", "c", "d", "default", "y", "z"];
        check(&[], true, true, Ok(&all));
    }
}
