//! Workspaces: the crates with kinds among the members.

use std::path::{Path, PathBuf};

use super::{
    Error,
    disk::Disk,
    inputs::{Apis, mentions_kinds, source_root},
    layout::normalize,
};

/// The members of a workspace that may declare kinds.
#[derive(Default)]
pub(super) struct Members {
    /// Their source roots, without that of a package in the workspace's own folder.
    pub(super) roots: Vec<Apis>,
    /// Whether the workspace's folder has no package.
    pub(super) is_virtual: bool,
}

/// Returns the members of a workspace; none if the folder has no workspace.
///
/// # Errors
///
/// A folder or file cannot be read.
pub(super) fn members(folder: &Path, disk: &Disk) -> Result<Members, Error> {
    let manifest = folder.join("Cargo.toml");
    if !disk.is_file(&manifest) {
        return Ok(Members::default());
    }
    let text = String::from_utf8(disk.bytes(&manifest)?).unwrap_or_default();
    let manifest: toml::Table = text.parse().unwrap_or_default();
    let list = |key: &str| {
        let workspace = manifest.get("workspace")?.as_table()?;
        let texts = workspace.get(key)?.as_array()?.iter();
        Some(texts.filter_map(toml::Value::as_str).collect::<Vec<_>>())
    };
    let excluded = list("exclude").unwrap_or_default();
    let excluded: Vec<PathBuf> = excluded.iter().map(|path| folder.join(path)).collect();
    let mut roots = Vec::new();
    for pattern in list("members").unwrap_or_default() {
        for member in matching(folder, pattern, disk)? {
            let (root, library) = source_root(&member, disk);
            let root = match library {
                Some(_) => root,
                None => member.join("src"),
            };
            let is_excluded = excluded.iter().any(|path| member.starts_with(path));
            let is_own = normalize(&member) == normalize(folder);
            if !is_own && !is_excluded && disk.is_dir(&root) && mentions_kinds(&root, disk)? {
                roots.push(root);
            }
        }
    }
    roots.sort();
    roots.dedup();
    let roots = roots.into_iter().map(|folder| Apis {
        folder,
        groups: Vec::new(),
    });
    Ok(Members {
        roots: roots.collect(),
        is_virtual: !manifest.contains_key("package"),
    })
}

/// The folders that a member's pattern names, in which `*` stands for any characters of a name.
fn matching(folder: &Path, pattern: &str, disk: &Disk) -> Result<Vec<PathBuf>, Error> {
    let mut found = vec![folder.to_owned()];
    for part in pattern.split('/').filter(|part| !matches!(*part, "" | ".")) {
        let mut below = Vec::new();
        for folder in found {
            match part.split_once('*') {
                None => below.push(folder.join(part)),
                Some((start, end)) => {
                    let entries = disk.entries(&folder)?.into_iter();
                    below.extend(entries.filter(|path| {
                        let name = path.file_name().and_then(|name| name.to_str());
                        let rest = name.and_then(|name| name.strip_prefix(start));
                        rest.is_some_and(|rest| rest.ends_with(end)) && disk.is_dir(path)
                    }));
                }
            }
        }
        found = below;
    }
    Ok(found)
}
