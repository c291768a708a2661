//! Placement: where generated files go below the root, and which files a configuration owns.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::{Config, Error, layout::Place, target::Target};
use crate::{
    emit,
    generator::Generator,
    options::Options,
    output::{OrphanSearch, Tree, format},
    read::Sources,
};

impl Config {
    /// Moves the tree below the root: files that belong beside annotated Rust stay there, all
    /// others go to the output folder.
    pub(super) fn place(
        &self,
        tree: Tree,
        sources: &Sources,
        target: &Target,
        options: &Options,
    ) -> Result<Tree, Error> {
        let beside = |path: &Path| {
            sources
                .rust
                .iter()
                .any(|package| path.starts_with(&package.dir))
        };
        let wanted = |path: &Path| {
            self.partial
                .as_ref()
                .zip(Generator::of(path, Path::new("generated")))
                .is_none_or(|(partial, generator)| partial.contains(&generator))
        };
        let mut placed: Tree = tree
            .into_iter()
            .filter(|(path, _)| wanted(path))
            .map(|(path, text)| {
                let placed = match path.strip_prefix("generated") {
                    Ok(below) => target.generated(options).join(below),
                    Err(_) if beside(&path) => path,
                    Err(_) => target.below.join(path),
                };
                (placed, text)
            })
            .collect();
        if let Some((name, text)) = self.include_text(&placed, target, options)? {
            placed.insert(target.below.join(name), text);
        }
        Ok(placed)
    }

    /// The file that declares the modules of the output folder.
    fn include_text(
        &self,
        tree: &Tree,
        target: &Target,
        options: &Options,
    ) -> Result<Option<(String, String)>, Error> {
        let default = self.out.is_none().then(|| "mod.rs".to_owned());
        let Some(name) = self.include_file.clone().or(default) else {
            return Ok(None);
        };
        let modules: BTreeSet<_> = tree
            .keys()
            .filter_map(|path| {
                path.strip_prefix(&target.below)
                    .ok()?
                    .iter()
                    .next()?
                    .to_str()
            })
            .map(|name| name.trim_end_matches(".rs"))
            .collect();
        let idents = modules.iter().map(|name| emit::ident(name));
        let text = format::included_file(
            options.header.as_deref(),
            quote::quote! { #(pub mod #idents;)* },
        );
        match text {
            Ok(text) => Ok(Some((name, text))),
            Err(message) => Err(Error::Input(crate::Diagnostic::error(message).into())),
        }
    }

    /// The folders in which to search for files that are no longer generated.
    pub(super) fn scope(&self, sources: &Sources, target: &Target) -> OrphanSearch {
        let generated = target.generated(&self.options);
        let mut folders = BTreeSet::from([generated.clone()]);
        if target.holds_apis {
            folders.extend(sources.rust.iter().map(|package| package.dir.clone()));
        }
        if self.partial.is_none() {
            folders.extend(self.owned_apis(sources, target));
        }
        OrphanSearch {
            folders,
            generated,
            only: self.partial.clone(),
        }
    }

    /// The folders of types that this configuration owns exclusively. If it selects groups, those
    /// of other groups are not owned.
    fn owned_apis(&self, sources: &Sources, target: &Target) -> BTreeSet<PathBuf> {
        let groups = sources
            .rust
            .iter()
            .filter_map(|package| package.dir.parent());
        let mut folders: BTreeSet<PathBuf> = groups.map(Path::to_owned).collect();
        let whole = self.beside().filter(|apis| apis.groups.is_empty());
        folders.extend(whole.map(|apis| Place::of(&apis.folder).below));
        if !self.crds.is_empty() || self.apis.iter().all(|apis| apis.groups.is_empty()) {
            folders.insert(target.below.join("apis"));
        }
        folders
    }
}
