//! Configuration: what one crate wants generated, from where to where.
//!
//! [`Config`] is the one struct behind build scripts (its builder methods), `codegen.toml` ([`Workspace`]) and the command
//! line. It loads the inputs, runs the generator and plans the output; [`output::apply`](crate::output::apply) does the rest.

mod advice;
mod build_script;
mod crate_markers;
mod disk;
mod error;
mod file;
#[cfg(feature = "go")]
pub mod go;
mod inputs;
mod keys;
mod layout;
mod names;
mod partial;
mod place;
mod prepare;
mod reference;
mod table;
mod target;
mod type_options;
mod types;

use std::{collections::BTreeSet, env, path::PathBuf};

pub use error::Error;
pub use file::{FILE_NAME, Workspace};
pub use layout::shown;
pub use prepare::{Prepared, Report, prepare_all};
pub use reference::{reference_page, reference_schema, reference_text};

use crate::{
    emit::Generator,
    options::{Compat, Faulty, KubernetesTypes, KubernetesVersion, Manifests, Options},
};
use inputs::{Apis, CrdInput, GoInput, GroupVersions};
use layout::Place;

/// The generation for one crate: inputs, options and the output folder.
///
/// In a build script:
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// codegen::Config::new()
///     .crds(["crds"])
///     .base_path("crate::kubernetes")
///     .generate()?;
/// # Ok(())
/// # }
/// ```
///
/// and in the crate:
///
/// ```ignore
/// pub mod kubernetes {
///     include!(concat!(env!("OUT_DIR"), "/mod.rs"));
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    pub(crate) options: Options,
    pub(crate) header_file: Option<PathBuf>,
    pub(crate) names_file: names::NamesFile,
    pub(crate) apis: Vec<Apis>,
    pub(crate) crds: Vec<CrdInput>,
    pub(crate) go: Vec<GoInput>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) base_path: Option<String>,
    pub(crate) include_file: Option<String>,
    /// The folder that manifests go to, and whether nothing else is written.
    pub(crate) manifests: Option<(PathBuf, Only)>,
    pub(crate) partial: Option<BTreeSet<Generator>>,
    /// Whether rules and webhooks are read from every file of the crate.
    pub(crate) crate_markers: bool,
    /// The files as inputs see them.
    pub(crate) disk: disk::Disk,
    /// Name of the `codegen.toml` and line of the section that this comes from, for messages.
    pub(crate) origin: Option<String>,
}

/// Whether a run writes code too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Only {
    /// Manifests alone.
    Manifests,
    /// Code and manifests.
    Nothing,
}

/// Receives the progress of a generation.
pub trait Progress: Sync {
    /// A stage of so many steps begins.
    fn start(&self, stage: &'static str, steps: usize);
    /// A step of the stage is done; called from several threads.
    fn step(&self);
}

/// Says nothing.
impl Progress for () {
    fn start(&self, _stage: &'static str, _steps: usize) {}
    fn step(&self) {}
}

impl Config {
    /// No input yet, every generator, output to `OUT_DIR`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds CRD files, or folders with all their `.yaml`, `.yml` and `.json` files.
    #[must_use]
    pub fn crds(mut self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        let paths = paths.into_iter().map(|path| CrdInput::Path(path.into()));
        self.crds.extend(paths);
        self
    }

    /// Adds CRDs from standard input.
    #[must_use]
    pub fn crds_from_stdin(mut self) -> Self {
        self.crds.push(CrdInput::Stdin);
        self
    }

    /// Adds Go packages of the module that a folder belongs to: folders relative to it (`./api/v1`), import paths, or either
    /// with `...`. Sources come from the module, its `vendor` folder and the module cache; nothing is fetched, and no Go
    /// toolchain is needed.
    #[must_use]
    #[cfg(feature = "go")]
    pub fn go(
        mut self,
        dir: impl Into<PathBuf>,
        packages: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.go.push(GoInput {
            dir: dir.into(),
            packages: packages.into_iter().map(Into::into).collect(),
        });
        self
    }

    /// Names the Rust type to use in place of a Go type, which is named by import path and name (`github.com/x/y/v1.Z`), or
    /// by a name without a path renames what is generated for it.
    #[must_use]
    pub fn type_path(mut self, go: impl Into<String>, rust: impl Into<String>) -> Self {
        self.options.type_paths.insert(go.into(), rust.into());
        self
    }

    /// Adds a folder of annotated Rust with every `<group>/<version>` in it.
    #[must_use]
    pub fn apis(mut self, folder: impl Into<PathBuf>) -> Self {
        self.apis.push(Apis {
            folder: folder.into(),
            groups: Vec::new(),
        });
        self
    }

    /// Adds a folder of annotated Rust with the given groups, each written `<group>:<version>[,<version>…]`.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for each group that is not written so.
    pub fn api_groups<'a>(
        mut self,
        folder: impl Into<PathBuf>,
        groups: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, Error> {
        let mut diagnostics = crate::Diagnostics::new();
        let mut parsed = Vec::new();
        for group in groups {
            match GroupVersions::parse(group) {
                Ok(group) => parsed.push(group),
                Err(message) => diagnostics.push(crate::Diagnostic::error(message)),
            }
        }
        self.apis.push(Apis {
            folder: folder.into(),
            groups: parsed,
        });
        diagnostics.finish(self).map_err(Error::Config)
    }

    /// The generators to run, instead of all; those that their output does not compile without run too.
    #[must_use]
    pub fn emit(mut self, generators: impl IntoIterator<Item = Generator>) -> Self {
        self.options.emit = Generator::with_needed(generators);
        self
    }

    /// The folder that gets `apis` and `generated`, instead of `OUT_DIR`.
    #[must_use]
    pub fn out_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.out = Some(folder.into());
        self
    }

    /// The module that the output folder is, such as `crate::kubernetes`. By default it follows from where the output
    /// folder stands below the crate's `src`; outside of one it is `crate`.
    #[must_use]
    pub fn base_path(mut self, path: impl Into<String>) -> Self {
        self.base_path = Some(path.into());
        self
    }

    /// The name of the module that holds clientset, listers and informers, instead of `generated`.
    #[must_use]
    pub fn generated_module(mut self, name: impl Into<String>) -> Self {
        self.options.generated = name.into();
        self
    }

    /// Passes over the markers of other tools in annotated Rust: names, or beginnings with `*` after them (`operator-sdk:*`).
    #[must_use]
    pub fn ignore_markers(mut self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let patterns = patterns.into_iter().map(Into::into);
        self.options.ignored_markers.extend(patterns);
        self
    }

    /// Reads the markers of rules and webhooks (`+kubebuilder:rbac`, `+kubebuilder:webhook`) from every file of the crate, not
    /// only from those of its types.
    #[must_use]
    pub const fn crate_markers(mut self, read: bool) -> Self {
        self.crate_markers = read;
        self
    }

    /// Puts each group behind a feature of its module's name.
    #[must_use]
    pub fn group_features(mut self, features: bool) -> Self {
        self.options.group_features = features;
        self
    }

    /// Puts each kind of each version behind a feature of its own, such as `cloudnative_v1alpha1_virtual_machine`; each group's
    /// feature stands for all its kinds.
    #[must_use]
    pub fn kind_features(mut self, features: bool) -> Self {
        self.options.kind_features = features;
        self
    }

    /// Also writes a file of this name that declares the modules of the output folder, to be included by the module that
    /// [`base_path`](Self::base_path) names. `mod.rs` by default where the output goes to `OUT_DIR`, none elsewhere.
    #[must_use]
    pub fn include_file(mut self, name: impl Into<String>) -> Self {
        self.include_file = Some(name.into());
        self
    }

    /// A license header for every file, as text.
    #[must_use]
    pub fn header(mut self, text: impl Into<String>) -> Self {
        self.options.header = Some(text.into());
        self
    }

    /// A license header for every file, from a file.
    #[must_use]
    pub fn header_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.header_file = Some(path.into());
        self
    }

    /// The runtime crate's path in generated code, instead of `::codegen_runtime`.
    #[must_use]
    pub fn runtime_path(mut self, path: impl Into<String>) -> Self {
        self.options.runtime_path = path.into();
        self
    }

    /// The path of `k8s_openapi` in generated code.
    #[must_use]
    pub fn k8s_openapi_path(mut self, path: impl Into<String>) -> Self {
        self.options.k8s_openapi_path = Some(path.into());
        self
    }

    /// Whether types also derive `schemars::JsonSchema`.
    #[must_use]
    pub fn schemars(mut self, derive: bool) -> Self {
        self.options.schemars = derive;
        self
    }

    /// Whether types from CRDs have an alias for each path of the schema, named after all of it.
    #[must_use]
    pub fn aliases(mut self, aliases: bool) -> Self {
        self.options.aliases = aliases;
        self
    }

    /// Which schemas of CRDs become types of k8s-openapi.
    #[must_use]
    pub const fn kubernetes_types(mut self, which: KubernetesTypes) -> Self {
        self.options.kubernetes_types = which;
        self
    }

    /// The least version of Kubernetes that k8s-openapi is compiled for, by its features. Schemas with fields of that version
    /// become types of k8s-openapi, too; with a feature of an earlier version the types don't compile.
    #[must_use]
    pub const fn kubernetes_version(mut self, least: KubernetesVersion) -> Self {
        self.options.kubernetes_version = Some(least);
        self
    }

    /// Keeps only the CRDs of this group, and of others that are given.
    #[must_use]
    pub fn group(mut self, group: impl Into<String>) -> Self {
        self.options.filters.groups.push(group.into());
        self
    }

    /// Keeps only this version, and others that are given.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.options.filters.versions.push(version.into());
        self
    }

    /// Keeps versions that are not served too: their types, without clients.
    #[must_use]
    pub const fn all_versions(mut self, all_versions: bool) -> Self {
        self.options.filters.unserved = all_versions;
        self
    }

    /// Keeps of each kind the version alone that is stored.
    #[must_use]
    pub const fn storage_version_only(mut self, only: bool) -> Self {
        self.options.filters.stored_only = only;
        self
    }

    /// Generates for the other CRDs where some have errors, which [`Prepared::skipped`] and [`Generated`](crate::Generated) list.
    #[must_use]
    pub const fn keep_going(mut self, keep_going: bool) -> Self {
        self.options.faulty = if keep_going {
            Faulty::Skipped
        } else {
            Faulty::Refused
        };
        self
    }

    /// Keeps only this kind, and others that are given.
    #[must_use]
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.options.filters.kinds.push(kind.into());
        self
    }

    /// Names the type at a path of the schema (`VirtualMachine.spec.resource`).
    #[must_use]
    pub fn rename(mut self, path: impl Into<String>, name: impl Into<String>) -> Self {
        self.options.renames.insert(path.into(), name.into());
        self
    }

    /// Also writes manifests, below the folder of the crate: CRDs, the roles and the webhook configurations of its markers.
    #[must_use]
    pub fn manifests(mut self, folder: impl Into<PathBuf>, manifests: Manifests) -> Self {
        self.set_manifests(folder.into(), manifests);
        self
    }

    pub(crate) fn set_manifests(&mut self, folder: PathBuf, manifests: Manifests) {
        self.crate_markers |= manifests.roles.is_some() || manifests.webhooks.is_some();
        self.options.manifests = Some(manifests.with_plain_paths());
        self.manifests = Some((folder, Only::Nothing));
    }

    /// The file of the webhook configurations, below the folder of the crate; none where none are written.
    #[must_use]
    pub fn webhook_configurations(&self) -> Option<&str> {
        self.options.manifests.as_ref()?.webhooks.as_deref()
    }

    /// Writes the manifests alone, and no code; nothing where none were asked for.
    #[must_use]
    pub fn manifests_only(mut self) -> Self {
        self.options.emit.clear();
        if let Some((_, only)) = &mut self.manifests {
            *only = Only::Manifests;
        }
        self
    }

    /// Reads inputs as if `text` stood in the file at `path` already, or, without a text, as if the file or folder were gone: what a
    /// run generates from that also writes its input.
    #[must_use]
    pub fn planned_input(mut self, path: &std::path::Path, text: Option<String>) -> Self {
        self.disk.plan(path, text);
        self
    }

    /// Whether annotated Rust is read from the folder.
    #[must_use]
    pub fn reads_rust(&self, folder: &std::path::Path) -> bool {
        let folder = layout::normalize(folder);
        let mut folders = self.apis.iter().map(|apis| layout::normalize(&apis.folder));
        folders.any(|own| own == folder)
    }

    /// Whether manifests are written.
    #[must_use]
    pub const fn has_manifests(&self) -> bool {
        self.manifests.is_some()
    }

    /// Whose reading of markers holds where controller-gen's lets mistakes pass.
    #[must_use]
    pub const fn compat(mut self, compat: Compat) -> Self {
        self.options.compat = compat;
        self
    }

    /// Restricts the run to these generators: what others have written before stays, and stays declared.
    #[must_use]
    pub fn partial(mut self, generators: BTreeSet<Generator>) -> Self {
        self.partial = Some(generators);
        self
    }

    /// The options that the generator itself is given, except what depends on the disk (header, base path).
    #[must_use]
    pub const fn generator_options(&self) -> &Options {
        &self.options
    }

    /// The output folder; where only manifests are written, the types' source root stands for it.
    fn out(&self) -> Result<PathBuf, Error> {
        let of_types = || {
            let (_, only) = self.manifests.as_ref()?;
            let root = self.apis.first().map(|apis| Place::of(&apis.folder).root);
            (*only == Only::Manifests).then(|| root.unwrap_or_default())
        };
        self.out
            .clone()
            .or_else(of_types)
            .or_else(|| env::var_os("OUT_DIR").map(PathBuf::from))
            .ok_or(Error::NoOutput)
    }
}
