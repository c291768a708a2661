//! Types that stay where they stand: inputs that are crates, and the paths by which generated code
//! names them.

use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
};

use super::{
    Config, Error,
    dependencies::Dependencies,
    disk::Disk,
    inputs::{
        Apis, annotated, load_apis, load_beside, load_crate, mentions_kinds, source_root,
        versions_in,
    },
    layout::{self, manifest_folder, root_name, whole},
    manifest::CargoManifest,
    members::members,
    target::Target,
};
use crate::{kubernetes::TypesVersion, options::Options, read::Sources, source::RustLink};

/// The folder that an input names by default, in its crate.
const DEFAULT: &str = "src/apis";

/// Returns the folder or file of an input that is a crate, or a part of one, whose kinds declare
/// their group and version themselves; `None` if the input consists of folders
/// `<group>/<version>/`, beside whose files code is generated.
pub(super) fn crate_of(apis: &Apis, disk: &Disk) -> Option<Apis> {
    let given = |folder: &Path| Apis {
        folder: folder.to_owned(),
        groups: Vec::new(),
    };
    let folder = &apis.folder;
    if !apis.groups.is_empty() {
        return None;
    }
    if disk.is_file(folder) || disk.is_file(&folder.join("Cargo.toml")) {
        return Some(given(folder));
    }
    if !disk.is_dir(folder) {
        let around = folder.ends_with(DEFAULT).then(|| folder.ancestors().nth(2));
        let source = around.flatten()?.join("src");
        return mentions_kinds(&source, disk)
            .is_ok_and(|has_kinds| has_kinds)
            .then(|| given(&source));
    }
    let versions = versions_in(folder, disk).unwrap_or_default();
    let has_module = versions.iter().any(|it| {
        let group = folder.join(&it.group);
        let mut versions = it.versions.iter();
        versions.any(|version| disk.is_file(&group.join(version).join("mod.rs")))
    });
    let is_crate = !has_module && mentions_kinds(folder, disk).is_ok_and(|has_kinds| has_kinds);
    is_crate.then(|| given(folder))
}

/// The source root of a crate whose folder is named; otherwise the path itself.
pub(super) fn root_of(apis: &Apis, disk: &Disk) -> Apis {
    let (library, file) = source_root(&apis.folder, disk);
    let source = apis.folder.join("src");
    let folder = match disk.is_file(&apis.folder.join("Cargo.toml")) {
        true if file.is_some() => library,
        true if disk.is_dir(&source) => source,
        _ => apis.folder.clone(),
    };
    Apis {
        folder,
        groups: Vec::new(),
    }
}

impl Config {
    /// Reads folders of versions, or the crates of a workspace, or a crate or a part of it.
    pub(super) fn read_apis(
        &self,
        apis: &Apis,
        target: Option<&Target>,
        options: &Options,
        sources: &mut Sources,
    ) -> Result<(), Error> {
        let is_read_whole = options.emit.is_empty() && apis.groups.is_empty();
        let standing = crate_of(apis, &self.disk).or_else(|| is_read_whole.then(|| apis.clone()));
        let Some(apis) = standing else {
            return self.read_versions(apis, target, sources);
        };
        let members = members(&apis, &self.disk)?;
        for member in &members {
            self.read_crate(member, true, target, sources)?;
        }
        if members.is_empty() {
            let apis = root_of(&apis, &self.disk);
            self.read_crate(&apis, false, target, sources)?;
        }
        if let Some(target) = target.filter(|_| !options.emit.is_empty()) {
            let paths = self.crate_paths(target)?;
            for source in &mut sources.rust_crates {
                source.paths.clone_from(&paths);
            }
        }
        Ok(())
    }

    /// Reads the kinds of a crate or a part of it, in folders of versions and anywhere else.
    fn read_crate(
        &self,
        apis: &Apis,
        is_member: bool,
        target: Option<&Target>,
        sources: &mut Sources,
    ) -> Result<(), Error> {
        let loading = (&self.disk, &self.features);
        let crates = &mut sources.rust_crates;
        match annotated(apis, &self.disk)? {
            None => load_crate(apis, is_member, loading, crates),
            Some(annotated) => {
                load_beside(&apis.folder, &annotated, loading, crates)?;
                self.read_versions(&annotated, target, sources)
            }
        }
    }

    /// Reads folders of versions.
    fn read_versions(
        &self,
        apis: &Apis,
        target: Option<&Target>,
        sources: &mut Sources,
    ) -> Result<(), Error> {
        let below = target.map_or_else(
            || layout::Place::of(&apis.folder).below,
            |target| target.apis_below(&apis.folder),
        );
        sources.rust.extend(load_apis(apis, &below, &self.disk)?);
        Ok(())
    }

    /// The inputs beside whose files code is generated.
    pub(super) fn beside(&self) -> impl Iterator<Item = &Apis> {
        let all = self.apis.iter();
        all.filter(|apis| crate_of(apis, &self.disk).is_none())
    }

    /// The Kubernetes version whose types the crates use, by their features of k8s-openapi: the
    /// latest, if these differ, since the server drops what a schema lacks.
    pub(super) fn types_version(&self) -> Option<TypesVersion> {
        let versions = self.apis.iter().flat_map(|apis| {
            let members = members(apis, &self.disk).unwrap_or_default();
            let crates = match members.is_empty() {
                true => vec![apis.folder.clone()],
                false => members.into_iter().map(|it| it.folder).collect(),
            };
            crates.into_iter().filter_map(|folder| {
                let folder = whole(&folder);
                let manifest = CargoManifest::read(manifest_folder(&folder)?, &self.disk)?;
                let requirements = manifest.requirements().into_iter();
                let mut openapi =
                    requirements.filter(|it| it.key.replace('_', "-") == "k8s-openapi");
                let openapi = openapi.next()?;
                let release = openapi.version.as_deref();
                let of = |feature: &str| TypesVersion::of_feature(feature, release);
                // A library leaves the choice to programs, and most of these choose the latest.
                let mut chosen = openapi.features.iter().filter_map(|it| of(it));
                chosen.next().or_else(|| of("latest"))
            })
        });
        versions.max()
    }

    /// The paths by which code in the output folder names crates, by source root: `crate` for its
    /// own, and the names of those that this depends on by path.
    pub(super) fn crate_paths(&self, target: &Target) -> Result<BTreeMap<String, String>, Error> {
        let root = match (&self.out, env::var_os("CARGO_MANIFEST_DIR")) {
            // A build script's output belongs to its crate.
            (None, Some(folder)) => PathBuf::from(folder).join("src"),
            _ => target.root.clone(),
        };
        let features = self.features.of(&root, &self.disk).unwrap_or_default();
        let dependencies = Dependencies::of(&root, features.as_ref(), &[], &self.disk)?;
        let names = dependencies.names.into_iter();
        let named = names.filter_map(|(name, link)| match link {
            RustLink::Read(root) => Some((root, format!("::{name}"))),
            RustLink::Unread(_) => None,
        });
        let mut paths: BTreeMap<String, String> = named.collect();
        paths.insert(root_name(&root), "crate".to_owned());
        Ok(paths)
    }
}
