//! Configuration: what to generate for one crate, from which inputs to which folders.
//!
//! [`Config`] is the one struct shared by build scripts (its builder methods), `codegen.toml`
//! ([`Workspace`]) and the command line. It loads the inputs, runs the generator and plans the
//! output; [`output::apply`](crate::output::apply) does the rest.

mod advice;
mod build_script;
#[cfg(feature = "cli")]
pub(crate) mod compatibility;
mod crate_inputs;
mod crate_markers;
mod crd_fields;
mod crd_files;
#[cfg(feature = "cli")]
mod definitions;
mod dependencies;
mod disk;
mod error;
mod evaluate;
mod evaluated_program;
mod features;
mod fetched;
mod file;
#[cfg(feature = "go")]
#[doc(hidden)]
pub mod go;
#[cfg(feature = "cli")]
pub(crate) mod history;
mod inputs;
mod keys;
mod layout;
#[cfg(feature = "cli")]
mod lint;
mod load;
mod manifest;
mod members;
mod modules;
mod names;
mod options;
mod partial;
mod place;
mod prepare;
mod reference;
mod table;
mod target;
mod types;
mod written;

use std::{collections::BTreeSet, env, path::PathBuf};

pub use error::Error;
pub use file::{FILE_NAME, Workspace};
#[doc(hidden)]
pub use layout::shown;
pub(crate) use members::{admits, is_workspace};
pub use prepare::{Prepared, Report};
#[doc(hidden)]
pub use prepare::{check_modules, lock_all, prepare_all};
#[doc(hidden)]
pub use reference::{reference_page, reference_schema, reference_text};

use crate::{
    generator::Generator,
    options::{Basis, Manifests, Options},
};
use inputs::{Apis, CrdInput, GoInput, GroupVersions};
use layout::Place;

/// The generation for one crate: inputs, options and the output folder.
///
/// In a build script:
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// kube_codegen::Config::new()
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
    pub(crate) features: features::Selection,
    pub(crate) crds: Vec<CrdInput>,
    pub(crate) go: Vec<GoInput>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) base_path: Option<String>,
    pub(crate) include_file: Option<String>,
    /// The folder that manifests are written to, and whether only manifests are written.
    pub(crate) manifests: Option<(PathBuf, Only)>,
    pub(crate) partial: Option<BTreeSet<Generator>>,
    /// Whether rules and webhooks are read from all files of the crate.
    pub(crate) crate_markers: bool,
    /// What its CRDs have to be compatible with.
    #[cfg(feature = "cli")]
    pub(crate) compatibility: Option<compatibility::Compatibility>,
    /// The conventions that its API is held against.
    #[cfg(feature = "cli")]
    pub(crate) conventions: Option<lint::Conventions>,
    /// The file system that inputs are read from.
    pub(crate) disk: disk::Disk,
    /// The `codegen.toml` and line of the section that declares this configuration, for messages.
    pub(crate) origin: Option<String>,
}

/// Whether a run is restricted to manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Only {
    /// Only manifests are written.
    Manifests,
    /// No restriction: code and manifests are written.
    Nothing,
}

/// Receives the progress of a generation.
pub trait Progress: Sync {
    /// Starts a stage of `steps` steps.
    fn start(&self, stage: &'static str, steps: usize);
    /// Reports that a step of the stage is done; called from several threads.
    fn step(&self);
}

/// Reports no progress.
impl Progress for () {
    fn start(&self, _stage: &'static str, _steps: usize) {}
    fn step(&self) {}
}

impl Config {
    /// Creates a configuration without inputs, with all generators and output to `OUT_DIR`.
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

    /// Reads CRDs from standard input.
    #[must_use]
    pub fn crds_from_stdin(mut self) -> Self {
        self.crds.push(CrdInput::Stdin);
        self
    }

    /// Adds Go packages of the module that contains `dir`: folders relative to it (`./api/v1`),
    /// import paths, or either with `...`. Sources come from the module, its `vendor` folder and
    /// the module cache. Nothing is downloaded, and no Go toolchain is needed.
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

    /// Adds a folder of annotated Rust with all its `<group>/<version>` folders.
    #[must_use]
    pub fn apis(mut self, folder: impl Into<PathBuf>) -> Self {
        self.apis.push(Apis {
            folder: folder.into(),
            groups: Vec::new(),
        });
        self
    }

    /// Adds a folder of annotated Rust with the specified groups, each written
    /// `<group>:<version>[,<version>…]`.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for each malformed group.
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

    /// Selects the generators to run instead of all; generators that their output depends on run
    /// too.
    #[must_use]
    pub fn emit(mut self, generators: impl IntoIterator<Item = Generator>) -> Self {
        self.options.emit = Generator::with_needed(generators);
        self
    }

    /// The folder that `apis` and `generated` are written to, instead of `OUT_DIR`.
    #[must_use]
    pub fn out_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.out = Some(folder.into());
        self
    }

    /// The module path of the output folder, such as `crate::kubernetes`. By default it follows
    /// from the position of the output folder in the crate's `src`; outside of `src` it is `crate`.
    #[must_use]
    pub fn base_path(mut self, path: impl Into<String>) -> Self {
        self.base_path = Some(path.into());
        self
    }

    /// Ignores markers of other tools in annotated Rust: names, or prefixes followed by `*`
    /// (`operator-sdk:*`).
    #[must_use]
    pub fn ignore_markers(mut self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let patterns = patterns.into_iter().map(Into::into);
        self.options.ignored_markers.extend(patterns);
        self
    }

    /// Turns on features of crates whose kinds derive kube's `CustomResource`, besides their
    /// default features: `cfg` and `cfg_attr` on features decide what is read.
    #[must_use]
    pub fn features(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.features
            .names
            .extend(names.into_iter().map(Into::into));
        self
    }

    /// Turns on all features of these crates.
    #[must_use]
    pub const fn all_features(mut self, all: bool) -> Self {
        self.features.all = all;
        self
    }

    /// Whether the default features of these crates are on (they are).
    #[must_use]
    pub const fn default_features(mut self, on: bool) -> Self {
        self.features.without_default = !on;
        self
    }

    /// Reads RBAC and webhook markers (`+kubebuilder:rbac`, `+kubebuilder:webhook`) from all files
    /// of the crate, not only from those of its types.
    #[must_use]
    pub const fn crate_markers(mut self, read: bool) -> Self {
        self.crate_markers = read;
        self
    }

    /// Also writes a file of this name that declares the modules of the output folder, to be
    /// included by the module that [`base_path`](Self::base_path) names. By default, `mod.rs` if
    /// the output folder is `OUT_DIR`, and no file otherwise.
    #[must_use]
    pub fn include_file(mut self, name: impl Into<String>) -> Self {
        self.include_file = Some(name.into());
        self
    }

    /// A license header for every file, from a file.
    #[must_use]
    pub fn header_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.header_file = Some(path.into());
        self
    }

    /// Also writes manifests below the crate's folder: CRDs, and the roles and webhook
    /// configurations that its markers declare.
    #[must_use]
    pub fn manifests(mut self, folder: impl Into<PathBuf>, manifests: Manifests) -> Self {
        self.set_manifests(folder.into(), manifests);
        self
    }

    pub(crate) fn set_manifests(&mut self, folder: PathBuf, manifests: Manifests) {
        self.crate_markers |= manifests.need(Basis::Markers);
        self.options.manifests = Some(manifests.with_plain_paths());
        self.manifests = Some((folder, Only::Nothing));
    }

    /// The file of webhook configurations, relative to the crate's folder; `None` if none is
    /// written.
    #[must_use]
    pub fn webhook_configurations(&self) -> Option<&str> {
        self.options.manifests.as_ref()?.webhooks.as_deref()
    }

    /// Writes only manifests and no code; writes nothing if no manifests were requested.
    #[must_use]
    pub fn manifests_only(mut self) -> Self {
        self.options.emit.clear();
        if let Some((_, only)) = &mut self.manifests {
            *only = Only::Manifests;
        }
        self
    }

    /// Reads inputs as if the file at `path` already had the contents `text`, or, without `text`,
    /// as if the file or folder were removed. For runs that generate from input that they also
    /// write.
    #[must_use]
    pub fn planned_input(mut self, path: &std::path::Path, text: Option<String>) -> Self {
        self.disk.plan(path, text);
        self
    }

    /// Whether annotated Rust is read from `folder`.
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

    /// Restricts the run to these generators. Output of other generators is kept and stays
    /// declared.
    #[must_use]
    pub fn partial(mut self, generators: BTreeSet<Generator>) -> Self {
        self.partial = Some(generators);
        self
    }

    /// The options passed to the generator, except those that depend on the disk (header, base
    /// path).
    #[must_use]
    pub const fn generator_options(&self) -> &Options {
        &self.options
    }

    /// The output folder. If only manifests are written, the source root of the types.
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
