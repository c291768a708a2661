//! Patterns: which packages `./api/v1`, `k8s.io/api/core/v1` and `./...` match.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{
    environment::Environment,
    explain,
    graph::{Found, Graph, module_folder},
};
use crate::{
    config::{
        disk::Disk,
        layout::{normalize, shown},
    },
    diag::{Diagnostic, Diagnostics},
};

/// A package that a pattern matches.
#[derive(Clone, Debug)]
pub(super) struct Requested {
    pub(super) path: String,
    pub(super) found: Found,
    /// Whether it was matched by a wildcard rather than named itself.
    pub(super) by_wildcard: bool,
}

/// A parsed pattern.
struct Pattern<'a> {
    written: &'a str,
    /// The pattern without `/...`.
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

    /// Whether the pattern is a folder, decided by its first segment as the go command does.
    fn is_folder(&self) -> bool {
        let first = self.base.split('/').next().unwrap_or_default();
        matches!(first, "." | "..") || Path::new(self.base).is_absolute()
    }
}

/// The result of expanding patterns.
#[derive(Default)]
pub(super) struct Expanded {
    /// The packages, by import path.
    pub(super) requested: BTreeMap<String, Requested>,
    /// Packages below the folders that belong to modules outside of the build, by import path. They
    /// are not matched, though controller-gen reads them too.
    pub(super) elsewhere: BTreeMap<String, Found>,
}

impl Expanded {
    /// Adds a package; one that was named explicitly stays so.
    fn add(&mut self, path: String, found: Found, by_wildcard: bool) {
        let package = Requested {
            path: path.clone(),
            found,
            by_wildcard,
        };
        self.requested
            .entry(path)
            .and_modify(|known| known.by_wildcard &= by_wildcard)
            .or_insert(package);
    }
}

/// Expands the patterns to packages, and loads the modules of the build.
///
/// # Errors
///
/// There are no patterns or no module, or a pattern matches nothing.
pub(super) fn expand<'a>(
    disk: &'a Disk,
    patterns: &[String],
    dir: &Path,
    environment: &'a Environment,
) -> Result<(Graph<'a>, Expanded), Diagnostics> {
    let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let patterns: Vec<Pattern<'_>> = patterns.iter().map(|text| Pattern::new(text)).collect();
    let folder_of = |pattern: &Pattern<'_>| normalize(&dir.join(pattern.base));
    let first = patterns.iter().find(|pattern| pattern.is_folder());
    let start = first.map_or_else(|| normalize(&dir), folder_of);
    let Some(module) = module_folder(disk, &start) else {
        let help = "a Go package belongs to a module: run in the folder of its go.mod, or below";
        let message = format!("there is no go.mod in {} or above it", shown(&start));
        return Err(Diagnostic::error(message).help(help).into());
    };
    let graph =
        Graph::load(disk, module, environment).map_err(|message| Diagnostic::error(message))?;
    let mut diagnostics = Diagnostics::new();
    let mut expanded = Expanded::default();
    for pattern in &patterns {
        let found = if pattern.is_folder() {
            expand_folder(&graph, pattern, &folder_of(pattern), &mut expanded)
        } else {
            expand_path(&graph, pattern, &dir, &mut expanded)
        };
        if let Err(error) = found {
            diagnostics.push(error);
        }
    }
    if patterns.is_empty() {
        diagnostics.push(Diagnostic::error("no Go package is specified"));
    }
    diagnostics.finish((graph, expanded))
}

fn expand_folder(
    graph: &Graph<'_>,
    pattern: &Pattern<'_>,
    folder: &Path,
    expanded: &mut Expanded,
) -> Result<(), Diagnostic> {
    if !graph.disk().is_dir(folder) {
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
    if module_folder(graph.disk(), folder) != Some(main.folder.as_path()) {
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
    expand_found(graph, pattern, path, found, expanded)
}

fn expand_path(
    graph: &Graph<'_>,
    pattern: &Pattern<'_>,
    dir: &Path,
    expanded: &mut Expanded,
) -> Result<(), Diagnostic> {
    let main = graph.mains.iter().find(|main| {
        let rest = pattern.base.strip_prefix(main.path.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    if let Some(main) = main {
        // A folder without a package of its own can still have packages below it.
        let below = pattern.base.get(main.path.len()..).unwrap_or_default();
        let folder = main.folder.join(below.trim_start_matches('/'));
        if graph.disk().is_dir(&folder) {
            return expand_folder(graph, pattern, &folder, expanded);
        }
    }
    match graph.find(pattern.base) {
        Ok(found) => {
            let path = pattern.base.to_owned();
            expand_found(graph, pattern, path, found, expanded)
        }
        Err(missing) => {
            let message = format!("package {} not found", pattern.base);
            let diagnostic = Diagnostic::error(message);
            Err(if graph.disk().is_dir(&dir.join(pattern.base)) {
                diagnostic.help(format!("a folder is written `./{}`", pattern.written))
            } else {
                explain(diagnostic, &missing)
            })
        }
    }
}

fn expand_found(
    graph: &Graph<'_>,
    pattern: &Pattern<'_>,
    path: String,
    found: Found,
    expanded: &mut Expanded,
) -> Result<(), Diagnostic> {
    let folder = shown(&found.folder);
    let is_there = if pattern.wildcard {
        walk(graph, path, found, expanded)?
    } else {
        let is_package = !super::go_files(&found.folder, graph)?.is_empty();
        if is_package {
            expanded.add(path, found, false);
        }
        is_package
    };
    if is_there {
        return Ok(());
    }
    let below = if pattern.wildcard {
        " and the folders below it have"
    } else {
        " has"
    };
    Err(Diagnostic::error(format!("{folder}{below} no Go files")))
}

/// Adds the packages in a folder and below it as the go command does: without `vendor`, `testdata`,
/// hidden folders, those that go.mod ignores, and the targets of links. Packages of other modules
/// are added only if those are in the workspace. Returns whether there is any package.
fn walk(
    graph: &Graph<'_>,
    path: String,
    found: Found,
    expanded: &mut Expanded,
) -> Result<bool, Diagnostic> {
    let mut is_there = false;
    let mut folders = vec![(path, found, true)];
    while let Some((path, found, meant)) = folders.pop() {
        for (name, folder) in subfolders(graph.disk(), &found.folder)? {
            let skipped = matches!(name.as_str(), "vendor" | "testdata");
            if skipped || name.starts_with(['.', '_']) || graph.ignores(&folder) {
                continue;
            }
            folders.push(match graph.module_in(&folder) {
                Some((module, meant)) => (module.module.clone(), module, meant),
                None => {
                    let found = Found {
                        folder,
                        ..found.clone()
                    };
                    (format!("{path}/{name}"), found, meant)
                }
            });
        }
        if super::go_files(&found.folder, graph)?.is_empty() {
            continue;
        }
        if meant {
            is_there = true;
            expanded.add(path, found, true);
        } else {
            expanded.elsewhere.insert(path, found);
        }
    }
    Ok(is_there)
}

/// The subfolders of a folder, sorted, without links.
fn subfolders(disk: &Disk, folder: &Path) -> Result<Vec<(String, PathBuf)>, Diagnostic> {
    let names = disk.folders(folder);
    let names = names
        .map_err(|error| Diagnostic::error(format!("cannot read {}: {error}", shown(folder))))?;
    let folders = names.into_iter().map(|name| {
        let path = folder.join(&name);
        (name, path)
    });
    Ok(folders.collect())
}
