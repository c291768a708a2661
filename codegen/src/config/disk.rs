//! The files that inputs are read from, as they will be once a run has written its planned changes.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use super::{
    Error,
    layout::{shown, whole},
};
use crate::{
    diag::{Diagnostic, Place},
    source::Source,
};

/// The file that marks a cache ([specification](https://bford.info/cachedir/)).
const CACHE: &str = "CACHEDIR.TAG";

/// A view of the disk, overlaid with planned changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Disk {
    /// Contents of planned files, by absolute path; `None` where a file or folder will be removed.
    planned: BTreeMap<PathBuf, Option<String>>,
}

impl Disk {
    /// Plans the contents of a file, or the removal of a file or folder.
    pub(super) fn plan(&mut self, path: &Path, text: Option<String>) {
        self.planned.insert(whole(path), text);
    }

    /// The planned change of a path. Nearly every run has none, so that case must be cheap.
    fn planned(&self, path: &Path) -> Option<&Option<String>> {
        if self.planned.is_empty() {
            return None;
        }
        self.planned.get(&whole(path))
    }

    /// The planned paths directly below a folder.
    fn planned_below(&self, folder: &Path) -> BTreeSet<PathBuf> {
        if self.planned.is_empty() {
            return BTreeSet::new();
        }
        let whole = whole(folder);
        // Paths are ordered part by part, so those below a folder follow it.
        let below = self.planned.range(whole.clone()..);
        let below = below.take_while(|(path, _)| path.starts_with(&whole));
        let planned = below.filter(|(_, text)| text.is_some());
        let names = planned.filter_map(|(path, _)| {
            let name = path.strip_prefix(&whole).ok()?.components().next()?;
            Some(folder.join(name))
        });
        names.collect()
    }

    pub(super) fn is_dir(&self, path: &Path) -> bool {
        match self.planned(path) {
            Some(_) => false,
            None => path.is_dir() || !self.planned_below(path).is_empty(),
        }
    }

    pub(super) fn is_file(&self, path: &Path) -> bool {
        match self.planned(path) {
            Some(text) => text.is_some(),
            None => path.is_file(),
        }
    }

    /// The paths in a folder, sorted.
    pub(super) fn entries(&self, folder: &Path) -> Result<Vec<PathBuf>, Error> {
        let mut paths = self.planned_below(folder);
        let found = fs::read_dir(folder).and_then(|entries| {
            entries
                .map(|entry| entry.map(|entry| entry.path()))
                .collect::<io::Result<Vec<_>>>()
        });
        match found {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !paths.is_empty() => {}
            found => paths.extend(found.map_err(read_error(folder))?),
        }
        paths.retain(|path| self.planned(path).is_none_or(Option::is_some));
        Ok(paths.into_iter().collect())
    }

    /// The bytes of a file.
    pub(super) fn bytes(&self, path: &Path) -> Result<Vec<u8>, Error> {
        match self.planned(path) {
            Some(Some(text)) => Ok(text.clone().into_bytes()),
            _ => fs::read(path).map_err(read_error(path)),
        }
    }

    /// Reads a UTF-8 file as a source, named by its path relative to the current folder.
    pub(super) fn read(&self, path: &Path) -> Result<Source, Error> {
        utf8(shown(path), &self.bytes(path)?)
    }

    /// The `.rs` files at and below a folder, sorted by path, without generated ones.
    pub(super) fn rust_files(&self, folder: &Path) -> Result<Vec<Source>, Error> {
        let mut paths = Vec::new();
        self.collect(folder, &mut paths, &is_source)?;
        paths.sort();
        let read: Vec<_> = paths.par_iter().map(|path| self.read(path)).collect();
        // If several files fail, this returns the error of the first by path, independently of
        // timing.
        read.into_iter().collect()
    }

    /// Whether a folder has `.rs` files that are read.
    pub(super) fn has_rust_files(&self, folder: &Path) -> Result<bool, Error> {
        let mut paths = Vec::new();
        self.collect(folder, &mut paths, &is_source)?;
        Ok(!paths.is_empty())
    }

    /// Adds the files at and below `folder` that `wanted` accepts. Hidden entries, links to
    /// folders, pipes and devices are skipped, and so are caches, which a `CACHEDIR.TAG` marks,
    /// such as Cargo's `target`.
    pub(super) fn collect(
        &self,
        folder: &Path,
        found: &mut Vec<PathBuf>,
        wanted: &dyn Fn(&Path) -> bool,
    ) -> Result<(), Error> {
        let entries = self.entries(folder)?;
        if entries.iter().any(|path| path.ends_with(CACHE)) {
            return Ok(());
        }
        for path in entries {
            let hidden = path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if hidden {
                continue;
            }
            if self.is_dir(&path) {
                if !path.is_symlink() {
                    self.collect(&path, found, wanted)?;
                }
            } else if wanted(&path) && !is_special(&path) {
                found.push(path);
            }
        }
        Ok(())
    }
}

/// What only Go packages need.
#[cfg(feature = "go")]
impl Disk {
    /// Whether the contents of a file are planned.
    pub(super) fn is_planned(&self, path: &Path) -> bool {
        self.planned(path).is_some_and(Option::is_some)
    }

    /// The names of the files in a folder that `wanted` accepts, sorted: without folders, pipes and
    /// the like, as Go does; links count as their targets.
    pub(super) fn files(
        &self,
        folder: &Path,
        wanted: &dyn Fn(&str) -> bool,
    ) -> io::Result<Vec<String>> {
        self.names(folder, &|name, entry| {
            let is_file = || entry.is_none_or(|it| it.file_type().is_ok_and(|it| it.is_file()));
            let is_other = || entry.is_some_and(|it| is_special_or_folder(&it.path()));
            wanted(name) && (is_file() || !is_other())
        })
    }

    /// The names of the subfolders of a folder, sorted, without links.
    pub(super) fn folders(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.names(folder, &|name, entry| match entry {
            Some(entry) => entry.file_type().is_ok_and(|kind| kind.is_dir()),
            None => !self.is_planned(&folder.join(name)),
        })
    }

    /// Whether a folder holds a file or folder whose name `wanted` accepts.
    pub(super) fn holds(&self, folder: &Path, wanted: &dyn Fn(&str) -> bool) -> bool {
        let names = self.names(folder, &|name, _| wanted(name));
        names.is_ok_and(|names| !names.is_empty())
    }

    /// The names in a folder that `wanted` accepts, sorted; a planned one has no entry.
    fn names(
        &self,
        folder: &Path,
        wanted: &dyn Fn(&str, Option<&fs::DirEntry>) -> bool,
    ) -> io::Result<Vec<String>> {
        let planned = self.planned_below(folder);
        let planned = planned.iter().filter_map(|path| path.file_name()?.to_str());
        let planned = planned.filter(|name| wanted(name, None));
        let mut names: Vec<String> = planned.map(str::to_owned).collect();
        match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !self.planned.is_empty() => {}
            entries => {
                for entry in entries? {
                    let entry = entry?;
                    let Ok(name) = entry.file_name().into_string() else {
                        continue;
                    };
                    let is_gone = self.planned(&entry.path()).is_some();
                    if !is_gone && wanted(&name, Some(&entry)) {
                        names.push(name);
                    }
                }
            }
        }
        names.sort();
        names.dedup();
        Ok(names)
    }
}

/// Whether a path is a Rust file that was not generated.
pub(super) fn is_source(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.ends_with(".rs") && !name.starts_with("zz_generated_"))
}

/// Whether a path leads to a pipe or a device, which may never reach its end.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Whether a path leads to anything but a file.
#[cfg(feature = "go")]
fn is_special_or_folder(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file())
}

/// Reads a UTF-8 file as a source, named by its path relative to the current folder.
pub(super) fn read(path: &Path) -> Result<Source, Error> {
    Disk::default().read(path)
}

/// Creates a source from UTF-8; the error points at the first invalid byte.
pub(super) fn utf8(name: String, bytes: &[u8]) -> Result<Source, Error> {
    let error = match str::from_utf8(bytes) {
        Ok(text) => return Ok(Source::new(name, text)),
        Err(error) => error,
    };
    let at = error.valid_up_to();
    let utf16 = matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    let help = if utf16 {
        "it is UTF-16: save it as UTF-8"
    } else {
        "save it as UTF-8"
    };
    let place = Place {
        file: name.as_str().into(),
        text: String::from_utf8_lossy(bytes).into(),
        range: at..at,
    };
    let diagnostic = Diagnostic::error(format!("{name} is not UTF-8"))
        .at(place, "")
        .help(help);
    Err(Error::Input(diagnostic.into()))
}

pub(super) fn read_error(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = PathBuf::from(shown(path));
    move |source| Error::Read { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planned_files_stand_before_those_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for path in ["a/one.rs", "b/two.rs", "c/three.rs"] {
            fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            fs::write(at(path), "old").unwrap();
        }
        let mut disk = Disk::default();
        disk.plan(&at("a/one.rs"), Some("new".to_owned()));
        disk.plan(&at("b"), None);
        disk.plan(&at("c/three.rs"), None);
        disk.plan(&at("d/e/four.rs"), Some("new".to_owned()));
        let mut found = Vec::new();
        disk.collect(folder.path(), &mut found, &|_| true).unwrap();
        assert_eq!(found, [at("a/one.rs"), at("d/e/four.rs")]);
        assert_eq!(disk.bytes(&at("a/one.rs")).unwrap(), b"new");
        assert!(disk.is_dir(&at("d/e")) && !disk.is_dir(&at("b")));
        assert!(disk.is_file(&at("d/e/four.rs")) && !disk.is_file(&at("c/three.rs")));
        assert!(disk.entries(&at("none")).is_err());
    }
}
