//! Partial runs: runs of some generators for some groups must not remove files that other output
//! uses.

use std::path::PathBuf;

use super::{
    Config, Error,
    inputs::{GroupVersions, versions_in},
    layout::shown,
    target::Target,
};
use crate::{
    diag::Diagnostic,
    generator::{Generator, Home},
    model::names,
    output::{ChangeKind, Plan},
    read::Sources,
};

impl Config {
    /// Rejects a run that would remove modules of groups that it does not select while remaining
    /// output uses them, such as the client and the lister of an informer.
    ///
    /// Groups whose types were deleted are exempt: otherwise generators that run one by one could
    /// never remove them.
    pub(super) fn check_partial(
        &self,
        sources: &Sources,
        target: &Target,
        plan: &Plan,
    ) -> Result<(), Error> {
        let Some(run) = &self.partial else {
            return Ok(());
        };
        let generated = target.generated(&self.options);
        let breaks = |user: Generator, module: &PathBuf| {
            let uses = user.definition().uses;
            let is_removed = plan.changes().iter().any(|change| {
                let owner = Generator::of(&change.path, &generated);
                change.kind == ChangeKind::Remove
                    && owner.is_some_and(|owner| uses.contains(&owner))
                    && change.path.ancestors().any(|path| path.ends_with(module))
            });
            let Home::Generated(home) = user.definition().home else {
                return false;
            };
            is_removed
                && target
                    .root
                    .join(&generated)
                    .join(home)
                    .join(module)
                    .exists()
        };
        let unnamed = self.unnamed(sources, target)?.into_iter();
        let unnamed: Vec<_> = unnamed.collect();
        for user in Generator::ALL {
            let broken = unnamed
                .iter()
                .filter(|(_, module)| !run.contains(&user) && breaks(user, module));
            let broken: Vec<&str> = broken.map(|(name, _)| name.as_str()).collect();
            if !broken.is_empty() {
                let message = format!(
                    "{}s of {} in {} use {} that this run would remove",
                    user.name(),
                    broken.join(", "),
                    shown(&target.root.join(&generated)),
                    used(user)
                );
                let help = format!("name {} too, or run all generators", broken.join(" "));
                return Err(Error::Config(Diagnostic::error(message).help(help).into()));
            }
        }
        Ok(())
    }

    /// The versions that the run does not select: their names, and their modules below `listers`.
    fn unnamed(&self, sources: &Sources, target: &Target) -> Result<Vec<(String, PathBuf)>, Error> {
        let mut unnamed = Vec::new();
        for apis in self.apis.iter().filter(|apis| !apis.groups.is_empty()) {
            let below = target.apis_below(&apis.folder);
            for GroupVersions { group, versions } in versions_in(&apis.folder, &self.disk)? {
                for version in versions {
                    let dir = below.join(&group).join(&version);
                    if sources.rust.iter().all(|package| package.dir != dir) {
                        let module = PathBuf::from(names::module_name(&group))
                            .join(names::version_module(&version));
                        unnamed.push((format!("{group}:{version}"), module));
                    }
                }
            }
        }
        Ok(unnamed)
    }
}

/// The generators whose output a generator uses, in prose: `clients or listers`.
fn used(user: Generator) -> String {
    let uses = user.definition().uses.iter();
    let names: Vec<String> = uses.map(|used| format!("{}s", used.name())).collect();
    names.join(" or ")
}
