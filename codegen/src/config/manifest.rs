//! Manifests of crates: the library and the dependencies, with what they inherit from the
//! workspace.
//!
//! Nothing here is reported: cargo reports what is wrong with a manifest.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::{disk::Disk, features::texts, layout::normalize};

/// A manifest that can be read.
pub(super) struct CargoManifest {
    /// Its folder, absolute.
    folder: PathBuf,
    pub(super) table: Table,
    /// The workspace's folder and the dependencies that it declares.
    workspace: Option<(PathBuf, Table)>,
}

/// The library of a crate.
pub(super) struct Library {
    /// The name by which other crates refer to it.
    pub(super) name: String,
    /// The folder of its root module, absolute.
    pub(super) root: PathBuf,
    /// The file of its root module.
    pub(super) file: String,
    /// Whether it consists of procedural macros.
    pub(super) is_macros: bool,
}

/// A dependency as a manifest declares it.
pub(super) struct Requirement {
    /// The name in the manifest.
    pub(super) key: String,
    /// The name of the package.
    pub(super) package: String,
    /// Whether the crate has another name than in the manifest.
    pub(super) is_renamed: bool,
    pub(super) origin: Origin,
    /// The requirement of a version.
    pub(super) version: Option<String>,
    pub(super) features: Vec<String>,
    pub(super) default_features: bool,
    pub(super) is_optional: bool,
}

/// Where a dependency comes from.
pub(super) enum Origin {
    /// A folder, absolute.
    Path(PathBuf),
    Git,
    Registry,
    /// The workspace, which does not declare it.
    Undeclared,
    /// Elsewhere, and not read: why, as a phrase that follows its name.
    Unread(String),
}

impl CargoManifest {
    /// Returns the manifest in an absolute folder.
    pub(super) fn read(folder: &Path, disk: &Disk) -> Option<Self> {
        let table = read(folder, disk)?;
        let workspace = workspace(folder, &table, disk);
        Some(Self {
            folder: folder.to_owned(),
            table,
            workspace,
        })
    }

    /// Returns the library, if its root module exists.
    pub(super) fn library(&self, disk: &Disk) -> Option<Library> {
        let package = self.table.get("package")?.as_table()?;
        let library = self.table.get("lib").and_then(Value::as_table);
        let text = |key: &str| library?.get(key)?.as_str();
        let path = self.folder.join(text("path").unwrap_or("src/lib.rs"));
        let path = normalize(&path);
        let name = text("name").or_else(|| package.get("name")?.as_str())?;
        let is_macros = library.is_some_and(|it| is_set(it, &["proc-macro", "proc_macro"]));
        disk.is_file(&path).then_some(())?;
        Some(Library {
            name: identifier(name),
            root: path.parent()?.to_owned(),
            file: path.file_name()?.to_str()?.to_owned(),
            is_macros,
        })
    }

    /// Returns the name of the package.
    pub(super) fn name(&self) -> Option<&str> {
        self.table.get("package")?.get("name")?.as_str()
    }

    /// Returns the version of the package, if it is not the workspace's.
    pub(super) fn version(&self) -> Option<&str> {
        self.table.get("package")?.get("version")?.as_str()
    }

    /// Returns the folder of the workspace, or that of the crate.
    pub(super) fn workspace_folder(&self) -> &Path {
        let workspace = self.workspace.as_ref();
        workspace.map_or(&self.folder, |(folder, _)| folder)
    }

    /// Returns a dependency as a crate in another folder declares it.
    pub(super) fn dependency(&self, key: &str) -> Option<Value> {
        let own = self.table.get("dependencies")?.get(key)?;
        let is_inherited = own.as_table().is_some_and(|it| is_set(it, &["workspace"]));
        let (folder, value) = match self.workspace.as_ref().filter(|_| is_inherited) {
            Some((folder, all)) => (folder, all.get(key)?),
            None => (&self.folder, own),
        };
        let mut value = value.clone();
        if let Some(table) = value.as_table_mut() {
            table.remove("optional");
            let path = table.get("path").and_then(Value::as_str);
            let path = path.map(|path| normalize(&folder.join(path)));
            if let Some(path) = path.as_deref().and_then(Path::to_str) {
                table.insert("path".to_owned(), path.into());
            }
        }
        Some(value)
    }

    /// Returns the files of programs that the manifest names.
    pub(super) fn programs(&self) -> Vec<PathBuf> {
        let programs = self.table.get("bin").and_then(Value::as_array);
        let paths = programs.into_iter().flatten();
        let paths = paths.filter_map(|program| program.get("path")?.as_str());
        paths
            .map(|path| normalize(&self.folder.join(path)))
            .collect()
    }

    /// Returns the name and the root module of the program that `src/main.rs` is, or of the only
    /// one that the manifest names.
    pub(super) fn program(&self, disk: &Disk) -> Option<(String, PathBuf)> {
        let main = self.folder.join("src/main.rs");
        let named = self.table.get("bin").and_then(Value::as_array);
        let named = named.into_iter().flatten().filter_map(|program| {
            let path = program.get("path").and_then(Value::as_str);
            let path = path.map_or_else(|| main.clone(), |path| self.folder.join(path));
            let name = program.get("name")?.as_str()?;
            Some((name.to_owned(), normalize(&path)))
        });
        let named: Vec<(String, PathBuf)> = named.collect();
        let of_main = named.iter().find(|(_, path)| *path == main);
        let found = match (of_main, named.as_slice()) {
            (Some(program), _) => program.clone(),
            (None, _) if disk.is_file(&main) => (self.name()?.to_owned(), main),
            (None, [only]) => only.clone(),
            _ => return None,
        };
        disk.is_file(&found.1).then_some(found)
    }

    /// Returns the dependencies of all platforms, without those of tests and build scripts.
    pub(super) fn requirements(&self) -> Vec<Requirement> {
        let targets = self.table.get("target").and_then(Value::as_table);
        let targets = targets.into_iter().flat_map(Table::values);
        let tables = std::iter::once(&self.table).chain(targets.filter_map(Value::as_table));
        let dependencies = tables.filter_map(|it| it.get("dependencies")?.as_table());
        let dependencies = dependencies.flatten();
        dependencies
            .map(|(key, value)| self.requirement(key, value))
            .collect()
    }

    fn requirement(&self, key: &str, value: &Value) -> Requirement {
        let none = Table::new();
        let own = value.as_table().unwrap_or(&none);
        let is_inherited = is_set(own, &["workspace"]);
        let inherited = self.workspace.as_ref().filter(|_| is_inherited);
        let declared = inherited.and_then(|(folder, all)| Some((folder, all.get(key)?)));
        let (folder, value) = match declared {
            Some((folder, value)) => (folder, value),
            None => (&self.folder, value),
        };
        let table = value.as_table().unwrap_or(&none);
        let features = [own, table].map(|it| it.get("features"));
        let mut features: Vec<String> = features
            .into_iter()
            .flatten()
            .flat_map(texts)
            .map(str::to_owned)
            .collect();
        features.sort();
        features.dedup();
        Requirement {
            key: key.to_owned(),
            package: {
                let package = table.get("package").and_then(Value::as_str);
                package.unwrap_or(key).to_owned()
            },
            is_renamed: table.contains_key("package"),
            origin: match declared {
                None if is_inherited => Origin::Undeclared,
                _ => origin(folder, table),
            },
            version: {
                let version = value.as_str().or_else(|| table.get("version")?.as_str());
                version.map(str::to_owned)
            },
            features,
            default_features: default_features(table).unwrap_or(true)
                || is_inherited && default_features(own) == Some(true),
            is_optional: is_set(own, &["optional"]),
        }
    }
}

impl Requirement {
    /// Returns the name by which the crate refers to the dependency.
    pub(super) fn name(&self, library: Option<&Library>) -> String {
        match library {
            Some(library) if !self.is_renamed => library.name.clone(),
            _ => identifier(&self.key),
        }
    }
}

fn read(folder: &Path, disk: &Disk) -> Option<Table> {
    let bytes = disk.bytes(&folder.join("Cargo.toml")).ok()?;
    String::from_utf8(bytes).ok()?.parse().ok()
}

/// Returns the folder of the workspace that a crate belongs to, and the dependencies that it
/// declares.
fn workspace(folder: &Path, manifest: &Table, disk: &Disk) -> Option<(PathBuf, Table)> {
    let of = |folder: &Path, manifest: &Table| {
        let workspace = manifest.get("workspace")?.as_table()?;
        let dependencies = workspace.get("dependencies").and_then(Value::as_table);
        Some((folder.to_owned(), dependencies.cloned().unwrap_or_default()))
    };
    let package = manifest.get("package").and_then(Value::as_table);
    let named = package.and_then(|package| package.get("workspace")?.as_str());
    if let Some(named) = named {
        let folder = normalize(&folder.join(named));
        return of(&folder, &read(&folder, disk)?);
    }
    of(folder, manifest).or_else(|| {
        let mut above = folder.ancestors().skip(1);
        above.find_map(|folder| of(folder, &read(folder, disk)?))
    })
}

fn origin(folder: &Path, dependency: &Table) -> Origin {
    let path = dependency.get("path").and_then(Value::as_str);
    match path {
        Some(path) => Origin::Path(normalize(&folder.join(path))),
        None if dependency.contains_key("git") => Origin::Git,
        None => Origin::Registry,
    }
}

fn default_features(dependency: &Table) -> Option<bool> {
    let mut keys = ["default-features", "default_features"].into_iter();
    keys.find_map(|key| dependency.get(key)?.as_bool())
}

fn is_set(table: &Table, keys: &[&str]) -> bool {
    let mut keys = keys.iter();
    keys.any(|key| table.get(*key).and_then(Value::as_bool) == Some(true))
}

fn identifier(name: &str) -> String {
    name.replace('-', "_")
}
