//! The inputs of commands that read an API and write nothing.

use std::{
    fmt::Display,
    path::{Path, PathBuf},
};

use super::{Failure, options};
use crate::{
    Config,
    config::{FILE_NAME, Workspace, shown},
};

/// How a path is read.
enum Input {
    /// A codegen.toml.
    Declared,
    /// A crate, or folders of annotated Rust.
    Rust,
    /// A Go module, or its packages.
    #[cfg(feature = "go")]
    Go,
    /// CRDs: a file, a folder of them, or standard input.
    Crds,
}

/// What the paths declare, or the codegen.toml of this folder if there are none.
pub(super) fn configs(
    paths: Vec<PathBuf>,
    config: Option<PathBuf>,
) -> Result<Vec<Config>, Failure> {
    if paths.is_empty() {
        let missing = format_args!(
            "nothing to inspect: name files or folders, or run where a {FILE_NAME} is"
        );
        let path = find(config, missing)?;
        return Ok(Workspace::read(&path)?.crates);
    }
    let (mut all, mut crds, mut types) = (Vec::new(), Vec::new(), Config::new());
    let mut has_types = false;
    for path in paths {
        let input = Input::of(&path);
        has_types |= !matches!(input, Input::Declared | Input::Crds);
        match input {
            Input::Declared => all.extend(Workspace::read(&path)?.crates),
            Input::Rust => types = types.apis(path),
            #[cfg(feature = "go")]
            Input::Go => types = types.go(path, ["./..."]),
            Input::Crds => crds.push(path),
        }
    }
    if has_types || !crds.is_empty() {
        all.push(options::inputs(types, crds));
    }
    Ok(all)
}

impl Input {
    fn of(path: &Path) -> Self {
        if path.file_name().is_some_and(|name| name == FILE_NAME) {
            return Self::Declared;
        }
        if path.join("Cargo.toml").is_file() || holds(path, "rs") {
            return Self::Rust;
        }
        #[cfg(feature = "go")]
        if path.join("go.mod").is_file() || holds(path, "go") {
            return Self::Go;
        }
        Self::Crds
    }
}

/// Whether a folder, or a folder up to two levels below it, has files with an extension.
fn holds(folder: &Path, extension: &str) -> bool {
    let entries = |folder: &PathBuf| {
        let entries = folder.read_dir().into_iter().flatten();
        entries.filter_map(Result::ok).map(|entry| entry.path())
    };
    let mut level = vec![folder.to_owned()];
    for _ in 0..3 {
        let below: Vec<PathBuf> = level.iter().flat_map(entries).collect();
        let is_one = |path: &PathBuf| path.extension().is_some_and(|it| it == extension);
        if below.iter().any(is_one) {
            return true;
        }
        level = below.into_iter().filter(|path| path.is_dir()).collect();
    }
    false
}

/// The codegen.toml that a flag names, or the nearest one, relative to the current folder.
pub(super) fn find(given: Option<PathBuf>, missing: impl Display) -> Result<PathBuf, Failure> {
    let nearest = || Workspace::find(&std::env::current_dir().ok()?);
    given
        .or_else(|| nearest().map(|path| shown(&path).into()))
        .ok_or_else(|| Failure::Usage(missing.to_string()))
}
