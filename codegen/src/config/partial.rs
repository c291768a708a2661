//! Partial runs: some generators for some groups must not take away what the files of others use.

use std::path::PathBuf;

use super::{
    Config, Error,
    inputs::{GroupVersions, versions_in},
    layout::shown,
    target::Target,
};
use crate::{
    diag::Diagnostic,
    model::names,
    options::Generator,
    plan::{ChangeKind, Plan},
    source::Sources,
};

impl Config {
    /// Refuses to remove clients and listers of groups that were not named while their informers, which use them, stay.
    ///
    /// Groups whose types are gone are not held against a run: generators that run one by one have to start somewhere.
    pub(super) fn check_partial(
        &self,
        sources: &Sources,
        target: &Target,
        plan: &Plan,
    ) -> Result<(), Error> {
        let informer = Generator::Informer;
        if self
            .partial
            .as_ref()
            .is_none_or(|run| run.contains(&informer))
        {
            return Ok(());
        }
        let generated = target.generated(&self.options);
        let breaks = |module: &PathBuf| {
            let used = ["clientset/typed", "listers"].map(|dir| generated.join(dir).join(module));
            let is_removed = plan.changes().iter().any(|change| {
                change.kind == ChangeKind::Remove
                    && used.iter().any(|folder| change.path.starts_with(folder))
            });
            let user = generated.join("informers").join(module);
            is_removed && target.root.join(user).exists()
        };
        let unnamed = self.unnamed(sources, target)?.into_iter();
        let broken: Vec<String> = unnamed
            .filter(|(_, module)| breaks(module))
            .map(|(name, _)| name)
            .collect();
        if broken.is_empty() {
            return Ok(());
        }
        let message = format!(
            "informers of {} in {} use clients or listers that this run would remove",
            broken.join(", "),
            shown(&target.root.join(&generated))
        );
        let help = format!("name {} too, or run all generators", broken.join(" "));
        Err(Error::Config(Diagnostic::error(message).help(help).into()))
    }

    /// The versions beside those that were named: as they are named, and their module below `listers`.
    fn unnamed(&self, sources: &Sources, target: &Target) -> Result<Vec<(String, PathBuf)>, Error> {
        let mut unnamed = Vec::new();
        for apis in self.apis.iter().filter(|apis| !apis.groups.is_empty()) {
            let below = target.apis_below(&apis.folder);
            for GroupVersions { group, versions } in versions_in(&apis.folder)? {
                for version in versions {
                    let dir = below.join(&group).join(&version);
                    if sources.rust.iter().all(|package| package.dir != dir) {
                        let module = PathBuf::from(names::module_name(&group))
                            .join(names::plain_ident(&names::snake_case(&version)));
                        unnamed.push((format!("{group}:{version}"), module));
                    }
                }
            }
        }
        Ok(unnamed)
    }
}
