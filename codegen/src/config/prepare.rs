//! From a configuration to a plan: load, generate, compare with the disk.

use std::{
    env,
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use super::{
    Config, Error, Only, Progress, advice,
    layout::{normalize, shown},
    load::on_threads,
    modules::{self, Declared},
    target::Target,
};
use crate::{
    Generated,
    diag::Diagnostics,
    model::ApiSet,
    options::{Filters, Manifests, Options},
    output::{self, ChangeKind, Locked, Owned, Plan, Tree},
    read::Sources,
    threads,
};

/// A generation that is ready to be written.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The model that it was generated from.
    pub api: ApiSet,
    /// The changes to generated code on disk.
    pub plan: Plan,
    /// The changes to manifests on disk.
    pub manifests: Option<Plan>,
    /// The change to the name record, if it has a separate file.
    pub names: Option<Plan>,
    /// Lines that users still have to add so that the generated modules are compiled.
    pub advice: Vec<String>,
    /// Findings in the input that are not errors.
    pub warnings: Diagnostics,
    /// The errors of CRDs that were skipped.
    pub skipped: Diagnostics,
    /// The `mod` lines of generated modules.
    declared: Vec<Declared>,
    /// The Cargo features that gate generated code and that the crate does not declare.
    pub(super) undeclared: Vec<String>,
}

/// The figures of a generation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The number of groups.
    pub groups: usize,
    /// The number of kinds, counted once in each version.
    pub kinds: usize,
    /// The number of generated files.
    pub files: usize,
    /// The number of files that were written, or would be.
    pub written: usize,
    /// The number of orphans that were removed, or would be.
    pub removed: usize,
}

impl Prepared {
    /// The plans for code, for manifests and for the record of names.
    pub fn plans(&self) -> impl Iterator<Item = &Plan> + Clone {
        let code = std::iter::once(&self.plan);
        code.chain(&self.manifests).chain(&self.names)
    }

    /// Summarizes the generation.
    #[must_use]
    pub fn report(&self) -> Report {
        let count = |wanted: fn(&ChangeKind) -> bool| {
            let changes = self.plans().flat_map(Plan::changes);
            changes.filter(|change| wanted(&change.kind)).count()
        };
        let removed = count(|kind| *kind == ChangeKind::Remove);
        let written =
            count(|kind| matches!(kind, ChangeKind::Create { .. } | ChangeKind::Update { .. }));
        Report {
            groups: self.api.groups.len(),
            kinds: self
                .api
                .versions()
                .map(|(_, version)| version.resources.len())
                .sum(),
            files: written + self.plans().map(Plan::unchanged).sum::<usize>(),
            written,
            removed,
        }
    }
}

/// Locks the folders that the configurations write to. A run that writes locks them before it
/// prepares anything, so that no other run changes what it has read and planned.
///
/// # Errors
///
/// [`Error::Write`].
pub fn lock_all(configs: &[Config]) -> Result<Locked, Error> {
    Ok(output::lock(configs.iter().flat_map(Config::roots))?)
}

/// Prepares all configurations in parallel, and checks their plans; [`check_modules`] follows.
///
/// # Errors
///
/// [`Error`]: all errors of all inputs, or a file that two configurations write differently.
pub fn prepare_all(configs: &[Config], progress: &dyn Progress) -> Result<Vec<Prepared>, Error> {
    let results: Vec<_> = on_threads(|| {
        let configs = configs.par_iter();
        Ok(configs.map(|config| config.prepare(progress)).collect())
    })?;
    let (mut prepared, mut errors) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(one) => prepared.push(one),
            Err(error) => errors.push(error),
        }
    }
    if let Some(error) = Error::all(errors) {
        return Err(error);
    }
    let mut plans: Vec<_> = prepared
        .iter_mut()
        .flat_map(|one| {
            let code = std::iter::once(&mut one.plan);
            code.chain(&mut one.manifests).chain(&mut one.names)
        })
        .collect();
    Plan::agree(&mut plans)?;
    Ok(prepared)
}

/// Checks that the `mod` lines of generated modules have their files once the plans of a run are
/// written, which is the last thing to do before they are. A line that only a run for more
/// generators would give its file is an error, since the crate does not compile.
///
/// # Errors
///
/// [`Error::Input`], with each line and what to do about it.
pub fn check_modules(prepared: &[Prepared]) -> Result<(), Error> {
    let declared = prepared.iter().flat_map(|one| &one.declared);
    modules::check(declared, prepared.iter().flat_map(Prepared::plans))
}

impl Config {
    /// Loads the inputs, generates everything, and compares it with the disk. Writes nothing.
    ///
    /// # Errors
    ///
    /// [`Error`].
    pub fn prepare(&self, progress: &dyn Progress) -> Result<Prepared, Error> {
        self.prepare_seen(progress, |_| ())
    }

    /// [`prepare`](Self::prepare), with a look at the sources once they are read.
    pub(super) fn prepare_seen(
        &self,
        progress: &dyn Progress,
        seen: impl FnOnce(&Sources) + Send,
    ) -> Result<Prepared, Error> {
        on_threads(|| {
            let target = self.target()?;
            let mut options = self.options(&target)?;
            let (sources, read) = self.read(Some(&target), &options, progress)?;
            if self.awaits_apis(&sources) {
                options.emit.clear();
            }
            seen(&sources);
            let mut declared = self.declared_beside(&read.rust, &options);
            let mut generated = self.generate_read(read, &sources, &mut options)?;
            if generated.names.is_some()
                && let Some(missing) = self.missing_record(&target)
            {
                generated.warnings.push(missing);
            }
            let manifests = match &self.manifests {
                Some((folder, _)) => {
                    let asked = options.manifests.as_ref();
                    let asked = asked.filter(|_| self.is_whole(&options, &generated));
                    let owned = Owned {
                        crds: asked.and_then(Manifests::crd_folder),
                        pages: asked.and_then(Manifests::docs_folder),
                    };
                    Some(Plan::of_manifests(folder, generated.manifests, owned)?)
                }
                None => None,
            };
            if let Some((folder, Only::Manifests)) = &self.manifests {
                threads::discard(sources);
                return Ok(Prepared {
                    advice: Vec::new(),
                    api: generated.api,
                    plan: Plan::of_manifests(folder, Tree::new(), Owned::default())?,
                    manifests,
                    names: None,
                    warnings: generated.warnings,
                    skipped: generated.skipped,
                    declared: Vec::new(),
                    undeclared: Vec::new(),
                });
            }
            let mut tree = self.place(generated.files, &sources, &target, &options)?;
            let mut names = self.place_names(generated.names, &target, &mut tree)?;
            let scope = self.scope(&sources, &target);
            let manifest = self.manifest_around(&target);
            let (around, api) = ((&tree, &target), &generated.api);
            let missing = advice::missing(around, manifest.as_deref(), &options, api, &self.disk);
            declared.extend(self.declared_in(&tree, &target, &options));
            let mut plan = Plan::new(&target.root, tree, Tree::new(), &scope)?;
            if let Some(names) = &mut names {
                // The record may be located among the generated files.
                Plan::agree(&mut [&mut plan, names])?;
            }
            self.check_partial(&sources, &target, &plan)?;
            Ok(Prepared {
                manifests,
                names,
                advice: missing.advice,
                undeclared: missing.features,
                api: generated.api,
                plan,
                warnings: generated.warnings,
                skipped: generated.skipped,
                declared,
            })
        })
    }

    /// The manifest of the crate that compiles the output: a build script's own by default.
    fn manifest_around(&self, target: &Target) -> Option<PathBuf> {
        match &self.out {
            Some(_) => advice::manifest_of(&target.root),
            None => {
                let folder = env::var_os("CARGO_MANIFEST_DIR")?;
                Some(Path::new(&folder).join("Cargo.toml"))
            }
        }
    }

    /// The folders that the plans are relative to.
    fn roots(&self) -> Vec<PathBuf> {
        let whole = |folder: &Path| match folder.as_os_str().is_empty() {
            true => PathBuf::from("."),
            false => folder.to_owned(),
        };
        let manifests = self.manifests.as_ref();
        let mut roots: Vec<PathBuf> = manifests
            .map(|(folder, _)| whole(folder))
            .into_iter()
            .collect();
        let writes_code = !matches!(manifests, Some((_, Only::Manifests)));
        // Preparing reports a wrong target.
        roots.extend(
            self.target()
                .ok()
                .filter(|_| writes_code)
                .map(|it| whole(&it.root)),
        );
        roots
    }

    /// Whether a run covers every CRD of its groups, so that other CRDs in their folder belong to
    /// removed kinds. Command-line inputs, filters and skipped CRDs make it partial.
    fn is_whole(&self, options: &Options, generated: &Generated) -> bool {
        self.origin.is_some()
            && options.filters == Filters::default()
            && !options
                .manifests
                .as_ref()
                .is_some_and(Manifests::is_selective)
            && generated.skipped.as_slice().is_empty()
    }

    /// The output folder as shown in messages; two configurations of a run must not share it.
    #[must_use]
    pub fn shown_out(&self) -> String {
        let of_manifests = || match &self.manifests {
            Some((folder, Only::Manifests)) => Some(folder.as_path()),
            _ => None,
        };
        let out = self.out.as_deref().or_else(of_manifests);
        out.map_or_else(|| "OUT_DIR".to_owned(), |out| shown(&normalize(out)))
    }
}
