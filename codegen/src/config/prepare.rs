//! From a configuration to a plan: load, generate, compare with the disk.

use std::{
    collections::BTreeSet,
    env,
    path::{Path, PathBuf},
};

use rayon::prelude::*;

#[cfg(feature = "go")]
use super::go::KubernetesSources;
use super::{
    Config, Error, Only, Progress, advice,
    crd_files::read_crds,
    disk, evaluate,
    layout::{module_path, normalize, shown},
    modules::{self, Declared},
    target::Target,
};
use crate::{
    Explained, Generated,
    diag::{Diagnostic, Diagnostics, Place},
    generator::Generator,
    header,
    model::ApiSet,
    options::{Filters, Manifests, Options},
    output::{self, ChangeKind, Locked, Owned, Plan, Tree},
    read::{self, Parsed, Sources},
    source::Source,
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

/// The model of an input.
#[cfg(feature = "cli")]
pub(super) struct Modelled {
    pub(super) api: ApiSet,
    /// The options, without the kinds of `evaluated`.
    pub(super) options: Options,
    /// The CRDs that only the compiler knows.
    pub(super) evaluated: Vec<Source>,
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
            let evaluated = self.evaluated(&sources, &mut options)?;
            let mut generated = crate::generate_from(read, &options).map_err(Error::Input)?;
            evaluate::add(evaluated, &options, &mut generated)?;
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

    /// Whether the crate has annotated Rust without types yet, so that only roles are written.
    fn awaits_apis(&self, sources: &Sources) -> bool {
        let only_rust = self.crds.is_empty() && self.go.is_empty() && !self.apis.is_empty();
        only_rust && sources.rust.is_empty() && sources.rust_crates.is_empty()
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

    /// Generates everything, at paths relative to the output folder, whatever is on the disk.
    ///
    /// # Errors
    ///
    /// [`Error`].
    pub fn generated(&self, progress: &dyn Progress) -> Result<Generated, Error> {
        on_threads(|| {
            let target = self.out.is_some().then(|| self.target()).transpose()?;
            let mut options = self.options(target.as_ref().unwrap_or(&Target::default()))?;
            let (sources, read) = self.read(target.as_ref(), &options, progress)?;
            if self.awaits_apis(&sources) {
                options.emit.clear();
            }
            let evaluated = self.evaluated(&sources, &mut options)?;
            let mut generated = crate::generate_from(read, &options).map_err(Error::Input)?;
            evaluate::add(evaluated, &options, &mut generated)?;
            Ok(generated)
        })
    }

    /// Reads the inputs, with a compiler where the options ask for that, without generating files.
    ///
    /// # Errors
    ///
    /// [`Error`].
    #[cfg(feature = "cli")]
    pub(super) fn modelled(&self, progress: &dyn Progress) -> Result<Modelled, Error> {
        on_threads(|| {
            let target = self.out.is_some().then(|| self.target()).transpose()?;
            let mut options = self.options(target.as_ref().unwrap_or(&Target::default()))?;
            let (sources, read) = self.read(target.as_ref(), &options, progress)?;
            let evaluated = self.evaluated(&sources, &mut options)?;
            let (api, _) = crate::model_from(read, &options).map_err(Error::Input)?;
            threads::discard(sources);
            Ok(Modelled {
                api,
                options,
                evaluated,
            })
        })
    }

    /// Reads the inputs without generating files.
    ///
    /// # Errors
    ///
    /// [`Error`].
    pub fn model(&self, progress: &dyn Progress) -> Result<ApiSet, Error> {
        on_threads(|| {
            let target = self.out.is_some().then(|| self.target()).transpose()?;
            let options = self.options(target.as_ref().unwrap_or(&Target::default()))?;
            let (_, read) = self.read(target.as_ref(), &options, progress)?;
            let (api, _) = crate::model_from(read, &options).map_err(Error::Input)?;
            Ok(api)
        })
    }

    /// Runs [`explain`](crate::explain) for a path of the CRDs.
    ///
    /// # Errors
    ///
    /// [`Error`].
    pub fn explained(&self, path: &str, progress: &dyn Progress) -> Result<Vec<Explained>, Error> {
        on_threads(|| {
            let target = self.out.is_some().then(|| self.target()).transpose()?;
            let options = self.options(&target.unwrap_or_default())?;
            let read = read_crds(&self.crds, &options, progress)?;
            crate::explain_from(&read, &options, path).map_err(Error::Input)
        })
    }

    /// Parses all inputs. Returns the sources too, except CRDs, whose contents are not kept.
    fn read(
        &self,
        target: Option<&Target>,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<(Sources, Parsed), Error> {
        let mut sources = Sources::default();
        for apis in &self.apis {
            self.read_apis(apis, target, options, &mut sources)?;
        }
        let crds = read_crds(&self.crds, options, progress)?;
        if self.crate_markers {
            self.add_marker_files(&mut sources)?;
        }
        self.load_go(options, &mut sources)?;
        let read = read::read_beside(crds, &sources, options);
        Ok((sources, read))
    }

    #[cfg(feature = "go")]
    fn load_go(&self, options: &Options, sources: &mut Sources) -> Result<(), Error> {
        let environment = super::go::Environment::from_process();
        let kubernetes = match options.uses_schemas() {
            true => KubernetesSources::Definitions,
            false => KubernetesSources::Unused,
        };
        for input in &self.go {
            let loaded = super::go::load_from(
                &self.disk,
                &input.packages,
                &input.dir,
                &environment,
                kubernetes,
            );
            sources.go.push(loaded.map_err(Error::Config)?);
        }
        let packages = sources.go.iter().flat_map(|go| &go.packages);
        let requested: BTreeSet<String> = packages
            .filter(|package| package.requested)
            .map(|package| package.module.clone())
            .collect();
        for go in &mut sources.go {
            go.elsewhere.retain(|module, _| !requested.contains(module));
        }
        Ok(())
    }

    #[cfg(not(feature = "go"))]
    fn load_go(&self, _: &Options, _: &mut Sources) -> Result<(), Error> {
        if self.go.is_empty() {
            return Ok(());
        }
        let error = Diagnostic::error("this build of the generator does not support Go packages")
            .help("enable the feature `go` of the crate `codegen`");
        Err(Error::Config(error.into()))
    }

    /// The generator's options, including those that depend on the disk.
    fn options(&self, target: &Target) -> Result<Options, Error> {
        let mut options = self.options.clone();
        if let Some(path) = &self.header_file {
            let source = disk::read(path)?;
            check_header(&source)?;
            options.header = Some(source.text.to_string());
        }
        options.base_path = self
            .base_path
            .clone()
            .unwrap_or_else(|| module_path(&target.below));
        if let Some(partial) = &self.partial {
            // Fix the path, so that it does not depend on which generators run now or later.
            let runtime = &options.runtime_path;
            let k8s_openapi = format!("{runtime}::k8s_openapi");
            options.k8s_openapi_path.get_or_insert(k8s_openapi);
            options.emit = partial | &present(&target.root.join(target.generated(&options)));
        }
        if let Some(manifests) = &mut options.manifests {
            manifests.types_version = manifests.types_version.or_else(|| self.types_version());
        }
        options.check().map_err(Error::Config)?;
        if !options.emit.is_empty() {
            options.record = self.record(target)?;
        }
        Ok(options)
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

/// Checks that generated files can have the header; the error points into the header file.
fn check_header(source: &Source) -> Result<(), Error> {
    let Some((at, message)) = header::check(&source.text) else {
        return Ok(());
    };
    let place = Place {
        file: source.name.as_str().into(),
        text: source.text.clone(),
        range: at..at,
    };
    Err(Error::Config(
        Diagnostic::error(message).at(place, "").into(),
    ))
}

/// Runs the work on the thread pool that all generations share.
pub(super) fn on_threads<T: Send>(
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    threads::run(work).map_err(|failed| Error::Input(failed.into()))?
}

/// The generators whose output is already in the output folder.
fn present(generated: &Path) -> BTreeSet<Generator> {
    let all = Generator::ALL.into_iter();
    all.filter(|generator| generator.is_present(generated))
        .collect()
}
