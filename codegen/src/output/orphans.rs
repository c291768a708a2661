//! Orphans: generated files that are no longer generated.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use super::{Error, Tree, html, json, markdown, yaml::is_printed};
use crate::{
    generator::{Generator, is_crd_file},
    header::{has_marker, is_generated},
};

/// Where to search for orphans.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrphanSearch {
    /// Folders relative to the root; searched recursively.
    pub folders: BTreeSet<PathBuf>,
    /// The folder with clientset, listers and informers, relative to the root.
    pub generated: PathBuf,
    /// The generators whose files may be orphans; `None` for all.
    pub only: Option<BTreeSet<Generator>>,
}

/// Files in scope that carry the marker and are not in the tree, sorted.
pub(super) fn orphans(
    root: &Path,
    tree: &Tree,
    scope: &OrphanSearch,
) -> Result<BTreeSet<PathBuf>, Error> {
    let mut found = BTreeSet::new();
    for folder in &scope.folders {
        collect_orphans(root, folder, tree, scope, &mut found)?;
    }
    Ok(found)
}

fn collect_orphans(
    root: &Path,
    folder: &Path,
    tree: &Tree,
    scope: &OrphanSearch,
    found: &mut BTreeSet<PathBuf>,
) -> Result<(), Error> {
    for (path, kind) in entries(root, folder)? {
        if kind.is_dir() {
            collect_orphans(root, &path, tree, scope, found)?;
        } else if kind.is_file()
            && (is_crd_file(&path)
                || path
                    .extension()
                    .is_some_and(|extension| extension == "rs" || extension == "toml"))
            && !tree.contains_key(&path)
            && scope.covers(&path)
            && recognizer(&path)(&text_of(root, &path)?)
        {
            found.insert(path);
        }
    }
    Ok(())
}

/// How to recognize a generated file beside the types or among the generated modules.
pub(super) fn recognizer(path: &Path) -> fn(&str) -> bool {
    match is_crd_file(path) {
        true => json::is_generated_crd,
        false => is_generated,
    }
}

/// CRDs in `folder` of removed kinds, sorted. A file counts if its name has the generated form, the
/// tree has a CRD of its group, and its contents are printed as the generator would.
pub(super) fn orphaned_crds(
    root: &Path,
    tree: &Tree,
    folder: &Path,
) -> Result<BTreeSet<PathBuf>, Error> {
    let groups = groups(tree, folder, ".yaml");
    let mut found = BTreeSet::new();
    for (path, kind) in entries(root, folder)? {
        let in_scope = group_of(&path, ".yaml").is_some_and(|group| groups.contains(group));
        if !kind.is_file() || !in_scope || tree.contains_key(&path) {
            continue;
        }
        let text = text_of(root, &path)?;
        let is_crd = text
            .lines()
            .any(|line| line == "kind: CustomResourceDefinition");
        if is_crd && is_printed(&text) {
            found.insert(path);
        }
    }
    Ok(found)
}

/// Pages in `folder` that carry the marker and are not in the tree, sorted. Of Markdown, only pages
/// of groups in the tree count, since another run may write those of other groups; an index of HTML
/// lists all pages.
pub(super) fn orphaned_pages(
    root: &Path,
    tree: &Tree,
    folder: &Path,
) -> Result<BTreeSet<PathBuf>, Error> {
    let groups = groups(tree, folder, ".md");
    let has_index = tree.contains_key(&folder.join("index.html"));
    let mut found = BTreeSet::new();
    for (path, kind) in entries(root, folder)? {
        let is_markdown = group_of(&path, ".md").is_some_and(|group| groups.contains(group));
        let is_html = has_index && path.extension().is_some_and(|it| it == "html");
        if !kind.is_file() || !(is_markdown || is_html) || tree.contains_key(&path) {
            continue;
        }
        let text = text_of(root, &path)?;
        if markdown::is_generated(&text) || html::is_generated(&text) {
            found.insert(path);
        }
    }
    Ok(found)
}

/// Files at any depth of `folder` that carry the marker and are not in the tree, sorted.
pub(super) fn orphaned_packaged(
    root: &Path,
    tree: &Tree,
    folder: &Path,
) -> Result<BTreeSet<PathBuf>, Error> {
    let mut found = BTreeSet::new();
    for (path, kind) in entries(root, folder)? {
        if kind.is_dir() {
            found.extend(orphaned_packaged(root, tree, &path)?);
        } else if kind.is_file() && !tree.contains_key(&path) && has_marker(&text_of(root, &path)?)
        {
            found.insert(path);
        }
    }
    Ok(found)
}

/// The group in the file name of a kind or version: `<group>_<rest>`.
fn group_of<'a>(path: &'a Path, suffix: &str) -> Option<&'a str> {
    let name = path.file_name()?.to_str()?.strip_suffix(suffix)?;
    Some(name.split_once('_')?.0)
}

/// The groups of the tree's files in a folder.
fn groups<'a>(tree: &'a Tree, folder: &Path, suffix: &str) -> BTreeSet<&'a str> {
    let files = tree.keys().filter(|path| path.parent() == Some(folder));
    files.filter_map(|path| group_of(path, suffix)).collect()
}

/// The entries of a folder, relative to the root; empty if the folder does not exist. Types are
/// those of the entries themselves: a symbolic link is neither file nor folder, so it is not
/// followed.
fn entries(root: &Path, folder: &Path) -> Result<Vec<(PathBuf, fs::FileType)>, Error> {
    let full = root.join(folder);
    let entries = match fs::read_dir(&full) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io("read", &full)(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(Error::io("read", &full))?;
        let kind = entry.file_type();
        let kind = kind.map_err(Error::io("read", &entry.path()))?;
        found.push((folder.join(entry.file_name()), kind));
    }
    Ok(found)
}

fn text_of(root: &Path, path: &Path) -> Result<String, Error> {
    let full = root.join(path);
    let text = fs::read(&full).map_err(Error::io("read", &full))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

impl OrphanSearch {
    /// Whether a generated file that is no longer generated is in scope.
    fn covers(&self, path: &Path) -> bool {
        let Some(only) = &self.only else { return true };
        Generator::of(path, &self.generated).is_some_and(|generator| only.contains(&generator))
    }
}
