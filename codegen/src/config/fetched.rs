//! Crates from registries and git repositories, where cargo keeps their sources.
//!
//! Cargo.lock says which version a crate depends on. Nothing is downloaded.

use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
};

use toml::{Table, Value};

use super::{
    disk::Disk,
    manifest::{CargoManifest, Origin},
};

/// Crates whose types are known without their sources, or that have none with a schema.
#[rustfmt::skip]
const KNOWN: [&str; 8] = [
    "k8s-openapi", "kube", "kube-client", "kube-core", "kube-derive", "kube-runtime", "schemars", "serde_with",
];

/// The dependencies of crates that have types for kinds.
const OF_TYPES: [&str; 3] = ["k8s-openapi", "kube", "schemars"];

/// The number of folders in a repository between its own and a crate's.
const MOST_DEEP: usize = 4;

const WITHOUT_SCHEMAS: &str = "has no types with schemas";

const NOT_LOCKED: &str = "is not in Cargo.lock, which says what to read: `cargo fetch` writes it";

const NOT_THERE: &str = "is not on this machine: `cargo fetch` brings its source";

/// The crates of a Cargo.lock.
#[derive(Default)]
pub(super) struct Fetched {
    /// By name.
    locked: BTreeMap<String, Vec<Locked>>,
    /// Cargo's own folder.
    home: PathBuf,
}

struct Locked {
    version: String,
    /// None for a crate in a folder.
    source: Option<String>,
    /// Names, each with its version if several crates have the name.
    dependencies: Vec<String>,
}

impl Fetched {
    /// Reads the Cargo.lock of a workspace; there is nothing if it cannot be read.
    pub(super) fn of(workspace: &Path, disk: &Disk) -> Self {
        let read = || {
            let bytes = disk.bytes(&workspace.join("Cargo.lock")).ok()?;
            let table: Table = String::from_utf8(bytes).ok()?.parse().ok()?;
            let mut locked: BTreeMap<String, Vec<Locked>> = BTreeMap::new();
            for package in table.get("package")?.as_array()? {
                let text = |key: &str| package.get(key)?.as_str().map(str::to_owned);
                let dependencies = package.get("dependencies").and_then(Value::as_array);
                let dependencies = dependencies.into_iter().flatten().filter_map(Value::as_str);
                locked.entry(text("name")?).or_default().push(Locked {
                    version: text("version")?,
                    source: text("source"),
                    dependencies: dependencies.map(str::to_owned).collect(),
                });
            }
            Some(locked)
        };
        Self {
            locked: read().unwrap_or_default(),
            home: match env::var_os("CARGO_HOME").filter(|home| !home.is_empty()) {
                Some(home) => home.into(),
                None => env::home_dir().unwrap_or_default().join(".cargo"),
            },
        }
    }

    /// Returns where the source of a dependency is: a crate of a registry or of a repository is in
    /// a folder if it may have types for kinds, and if cargo has its source.
    pub(super) fn origin(
        &self,
        dependent: &CargoManifest,
        package: &str,
        declared: Origin,
        disk: &Disk,
    ) -> Origin {
        let from = match declared {
            Origin::Registry => "is from a registry, and",
            Origin::Git => "is from a git repository, and",
            other => return other,
        };
        if KNOWN.contains(&package) {
            return Origin::Unread(format!("{from} {WITHOUT_SCHEMAS}"));
        }
        let folder = match self.locked(dependent, package) {
            Some(locked) => self.folder(package, locked, disk).ok_or(NOT_THERE),
            None => Err(NOT_LOCKED),
        };
        match folder {
            Err(why) => Origin::Unread(format!("{from} {why}")),
            Ok(folder) if may_have_types(&folder, disk) => Origin::Path(folder),
            Ok(_) => Origin::Unread(format!("{from} {WITHOUT_SCHEMAS}")),
        }
    }

    /// Returns the crate that another depends on under a package's name.
    fn locked(&self, dependent: &CargoManifest, package: &str) -> Option<&Locked> {
        let found = self.locked.get(package)?;
        if let [only] = found.as_slice() {
            return Some(only);
        }
        let own = self.locked.get(dependent.name()?)?;
        let own = match own.as_slice() {
            [only] => only,
            several => several
                .iter()
                .find(|it| Some(it.version.as_str()) == dependent.version())?,
        };
        let mut named = own.dependencies.iter().filter_map(|it| {
            let (name, rest) = it.split_once(' ')?;
            (name == package).then(|| rest.split(' ').next())?
        });
        let version = named.next()?;
        found.iter().find(|it| it.version == version)
    }

    fn folder(&self, package: &str, locked: &Locked, disk: &Disk) -> Option<PathBuf> {
        let source = locked.source.as_deref()?;
        let Some(git) = source.strip_prefix("git+") else {
            let name = format!("{package}-{}", locked.version);
            let registries = disk.entries(&self.home.join("registry/src")).ok()?;
            let mut folders = registries.into_iter().map(|registry| registry.join(&name));
            return folders.find(|folder| disk.is_file(&folder.join("Cargo.toml")));
        };
        let (url, commit) = git.split_once('#')?;
        let url = url.split_once('?').map_or(url, |(url, _)| url);
        let name = url.trim_end_matches('/').rsplit('/').next()?;
        // Cargo's name for a checkout is the repository's with a hash.
        let prefix = format!("{}-", name.trim_end_matches(".git"));
        let repositories = disk.entries(&self.home.join("git/checkouts")).ok()?;
        let repositories = repositories.into_iter().filter(|folder| {
            let name = folder.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with(&prefix))
        });
        let mut checkouts = repositories.filter_map(|folder| {
            let checkouts = disk.entries(&folder).ok()?.into_iter();
            let mut checkouts = checkouts.filter(|checkout| {
                let name = checkout.file_name().and_then(|name| name.to_str());
                name.is_some_and(|name| commit.starts_with(name))
            });
            within(&checkouts.next()?, package, MOST_DEEP, disk)
        });
        checkouts.next()
    }
}

/// Returns the folder of a package at or below a folder of a repository.
fn within(folder: &Path, package: &str, most: usize, disk: &Disk) -> Option<PathBuf> {
    let own = CargoManifest::read(folder, disk);
    if own.is_some_and(|manifest| manifest.name() == Some(package)) {
        return Some(folder.to_owned());
    }
    let most = most.checked_sub(1)?;
    let below = disk.entries(folder).ok()?.into_iter();
    let mut below = below.filter(|path| disk.is_dir(path) && !path.is_symlink());
    below.find_map(|folder| within(&folder, package, most, disk))
}

/// Whether the manifest in a folder names a crate that types for kinds need.
fn may_have_types(folder: &Path, disk: &Disk) -> bool {
    let text = disk.bytes(&folder.join("Cargo.toml")).ok();
    let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
    text.is_some_and(|text| OF_TYPES.iter().any(|name| text.contains(name)))
}
