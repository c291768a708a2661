//! Go packages on disk: resolves patterns, and loads the matching packages and those whose types
//! they use.
//!
//! No Go toolchain is run and nothing is downloaded. Packages are read in rounds, as their types
//! turn out to be used: an API that uses three types of `k8s.io` reads the three packages that
//! declare them. Start reading at [`load`].

mod buffer;
mod environment;
mod gomod;
mod graph;
mod patterns;
#[cfg(test)]
mod tests;

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, Read as _, Seek as _},
    path::Path,
    sync::Mutex,
};

pub use environment::Environment;
pub(super) use graph::module_folder;
use rayon::prelude::*;

use self::{
    buffer::Buffer,
    graph::{Found, Graph, Missing},
    patterns::Requested,
};
use super::{
    Error,
    disk::{self, Disk},
    layout::shown,
};
use crate::{
    builtin,
    diag::{Diagnostic, Diagnostics},
    lower,
    read::go::{
        GoFile, GoPackage, GoSources, Kinds, Known, Wanted, first_kind, is_barren,
        is_barren_behind, is_barren_by_head, is_generated, package_name, wanted,
    },
    source::Source,
    threads,
};

/// The largest file that is read, in bytes; real ones, generated or not, are far smaller.
const MAX_FILE_BYTES: u64 = 32 * 1024 * 1024;

/// How many bytes to search for the package clause.
const CLAUSE_BYTES: u64 = 64 * 1024;

/// How many bytes to search for the generated-code comment, which may follow a license.
const HEAD_BYTES: usize = 4 * 1024;

/// The size of the pieces in which a file is searched for declarations.
const PIECE_BYTES: usize = 64 * 1024;

/// The longest line in a piecewise search; a file with a longer line is read as a whole.
const LINE_BYTES: usize = 1024 * 1024;

/// How to use the sources of Kubernetes' own types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KubernetesSources {
    /// For schemas, which then expand the types of the module's Kubernetes version.
    Definitions,
    /// Not at all: fields have the types of k8s-openapi. Only embedded types and types that it
    /// lacks are read.
    Unused,
}

/// Loads the packages that the patterns match, and those whose types they use.
///
/// A pattern is a folder (`./api/v1`) or an import path (`k8s.io/api/core/v1`); with `/...`
/// appended, it also matches all packages below. Folders are relative to `dir`; import paths are
/// resolved in the module that contains `dir`.
///
/// # Errors
///
/// Patterns that match no packages, and files that cannot be read. A missing package of another
/// module is an error only if one of its types is needed ([`GoSources::missing`]).
pub fn load(
    patterns: &[String],
    dir: &Path,
    environment: &Environment,
    kubernetes: KubernetesSources,
) -> Result<GoSources, Diagnostics> {
    load_from(&Disk::default(), patterns, dir, environment, kubernetes)
}

/// As [`load`], with planned files.
pub(super) fn load_from(
    disk: &Disk,
    patterns: &[String],
    dir: &Path,
    environment: &Environment,
    kubernetes: KubernetesSources,
) -> Result<GoSources, Diagnostics> {
    threads::run(|| {
        let mut diagnostics = Diagnostics::new();
        let (graph, expanded) = patterns::expand(disk, patterns, dir, environment)?;
        let requested: Vec<Requested> = expanded.requested.into_values().collect();
        let loader = Loader {
            graph,
            kubernetes,
            names: Mutex::default(),
        };
        let packages = loader.load_requested(&requested, &mut diagnostics);
        let mut sources = loader.follow(packages, &mut diagnostics);
        sources.elsewhere = kinds_elsewhere(&expanded.elsewhere, &loader.graph);
        diagnostics.finish(sources)
    })?
}

/// A package whose types are used.
enum Loaded {
    /// Its files.
    Read(Result<GoPackage, Diagnostics>),
    /// Its import path, and why it is not there.
    Missing(String, Diagnostic),
}

struct Loader<'a> {
    graph: Graph<'a>,
    kubernetes: KubernetesSources,
    /// The names of packages that are imported but not loaded, by import path.
    names: Mutex<BTreeMap<String, Option<String>>>,
}

impl Loader<'_> {
    fn load_requested(
        &self,
        requested: &[Requested],
        diagnostics: &mut Diagnostics,
    ) -> Vec<GoPackage> {
        let loaded: Vec<_> = requested
            .par_iter()
            .map(|requested| {
                let named = !requested.by_wildcard;
                let found = (&requested.found, &self.graph);
                let package = read_package(&requested.path, found, named);
                package.map(|package| GoPackage {
                    matched: true,
                    ..package
                })
            })
            .collect();
        let mut packages = take(loaded, diagnostics);
        // A wildcard only selects packages that declare objects.
        let kinds = Kinds::of(packages.iter());
        let meant: Vec<bool> = packages
            .iter()
            .map(|package| package.requested || kinds.are_declared(package))
            .collect();
        for (package, meant) in packages.iter_mut().zip(meant) {
            package.requested = meant;
        }
        packages
    }

    /// Loads the packages whose types are used, until all are loaded.
    fn follow(&self, packages: Vec<GoPackage>, diagnostics: &mut Diagnostics) -> GoSources {
        let mut sources = GoSources {
            packages,
            ..GoSources::default()
        };
        let mut tried = BTreeSet::new();
        loop {
            let (mut wanted, used) = wanted(&sources, self);
            wanted.retain(|wanted| tried.insert(wanted.path.clone()));
            if wanted.is_empty() {
                // Types that are not loaded here may still be described from their sources, if
                // those exist.
                sources.used = (self.kubernetes == KubernetesSources::Definitions).then_some(used);
                break;
            }
            let loaded: Vec<_> = wanted
                .par_iter()
                .filter_map(|wanted| self.load_wanted(wanted))
                .collect();
            for loaded in loaded {
                match loaded {
                    Loaded::Read(Ok(package)) => sources.packages.push(package),
                    Loaded::Read(Err(found)) => diagnostics.extend(found),
                    Loaded::Missing(path, error) => {
                        sources.missing.insert(path, error);
                    }
                }
            }
            sources.packages.sort_by(|a, b| a.path.cmp(&b.path));
        }
        let names = self.names.lock().map(|names| names.clone());
        let names = names.unwrap_or_default().into_iter();
        sources.names = names
            .filter_map(|(path, name)| Some((path, name?)))
            .collect();
        sources
    }

    fn load_wanted(&self, wanted: &Wanted) -> Option<Loaded> {
        match self.graph.find(&wanted.path) {
            Ok(found) => {
                let found = (&found, &self.graph);
                Some(Loaded::Read(read_package(&wanted.path, found, false)))
            }
            // Lowering knows the standard library types that have a JSON form.
            Err(Missing::Standard) => None,
            Err(missing) => {
                let message = format!("package {} not found", wanted.path);
                let place = wanted.place.clone();
                let diagnostic = Diagnostic::error(message).at(place, "types of it are used");
                let error = explain(diagnostic, &missing);
                Some(Loaded::Missing(wanted.path.clone(), error))
            }
        }
    }
}

impl Known for Loader<'_> {
    fn is_known(&self, path: &str, name: &str) -> bool {
        lower::go::has_own_form(path, name)
            || self.kubernetes == KubernetesSources::Unused && builtin::replaces_source(path, name)
    }

    /// Reads the name from the first of the package's files.
    fn name_of(&self, path: &str) -> Option<String> {
        if let Ok(names) = self.names.lock()
            && let Some(name) = names.get(path)
        {
            return name.clone();
        }
        let name = self
            .graph
            .find(path)
            .ok()
            .and_then(|found| clause_in(&found.folder, &self.graph));
        if let Ok(mut names) = self.names.lock() {
            names.insert(path.to_owned(), name.clone());
        }
        name
    }
}

/// The modules in subfolders of the patterns' folders that declare kinds and are not read, with a
/// warning for each.
fn kinds_elsewhere(
    packages: &BTreeMap<String, Found>,
    graph: &Graph<'_>,
) -> BTreeMap<String, Diagnostic> {
    let read: Vec<_> = packages
        .par_iter()
        .filter_map(|(path, found)| read_package(path, (found, graph), false).ok())
        .collect();
    let mut modules = BTreeMap::new();
    for package in &read {
        if let Some(place) = first_kind(package) {
            let warning = || {
                let message = format!("the kinds of the module {} are left out", package.module);
                Diagnostic::warning(message)
                    .at(place, "below the folder of a pattern, in another module")
                    .help("add a `[[crate.go]]` for it, whose `dir` is the folder of its go.mod")
            };
            modules
                .entry(package.module.clone())
                .or_insert_with(warning);
        }
    }
    modules
}

/// Adds why a package was not found, and how to fix it.
fn explain(diagnostic: Diagnostic, missing: &Missing) -> Diagnostic {
    match missing {
        Missing::Module { path, version } => diagnostic
            .note(format!(
                "its module {path} {version} is not in the module cache"
            ))
            .help(format!("run `go mod download {path}@{version}`")),
        Missing::Replaced { path, folder } => diagnostic.note(format!(
            "go.mod replaces {path} by {folder}, which is not there"
        )),
        Missing::Package { module, folder } => {
            diagnostic.note(format!("its module {module} has no Go files in {folder}"))
        }
        Missing::Vendored { folder } => diagnostic
            .note(format!("it is not in {folder}"))
            .help("run `go mod vendor`"),
        Missing::Unknown => diagnostic
            .note("no module that go.mod requires provides it")
            .help("run `go mod tidy`"),
        Missing::Standard => {
            diagnostic.note("the standard library, if there is one here, has no such package")
        }
    }
}

fn take(
    loaded: Vec<Result<GoPackage, Diagnostics>>,
    diagnostics: &mut Diagnostics,
) -> Vec<GoPackage> {
    let mut packages = Vec::with_capacity(loaded.len());
    for result in loaded {
        match result {
            Ok(package) => packages.push(package),
            Err(found) => diagnostics.extend(found),
        }
    }
    packages
}

fn read_package(
    path: &str,
    (found, graph): (&Found, &Graph<'_>),
    requested: bool,
) -> Result<GoPackage, Diagnostics> {
    thread_local! {
        static BUFFER: RefCell<Buffer> = const { RefCell::new(Buffer::new()) };
    }
    let (disk, build) = (graph.disk(), graph.build());
    let names = go_files(&found.folder, graph)?;
    let dir = shown(&found.folder);
    let read: Vec<Result<GoFile, Diagnostic>> = names
        .par_iter()
        .map(|name| {
            let path = found.folder.join(name);
            let shown = if dir == "." {
                name.clone()
            } else {
                format!("{dir}/{name}")
            };
            let source = BUFFER.with_borrow_mut(|buffer| {
                buffer.clear();
                read_source(disk, &path, &shown, found.main, buffer)
            })?;
            // Parse outside of the borrow: parsing is parallel, so this thread may start on another
            // file meanwhile.
            let parse = |source| GoFile::built(source, build);
            Ok(source.map_or_else(|| GoFile::barren(shown), parse))
        })
        .collect();
    let mut diagnostics = Diagnostics::new();
    let mut files = Vec::with_capacity(read.len());
    for result in read {
        match result {
            Ok(file) => files.push(file),
            Err(error) => diagnostics.push(error),
        }
    }
    diagnostics.finish(GoPackage {
        path: path.to_owned(),
        module: found.module.clone(),
        version: found.version.clone(),
        main: found.main,
        dir,
        matched: false,
        requested,
        files,
    })
}

/// Reads a Go file through a buffer; `None` for a file outside of the main module that declares
/// nothing field types depend on.
fn read_source(
    disk: &Disk,
    path: &Path,
    shown: &str,
    main: bool,
    buffer: &mut Buffer,
) -> Result<Option<Source>, Diagnostic> {
    let error = |error| first_of(disk::read_error(path)(error));
    if disk.is_planned(path) {
        return disk.read(path).map(Some).map_err(first_of);
    }
    let mut file = File::open(path).map_err(error)?;
    // Most files of other modules are generated, and megabytes large.
    if !main && is_barren_file(&mut file, buffer).map_err(error)? {
        return Ok(None);
    }
    let bytes = read_file(&mut file, path, buffer)?;
    let source = disk::utf8(shown.to_owned(), &bytes).map_err(first_of)?;
    Ok(Some(source))
}

/// The names of the Go files that the build includes by file name, sorted.
fn go_files(folder: &Path, graph: &Graph<'_>) -> Result<Vec<String>, Diagnostic> {
    let is_go = |name: &str| graph.build().has_name(name);
    let found = graph.disk().files(folder, &is_go);
    found.map_err(|error| Diagnostic::error(format!("cannot read {}: {error}", shown(folder))))
}

/// Whether a file is generated and declares nothing field types depend on. The file is scanned in
/// pieces that fit the processor's cache. If the result is `false`, the buffer holds the bytes read
/// so far, if any.
fn is_barren_file(file: &mut File, buffer: &mut Buffer) -> io::Result<bool> {
    let mut read = buffer.read(file, HEAD_BYTES)?;
    if !is_generated(buffer.bytes()) {
        return Ok(false);
    }
    if is_barren_by_head(buffer.bytes()) {
        return Ok(true);
    }
    loop {
        let held = buffer.bytes();
        // An incomplete line is kept for the next piece, with the line feed before it.
        let lines = match read {
            0 => held.len(),
            _ => memchr::memrchr(b'\n', held).unwrap_or(0),
        };
        if !is_barren(&held[..lines]) || held.len() - lines > LINE_BYTES {
            file.rewind()?;
            buffer.clear();
            return Ok(false);
        }
        if read == 0 || is_barren_behind(&held[..lines]) {
            return Ok(true);
        }
        buffer.forget(lines);
        read = buffer.read(file, PIECE_BYTES)?;
    }
}

/// The bytes of a file whose first bytes the buffer holds: in the buffer if the file is small.
fn read_file<'b>(
    file: &mut File,
    path: &Path,
    buffer: &'b mut Buffer,
) -> Result<Cow<'b, [u8]>, Diagnostic> {
    let error = |error| first_of(disk::read_error(path)(error));
    let size = file.metadata().map_err(error)?.len();
    if size <= PIECE_BYTES as u64 {
        // A file that grows meanwhile is treated as a large one.
        while buffer.bytes().len() <= PIECE_BYTES {
            let most = PIECE_BYTES + 1 - buffer.bytes().len();
            if buffer.read(file, most).map_err(error)? == 0 {
                return Ok(buffer.bytes().into());
            }
        }
    }
    let mut whole = Vec::new();
    // One extra byte, so that reading to the end needs no second allocation.
    whole.reserve_exact(usize::try_from(size.min(MAX_FILE_BYTES)).unwrap_or(0) + 1);
    whole.extend_from_slice(buffer.bytes());
    let rest = MAX_FILE_BYTES + 1 - whole.len() as u64;
    file.take(rest).read_to_end(&mut whole).map_err(error)?;
    if whole.len() as u64 > MAX_FILE_BYTES {
        let megabytes = MAX_FILE_BYTES / (1024 * 1024);
        return Err(Diagnostic::error(format!(
            "{} is larger than {megabytes} MiB",
            shown(path)
        )));
    }
    Ok(whole.into())
}

/// Converts an error to a diagnostic.
fn first_of(error: Error) -> Diagnostic {
    let text = error.to_string();
    match error {
        Error::Config(found) | Error::Input(found) => found.into_iter().next(),
        _ => None,
    }
    .unwrap_or_else(|| Diagnostic::error(text))
}

/// The package clause of the first file in a folder that is part of the build.
fn clause_in(folder: &Path, graph: &Graph<'_>) -> Option<String> {
    let names = go_files(folder, graph).ok()?;
    names.iter().find_map(|name| {
        let path = folder.join(name);
        let head = match graph.disk().is_planned(&path) {
            true => graph.disk().bytes(&path).ok()?,
            false => {
                let mut head = Vec::new();
                let file = File::open(path).ok()?;
                file.take(CLAUSE_BYTES).read_to_end(&mut head).ok()?;
                head
            }
        };
        let text = String::from_utf8_lossy(&head);
        package_name(&text, graph.build()).map(str::to_owned)
    })
}
