//! Inputs: loads folders and files into [`Sources`](crate::Sources).

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{
    Error,
    dependencies::Dependencies,
    disk::{Disk, is_source},
    features::Selection,
    layout::{Place, as_written, manifest_folder, module_path, root_name, shown, whole},
    manifest::CargoManifest,
};
use crate::{
    diag::{Diagnostic, Diagnostics},
    model::names,
    read::markers::{
        MarkerDef, MarkerType as _,
        client::GenClient,
        crd::{Skip, SkipVersion},
        object::{DeepCopyInterfaces, ObjectRoot},
        package::{GroupGoName, GroupName, VersionName},
    },
    read::rust::mentions_kinds as mentions,
    source::{RustCrate, RustPackage, Source},
    suggest::correction,
};

/// A folder of annotated Rust, laid out as `<group>/<version>/*.rs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Apis {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// The groups with their versions; empty for all groups in the folder.
    pub(crate) groups: Vec<GroupVersions>,
}

/// A group with its versions, written `cloudnative:v1alpha1,v1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GroupVersions {
    /// The name of the group's folder.
    pub(crate) group: String,
    /// The names of the versions' folders.
    pub(crate) versions: Vec<String>,
}

impl GroupVersions {
    /// Parses `<group>:<version>[,<version>…]`.
    ///
    /// # Errors
    ///
    /// A one-line message.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let form = "expected <group>:<version>[,<version>…], such as cloudnative:v1alpha1,v1";
        let (group, versions) = text
            .split_once(':')
            .ok_or_else(|| format!("invalid group `{text}`: {form}"))?;
        let versions: Vec<String> = versions.split(',').map(str::to_owned).collect();
        let legal = |name: &str| {
            !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
                && !name.starts_with('.')
        };
        if !legal(group) || !versions.iter().all(|version| legal(version)) {
            return Err(format!("invalid group `{text}`: {form}"));
        }
        Ok(Self {
            group: group.to_owned(),
            versions,
        })
    }
}

/// A CRD input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CrdInput {
    /// A file, or a folder with all its `.yaml`, `.yml` and `.json` files.
    Path(PathBuf),
    /// Standard input.
    Stdin,
}

/// Go packages of one module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GoInput {
    /// A folder in the module; patterns are relative to it.
    pub(crate) dir: PathBuf,
    /// Patterns: folders or import paths, each optionally with `...`.
    pub(crate) packages: Vec<String>,
}

impl GoInput {
    /// The folders that the patterns refer to, for Cargo to watch.
    pub(super) fn folders(&self) -> impl Iterator<Item = PathBuf> {
        let local = self
            .packages
            .iter()
            .filter(|pattern| pattern.starts_with('.') || Path::new(pattern).is_absolute());
        local.map(|pattern| {
            let folder = pattern.trim_end_matches("...").trim_end_matches('/');
            self.dir.join(folder.strip_prefix("./").unwrap_or(folder))
        })
    }
}

/// The versions of a folder, or of `apis` in a crate's source root, that depend on the layout
/// `<group>/<version>/`; `None` if there are none.
///
/// # Errors
///
/// A file cannot be read.
pub(super) fn annotated(apis: &Apis, disk: &Disk) -> Result<Option<Apis>, Error> {
    for folder in [apis.folder.clone(), apis.folder.join("apis")] {
        let mut found = Apis {
            folder,
            groups: Vec::new(),
        };
        if found.folder == apis.folder || disk.is_dir(&found.folder) {
            found.groups = annotated_versions(&found, disk)?;
        }
        if !found.groups.is_empty() {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The versions of a folder that depend on the layout `<group>/<version>/`: all except those whose
/// kinds all derive kube's `CustomResource`. The latter declare their group and version themselves,
/// may use types from anywhere in the crate, and need not be exported by their version's module.
fn annotated_versions(apis: &Apis, disk: &Disk) -> Result<Vec<GroupVersions>, Error> {
    if disk.is_file(&apis.folder) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for GroupVersions { group, versions } in versions_in(&apis.folder, disk)? {
        let mut annotated = Vec::new();
        for version in versions {
            let folder = apis.folder.join(&group).join(&version);
            if !only_derives_kinds(&disk.rust_files(&folder)?) {
                annotated.push(version);
            }
        }
        if !annotated.is_empty() {
            found.push(GroupVersions {
                group,
                versions: annotated,
            });
        }
    }
    Ok(found)
}

/// Whether the version's kinds only come from kube's `CustomResource`: no marker declares a kind or
/// configures the version.
fn only_derives_kinds(files: &[Source]) -> bool {
    const OF_VERSIONS: [MarkerDef; 8] = [
        GenClient::DEF,
        ObjectRoot::DEF,
        DeepCopyInterfaces::DEF,
        GroupName::DEF,
        GroupGoName::DEF,
        VersionName::DEF,
        Skip::DEF,
        SkipVersion::DEF,
    ];
    let has = |word: &str| files.iter().any(|file| file.text.contains(word));
    let has_kinds = files.iter().any(|file| mentions(&file.text));
    has_kinds && !OF_VERSIONS.iter().any(|def| has(&format!("+{}", def.name)))
}

/// Adds the crate that contains the folder or file of `apis`, a member of a workspace or named
/// itself; if that crate is already loaded, adds the folder or file to it.
///
/// # Errors
///
/// A file cannot be read.
pub(super) fn load_crate(
    apis: &Apis,
    is_member: bool,
    (disk, features): (&Disk, &Selection),
    crates: &mut Vec<RustCrate>,
) -> Result<(), Error> {
    let is_empty = is_member || disk.is_file(&apis.folder.join("mod.rs"));
    let folder = &apis.folder;
    if disk.is_file(folder) && folder.extension().is_none_or(|it| it != "rs") {
        let message = format!("{} is not a .rs file", shown(folder));
        return Err(Error::Config(Diagnostic::error(message).into()));
    }
    load_part(folder, is_empty, (disk, features), crates)
}

/// Adds files of a folder that are outside of the versions of `apis` and may declare kinds too.
///
/// # Errors
///
/// A file cannot be read.
pub(super) fn load_beside(
    folder: &Path,
    apis: &Apis,
    (disk, features): (&Disk, &Selection),
    crates: &mut Vec<RustCrate>,
) -> Result<(), Error> {
    let folders = |GroupVersions { group, versions }: &GroupVersions| {
        let group = apis.folder.join(group);
        let versions = versions.iter().map(move |version| group.join(version));
        versions.collect::<Vec<_>>()
    };
    let versions: Vec<PathBuf> = apis.groups.iter().flat_map(folders).collect();
    let mut beside = Vec::new();
    disk.collect(folder, &mut beside, &|path| {
        is_source(path) && !versions.iter().any(|folder| path.starts_with(folder))
    })?;
    beside.sort();
    for path in beside {
        if mentions(&disk.read(&path)?.text) {
            load_part(&path, true, (disk, features), crates)?;
        }
    }
    Ok(())
}

/// Whether a file at or below the folder names kube's derive macro, or a marker of kinds.
///
/// # Errors
///
/// A file cannot be read.
pub(super) fn mentions_kinds(folder: &Path, disk: &Disk) -> Result<bool, Error> {
    let files = disk.rust_files(folder)?;
    let markers = [GenClient::DEF, ObjectRoot::DEF].map(|def| format!("+{}", def.name));
    let mentions =
        |text: &str| mentions(text) || markers.iter().any(|marker| text.contains(marker.as_str()));
    Ok(files.iter().any(|file| mentions(&file.text)))
}

/// Adds a file or folder of a crate; `is_empty` allows it to have no kinds.
fn load_part(
    part: &Path,
    is_empty: bool,
    (disk, features): (&Disk, &Selection),
    crates: &mut Vec<RustCrate>,
) -> Result<(), Error> {
    let (root, library) = source_root(part, disk);
    let name = root_name(&root);
    let wanted = match shown(part) {
        here if here == "." => String::new(),
        path => path,
    };
    if let Some(known) = crates.iter_mut().find(|known| known.root == name) {
        known.is_empty |= is_empty;
        if !known.wanted.contains(&wanted) {
            known.wanted.push(wanted);
        }
        return Ok(());
    }
    let features = features.of(&root, disk)?;
    let files = disk.rust_files(&root)?;
    // It would be read as a crate without kinds.
    if files.is_empty() && !is_empty {
        let message = format!("{} contains no .rs file", shown(part));
        return Err(Error::Config(Diagnostic::error(message).into()));
    }
    let beside = Dependencies::of(&root, features.as_ref(), &files, disk)?;
    crates.push(RustCrate {
        programs: programs(&root, disk),
        features,
        files,
        names: beside.names,
        dependencies: beside.crates,
        paths: BTreeMap::new(),
        root: name,
        library,
        wanted: vec![wanted],
        is_empty,
    });
    Ok(())
}

/// Returns the files of programs below a source root that Cargo.toml names, relative to the root.
fn programs(root: &Path, disk: &Disk) -> Vec<String> {
    let root = whole(root);
    let manifest = manifest_folder(&root).and_then(|folder| CargoManifest::read(folder, disk));
    let programs = manifest.map(|manifest| manifest.programs());
    let below = programs.into_iter().flatten().filter_map(|path| {
        let below = path.strip_prefix(&root).ok()?;
        Some(below.to_str()?.replace('\\', "/"))
    });
    below.collect()
}

/// Returns the source root of the crate that a file or folder belongs to, and the file of its
/// library's root module there. `[lib]` of Cargo.toml decides if the part is in the library's
/// folder or contains it.
pub(super) fn source_root(part: &Path, disk: &Disk) -> (PathBuf, Option<String>) {
    let path = whole(part);
    let place = Place::of(part);
    let manifest = manifest_folder(&path).and_then(|folder| CargoManifest::read(folder, disk));
    let library = manifest.and_then(|manifest| manifest.library(disk));
    // `src/bin/<name>/` is a crate of its own.
    let is_program = |library: &Path| {
        let root = whole(&place.root);
        place.found && root != library && root.starts_with(library)
    };
    if let Some(library) = library.filter(|library| !is_program(&library.root)) {
        if let Ok(below) = path.strip_prefix(&library.root) {
            let root = as_written(part, below.components().count());
            return (root, Some(library.file));
        }
        if let Ok(below) = library.root.strip_prefix(&path) {
            return (part.join(below), Some(library.file));
        }
    }
    if disk.is_file(&place.root) {
        let folder = place.root.parent().filter(|it| !it.as_os_str().is_empty());
        return (folder.unwrap_or(Path::new(".")).to_owned(), None);
    }
    (place.root, None)
}

/// Loads the group-version folders of `apis`, sorted by group and version; `below` is their
/// parent's path in the source root.
///
/// # Errors
///
/// A folder is missing, or a file cannot be read.
pub(super) fn load_apis(apis: &Apis, below: &Path, disk: &Disk) -> Result<Vec<RustPackage>, Error> {
    let wanted = if apis.groups.is_empty() {
        discover(&apis.folder, disk)?
    } else {
        apis.groups.clone()
    };
    disk.entries(&apis.folder)?;
    let mut diagnostics = Diagnostics::new();
    let mut packages = Vec::new();
    for GroupVersions { group, versions } in &wanted {
        let Some(group_folder) = find(disk, &apis.folder, group, "group", &mut diagnostics)? else {
            continue;
        };
        for version in versions {
            let folder = apis.folder.join(&group_folder);
            let Some(version_folder) = find(disk, &folder, version, "version", &mut diagnostics)?
            else {
                continue;
            };
            let folder = folder.join(&version_folder);
            let dir = below.join(&group_folder).join(&version_folder);
            packages.push(RustPackage {
                group: group_folder.clone(),
                version: version_folder,
                module_path: module_path(&dir),
                dir,
                files: disk.rust_files(&folder)?,
            });
        }
    }
    packages.sort_by(|a, b| (&a.group, &a.version).cmp(&(&b.group, &b.version)));
    packages.dedup_by(|a, b| a.dir == b.dir);
    diagnostics.finish(packages).map_err(Error::Config)
}

/// Finds every API of a folder. Finding none is an error, unless the folder is a module to which
/// APIs will be added.
fn discover(apis: &Path, disk: &Disk) -> Result<Vec<GroupVersions>, Error> {
    let groups = versions_in(apis, disk)?;
    if groups.is_empty() && !disk.is_file(&apis.join("mod.rs")) {
        let diagnostic = Diagnostic::error(format!("{} contains no API", shown(apis)))
            .help("put the types of a group's version into <group>/<version>/mod.rs below it")
            .help("kinds that derive kube's `CustomResource` may be in any module: name the crate's folder");
        return Err(Error::Config(diagnostic.into()));
    }
    Ok(groups)
}

/// Every folder `<group>/<version>` with Rust files whose version is a valid Kubernetes version.
pub(super) fn versions_in(apis: &Path, disk: &Disk) -> Result<Vec<GroupVersions>, Error> {
    let mut groups = Vec::new();
    for group in folders(apis, disk)? {
        let mut versions = Vec::new();
        for version in folders(&apis.join(&group), disk)? {
            if names::is_kubernetes_version(&version)
                && disk.has_rust_files(&apis.join(&group).join(&version))?
            {
                versions.push(version);
            }
        }
        if !versions.is_empty() {
            groups.push(GroupVersions { group, versions });
        }
    }
    Ok(groups)
}

/// The folder of a group or version: named exactly so, or by the corresponding module name.
fn find(
    disk: &Disk,
    parent: &Path,
    name: &str,
    what: &str,
    diagnostics: &mut Diagnostics,
) -> Result<Option<String>, Error> {
    let module = names::plain_ident(&names::snake_case(name));
    for candidate in [name, &module] {
        if disk.is_dir(&parent.join(candidate)) {
            return Ok(Some(candidate.to_owned()));
        }
    }
    let mut diagnostic = Diagnostic::error(format!("{} has no {what} `{name}`", shown(parent)));
    let file = parent.join(format!("{module}.rs"));
    let present = folders(parent, disk)?;
    if disk.is_file(&file) {
        diagnostic = diagnostic.help(format!(
            "a {what} is a folder: move {} to {}",
            shown(&file),
            shown(&parent.join(&module).join("mod.rs"))
        ));
    } else if let Some(help) = correction(what, name, present.iter().map(String::as_str)) {
        diagnostic = diagnostic.help(help);
    }
    diagnostics.push(diagnostic);
    Ok(None)
}

/// The names of a folder's subfolders, sorted; hidden ones are left out.
fn folders(parent: &Path, disk: &Disk) -> Result<Vec<String>, Error> {
    let mut names: Vec<String> = disk
        .entries(parent)?
        .into_iter()
        .filter(|path| disk.is_dir(path))
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    Ok(names)
}
