//! `codegen.toml`: what to generate for which crates of a workspace.

use std::{
    collections::BTreeMap,
    ops::Range,
    path::{Path, PathBuf},
};

use toml::{Spanned, de::DeTable};

use super::{
    Config, Error, crd_fields,
    disk::read,
    features::Selection,
    inputs::{Apis, CrdInput, GoInput, GroupVersions},
    keys::Section,
    layout::{module_help, normalize, shown},
    table::Reader,
    types,
};
use crate::{diag::newlines, generator::Generator, options::base_path, source::Source};

/// The file's name; it is searched for from the current folder upwards.
pub const FILE_NAME: &str = "codegen.toml";

/// The contents of a `codegen.toml`, including its members.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workspace {
    /// The generations in declaration order: those of the file itself, then those of its members.
    pub crates: Vec<Config>,
}

impl Workspace {
    /// The nearest `codegen.toml` at or above a folder.
    #[must_use]
    pub fn find(from: &Path) -> Option<PathBuf> {
        from.ancestors()
            .map(|folder| folder.join(FILE_NAME))
            .find(|path| path.is_file())
    }

    /// Parses a `codegen.toml` that has no members; relative paths in it are resolved against the
    /// folder of `path`.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] with all errors of the file.
    pub fn parse(path: &Path, text: &str) -> Result<Self, Error> {
        let source = Source::new(shown(path), text);
        let mut crates = Vec::new();
        match read_source(path, &source, &mut crates, Level::Member) {
            (_, Some(error)) => Err(error),
            (_, None) => Ok(Self { crates }),
        }
    }

    /// Reads a `codegen.toml` and those of its members.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] with all errors of all files; [`Error::Read`] if a file cannot be read.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let mut crates = Vec::new();
        let mut errors = Vec::new();
        let (members, error) = read_file(path, &mut crates, Level::Workspace);
        errors.extend(error);
        for member in members {
            let (_, error) = read_file(&member, &mut crates, Level::Member);
            errors.extend(error);
        }
        if let Some(error) = Error::all(errors) {
            return Err(error);
        }
        check_outputs(&crates)?;
        Ok(Self { crates })
    }
}

/// The role of a `codegen.toml` in a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// The root file, which may list members.
    Workspace,
    /// A member's file.
    Member,
}

/// Adds a file's crates; returns the files of its members and the file's errors.
fn read_file(path: &Path, crates: &mut Vec<Config>, level: Level) -> (Vec<PathBuf>, Option<Error>) {
    match read(path) {
        Ok(source) => read_source(path, &source, crates, level),
        Err(Error::Input(found)) => (Vec::new(), Some(Error::Config(found))),
        Err(error) => (Vec::new(), Some(error)),
    }
}

fn read_source(
    path: &Path,
    source: &Source,
    crates: &mut Vec<Config>,
    level: Level,
) -> (Vec<PathBuf>, Option<Error>) {
    let mut file = File {
        reader: Reader::new(source),
        source,
        folder: path.parent().unwrap_or(Path::new("")),
    };
    let table = match file.reader.parse() {
        Ok(table) => table,
        Err(diagnostics) => return (Vec::new(), Some(Error::Config(diagnostics))),
    };
    file.reader.keys(&table, Section::Root);
    let before = crates.len();
    for (span, section) in file.reader.tables(&table, "crate") {
        let config = file.read_crate(span, section);
        crates.push(config);
    }
    let members = file.read_members(&table, level);
    let is_empty = crates.len() == before && members.is_empty();
    if is_empty && !file.reader.diagnostics.has_errors() {
        let help = "add a [[crate]] with [crate.rust], [crate.crd] or [[crate.go]], or [workspace] members";
        let message = "codegen.toml declares nothing";
        file.reader.error(0..0, message, "", Some(help.to_owned()));
    }
    let error = file.reader.diagnostics.finish(()).err();
    (members, error.map(Error::Config))
}

/// A `codegen.toml` being read.
struct File<'a> {
    reader: Reader<'a>,
    source: &'a Source,
    folder: &'a Path,
}

impl<'a> File<'a> {
    fn read_members(&mut self, table: &DeTable<'a>, level: Level) -> Vec<PathBuf> {
        let Some(workspace) = self.reader.table(table, "workspace") else {
            return Vec::new();
        };
        self.reader.keys(workspace, Section::Workspace);
        let members = self.reader.strings(workspace, "members");
        let mut files = Vec::new();
        for member in members.unwrap_or_default() {
            if level == Level::Member {
                let message = "a member of a workspace has no members of its own";
                let help = "list them in the workspace's codegen.toml";
                self.reader
                    .error(member.span(), message, "", Some(help.to_owned()));
                continue;
            }
            let found = expand(self.folder, member.get_ref());
            if found.is_empty() {
                let message = format!("no {FILE_NAME} in `{}`", member.get_ref());
                self.reader.error(member.span(), message, "", None);
            }
            files.extend(found);
        }
        files
    }

    fn read_crate(&mut self, span: Range<usize>, table: &DeTable<'a>) -> Config {
        self.reader.keys(table, Section::Crate);
        let path = self.reader.string(table, "path");
        let path = path.map_or_else(PathBuf::new, |path| path.into_inner().into());
        let folder = self.folder.join(path);
        let output = self.reader.string(table, "output");
        let output = output.map_or_else(|| PathBuf::from("src"), |path| path.into_inner().into());
        let mut config = Config::new().out_dir(normalize(&folder.join(output)));
        let line = newlines(&self.source.text[..span.start]) + 1;
        config.origin = Some(format!("{}:{line}", self.source.name));
        self.read_options(table, &mut config);
        if let Some(path) = self.reader.string(table, "names-file") {
            let path = path.into_inner();
            config = match path.as_str() {
                "" => config.names_file(""),
                path => config.names_file(normalize(&folder.join(path))),
            };
        }
        if let Some(rust) = self.reader.table(table, "rust") {
            self.read_rust(rust, &folder, &mut config);
        }
        if let Some(crd) = self.reader.table(table, "crd") {
            self.read_crd(crd, &folder, &mut config);
        }
        if let Some(manifests) = self.reader.table(table, "manifests") {
            self.read_manifests(manifests, &folder, &mut config);
        }
        self.read_checks(table, &folder, &mut config);
        for (_, go) in self.reader.tables(table, "go") {
            self.read_go(go, &folder, &mut config);
        }
        let has = |keys: &[&str]| keys.iter().any(|key| table.contains_key(*key));
        if !has(&["rust", "crd", "go"]) {
            if !has(&["manifests"]) {
                let help = "add [crate.rust] for annotated Rust, [crate.crd] for CRD YAML, [[crate.go]] for Go types, or [crate.manifests] for \
                            the roles of a crate without types";
                self.reader
                    .error(span, "this crate has no input", "", Some(help.to_owned()));
            }
            // A crate without types may have RBAC and webhook markers, but no types to generate
            // code for.
            if !has(&["emit"]) {
                config.options.emit.clear();
            }
        }
        config
    }

    fn read_options(&mut self, table: &DeTable<'a>, config: &mut Config) {
        if let Some(names) = self.reader.strings(table, "emit") {
            config.options.emit = Generator::with_needed(self.read_generators(&names));
        }
        if let Some(path) = self.reader.string(table, "header-file") {
            config.header_file = Some(self.existing(&path, self.folder));
        }
        if let Some(name) = self.reader.string(table, "generated")
            && let Some(help) = module_help(name.get_ref())
        {
            let message = format!("`{}` is not a legal module name", name.get_ref());
            self.reader.error(name.span(), message, "", Some(help));
        }
        let options = &mut config.options;
        self.reader.options(table, Section::Crate, options);
        types::read(&mut self.reader, table, &mut options.types);
        config.base_path = self.reader.checked(table, "base-path", base_path);
    }

    fn read_generators(
        &mut self,
        names: &[Spanned<String>],
    ) -> std::collections::BTreeSet<Generator> {
        let mut emit = std::collections::BTreeSet::new();
        for name in names {
            match Generator::parse(name.get_ref()) {
                Ok(generators) => emit.extend(generators),
                Err(help) => {
                    let message = format!("unknown generator `{}`", name.get_ref());
                    self.reader.error(name.span(), message, "", Some(help));
                }
            }
        }
        emit
    }

    fn read_rust(&mut self, table: &DeTable<'a>, folder: &Path, config: &mut Config) {
        self.reader.keys(table, Section::Rust);
        let options = &mut config.options;
        self.reader.options(table, Section::Rust, options);
        let features = self.reader.strings(table, "features").unwrap_or_default();
        config.features = Selection {
            names: features.into_iter().map(Spanned::into_inner).collect(),
            all: self.reader.boolean(table, "all-features") == Some(true),
            without_default: self.reader.boolean(table, "default-features") == Some(false),
        };
        let apis = match self.reader.string(table, "apis") {
            Some(apis) => self.existing(&apis, folder),
            None => normalize(&folder.join("src/apis")),
        };
        let mut groups = Vec::new();
        for group in self.reader.strings(table, "groups").unwrap_or_default() {
            match GroupVersions::parse(group.get_ref()) {
                Ok(parsed) => groups.push(parsed),
                Err(message) => self.reader.error(group.span(), message, "", None),
            }
        }
        config.apis.push(Apis {
            folder: apis,
            groups,
        });
    }

    fn read_crd(&mut self, table: &DeTable<'a>, folder: &Path, config: &mut Config) {
        self.reader.keys(table, Section::Crd);
        let files = self.reader.strings(table, "files");
        for file in files.unwrap_or_default() {
            let path = self.existing(&file, folder);
            config.crds.push(CrdInput::Path(path));
        }
        if !table.contains_key("files") {
            let path = normalize(&folder.join("crds"));
            config.crds.push(CrdInput::Path(path));
        }
        let options = &mut config.options;
        options
            .crd_fields
            .extend(crd_fields::read(&mut self.reader, table));
        self.reader.options(table, Section::Crd, options);
    }

    fn read_manifests(&mut self, table: &DeTable<'a>, folder: &Path, config: &mut Config) {
        self.reader.keys(table, Section::Manifests);
        let options = &mut config.options;
        self.reader.options(table, Section::Manifests, options);
        let manifests = options.manifests.take().unwrap_or_default();
        config.set_manifests(normalize(folder), manifests);
    }

    /// Programs that check APIs have the feature `cli`; others skip the sections.
    fn read_checks(&mut self, table: &DeTable<'a>, folder: &Path, config: &mut Config) {
        #[cfg(feature = "cli")]
        if let Some(section) = self.reader.table(table, "compatibility") {
            let span = table.get("compatibility").map_or(0..0, Spanned::span);
            config.compatibility =
                super::compatibility::read(&mut self.reader, (span, section), folder);
        }
        #[cfg(feature = "cli")]
        if let Some(section) = self.reader.table(table, "lint") {
            let conventions = super::lint::read(&mut self.reader, section, folder);
            config.conventions = Some(conventions);
        }
        #[cfg(not(feature = "cli"))]
        let _ = (table, folder, config);
    }

    fn read_go(&mut self, table: &DeTable<'a>, folder: &Path, config: &mut Config) {
        self.reader.keys(table, Section::Go);
        let dir = match self.reader.string(table, "dir") {
            Some(dir) => self.existing(&dir, folder),
            None => here(normalize(folder)),
        };
        let packages = self.reader.strings(table, "packages");
        let packages = packages.map_or_else(
            || vec!["./...".to_owned()],
            |packages| packages.into_iter().map(Spanned::into_inner).collect(),
        );
        config.go.push(GoInput { dir, packages });
        self.reader.options(table, Section::Go, &mut config.options);
    }

    /// A path in the file, relative to `folder`; reports an error if it does not exist.
    fn existing(&mut self, path: &Spanned<String>, folder: &Path) -> PathBuf {
        let full = here(normalize(&folder.join(path.get_ref())));
        if !full.exists() {
            let message = format!("{} does not exist", shown(&full));
            self.reader.error(path.span(), message, "", None);
        }
        full
    }
}

/// The path, with the current folder by its name.
fn here(mut path: PathBuf) -> PathBuf {
    if path.as_os_str().is_empty() {
        path.push(".");
    }
    path
}

/// The `codegen.toml` of a member. If the last segment is `*`, those of all folders there that have
/// one, sorted.
fn expand(folder: &Path, member: &str) -> Vec<PathBuf> {
    let Some(parent) = member.strip_suffix("/*") else {
        let file = normalize(&folder.join(member).join(FILE_NAME));
        return file.is_file().then_some(file).into_iter().collect();
    };
    let Ok(entries) = normalize(&folder.join(parent)).read_dir() else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path().join(FILE_NAME))
        .filter(|file| file.is_file())
        .collect();
    files.sort();
    files
}

/// Two crates of one run must not share an output folder: each would remove the other's output.
fn check_outputs(crates: &[Config]) -> Result<(), Error> {
    let mut outputs: BTreeMap<PathBuf, &Config> = BTreeMap::new();
    for config in crates {
        let Some(out) = &config.out else { continue };
        let absolute = std::path::absolute(out).unwrap_or_else(|_| out.clone());
        if let Some(first) = outputs.insert(normalize(&absolute), config) {
            let message = format!("two crates generate to {}", config.shown_out());
            let mut diagnostic = crate::Diagnostic::error(message)
                .help("make one [[crate]] of them, or give one of them another `output`");
            for origin in [&first.origin, &config.origin].into_iter().flatten() {
                diagnostic = diagnostic.note(format!("declared at {origin}"));
            }
            return Err(Error::Config(diagnostic.into()));
        }
    }
    Ok(())
}
