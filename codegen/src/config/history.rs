//! Inputs of an earlier commit: `git:REF` and `git:REF:PATH`, read through the `git` command into
//! memory.

use std::{
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
    process::Command,
};

use super::{
    Config, Error, Progress,
    definitions::of_sources,
    inputs::{CrdInput, GoInput},
    layout::whole,
};
use crate::{compat::Set, diag::Diagnostic, generator::is_crd_file, source::Source};

/// The prefix of a reference.
const PREFIX: &str = "git:";

/// A commit, and a path in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    /// `v1.2.0`, `main~3`.
    commit: String,
    /// The path, relative to the current folder.
    path: Option<PathBuf>,
}

impl Reference {
    /// Parses `git:REF` or `git:REF:PATH`; `None` if the text is no reference.
    pub(crate) fn parse(text: &str) -> Option<Result<Self, String>> {
        let rest = text.strip_prefix(PREFIX)?;
        let (commit, path) = match rest.split_once(':') {
            Some((commit, path)) => (commit, Some(path)),
            None => (rest, None),
        };
        let path = path.filter(|path| !path.is_empty()).map(PathBuf::from);
        if commit.is_empty() || commit.starts_with('-') {
            let message =
                format!("`{text}` names no commit: write `git:v1.2.0` or `git:v1.2.0:crds`");
            return Some(Err(message));
        }
        Some(Ok(Self {
            commit: commit.to_owned(),
            path,
        }))
    }

    /// The path that it names.
    pub(crate) fn own_path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Resolves the path against a folder.
    pub(super) fn relative_to(&mut self, folder: &Path) {
        if let Some(path) = &mut self.path {
            *path = folder.join(&*path);
        }
    }

    /// Reads the CRDs of a file or folder at the commit: of YAML, or if there is Rust, of its
    /// types.
    ///
    /// # Errors
    ///
    /// `git` fails, nothing is there, or what is there is wrong.
    pub(crate) fn read(&self, path: &Path, progress: &dyn Progress) -> Result<Set, Error> {
        let tree = Tree::read(&self.commit, path)?;
        let mut config = Config::new();
        match tree.language {
            Some(Language::Rust) => config = config.apis(tree.source_root(path)),
            Some(Language::Go) => config.go.push(GoInput {
                dir: tree.place(path),
                packages: vec!["./...".to_owned()],
            }),
            None => return of_sources(&tree.manifests(path)?),
        }
        config.in_history(&tree).definitions(progress)
    }

    /// Reads the CRDs of a configuration's inputs as they were at the commit.
    ///
    /// # Errors
    ///
    /// As [`Reference::read`].
    pub(crate) fn read_config(
        &self,
        config: &Config,
        progress: &dyn Progress,
    ) -> Result<Set, Error> {
        let mut set = Set::default();
        for input in &config.crds {
            if let CrdInput::Path(path) = input {
                set.extend(self.read(path, progress)?);
            }
        }
        let mut earlier = config.clone();
        (earlier.crds, earlier.out) = (Vec::new(), None);
        if let Some(apis) = config.apis.first() {
            let tree = Tree::read(&self.commit, &apis.folder)?;
            for apis in &mut earlier.apis {
                apis.folder = tree.place(&apis.folder);
            }
            earlier = earlier.in_history(&tree);
        }
        if let Some(go) = config.go.first() {
            let tree = Tree::read(&self.commit, &go.dir)?;
            for go in &mut earlier.go {
                go.dir = tree.place(&go.dir);
            }
            earlier = earlier.in_history(&tree);
        }
        if !earlier.apis.is_empty() || !earlier.go.is_empty() {
            set.extend(earlier.definitions(progress)?);
        }
        Ok(set)
    }
}

/// The files of a commit that may be inputs.
pub(super) struct Tree {
    commit: String,
    /// The top folder of the repository.
    top: PathBuf,
    /// The language of the sources at the path; `None` if there are only manifests.
    language: Option<Language>,
    /// Contents by path below the top folder.
    files: BTreeMap<PathBuf, Vec<u8>>,
}

/// The language of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Rust,
    Go,
}

impl Language {
    /// Of files below a path; a few scripts in Go do not make a crate a Go module.
    fn of(names: &str) -> Option<Self> {
        let has = |extension: &str| {
            let mut names = names.split('\0');
            names.any(|name| name.rsplit_once('.').is_some_and(|(_, it)| it == extension))
        };
        match (has("rs"), has("go")) {
            (true, _) => Some(Self::Rust),
            (false, true) => Some(Self::Go),
            (false, false) => None,
        }
    }

    /// How the names of files end that decide types: crates and packages use those of others.
    const fn ends(self) -> &'static [&'static str] {
        match self {
            Self::Rust => &[".rs", "Cargo.toml"],
            Self::Go => &[".go", "go.mod", "go.work", "modules.txt"],
        }
    }
}

impl Tree {
    fn empty(commit: &str) -> Self {
        Self {
            commit: commit.to_owned(),
            top: PathBuf::new(),
            language: None,
            files: BTreeMap::new(),
        }
    }

    /// Reads the manifests at a path, or, if there are sources, all sources of the repository.
    fn read(commit: &str, path: &Path) -> Result<Self, Error> {
        let mut tree = Self::empty(commit);
        let folder = existing(&whole(path));
        // A bare repository has no work tree: paths are those of its commits.
        tree.top = match tree.git(&folder, &["rev-parse", "--show-toplevel"]) {
            Ok(top) => PathBuf::from(String::from_utf8_lossy(&top).trim_end()),
            Err(_) => whole(Path::new(".")),
        };
        let spec = format!("{commit}^{{tree}}");
        let id = tree.git(
            &folder,
            &[
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                &spec,
            ],
        )?;
        let id = String::from_utf8_lossy(&id).trim_end().to_owned();
        let below = tree.below(path);
        let listed = tree.git(
            &tree.top,
            &["ls-tree", "-r", "-z", "--name-only", &id, "--", &below],
        )?;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        tree.language = Language::of(&listed);
        if listed.is_empty() {
            let help = "paths are relative to the current folder";
            return Err(tree.refused(&format!("there is no {below}"), help));
        }
        let mut paths = vec![below];
        if let Some(language) = tree.language {
            let all = tree.git(&tree.top, &["ls-tree", "-r", "-z", "--name-only", &id])?;
            let all = String::from_utf8_lossy(&all).into_owned();
            // git refuses a pattern that matches nothing.
            let there = |end: &&&str| all.split('\0').any(|name| name.ends_with(**end));
            let ends = language.ends().iter().filter(there);
            paths = ends.map(|end| format!(":(glob)**/*{end}")).collect();
            if language == Language::Go {
                paths.push(":(exclude,glob)**/*_test.go".to_owned());
            }
        }
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let arguments = [&["archive", "--format=tar", &id, "--"], &paths[..]].concat();
        let archive = tree.git(&tree.top, &arguments)?;
        tree.files = unpack(&archive);
        Ok(tree)
    }

    /// Runs `git` in a folder; returns what it prints.
    fn git(&self, folder: &Path, arguments: &[&str]) -> Result<Vec<u8>, Error> {
        let ran = Command::new("git")
            .arg("-C")
            .arg(folder)
            .args(arguments)
            .output();
        let output = ran.map_err(|error| {
            self.refused(
                &format!("`git` cannot be run: {error}"),
                "install git, or name a file or folder",
            )
        })?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let message = match said.is_empty() {
            true => "there is no such commit".to_owned(),
            false => said,
        };
        Err(self.refused(
            &message,
            "`git fetch --tags` fetches what a shallow clone lacks",
        ))
    }

    fn refused(&self, message: &str, help: &str) -> Error {
        let message = format!("{PREFIX}{}: {message}", self.commit);
        Error::Config(Diagnostic::error(message).help(help).into())
    }

    /// A path of the disk, relative to the top folder, as git writes it.
    fn below(&self, path: &Path) -> String {
        let path = whole(path);
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let top = real(&self.top);
        // A path that is gone has no real form, its folder may have one.
        let folder = existing(&path);
        let rest = path.strip_prefix(&folder).unwrap_or(Path::new(""));
        let path = real(&folder).join(rest);
        let below = path.strip_prefix(&top).unwrap_or(&path);
        let parts = below
            .components()
            .filter(|part| matches!(part, Component::Normal(_)));
        let parts: Vec<_> = parts
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        match parts.is_empty() {
            true => ".".to_owned(),
            false => parts.join("/"),
        }
    }

    /// Where a path of the disk is in messages, and in the files that are planned:
    /// `git:v1.2.0/src/apis`.
    fn place(&self, path: &Path) -> PathBuf {
        let below = self.below(path);
        let root = PathBuf::from(format!("{PREFIX}{}", self.commit.replace('/', "_")));
        match below.as_str() {
            "." => root,
            below => root.join(below),
        }
    }

    /// The source root of a crate, if the path is the folder of one.
    fn source_root(&self, path: &Path) -> PathBuf {
        let (below, place) = (self.below(path), self.place(path));
        let below = Path::new(if below == "." { "" } else { &below });
        let manifest = self.files.get(&below.join("Cargo.toml"));
        let is_alone = manifest.is_some_and(|text| {
            let text = String::from_utf8_lossy(text);
            !super::members::is_workspace(&text.parse().unwrap_or_default())
        });
        let source = below.join("src");
        match is_alone && self.files.keys().any(|file| file.starts_with(&source)) {
            true => place.join("src"),
            false => place,
        }
    }

    /// The YAML and JSON files at a path.
    fn manifests(&self, path: &Path) -> Result<Vec<Source>, Error> {
        let below = self.below(path);
        let is_folder = !self.files.contains_key(Path::new(&below));
        let is_manifest = |path: &Path| {
            let extension = path.extension().and_then(|it| it.to_str());
            let is_one = extension.is_some_and(|it| matches!(it, "yaml" | "yml" | "json"));
            !is_folder || is_one && !is_crd_file(path)
        };
        let files = self.files.iter().filter(|(path, _)| is_manifest(path));
        let sources = files.map(|(path, bytes)| {
            let name = format!("{PREFIX}{}:{}", self.commit, path.display());
            let source = super::disk::utf8(name, bytes)?;
            Ok(Source {
                found: is_folder,
                ..source
            })
        });
        sources.collect()
    }
}

impl Config {
    /// Reads inputs from a commit: its files are planned at their places.
    fn in_history(mut self, tree: &Tree) -> Self {
        for (path, bytes) in &tree.files {
            if let Ok(text) = str::from_utf8(bytes) {
                let place = tree.place(&tree.top.join(path));
                self = self.planned_input(&place, Some(text.to_owned()));
            }
        }
        self
    }
}

/// The deepest folder of a path that exists.
fn existing(path: &Path) -> PathBuf {
    let found = path.ancestors().find(|folder| folder.is_dir());
    found.unwrap_or(path).to_owned()
}

/// The files of a tar archive as `git archive` writes it: ustar, with long names in pax headers.
fn unpack(archive: &[u8]) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let (mut rest, mut long) = (archive, None);
    while let Some((header, after)) = rest.split_at_checked(512) {
        let text = |from: usize, to: usize| {
            let field = header.get(from..to).unwrap_or_default();
            let end = field
                .iter()
                .position(|byte| *byte == 0)
                .unwrap_or(field.len());
            String::from_utf8_lossy(field.get(..end).unwrap_or_default()).into_owned()
        };
        let size = usize::from_str_radix(text(124, 136).trim(), 8).unwrap_or_default();
        let Some((body, after)) = after.split_at_checked(size) else {
            break;
        };
        let padding = size.next_multiple_of(512) - size;
        rest = after.get(padding..).unwrap_or_default();
        match header.get(156) {
            Some(b'x') => long = pax_path(body),
            Some(b'0' | 0) => {
                let (prefix, name) = (text(345, 500), text(0, 100));
                let path = long.take().unwrap_or_else(|| match prefix.as_str() {
                    "" => name,
                    prefix => format!("{prefix}/{name}"),
                });
                if !path.is_empty() {
                    files.insert(PathBuf::from(path), body.to_vec());
                }
            }
            _ => long = None,
        }
    }
    files
}

/// The path of a pax header: records of `LENGTH KEY=VALUE\n`.
fn pax_path(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let mut records = text.lines().filter_map(|line| line.split_once(' '));
    records.find_map(|(_, record)| record.strip_prefix("path=").map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_names_a_commit_and_a_path() {
        let parsed =
            |text: &str| Reference::parse(text).map(|it| it.map(|it| (it.commit, it.path)));
        assert_eq!(parsed("crds"), None);
        assert_eq!(parsed("git:v1"), Some(Ok(("v1".to_owned(), None))));
        let with_path = ("main~2".to_owned(), Some(PathBuf::from("a/b")));
        assert_eq!(parsed("git:main~2:a/b"), Some(Ok(with_path)));
        assert!(parsed("git:").is_some_and(|it| it.is_err()));
        assert!(parsed("git:--upload-pack=x").is_some_and(|it| it.is_err()));
    }

    #[test]
    fn an_archive_that_ends_early_is_no_panic() {
        let mut header = vec![0; 512];
        header[..1].copy_from_slice(b"a");
        header[124..135].copy_from_slice(b"00000000003");
        header[156] = b'0';
        let archive = [&header[..], b"abc"].concat();
        assert_eq!(
            unpack(&archive),
            BTreeMap::from([(PathBuf::from("a"), b"abc".to_vec())])
        );
        assert!(unpack(&archive[..514]).is_empty());
        assert!(unpack(&archive[..100]).is_empty());
    }
}
