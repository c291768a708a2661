//! Patterns: which packages `./api/v1`, `k8s.io/api/core/v1` and `./...` mean.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use super::{
    environment::Environment,
    explain,
    graph::{Found, Graph, module_folder},
};
use crate::{
    config::layout::{normalize, shown},
    diag::{Diagnostic, Diagnostics},
};

/// A package that a pattern means.
#[derive(Clone, Debug)]
pub(super) struct Requested {
    pub(super) path: String,
    pub(super) found: Found,
    /// Whether it was found below a folder, not named itself.
    pub(super) by_wildcard: bool,
}

/// A pattern, taken apart.
struct Pattern<'a> {
    written: &'a str,
    /// Without the `/...`.
    base: &'a str,
    wildcard: bool,
}

impl<'a> Pattern<'a> {
    fn new(written: &'a str) -> Self {
        let base = written.strip_suffix("/...");
        let trimmed = base.unwrap_or(written);
        let base_text = match trimmed.trim_end_matches('/') {
            "" if trimmed.starts_with('/') => "/",
            "" => ".",
            text => text,
        };
        Self {
            written,
            base: base_text,
            wildcard: base.is_some(),
        }
    }

    /// Whether it is a folder, by its first part, as Go's command decides.
    fn is_folder(&self) -> bool {
        let first = self.base.split('/').next().unwrap_or_default();
        matches!(first, "." | "..") || Path::new(self.base).is_absolute()
    }
}

/// The modules of the build and the packages that the patterns mean, sorted by import path.
///
/// # Errors
///
/// No patterns, no module, patterns that mean nothing.
pub(super) fn expand<'a>(
    patterns: &[String],
    dir: &Path,
    environment: &'a Environment,
) -> Result<(Graph<'a>, Vec<Requested>), Diagnostics> {
    let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let patterns: Vec<Pattern<'_>> = patterns.iter().map(|text| Pattern::new(text)).collect();
    let folder_of = |pattern: &Pattern<'_>| normalize(&dir.join(pattern.base));
    let first = patterns.iter().find(|pattern| pattern.is_folder());
    let start = first.map_or_else(|| normalize(&dir), folder_of);
    let Some(module) = module_folder(&start) else {
        let help = "a Go package belongs to a module: run in the folder of its go.mod, or below";
        let message = format!("there is no go.mod in {} or above it", shown(&start));
        return Err(Diagnostic::error(message).help(help).into());
    };
    let graph = Graph::load(module, environment).map_err(Diagnostic::error)?;
    let mut diagnostics = Diagnostics::new();
    let mut requested = BTreeMap::new();
    for pattern in &patterns {
        let found = if pattern.is_folder() {
            expand_folder(&graph, pattern, &folder_of(pattern))
        } else {
            expand_path(&graph, pattern, &dir)
        };
        match found {
            Ok(found) => add(&mut requested, found),
            Err(error) => diagnostics.push(error),
        }
    }
    if patterns.is_empty() {
        diagnostics.push(Diagnostic::error("no Go package is given"));
    }
    let requested = requested.into_values().collect();
    diagnostics.finish((graph, requested))
}

/// Adds packages; what is named itself stays so.
fn add(requested: &mut BTreeMap<String, Requested>, found: Vec<Requested>) {
    for package in found {
        requested
            .entry(package.path.clone())
            .and_modify(|known| known.by_wildcard &= package.by_wildcard)
            .or_insert(package);
    }
}

fn expand_folder(
    graph: &Graph<'_>,
    pattern: &Pattern<'_>,
    folder: &Path,
) -> Result<Vec<Requested>, Diagnostic> {
    if !folder.is_dir() {
        return Err(Diagnostic::error(format!(
            "there is no folder {}",
            shown(folder)
        )));
    }
    let Some((path, main)) = graph.path_of(folder) else {
        let mains = graph.mains.iter().map(|main| main.path.as_str());
        let message = format!(
            "{} is not in the module {}",
            shown(folder),
            mains.collect::<Vec<_>>().join(" or ")
        );
        let help = "packages of one run belong to one module, or to the modules of one go.work";
        return Err(Diagnostic::error(message).help(help));
    };
    if module_folder(folder) != Some(main.folder.as_path()) {
        let message = format!("{} belongs to another module", shown(folder));
        let help = "packages of one run belong to one module, or to the modules of one go.work";
        return Err(Diagnostic::error(message).help(help));
    }
    let found = Found {
        folder: folder.to_owned(),
        module: main.path.clone(),
        version: None,
        main: true,
    };
    expand_found(pattern, path, found)
}

fn expand_path(
    graph: &Graph<'_>,
    pattern: &Pattern<'_>,
    dir: &Path,
) -> Result<Vec<Requested>, Diagnostic> {
    let main = graph.mains.iter().find(|main| {
        let rest = pattern.base.strip_prefix(main.path.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    if let Some(main) = main {
        // A folder of the module need not hold a package itself for those below it to be meant.
        let below = pattern.base.get(main.path.len()..).unwrap_or_default();
        let folder = main.folder.join(below.trim_start_matches('/'));
        if folder.is_dir() {
            return expand_folder(graph, pattern, &folder);
        }
    }
    match graph.find(pattern.base) {
        Ok(found) => expand_found(pattern, pattern.base.to_owned(), found),
        Err(missing) => {
            let message = format!("the package {} is not found", pattern.base);
            let diagnostic = Diagnostic::error(message);
            Err(if dir.join(pattern.base).is_dir() {
                diagnostic.help(format!("a folder is written `./{}`", pattern.written))
            } else {
                explain(diagnostic, &missing)
            })
        }
    }
}

fn expand_found(
    pattern: &Pattern<'_>,
    path: String,
    found: Found,
) -> Result<Vec<Requested>, Diagnostic> {
    let mut packages = Vec::new();
    if pattern.wildcard {
        walk(&found.folder, &path, &found, &mut packages)?;
    } else if !super::go_files(&found.folder)?.is_empty() {
        packages.push(Requested {
            path,
            found: found.clone(),
            by_wildcard: false,
        });
    }
    if packages.is_empty() {
        let folder = shown(&found.folder);
        let below = if pattern.wildcard {
            " and the folders below it have"
        } else {
            " has"
        };
        return Err(Diagnostic::error(format!("{folder}{below} no Go files")));
    }
    Ok(packages)
}

/// Adds the packages in a folder and below it, as Go's command does: without `vendor`, `testdata`, hidden folders, other
/// modules and what links lead to.
fn walk(
    folder: &Path,
    path: &str,
    found: &Found,
    packages: &mut Vec<Requested>,
) -> Result<(), Diagnostic> {
    let mut folders = vec![(folder.to_owned(), path.to_owned())];
    while let Some((folder, path)) = folders.pop() {
        for (name, below) in subfolders(&folder)? {
            let is_module = below.join("go.mod").is_file();
            let skipped = matches!(name.as_str(), "vendor" | "testdata");
            if !skipped && !is_module && !name.starts_with(['.', '_']) {
                folders.push((below, format!("{path}/{name}")));
            }
        }
        if !super::go_files(&folder)?.is_empty() {
            let found = Found {
                folder,
                ..found.clone()
            };
            packages.push(Requested {
                path,
                found,
                by_wildcard: true,
            });
        }
    }
    Ok(())
}

/// The folders in a folder, sorted; links are none.
fn subfolders(folder: &Path) -> Result<Vec<(String, PathBuf)>, Diagnostic> {
    let error = |error| Diagnostic::error(format!("cannot read {}: {error}", shown(folder)));
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder).map_err(error)? {
        let entry = entry.map_err(error)?;
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && let Ok(name) = entry.file_name().into_string() {
            folders.push((name, entry.path()));
        }
    }
    folders.sort();
    Ok(folders)
}
