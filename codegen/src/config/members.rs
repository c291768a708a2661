//! Workspaces: the crates with kinds among the members.

use std::path::{Path, PathBuf};

use super::{
    Error,
    disk::Disk,
    inputs::{Apis, mentions_kinds, source_root},
    layout::{manifest_folder, whole},
    manifest::{CargoManifest, Origin},
};

/// The number of folders between one without a manifest and the crates below it.
const MOST_DEEP: usize = 3;

/// Returns the source roots of a workspace's own crate and of its members, those that may declare
/// kinds; those of the crates below, if the folder belongs to none or its own declare no kinds.
/// There are none if the folder is a crate or in one.
///
/// # Errors
///
/// A folder or file cannot be read.
pub(super) fn members(apis: &Apis, disk: &Disk) -> Result<Vec<Apis>, Error> {
    let folder = &apis.folder;
    let mut roots = Vec::new();
    if !apis.groups.is_empty() {
        return Ok(Vec::new());
    }
    if disk.is_file(&folder.join("Cargo.toml")) {
        let crates = members_of(folder, disk)?.into_iter();
        roots.extend(crates.map(|one| source_folder(&one, disk)));
    } else if disk.is_dir(folder) && manifest_folder(&whole(folder)).is_none() {
        roots = roots_below(folder, disk)?;
    }
    let mut found = with_kinds(roots, disk)?;
    let has_own = || with_kinds(vec![source_folder(folder, disk)], disk).map(|own| !own.is_empty());
    if found.is_empty() && disk.is_file(&folder.join("Cargo.toml")) && !has_own()? {
        found = with_kinds(roots_below(folder, disk)?, disk)?;
    }
    let found = found.into_iter().map(|folder| Apis {
        folder,
        groups: Vec::new(),
    });
    Ok(found.collect())
}

/// Returns the source roots of the crates and workspaces below a folder.
fn roots_below(folder: &Path, disk: &Disk) -> Result<Vec<PathBuf>, Error> {
    let mut roots = Vec::new();
    for one in crates_below(folder, MOST_DEEP, disk)? {
        let members = members_of(&one, disk)?;
        let crates = if members.is_empty() {
            vec![one]
        } else {
            members
        };
        roots.extend(crates.iter().map(|one| source_folder(one, disk)));
    }
    Ok(roots)
}

/// Returns those of the source roots that may declare kinds.
fn with_kinds(roots: Vec<PathBuf>, disk: &Disk) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    for root in roots {
        if disk.is_dir(&root) && mentions_kinds(&root, disk)? {
            found.push(root);
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Returns the folders of a workspace's own crate and of its members; none if the folder is no
/// workspace.
fn members_of(folder: &Path, disk: &Disk) -> Result<Vec<PathBuf>, Error> {
    let text = String::from_utf8(disk.bytes(&folder.join("Cargo.toml"))?).unwrap_or_default();
    let manifest: toml::Table = text.parse().unwrap_or_default();
    let Some(workspace) = Workspace::of(&manifest) else {
        return Ok(Vec::new());
    };
    let mut crates = Vec::new();
    if manifest.contains_key("package") {
        crates.push(folder.to_owned());
    }
    for pattern in &workspace.members {
        crates.extend(matching(folder, pattern, disk)?);
    }
    // Crates that a member depends on by path are members.
    let mut next = 0;
    while let Some(one) = crates.get(next) {
        for path in paths(one, disk) {
            if let Ok(below) = path.strip_prefix(whole(folder)) {
                let path = folder.join(below);
                if !crates.contains(&path) {
                    crates.push(path);
                }
            }
        }
        next += 1;
    }
    crates.retain(|one| !workspace.excludes(one.strip_prefix(folder).unwrap_or(one)));
    Ok(crates)
}

/// Returns the folders that a crate depends on, absolute.
fn paths(folder: &Path, disk: &Disk) -> Vec<PathBuf> {
    let manifest = CargoManifest::read(&whole(folder), disk);
    let requirements = manifest.map(|manifest| manifest.requirements());
    let requirements = requirements.into_iter().flatten();
    let paths = requirements.filter_map(|it| match it.origin {
        Origin::Path(path) => Some(path),
        _ => None,
    });
    paths.collect()
}

fn source_folder(folder: &Path, disk: &Disk) -> PathBuf {
    match source_root(folder, disk) {
        (root, Some(_)) => root,
        (_, None) => folder.join("src"),
    }
}

/// Returns the folders below one that have a manifest, without those below another such folder.
fn crates_below(folder: &Path, most: usize, disk: &Disk) -> Result<Vec<PathBuf>, Error> {
    let Some(most) = most.checked_sub(1) else {
        return Ok(Vec::new());
    };
    let mut crates = Vec::new();
    for path in disk.entries(folder)? {
        let name = path.file_name().and_then(|name| name.to_str());
        let is_hidden = name.is_none_or(|name| name.starts_with('.') || name == "target");
        if is_hidden || !disk.is_dir(&path) || path.is_symlink() {
            continue;
        }
        match disk.is_file(&path.join("Cargo.toml")) {
            true => crates.push(path),
            false => crates.extend(crates_below(&path, most, disk)?),
        }
    }
    Ok(crates)
}

/// Whether a manifest is a workspace's.
pub(crate) fn is_workspace(manifest: &toml::Table) -> bool {
    Workspace::of(manifest).is_some()
}

/// Whether Cargo takes a crate in `below`, a folder relative to a workspace's manifest: as a
/// member, or as one that the workspace excludes.
pub(crate) fn admits(manifest: &toml::Table, below: &Path) -> bool {
    let workspace = Workspace::of(manifest);
    workspace.is_some_and(|workspace| workspace.excludes(below) || workspace.lists(below))
}

/// The lists of a workspace's manifest.
struct Workspace<'a> {
    members: Vec<&'a str>,
    exclude: Vec<&'a str>,
}

impl<'a> Workspace<'a> {
    fn of(manifest: &'a toml::Table) -> Option<Self> {
        let workspace = manifest.get("workspace")?.as_table()?;
        let list = |key: &str| {
            let texts = workspace.get(key).and_then(toml::Value::as_array);
            let texts = texts.into_iter().flatten();
            texts.filter_map(toml::Value::as_str).collect()
        };
        Some(Self {
            members: list("members"),
            exclude: list("exclude"),
        })
    }

    fn excludes(&self, below: &Path) -> bool {
        self.exclude.iter().any(|path| below.starts_with(path))
    }

    fn lists(&self, below: &Path) -> bool {
        let names: Option<Vec<&str>> = below.iter().map(|name| name.to_str()).collect();
        let names = names.unwrap_or_default();
        self.members.iter().any(|pattern| {
            let parts: Vec<&str> = parts(pattern).collect();
            let mut pairs = parts.iter().zip(&names);
            parts.len() == names.len() && pairs.all(|(part, name)| fits(part, name))
        })
    }
}

/// The names of a member's pattern.
fn parts(pattern: &str) -> impl Iterator<Item = &str> {
    let parts = pattern.split('/');
    parts.filter(|part| !matches!(*part, "" | "."))
}

/// Whether a name fits a part of a pattern, in which `*` stands for any characters and `?` for one.
fn fits(part: &str, name: &str) -> bool {
    let Some(first) = part.chars().next() else {
        return name.is_empty();
    };
    let rest = &part[first.len_utf8()..];
    match first {
        '*' => name
            .char_indices()
            .map(|(at, _)| at)
            .chain([name.len()])
            .any(|at| fits(rest, &name[at..])),
        first => {
            let mut chars = name.chars();
            let next = chars.next();
            next.is_some_and(|next| first == '?' || first == next) && fits(rest, chars.as_str())
        }
    }
}

/// The folders that a member's pattern names.
fn matching(folder: &Path, pattern: &str, disk: &Disk) -> Result<Vec<PathBuf>, Error> {
    let mut found = vec![folder.to_owned()];
    for part in parts(pattern) {
        let mut below = Vec::new();
        for folder in found {
            if !part.contains(['*', '?']) {
                below.push(folder.join(part));
                continue;
            }
            let entries = disk.entries(&folder)?.into_iter();
            below.extend(entries.filter(|path| {
                let name = path.file_name().and_then(|name| name.to_str());
                name.is_some_and(|name| fits(part, name)) && disk.is_dir(path)
            }));
        }
        found = below;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_admits_what_cargo_does() {
        let manifest =
            "[workspace]\nmembers = [\"a\", \"ops/*-operator\", \"./b/?\"]\nexclude = [\"out\"]\n";
        let manifest: toml::Table = manifest.parse().unwrap();
        for there in ["a", "ops/my-operator", "b/c", "out", "out/x"] {
            assert!(admits(&manifest, Path::new(there)), "{there}");
        }
        for elsewhere in ["b", "ops/my", "ops/x/my-operator", "b/cc", "outer"] {
            assert!(!admits(&manifest, Path::new(elsewhere)), "{elsewhere}");
        }
    }
}
