//! Layout: which folder is which module of a crate.

use std::path::{Component, Path, PathBuf};

/// A folder inside a crate's source root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The source root: the folder that is the module `crate`.
    pub(super) root: PathBuf,
    /// The folder, relative to the root; empty for the root itself.
    pub(super) below: PathBuf,
    /// Whether the path names the root; otherwise the folder is taken for one.
    pub(super) found: bool,
}

impl Place {
    /// Finds the source root of `folder`.
    ///
    /// It is the `src` of the nearest folder that has a `Cargo.toml`, if `folder` is in it; else the last `src` in the path
    /// below that folder; else `folder` is a root itself. In `src/bin/<name>/` with a `main.rs`, which Cargo makes a program,
    /// it is that folder. Paths stay as the caller wrote them, so that messages stay relative where the caller was.
    pub(super) fn of(folder: &Path) -> Self {
        let whole = whole(folder);
        let manifest = manifest_folder(&whole);
        let rest = manifest
            .and_then(|manifest| whole.strip_prefix(manifest).ok())
            .unwrap_or(&whole);
        let parts: Vec<Component<'_>> = rest.components().collect();
        let is_src = |part: &Component<'_>| part.as_os_str() == "src";
        let position = if manifest.is_some() && parts.first().is_some_and(is_src) {
            Some(0)
        } else {
            parts.iter().rposition(is_src)
        };
        let Some(position) = position else {
            return Self {
                root: folder.to_owned(),
                below: PathBuf::new(),
                found: false,
            };
        };
        let mut below: PathBuf = parts.iter().skip(position + 1).collect();
        if let Some(in_program) = below_program(&whole, &below) {
            below = in_program;
        }
        Self {
            root: as_written(folder, below.components().count()),
            below,
            found: true,
        }
    }
}

/// The rest of `bin/<name>/…` where that is the folder of a program; `whole` ends with it.
fn below_program(whole: &Path, below: &Path) -> Option<PathBuf> {
    let rest = below.strip_prefix("bin").ok()?;
    let mut parts = rest.components();
    parts.next()?;
    let rest = parts.as_path();
    let program = whole.ancestors().nth(rest.components().count())?;
    program.join("main.rs").is_file().then(|| rest.to_owned())
}

/// The absolute path, normalized.
pub(super) fn whole(folder: &Path) -> PathBuf {
    normalize(&std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()))
}

/// The nearest folder at or above an absolute path that has a `Cargo.toml`.
pub(super) fn manifest_folder(whole: &Path) -> Option<&Path> {
    whole
        .ancestors()
        .find(|ancestor| ancestor.join("Cargo.toml").is_file())
}

/// The folder so many levels above one; as the caller wrote it where that is long enough, else absolute.
pub(super) fn as_written(folder: &Path, up: usize) -> PathBuf {
    let depth = folder
        .components()
        .filter(|component| !matches!(component, Component::CurDir))
        .count();
    let plain = !folder.components().any(|part| part == Component::ParentDir);
    let whole = whole(folder);
    let root = if up == 0 || (up < depth && plain) {
        folder.ancestors().nth(up)
    } else {
        whole.ancestors().nth(up)
    };
    root.unwrap_or(&whole).to_owned()
}

/// The module of a folder below a source root.
pub(super) fn module_path(below: &Path) -> String {
    let mut path = "crate".to_owned();
    for part in below.iter() {
        path.push_str("::");
        path.push_str(&crate::model::names::ident(&part.to_string_lossy()));
    }
    path
}

/// The replacement for a name that a module cannot have; none for a legal one, keywords included, which are written raw.
pub(super) fn module_help(name: &str) -> Option<String> {
    let legal = crate::model::names::plain_ident(name);
    (legal != name).then(|| format!("write `{legal}`"))
}

/// The path without `.`, and without `..` where a name stands before it; links are not looked at.
pub(super) fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(normal.components().next_back(), Some(Component::Normal(_))) =>
            {
                normal.pop();
            }
            _ => normal.push(component),
        }
    }
    normal
}

/// `path` as seen from the current folder, for messages: relative where it can be, with `/` between the parts.
#[must_use]
pub fn shown(path: &Path) -> String {
    let normal = normalize(path);
    let relative = if normal.is_relative() {
        normal
    } else {
        std::env::current_dir()
            .ok()
            .and_then(|current| relative_to(&normal, &normalize(&current)))
            .unwrap_or_else(|| path.to_owned())
    };
    if relative.as_os_str().is_empty() {
        return ".".to_owned();
    }
    relative.to_string_lossy().replace('\\', "/")
}

/// The way from one absolute folder to a path; none if they share nothing but the file system's root, where a way up would
/// say less than the path itself.
fn relative_to(path: &Path, from: &Path) -> Option<PathBuf> {
    let common = path
        .components()
        .zip(from.components())
        .take_while(|(a, b)| a == b)
        .count();
    if common < 2 {
        return None;
    }
    let up = from.components().count() - common;
    let mut relative: PathBuf = std::iter::repeat_n("..", up).collect();
    relative.extend(path.components().skip(common));
    Some(relative)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(folder: &str, root: &str, below: &str) {
        let place = Place::of(Path::new(folder));
        assert_eq!(
            (place.root.as_path(), place.below.as_path()),
            (Path::new(root), Path::new(below))
        );
    }

    #[test]
    fn the_source_root_is_the_crates_src() {
        // Tests run in the package's folder, which has a manifest.
        check("src/apis", "src", "apis");
        check("src", "src", "");
        check("src/a/src/b", "src", "a/src/b");
    }

    #[test]
    fn without_a_manifest_the_last_src_counts() {
        check("testdata/src/x/src/apis", "testdata/src/x/src", "apis");
        check("out", "out", "");
    }

    #[test]
    fn modules_are_identifiers() {
        assert_eq!(
            module_path(Path::new("apis/my-group/type")),
            "crate::apis::my_group::r#type"
        );
    }

    #[test]
    fn a_path_goes_up_only_past_names() {
        assert_eq!(normalize(Path::new("a/./b/../../../c")), Path::new("../c"));
    }

    #[test]
    fn the_way_between_folders_is_relative() {
        let check = |path: &str, from: &str, expected: Option<&str>| {
            assert_eq!(
                relative_to(Path::new(path), Path::new(from)).as_deref(),
                expected.map(Path::new)
            );
        };
        check("/a/b/c", "/a/d", Some("../b/c"));
        check("/a/b", "/a/b", Some(""));
        check("/x/y", "/a/b", None);
    }
}
