//! From a configuration to what its inputs say, whatever is in the output folder: options, parsed
//! inputs, model.

use std::{collections::BTreeSet, path::Path};

#[cfg(feature = "go")]
use super::go::KubernetesSources;
use super::{
    Config, Error, Progress, crd_files::read_crds, disk, evaluate, layout::module_path,
    target::Target,
};
use crate::{
    Explained, Generated,
    diag::{Diagnostic, Place},
    generator::Generator,
    header,
    model::ApiSet,
    options::Options,
    read::{self, Parsed, Sources},
    source::Source,
    threads,
};

/// The model of an input.
#[cfg(feature = "cli")]
pub(super) struct Modelled {
    pub(super) api: ApiSet,
    /// The options, without the kinds of `evaluated`.
    pub(super) options: Options,
    /// The CRDs that only the compiler knows.
    pub(super) evaluated: Vec<Source>,
}

impl Config {
    /// Generates everything, at paths relative to the output folder, whatever is on the disk.
    ///
    /// # Errors
    ///
    /// [`Error`].
    pub fn generated(&self, progress: &dyn Progress) -> Result<Generated, Error> {
        on_threads(|| {
            let (mut options, sources, read) = self.opened(progress)?;
            if self.awaits_apis(&sources) {
                options.emit.clear();
            }
            self.generate_read(read, &sources, &mut options)
        })
    }

    /// Generates everything from what was read, with a compiler where the options ask for that.
    pub(super) fn generate_read(
        &self,
        read: Parsed,
        sources: &Sources,
        options: &mut Options,
    ) -> Result<Generated, Error> {
        let evaluated = self.evaluated(sources, options)?;
        let mut generated = crate::generate_from(read, options).map_err(Error::Input)?;
        evaluate::add(evaluated, options, &mut generated)?;
        Ok(generated)
    }

    /// Reads the inputs, with a compiler where the options ask for that, without generating files.
    ///
    /// # Errors
    ///
    /// [`Error`].
    #[cfg(feature = "cli")]
    pub(super) fn modelled(&self, progress: &dyn Progress) -> Result<Modelled, Error> {
        on_threads(|| {
            let (mut options, sources, read) = self.opened(progress)?;
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
            let (options, _, read) = self.opened(progress)?;
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

    /// Parses all inputs with the options for them.
    fn opened(&self, progress: &dyn Progress) -> Result<(Options, Sources, Parsed), Error> {
        let target = self.out.is_some().then(|| self.target()).transpose()?;
        let options = self.options(target.as_ref().unwrap_or(&Target::default()))?;
        let (sources, read) = self.read(target.as_ref(), &options, progress)?;
        Ok((options, sources, read))
    }

    /// Parses all inputs. Returns the sources too, except CRDs, whose contents are not kept.
    pub(super) fn read(
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
    pub(super) fn options(&self, target: &Target) -> Result<Options, Error> {
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

    /// Whether the crate has annotated Rust without types yet, so that only roles are written.
    pub(super) fn awaits_apis(&self, sources: &Sources) -> bool {
        let only_rust = self.crds.is_empty() && self.go.is_empty() && !self.apis.is_empty();
        only_rust && sources.rust.is_empty() && sources.rust_crates.is_empty()
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
