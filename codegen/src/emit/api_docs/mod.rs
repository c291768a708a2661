//! API references: Markdown for authors of objects, in the layout of the Kubernetes API reference.
//!
//! There is one page per version: its kinds, followed by all types that they use, each documented once and linked from every use.
//! Constraints of the schema are described as in the documentation of generated types.

mod reach;
mod reference;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, path::Path};

use self::{reach::Modules, reference::Reference};
use crate::{
    model::{ApiSet, Version},
    options::Manifests,
    output::{Tree, markdown::Page},
};

/// The pages of all versions with kinds: `<group>_<version>.md` in a folder, or a single file if the path names one.
pub(super) fn emit(api: &ApiSet, path: &str) -> Tree {
    let modules = Modules::new(api);
    let versions = api.versions();
    let versions = versions.filter(|(_, version)| !version.resources.is_empty());
    let mut tree = Tree::new();
    if Manifests::is_page(path) {
        let (mut page, mut anchors) = (Page::new(), Anchors::default());
        let mut is_empty = true;
        for (group, version) in versions {
            Reference::new(&modules, group, version, &mut anchors).write(&mut page);
            is_empty = false;
        }
        if !is_empty {
            tree.insert(path.into(), page.text());
        }
        return tree;
    }
    for (group, version) in versions {
        let mut page = Page::new();
        Reference::new(&modules, group, version, &mut Anchors::default()).write(&mut page);
        let name = format!("{}_{}.md", group.name, version.name);
        tree.insert(Path::new(path).join(name), page.text());
    }
    tree
}

/// The Rust path of a kind's field, by the properties that lead to it: `crate::apis::cloud::v1::VmSpec.cpu`. `None` if it is a field of a
/// type of another crate, or not of a struct.
pub(crate) fn rust_path(
    api: &ApiSet,
    version: &Version,
    root: &str,
    path: &[&str],
) -> Option<String> {
    let modules = Modules::new(api);
    modules.rust_path(modules.find(&version.path, root)?, path)
}

/// The anchors of a file's headings, as GitHub and GitLab derive them: repeated anchors are numbered.
#[derive(Default)]
struct Anchors(BTreeMap<String, usize>);

impl Anchors {
    fn add(&mut self, heading: &str) -> String {
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_');
        let anchor: String = heading.to_lowercase().chars().filter(kept).collect();
        let count = self.0.entry(anchor.clone()).or_insert(0);
        *count += 1;
        match *count {
            1 => anchor,
            count => format!("{anchor}-{}", count - 1),
        }
    }
}
