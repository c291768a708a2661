//! Layout: maps folders to modules of a crate.

use std::path::{Component, Path, PathBuf};

/// A folder inside a crate's source root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The source root: the folder that is the module `crate`.
    pub(super) root: PathBuf,
    /// The folder, relative to the root; empty for the root itself.
    pub(super) below: PathBuf,
    /// Whether the root was derived from the path; otherwise the folder itself is taken as the
    /// root.
    pub(super) found: bool,
}

impl Place {
    /// Finds the source root of `folder`.
    ///
    /// The root is `src` in the nearest ancestor folder with a `Cargo.toml`, if `folder` is inside
    /// of it; else the last `src` in the path below that ancestor; else `folder` itself. In
    /// `src/bin/<name>/` with a `main.rs`, which is a binary target of Cargo's, that folder is the
    /// root. Paths keep the caller's spelling, so that messages stay relative.
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

/// If `below` is in the folder `bin/<name>/` of a binary target, the path inside of that folder;
/// `whole` ends with `below`.
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

/// The folder `up` levels above `folder`: in the caller's spelling if that has enough components,
/// else absolute.
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

/// The module path of a folder below a source root.
pub(super) fn module_path(below: &Path) -> String {
    let mut path = "crate".to_owned();
    for part in below.iter() {
        path.push_str("::");
        path.push_str(&crate::model::names::ident(&part.to_string_lossy()));
    }
    path
}

/// A suggestion if `name` is not a legal module name; `None` if it is. Keywords are legal, since
/// they are written raw.
pub(super) fn module_help(name: &str) -> Option<String> {
    let legal = crate::model::names::plain_ident(name);
    (legal != name).then(|| format!("write `{legal}`"))
}

/// Removes `.`, and `..` with the name before it; links are not resolved.
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

/// Formats `path` for messages: relative to the current folder if possible, with `/` as separator.
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

/// A source root as shown in diagnostics: with a trailing `/`, unless it is the current folder.
pub(super) fn root_name(root: &Path) -> String {
    match shown(root) {
        here if here == "." => String::new(),
        path => path + "/",
    }
}

/// The relative path from one absolute folder to `path`. `None` if they only share the file
/// system's root: then the absolute path is clearer.
pub(super) fn relative_to(path: &Path, from: &Path) -> Option<PathBuf> {
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
