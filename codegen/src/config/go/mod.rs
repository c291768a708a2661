//! Go packages on disk: from patterns to the texts of the packages that they mean and of those whose types these use.
//!
//! No Go toolchain is run and nothing is fetched. Packages are read as types of them turn out to be used, round by round: an
//! API that takes three types from `k8s.io` reads the three packages that declare them. Start reading at [`load`].

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
    fs::{self, File},
    io::{self, Read as _, Seek as _},
    path::Path,
    sync::Mutex,
};

pub use environment::Environment;
use rayon::prelude::*;

use self::{
    buffer::Buffer,
    graph::{Found, Graph, Missing},
    patterns::Requested,
};
use super::{Error, disk, layout::shown};
use crate::{
    builtin,
    diag::{Diagnostic, Diagnostics},
    lower,
    read::go::{
        GoFile, GoPackage, GoSources, Kinds, Known, Wanted, builds_name, first_kind, is_barren,
        is_barren_behind, is_barren_by_head, is_generated, package_name, wanted,
    },
    source::Source,
    threads,
};

/// The largest file that is read, in bytes; written and generated ones stay far below.
const MAX_FILE_BYTES: u64 = 32 * 1024 * 1024;

/// How much of a file is looked at for its package clause.
const CLAUSE_BYTES: u64 = 64 * 1024;

/// How much of a file is looked at for the generator that wrote it: behind a licence.
const HEAD_BYTES: usize = 4 * 1024;

/// How much of a file is looked at at once for declarations.
const PIECE_BYTES: usize = 64 * 1024;

/// The longest line of a file that is looked at so; one with a longer line is read as a whole.
const LINE_BYTES: usize = 1024 * 1024;

/// The use of the sources of Kubernetes' own types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KubernetesSources {
    /// Schemas, which expand the types as the module's version of Kubernetes has them.
    Definitions,
    /// Nothing: fields have the types of k8s-openapi. Types that it lacks are read, and those that are embedded.
    Unused,
}

/// Loads the packages that the patterns mean, and those whose types they use.
///
/// A pattern is a folder (`./api/v1`), an import path (`k8s.io/api/core/v1`), or one of them with `/...` behind it, for it
/// and all below. Folders are relative to `dir`; import paths are those of the module that `dir` is in.
///
/// # Errors
///
/// Patterns without packages, files that cannot be read. A package of another module that is not there is an error where a type of
/// it is needed ([`GoSources::missing`]).
pub fn load(
    patterns: &[String],
    dir: &Path,
    environment: &Environment,
    kubernetes: KubernetesSources,
) -> Result<GoSources, Diagnostics> {
    threads::run(|| {
        let mut diagnostics = Diagnostics::new();
        let (graph, expanded) = patterns::expand(patterns, dir, environment)?;
        let requested: Vec<Requested> = expanded.requested.into_values().collect();
        let loader = Loader {
            graph,
            kubernetes,
            names: Mutex::default(),
        };
        let packages = loader.load_requested(&requested, &mut diagnostics);
        let mut sources = loader.follow(packages, &mut diagnostics);
        sources.elsewhere = kinds_elsewhere(&expanded.elsewhere);
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
    /// The names of packages that are only imported, by import path.
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
                read_package(&requested.path, &requested.found, named)
            })
            .collect();
        let mut packages = take(loaded, diagnostics);
        // Of all packages below a folder, those that declare objects are meant.
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

    /// Adds the packages whose types are used, until there are no more.
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
                // What is not followed here may be described from its source nevertheless, if that is there.
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
            Ok(found) => Some(Loaded::Read(read_package(&wanted.path, &found, false))),
            // The lowering knows the types of the standard library that JSON has a form for.
            Err(Missing::Standard) => None,
            Err(missing) => {
                let message = format!("the package {} is not found", wanted.path);
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

    /// From the first of the package's files.
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
            .and_then(|found| clause_in(&found.folder));
        if let Ok(mut names) = self.names.lock() {
            names.insert(path.to_owned(), name.clone());
        }
        name
    }
}

/// The modules below the folders of the patterns that declare kinds and are not read, with the warning about each.
fn kinds_elsewhere(packages: &BTreeMap<String, Found>) -> BTreeMap<String, Diagnostic> {
    let read: Vec<_> = packages
        .par_iter()
        .filter_map(|(path, found)| read_package(path, found, false).ok())
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

/// Says why a package was not found, and what to do about it.
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

fn read_package(path: &str, found: &Found, requested: bool) -> Result<GoPackage, Diagnostics> {
    thread_local! {
        static BUFFER: RefCell<Buffer> = const { RefCell::new(Buffer::new()) };
    }
    let names = go_files(&found.folder)?;
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
                read_source(&path, &shown, found.main, buffer)
            })?;
            // Parsing is parallel, so that this thread may come to read another file before it ends.
            Ok(source.map_or_else(|| GoFile::barren(shown), GoFile::new))
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
        requested,
        files,
    })
}

/// A Go file of a module that is, or is not, the main one, by way of a buffer; none if it declares nothing that fields are made of.
fn read_source(
    path: &Path,
    shown: &str,
    main: bool,
    buffer: &mut Buffer,
) -> Result<Option<Source>, Diagnostic> {
    let error = |error| first_of(disk::read_error(path)(error));
    let mut file = File::open(path).map_err(error)?;
    // Most of a foreign package is generated, and megabytes.
    if !main && is_barren_file(&mut file, buffer).map_err(error)? {
        return Ok(None);
    }
    let bytes = read_file(&mut file, path, buffer)?;
    let source = disk::utf8(shown.to_owned(), &bytes).map_err(first_of)?;
    Ok(Some(source))
}

/// The names of the Go files that the build takes by their name, sorted.
fn go_files(folder: &Path) -> Result<Vec<String>, Diagnostic> {
    let error = |error| Diagnostic::error(format!("cannot read {}: {error}", shown(folder)));
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(error)? {
        let entry = entry.map_err(error)?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if !builds_name(&name) {
            continue;
        }
        // As Go, pass over folders, pipes and the like; links are asked where they lead.
        let is_file = entry.file_type().is_ok_and(|found| found.is_file());
        let is_other = || fs::metadata(entry.path()).is_ok_and(|found| !found.is_file());
        if is_file || !is_other() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Whether a file is generated and declares nothing that fields are made of. It is looked at piece by piece, in memory that stays in
/// the processor's cache. Of a file that is not, the buffer holds what was read of it.
fn is_barren_file(file: &mut File, buffer: &mut Buffer) -> io::Result<bool> {
    let mut read = buffer.read(file, HEAD_BYTES)?;
    if !is_generated(buffer.held()) {
        return Ok(false);
    }
    if is_barren_by_head(buffer.held()) {
        return Ok(true);
    }
    loop {
        let held = buffer.held();
        // A line goes on in the next piece, with the line end before it.
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

/// The bytes of a file, of which the buffer holds the first: in the buffer, unless they are many.
fn read_file<'b>(
    file: &mut File,
    path: &Path,
    buffer: &'b mut Buffer,
) -> Result<Cow<'b, [u8]>, Diagnostic> {
    let error = |error| first_of(disk::read_error(path)(error));
    let size = file.metadata().map_err(error)?.len();
    if size <= PIECE_BYTES as u64 {
        // A file that grows meanwhile is read as a large one.
        while buffer.held().len() <= PIECE_BYTES {
            let most = PIECE_BYTES + 1 - buffer.held().len();
            if buffer.read(file, most).map_err(error)? == 0 {
                return Ok(buffer.held().into());
            }
        }
    }
    let mut whole = Vec::new();
    // One byte more, so that the end is seen without another allocation.
    whole.reserve_exact(usize::try_from(size.min(MAX_FILE_BYTES)).unwrap_or(0) + 1);
    whole.extend_from_slice(buffer.held());
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

/// An error as a finding.
fn first_of(error: Error) -> Diagnostic {
    let text = error.to_string();
    match error {
        Error::Config(found) | Error::Input(found) => found.into_iter().next(),
        _ => None,
    }
    .unwrap_or_else(|| Diagnostic::error(text))
}

/// The package clause of the first file of the build in a folder.
fn clause_in(folder: &Path) -> Option<String> {
    let names = go_files(folder).ok()?;
    names.iter().find_map(|name| {
        let mut head = Vec::new();
        let file = File::open(folder.join(name)).ok()?;
        file.take(CLAUSE_BYTES).read_to_end(&mut head).ok()?;
        let text = String::from_utf8_lossy(&head);
        package_name(&text).map(str::to_owned)
    })
}
