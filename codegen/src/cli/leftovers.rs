//! Leftovers of a deletion: remaining declarations, and uses in other files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    Diagnostic, Diagnostics,
    config::{Error, shown},
    diag::Place,
    operator::{
        Edit, EditKind, Reference,
        edit::{self, EditError},
    },
    output::Tree,
};

use super::{
    Failure,
    operator::{Files, Project, input_error, refused},
};

/// The error that a file to remove differs from what a command wrote.
pub(super) fn changed(path: &Path, files: &Files, command: &str) -> String {
    format!(
        "{} differs from what `{command}` writes: save what you need of it, and remove it with --force",
        shown(&files.root().join(path))
    )
}

/// Checks that every file to remove is as in one of the variants that a command writes.
pub(super) fn check_unchanged(
    paths: impl IntoIterator<Item = PathBuf>,
    variants: &[Tree],
    files: &Files,
    command: &str,
) -> Result<(), Failure> {
    let mut faults = Vec::new();
    for path in paths {
        if let Some(text) = files.text(&path)?
            && !variants.iter().any(|files| files.get(&path) == Some(&text))
            && files.recorded(&path) != Some(&text)
        {
            faults.push(changed(&path, files, command));
        }
    }
    input_error(faults)
}

/// Checks that modules whose declarations were removed are not declared in another form.
pub(super) fn check_unhooked(edits: &[Edit], files: &Files) -> Result<(), Failure> {
    let mut left = Vec::new();
    for edit in edits {
        let EditKind::Item { within, item } = &edit.kind else {
            continue;
        };
        let Some(name) = item
            .strip_suffix(';')
            .and_then(|item| item.rsplit_once("mod "))
        else {
            continue;
        };
        let text = files.text(&edit.path)?.unwrap_or_default();
        let within: Vec<&str> = within.iter().map(String::as_str).collect();
        if edit::has_module(&text, &within, name.1).unwrap_or(false) {
            let path = shown(&files.root().join(&edit.path));
            left.push(format!(
                "{path} declares the module `{}` in a different form than `{item}`: remove it by hand",
                name.1
            ));
        }
    }
    input_error(left)
}

/// The uses in a file.
type Found = Result<Vec<Reference>, EditError>;

/// Checks that no remaining file of the crate uses what is deleted.
pub(super) fn check_unused(
    project: &Project,
    files: &Files,
    find: &dyn Fn(&Path, &str) -> Found,
) -> Result<(), Failure> {
    let mut paths = Vec::new();
    for folder in ["src", "tests", "examples", "benches"] {
        collect(&project.root, Path::new(folder), &mut paths);
    }
    paths.sort();
    let mut diagnostics = Diagnostics::new();
    for path in paths
        .into_iter()
        .filter(|path| !path.starts_with("src/generated"))
    {
        let Some(text) = files.text(&path)? else {
            continue;
        };
        let shown = shown(&files.root().join(&path));
        let found = find(&path, &text);
        let found = found.map_err(|error| unreadable(Path::new(&shown), &error.to_string()))?;
        let text: std::sync::Arc<str> = text.into();
        for reference in found {
            let place = Place {
                file: shown.as_str().into(),
                text: text.clone(),
                range: reference.range,
            };
            let message = format!("`{}` is still used", reference.name);
            diagnostics.push(Diagnostic::error(message).at(place, "remove this first"));
        }
    }
    diagnostics.sort();
    let checked = diagnostics.finish(());
    checked.map_err(|found| Error::Input(found).into())
}

/// Adds the Rust files at and below a folder that are not generated.
pub(super) fn collect(root: &Path, folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(root.join(folder))
        .into_iter()
        .flatten()
        .flatten()
    {
        let path = folder.join(entry.file_name());
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type();
        if kind.as_ref().is_ok_and(fs::FileType::is_dir) {
            collect(root, &path, found);
        } else if name.ends_with(".rs") && !name.starts_with("zz_generated_") {
            found.push(path);
        }
    }
}

pub(super) fn unreadable(path: &Path, error: &str) -> Failure {
    refused(format!(
        "{} cannot be searched for uses of the kind: {error}",
        path.display()
    ))
}
