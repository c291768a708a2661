//! The API reference as HTML: one static page a group, and an index.
//!
//! Pages need no server and no network: styles and script are part of each page. Without the script they are complete, too, since
//! fields are nested `<details>`; the script adds search, links that open what they lead to, copying, and the choice of light or dark.

mod page;
#[cfg(test)]
mod tests;
mod versions;

use std::{collections::BTreeMap, path::Path};

use serde_json::Value;

use self::page::{Kind, Version};
use super::fields::{Field, sample};
use crate::output::{
    Tree,
    yaml::{Part, document},
};

/// The pages of all CRDs, which are JSON with their groups: `<group>.html` and `index.html` in a folder, or a single file if the path
/// names one.
pub(super) fn emit(crds: &[(&str, Value)], path: &str, is_file: bool) -> Tree {
    let mut groups: BTreeMap<&str, Vec<Kind>> = BTreeMap::new();
    for (group, crd) in crds {
        groups.entry(group).or_default().push(kind(group, crd));
    }
    let mut tree = Tree::new();
    if groups.is_empty() {
        return tree;
    }
    if is_file {
        let kinds: Vec<Kind> = groups.into_values().flatten().collect();
        tree.insert(path.into(), page::of("API reference", &kinds, None));
        return tree;
    }
    let folder = Path::new(path);
    tree.insert(folder.join("index.html"), page::index(&groups));
    for (group, kinds) in &groups {
        let page = page::of(group, kinds, Some("index.html"));
        tree.insert(folder.join(format!("{group}.html")), page);
    }
    tree
}

fn kind(group: &str, crd: &Value) -> Kind {
    let spec = &crd["spec"];
    let string = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let name = string(&spec["names"]["kind"]);
    let is_namespaced = spec["scope"] == "Namespaced";
    let short = spec["names"]["shortNames"].as_array().into_iter().flatten();
    let versions = spec["versions"].as_array().into_iter().flatten();
    let versions = versions.map(|version| {
        let schema = &version["schema"]["openAPIV3Schema"];
        let api_version = format!("{group}/{}", string(&version["name"]));
        let sample = sample(&api_version, &name, is_namespaced, schema);
        Version {
            name: string(&version["name"]),
            is_served: version["served"] != false,
            is_stored: version["storage"] == true,
            deprecation: (version["deprecated"] == true)
                .then(|| string(&version["deprecationWarning"])),
            subresources: subresources(version),
            root: Field::of_kind(&name, schema),
            sample: document(&Part::Json(&sample)),
            api_version,
        }
    });
    // The newest comes first.
    let mut versions: Vec<Version> = versions.collect();
    versions.sort_by(|one, other| priority(&other.name).cmp(&priority(&one.name)));
    Kind {
        group: group.to_owned(),
        plural: string(&spec["names"]["plural"]),
        short_names: short.map(string).collect(),
        is_namespaced,
        versions,
        name,
    }
}

fn subresources(version: &Value) -> Vec<String> {
    let subresources = version["subresources"].as_object();
    subresources
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect()
}

/// The rank of a version in Kubernetes' order: stable ones before beta ones before alpha ones, newer ones before older ones.
fn priority(version: &str) -> (u8, u64, u64, std::cmp::Reverse<String>) {
    let parsed = || {
        let rest = version.strip_prefix('v')?;
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let (major, rest) = rest.split_at(digits);
        let (level, minor) = match rest {
            "" => (3, "0"),
            rest => match (rest.strip_prefix("beta"), rest.strip_prefix("alpha")) {
                (Some(minor), _) => (2, minor),
                (_, Some(minor)) => (1, minor),
                _ => return None,
            },
        };
        Some((level, major.parse().ok()?, minor.parse().ok()?))
    };
    let (level, major, minor) = parsed().unwrap_or_default();
    (level, major, minor, std::cmp::Reverse(version.to_owned()))
}
