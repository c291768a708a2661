//! Targets: where the output and the annotated types of a generation are located in a crate.

use std::path::{Component, Path, PathBuf};

use super::{
    Config, Error,
    layout::{Place, as_written, manifest_folder, module_help, shown, whole},
};
use crate::{diag::Diagnostic, generator::Home, options::Options};

/// The location of the output folder, and whether annotated types share its root.
#[derive(Debug, Default)]
pub(super) struct Target {
    /// The folder that plans are relative to.
    pub(super) root: PathBuf,
    /// The output folder, relative to the root.
    pub(super) below: PathBuf,
    /// Whether the folders of annotated types are below the root too, so that files can be
    /// generated beside them.
    pub(super) holds_apis: bool,
}

impl Target {
    /// The folder with clientset, listers and informers, relative to the root.
    pub(super) fn generated(&self, options: &Options) -> PathBuf {
        self.below.join(&options.generated)
    }

    /// The path of a folder of annotated types, relative to the source root.
    pub(super) fn apis_below(&self, folder: &Path) -> PathBuf {
        let place = Place::of(folder);
        if place.found {
            return place.below;
        }
        let below = whole(folder)
            .strip_prefix(whole(&self.root))
            .map(Path::to_owned);
        below.unwrap_or(place.below)
    }
}

impl Config {
    /// Relates the output folder to the folders of types.
    ///
    /// Generated code refers to types by paths that start with `crate`, and some files are
    /// generated beside the types, so all folders need a common root. There is no such root for
    /// build script output, nor if the caller set the base path and all output goes there.
    pub(super) fn target(&self) -> Result<Target, Error> {
        let out = self.out()?;
        let name = &self.options.generated;
        if let Some(help) = module_help(name) {
            let message = format!("the output folder's name `{name}` is not a legal module name");
            return Err(Error::Config(Diagnostic::error(message).help(help).into()));
        }
        self.check_apart(&out)?;
        let beside: Vec<&Path> = self.beside().map(|apis| apis.folder.as_path()).collect();
        if self.apis.is_empty() && self.base_path.is_some() {
            return Ok(Target {
                root: out,
                below: PathBuf::new(),
                holds_apis: false,
            });
        }
        let place = Place::of(&out);
        let mut folders = beside.iter().copied();
        let stranger = folders.find(|folder| !same_root(&place, folder));
        let target = Target {
            holds_apis: stranger.is_none(),
            root: place.root,
            below: place.below,
        };
        match stranger {
            Some(apis) if self.out.is_some() => {
                let separate = self.base_path.is_some() && !self.writes_beside();
                self.common_root(&out, &beside)
                    .or_else(|| separate.then_some(target))
                    .ok_or_else(|| apart(apis, &out))
            }
            _ => Ok(target),
        }
    }

    /// Types must not be in the folder that holds clientset, listers and informers: its `mod.rs` is
    /// generated and declares only those.
    fn check_apart(&self, out: &Path) -> Result<(), Error> {
        let generated = whole(&out.join(&self.options.generated));
        let mut folders = self.apis.iter().map(|apis| apis.folder.as_path());
        let Some(within) = folders.find(|folder| whole(folder).starts_with(&generated)) else {
            return Ok(());
        };
        let message = format!(
            "the output folder {} contains the types in {}",
            shown(&generated),
            shown(within)
        );
        let beside = within.with_file_name("generated");
        let help = format!(
            "name a folder that is only for clientset, listers and informers, such as {}",
            shown(&beside)
        );
        Err(Error::Config(Diagnostic::error(message).help(help).into()))
    }

    /// Whether files are generated beside annotated types.
    fn writes_beside(&self) -> bool {
        let emit = self.partial.as_ref().unwrap_or(&self.options.emit);
        let mut homes = emit.iter().map(|generator| generator.definition().home);
        homes.any(|home| matches!(home, Home::Beside { .. }))
    }

    /// The target in a crate without `src`: its root is the nearest folder with a `lib.rs` or
    /// `main.rs` that contains all folders of the configuration, else the nearest folder that
    /// contains them all. `None` if a folder is in a `src` or in another crate.
    fn common_root(&self, out: &Path, beside: &[&Path]) -> Option<Target> {
        let full = whole(out);
        let manifest = manifest_folder(&full);
        let mut common = full.clone();
        for apis in beside {
            let folder = whole(apis);
            if Place::of(apis).found || manifest_folder(&folder) != manifest {
                return None;
            }
            common = shared(&common, &folder);
        }
        let named = common
            .components()
            .any(|part| matches!(part, Component::Normal(_)));
        if Place::of(out).found || !named {
            return None;
        }
        let is_root =
            |folder: &Path| folder.join("lib.rs").is_file() || folder.join("main.rs").is_file();
        let root = common
            .ancestors()
            .take_while(|folder| manifest.is_some_and(|manifest| folder.starts_with(manifest)))
            .find(|folder| is_root(folder))
            .unwrap_or(&common);
        let below = full.strip_prefix(root).ok()?.to_owned();
        Some(Target {
            root: as_written(out, below.components().count()),
            below,
            holds_apis: true,
        })
    }
}

/// Whether a folder of types has the same source root as `place`.
fn same_root(place: &Place, folder: &Path) -> bool {
    let other = Place::of(folder);
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| whole(path));
    place.found && other.found && real(&place.root) == real(&other.root)
}

/// The deepest folder that contains both.
fn shared(a: &Path, b: &Path) -> PathBuf {
    let both = a.components().zip(b.components());
    both.take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
}

fn apart(apis: &Path, out: &Path) -> Error {
    let message = format!(
        "the types in {} and the output in {} have no source root in common",
        shown(apis),
        shown(out)
    );
    let help =
        "generated code names the types by a path from `crate`: put both below one crate's `src`";
    Error::Config(Diagnostic::error(message).help(help).into())
}
