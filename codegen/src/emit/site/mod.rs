//! The API reference as HTML: one static page a group, and an index.
//!
//! Pages need no server and no network: styles and script are part of each page. Without the script they are complete, too, since
//! fields are nested `<details>`; the script adds search, links that open what they lead to, copying, and the choice of light or dark.

mod kinds;
mod page;
#[cfg(test)]
mod tests;
mod versions;

use std::{collections::BTreeMap, path::Path};

use serde_json::Value;

use self::kinds::Kind;
use crate::output::Tree;

/// The pages of all CRDs, which are JSON with their groups: `<group>.html` and `index.html` in a folder, or a single file if the path
/// names one.
pub(super) fn emit(crds: &[(&str, Value)], path: &str, is_file: bool) -> Tree {
    let mut groups: BTreeMap<&str, Vec<Kind>> = BTreeMap::new();
    for (group, crd) in crds {
        groups
            .entry(group)
            .or_default()
            .push(Kind::read(group, crd));
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
