//! Targets: where a generation's output stands in a crate, and where its types do.

use std::path::{Component, Path, PathBuf};

use super::{
    Config, Error,
    layout::{Place, as_written, manifest_folder, module_help, shown, whole},
};
use crate::{diag::Diagnostic, emit::table::Home, options::Options};

/// Where the output folder stands, and whether annotated types stand below the same root.
#[derive(Debug, Default)]
pub(super) struct Target {
    /// The folder that plans are relative to.
    pub(super) root: PathBuf,
    /// The output folder below it.
    pub(super) below: PathBuf,
    /// Whether the folders of annotated types are below the root too, so that files may be written beside them.
    pub(super) holds_apis: bool,
}

impl Target {
    /// The folder below the root that holds clientset, listers and informers.
    pub(super) fn generated(&self, options: &Options) -> PathBuf {
        self.below.join(&options.generated)
    }

    /// Where a folder of annotated types stands below the source root.
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
    /// Generated code names types by a path that starts at `crate`, and some of it stands beside them, so all folders need
    /// one root. A build script's output has none, nor has output whose module the caller named, if all of it goes there.
    pub(super) fn target(&self) -> Result<Target, Error> {
        let out = self.out()?;
        let name = &self.options.generated;
        if let Some(help) = module_help(name) {
            let message = format!("the output folder's name `{name}` is not a legal module name");
            return Err(Error::Config(Diagnostic::error(message).help(help).into()));
        }
        self.check_apart(&out)?;
        if self.apis.is_empty() && self.base_path.is_some() {
            return Ok(Target {
                root: out,
                below: PathBuf::new(),
                holds_apis: false,
            });
        }
        let place = Place::of(&out);
        let mut folders = self.apis.iter().map(|apis| apis.folder.as_path());
        let stranger = folders.find(|folder| !same_root(&place, folder));
        let target = Target {
            holds_apis: stranger.is_none(),
            root: place.root,
            below: place.below,
        };
        match stranger {
            Some(apis) if self.out.is_some() => {
                let separate = self.base_path.is_some() && !self.writes_beside();
                self.common_root(&out)
                    .or_else(|| separate.then_some(target))
                    .ok_or_else(|| apart(apis, &out))
            }
            _ => Ok(target),
        }
    }

    /// Types do not stand in the folder that gets clientset, listers and informers: its `mod.rs` is generated, and declares
    /// these alone.
    fn check_apart(&self, out: &Path) -> Result<(), Error> {
        let generated = whole(&out.join(&self.options.generated));
        let mut folders = self.apis.iter().map(|apis| apis.folder.as_path());
        let Some(within) = folders.find(|folder| whole(folder).starts_with(&generated)) else {
            return Ok(());
        };
        let message = format!(
            "the output {} holds the types in {}",
            shown(&generated),
            shown(within)
        );
        let beside = within.with_file_name("generated");
        let help = format!(
            "name a folder for clientset, listers and informers alone, such as {}",
            shown(&beside)
        );
        Err(Error::Config(Diagnostic::error(message).help(help).into()))
    }

    /// Whether anything is generated beside annotated types.
    fn writes_beside(&self) -> bool {
        let emit = self.partial.as_ref().unwrap_or(&self.options.emit);
        let mut homes = emit.iter().map(|generator| generator.definition().home);
        homes.any(|home| matches!(home, Home::Beside { .. }))
    }

    /// The target in a crate without `src`: its root is the nearest folder with a `lib.rs` or `main.rs` that holds all
    /// folders of the configuration, or else the nearest one that does. None if a folder is in a `src`, or in another
    /// crate.
    fn common_root(&self, out: &Path) -> Option<Target> {
        let full = whole(out);
        let manifest = manifest_folder(&full);
        let mut common = full.clone();
        for apis in &self.apis {
            let folder = whole(&apis.folder);
            if Place::of(&apis.folder).found || manifest_folder(&folder) != manifest {
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

/// Whether a folder of types has the source root of a place too.
fn same_root(place: &Place, folder: &Path) -> bool {
    let other = Place::of(folder);
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| whole(path));
    place.found && other.found && real(&place.root) == real(&other.root)
}

/// The folder that holds both.
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
