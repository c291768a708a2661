//! The modules of a build: resolves an import path to a package folder.
//!
//! Since Go 1.17, `go.mod` lists all modules that its packages need, so no version selection is
//! needed here.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{
    environment::Environment,
    gomod::{self, ModFile, Replace},
};
use crate::{
    config::{
        disk::Disk,
        layout::{normalize, shown},
    },
    read::go::Build,
};

/// A main module: its `go.mod` and folder.
#[derive(Clone, Debug)]
pub(super) struct Main {
    pub(super) path: String,
    pub(super) folder: PathBuf,
    /// The folders that patterns pass over: `./docs` from the module's, `docs` at any depth.
    ignore: Vec<String>,
}

/// The modules of a build.
#[derive(Debug)]
pub(super) struct Graph<'a> {
    disk: &'a Disk,
    environment: &'a Environment,
    pub(super) mains: Vec<Main>,
    require: BTreeMap<String, String>,
    /// Replacements, with the folder that their target folders are relative to.
    replace: Vec<(PathBuf, Replace)>,
    vendor: Option<Vendor>,
}

#[derive(Debug)]
struct Vendor {
    folder: PathBuf,
    /// The module and version of each package.
    packages: BTreeMap<String, (String, Option<String>)>,
}

/// The location of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) folder: PathBuf,
    pub(super) module: String,
    pub(super) version: Option<String>,
    pub(super) main: bool,
}

/// Why a package was not found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// Its module is not in the module cache.
    Module { path: String, version: String },
    /// The folder that replaces its module does not exist.
    Replaced { path: String, folder: String },
    /// Its module has no such folder.
    Package { module: String, folder: String },
    /// No module in `go.mod` provides it.
    Unknown,
    /// It is not in the vendor folder.
    Vendored { folder: String },
    /// It is in the standard library, which is not installed or lacks it. The standard types that
    /// matter are known by name.
    Standard,
}

/// Whether an import path is in the standard library: its first segment has no dot.
pub(super) fn is_standard(path: &str) -> bool {
    !path.split('/').next().unwrap_or_default().contains('.')
}

/// The nearest folder at or above `folder` that has a `go.mod`.
pub(in crate::config) fn module_folder<'f>(disk: &Disk, folder: &'f Path) -> Option<&'f Path> {
    folder
        .ancestors()
        .find(|folder| disk.is_file(&folder.join("go.mod")))
}

impl<'a> Graph<'a> {
    /// Loads the graph of the module in the folder, or of the workspace that the module belongs to.
    ///
    /// # Errors
    ///
    /// A file cannot be read.
    pub(super) fn load(
        disk: &'a Disk,
        folder: &Path,
        environment: &'a Environment,
    ) -> Result<Self, String> {
        let mut graph = Self {
            disk,
            environment,
            mains: Vec::new(),
            require: BTreeMap::new(),
            replace: Vec::new(),
            vendor: None,
        };
        if let Some((work_folder, work)) = graph.workspace(folder)? {
            // A workspace's replacements take precedence over those of its modules.
            graph.add_replacements(&work_folder, &work);
            for used in &work.uses {
                let main = graph.add_main(&normalize(&work_folder.join(used)));
                main.map_err(|error| format!("{error}: go.work uses {used}"))?;
            }
            graph.use_vendor(&work_folder, work.go);
        } else {
            let go = graph.add_main(folder)?;
            graph.use_vendor(folder, go);
        }
        Ok(graph)
    }

    /// The build that packages are read for.
    pub(super) const fn build(&self) -> &'a Build {
        &self.environment.build
    }

    /// Where files are read from.
    pub(super) const fn disk(&self) -> &'a Disk {
        self.disk
    }

    /// Whether a folder holds Go files.
    fn has_go(&self, folder: &Path) -> bool {
        let is_go = |name: &str| self.build().has_name(name);
        self.disk.holds(folder, &is_go)
    }

    /// The workspace that contains the module in the folder.
    fn workspace(&self, folder: &Path) -> Result<Option<(PathBuf, ModFile)>, String> {
        let file = match self.environment.workspace.as_deref() {
            Some("off") => return Ok(None),
            Some(path) => PathBuf::from(path),
            None => {
                let file = |folder: &Path| folder.join("go.work");
                match folder
                    .ancestors()
                    .map(file)
                    .find(|file| self.disk.is_file(file))
                {
                    Some(file) => file,
                    None => return Ok(None),
                }
            }
        };
        let work = self.read(&file)?;
        let parent = file.parent().unwrap_or(Path::new("")).to_owned();
        let is_used = |used: &String| normalize(&parent.join(used)) == normalize(folder);
        Ok(work.uses.iter().any(is_used).then_some((parent, work)))
    }

    fn add_main(&mut self, folder: &Path) -> Result<Option<(u32, u32)>, String> {
        let file = self.read(&folder.join("go.mod"))?;
        if file.module.is_empty() {
            return Err(format!(
                "{} has no `module` directive",
                shown(&folder.join("go.mod"))
            ));
        }
        self.add_replacements(folder, &file);
        for (path, version) in file.require {
            let known = self.require.entry(path).or_insert_with(|| version.clone());
            if later(&version, known) {
                *known = version;
            }
        }
        self.mains.push(Main {
            path: file.module,
            folder: folder.to_owned(),
            ignore: file.ignore,
        });
        Ok(file.go)
    }

    fn add_replacements(&mut self, folder: &Path, file: &ModFile) {
        let replacements = file.replace.iter().cloned();
        self.replace
            .extend(replacements.map(|replace| (folder.to_owned(), replace)));
    }

    /// Uses the vendor folder if Go would: if requested by `-mod`, or if it exists and the module
    /// requires Go 1.14 or later.
    fn use_vendor(&mut self, folder: &Path, go: Option<(u32, u32)>) {
        let list = folder.join("vendor").join("modules.txt");
        let wanted = match self.environment.mod_flag.as_deref() {
            Some(flag) => flag == "vendor",
            None => go.is_some_and(|version| version >= (1, 14)) && self.disk.is_file(&list),
        };
        if wanted {
            let text = self.disk.bytes(&list).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let packages = gomod::vendored(&text).into_iter();
            self.vendor = Some(Vendor {
                folder: folder.join("vendor"),
                packages: packages.map(|(path, m, v)| (path, (m, v))).collect(),
            });
        }
    }

    /// The import path of a folder of a main module.
    pub(super) fn path_of(&self, folder: &Path) -> Option<(String, &Main)> {
        let mains = self.mains.iter().filter_map(|main| {
            let below = folder.strip_prefix(&main.folder).ok()?;
            let mut path = main.path.clone();
            for part in below.components() {
                path.push('/');
                path.push_str(part.as_os_str().to_str()?);
            }
            Some((path, main))
        });
        mains.max_by_key(|(_, main)| main.folder.as_os_str().len())
    }

    /// Whether the module of the folder tells patterns to pass it over.
    pub(super) fn ignores(&self, folder: &Path) -> bool {
        let Some((_, main)) = self.path_of(folder) else {
            return false;
        };
        let Ok(below) = folder.strip_prefix(&main.folder) else {
            return false;
        };
        main.ignore
            .iter()
            .any(|ignored| match ignored.strip_prefix("./") {
                Some(ignored) => below == Path::new(ignored),
                None => below.ends_with(ignored),
            })
    }

    /// The module whose `go.mod` is in the folder, and whether the build includes it.
    pub(super) fn module_in(&self, folder: &Path) -> Option<(Found, bool)> {
        let file = folder.join("go.mod");
        if !self.disk.is_file(&file) {
            return None;
        }
        let is_main = self.mains.iter().any(|main| main.folder == folder);
        // An unreadable one is not part of the build.
        let module = self.read(&file).unwrap_or_default().module;
        let found = Found {
            folder: folder.to_owned(),
            module,
            version: None,
            main: true,
        };
        Some((found, is_main))
    }

    /// Finds the package of an import path.
    ///
    /// # Errors
    ///
    /// Why it was not found.
    pub(super) fn find(&self, path: &str) -> Result<Found, Missing> {
        if !is_path(path) {
            return Err(Missing::Unknown);
        }
        let main = self
            .mains
            .iter()
            .filter_map(|main| Some((main, below(&main.path, path)?)))
            .max_by_key(|(main, _)| main.path.len());
        if let Some((main, rest)) = main {
            let folder = main.folder.join(rest);
            // A nested module is a module of its own.
            if self.has_go(&folder) {
                return Ok(Found {
                    folder,
                    module: main.path.clone(),
                    version: None,
                    main: true,
                });
            }
        }
        if is_standard(path) {
            return self.find_standard(path);
        }
        if let Some(vendor) = &self.vendor {
            return self.vendored(vendor, path);
        }
        let mut missing = main.map(|(main, rest)| Missing::Package {
            module: main.path.clone(),
            folder: shown(&main.folder.join(rest)),
        });
        let mut modules: Vec<(&String, &String, &str)> = self
            .require
            .iter()
            .filter_map(|(module, version)| Some((module, version, below(module, path)?)))
            .collect();
        modules.sort_by_key(|(module, ..)| std::cmp::Reverse(module.len()));
        for (module, version, rest) in modules {
            match self.find_in(module, version, rest) {
                Ok(found) => return Ok(found),
                Err(error @ (Missing::Module { .. } | Missing::Replaced { .. })) => {
                    return Err(error);
                }
                Err(error) => missing = missing.or(Some(error)),
            }
        }
        Err(missing.unwrap_or(Missing::Unknown))
    }

    fn find_standard(&self, path: &str) -> Result<Found, Missing> {
        let root = self.environment.root.as_ref().ok_or(Missing::Standard)?;
        let folder = root.join("src").join(path);
        if !self.has_go(&folder) {
            return Err(Missing::Standard);
        }
        Ok(Found {
            folder,
            module: "std".to_owned(),
            version: None,
            main: false,
        })
    }

    fn find_in(&self, module: &str, version: &str, rest: &str) -> Result<Found, Missing> {
        let (folder, found_version) = self.module(module, version)?;
        let package = folder.join(rest);
        if !self.has_go(&package) {
            return Err(Missing::Package {
                module: module.to_owned(),
                folder: shown(&package),
            });
        }
        Ok(Found {
            folder: package,
            module: module.to_owned(),
            version: found_version,
            main: false,
        })
    }

    /// The folder of a module and the version in it, after replacements.
    fn module(&self, module: &str, version: &str) -> Result<(PathBuf, Option<String>), Missing> {
        let replaces = |exact: bool| {
            self.replace.iter().find(move |(_, replace)| {
                let old = replace.old_version.as_deref();
                replace.old == module && old == exact.then_some(version)
            })
        };
        let replacement = replaces(true).or_else(|| replaces(false));
        let (path, version) = match replacement {
            Some((base, replace)) => match &replace.new_version {
                Some(version) => (replace.new.as_str(), version.as_str()),
                None => {
                    let folder = normalize(&base.join(&replace.new));
                    if self.disk.is_dir(&folder) {
                        return Ok((folder, None));
                    }
                    return Err(Missing::Replaced {
                        path: module.to_owned(),
                        folder: shown(&folder),
                    });
                }
            },
            None => (module, version),
        };
        let folder = format!("{}@{}", escape(path), escape(version));
        let folder = self.environment.module_cache.join(folder);
        if !self.disk.is_dir(&folder) {
            return Err(Missing::Module {
                path: path.to_owned(),
                version: version.to_owned(),
            });
        }
        Ok((folder, Some(version.to_owned())))
    }

    fn vendored(&self, vendor: &Vendor, path: &str) -> Result<Found, Missing> {
        let folder = vendor.folder.join(path);
        if !self.has_go(&folder) {
            return Err(Missing::Vendored {
                folder: shown(&vendor.folder),
            });
        }
        let listed = vendor.packages.get(path);
        Ok(Found {
            folder,
            module: listed.map_or_else(|| path.to_owned(), |(module, _)| module.clone()),
            version: listed.and_then(|(_, version)| version.clone()),
            main: false,
        })
    }

    /// Reads a go.mod or go.work.
    fn read(&self, file: &Path) -> Result<ModFile, String> {
        let source = self.disk.read(file).map_err(|error| error.to_string())?;
        Ok(gomod::parse(&source.text))
    }
}

/// The rest of an import path after a module's path: empty for the module itself.
fn below<'p>(module: &str, path: &'p str) -> Option<&'p str> {
    let rest = path.strip_prefix(module)?;
    if rest.is_empty() {
        return Some(rest);
    }
    rest.strip_prefix('/')
}

/// Whether the string is a valid import path; such a path never leads out of a module's folder.
fn is_path(path: &str) -> bool {
    let part = |part: &str| !part.is_empty() && part != "." && part != "..";
    !path.contains(['\\', '\0', ':']) && path.split('/').all(part)
}

/// A module path as escaped in the module cache: an upper-case letter becomes `!` and its
/// lower-case form.
fn escape(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for c in path.chars() {
        if c.is_ascii_uppercase() {
            escaped.push('!');
        }
        escaped.push(c.to_ascii_lowercase());
    }
    escaped
}

/// Whether the first version is later than the second; pre-releases precede their release.
fn later(a: &str, b: &str) -> bool {
    let key = |version: &str| {
        let version = version.trim_start_matches('v');
        let version = version.split('+').next().unwrap_or(version).to_owned();
        let (core, pre) = match version.split_once('-') {
            Some((core, pre)) => (core.to_owned(), Some(pre.to_owned())),
            None => (version, None),
        };
        let numbers: Vec<u64> = core.split('.').map(|n| n.parse().unwrap_or(0)).collect();
        (numbers, pre.is_none(), pre)
    };
    key(a) > key(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upper_case_letters_are_escaped_in_the_cache() {
        assert_eq!(escape("github.com/Azure/go"), "github.com/!azure/go");
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert!(later("v1.10.0", "v1.9.0"));
        assert!(later("v1.0.0", "v1.0.0-rc.1"));
        assert!(later("v1.0.0-rc.2", "v1.0.0-rc.1"));
        assert!(!later("v1.0.0", "v1.0.0"));
    }

    #[test]
    fn paths_are_below_whole_parts() {
        assert_eq!(below("k8s.io/api", "k8s.io/api/core/v1"), Some("core/v1"));
        assert_eq!(below("k8s.io/api", "k8s.io/api"), Some(""));
        assert_eq!(below("k8s.io/api", "k8s.io/apimachinery"), None);
        assert!(is_path("a/b") && !is_path("a/../b") && !is_path("/a") && !is_path(""));
    }
}
