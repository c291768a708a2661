//! From a configuration to a plan: load, generate, compare with the disk.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::{
    Config, Error, Progress, advice,
    inputs::{load_apis, load_crds, read},
    layout::{Place, module_path, normalize, shown},
    target::Target,
};
use crate::{
    diag::{Diagnostic, Diagnostics},
    emit, format,
    model::ApiSet,
    options::{Generator, Options},
    plan::{ChangeKind, Plan, Scope, generator_of},
    source::Sources,
    stack,
    write::Tree,
};

/// A generation that is ready to be written.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The model that it was generated from.
    pub api: ApiSet,
    /// How the disk differs from it.
    pub plan: Plan,
    /// What its user still has to write so that the generated modules are compiled, a line each.
    pub advice: Vec<String>,
    /// What the input has that is no error.
    pub warnings: Diagnostics,
}

/// What a generation came to.
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
    /// The figures of the generation.
    #[must_use]
    pub fn report(&self) -> Report {
        let removed = self
            .plan
            .changes()
            .iter()
            .filter(|change| change.kind == ChangeKind::Remove)
            .count();
        let written = self.plan.changes().len() - removed;
        Report {
            groups: self.api.groups.len(),
            kinds: self
                .api
                .versions()
                .map(|(_, version)| version.resources.len())
                .sum(),
            files: written + self.plan.unchanged(),
            written,
            removed,
        }
    }
}

impl Config {
    /// Loads the inputs, generates everything, and compares it with the disk. Writes nothing.
    ///
    /// # Errors
    ///
    /// [`Error`].
    pub fn prepare(&self, progress: &dyn Progress) -> Result<Prepared, Error> {
        let target = self.target()?;
        let options = self.options(&target)?;
        let sources = self.sources(Some(&target), progress)?;
        let (api, warnings, tree) = run(&sources, &options)?;
        let tree = self.place(tree, &sources, &target, &options)?;
        let modules = ["apis", &options.generated];
        let mut advice = advice::missing_modules(&tree, &target.root, &target.below, modules);
        let generated = target.generated(&options);
        let groups = options.group_features.then_some(&*api.groups);
        let groups = groups.unwrap_or_default();
        advice.extend(advice::missing_features(
            &tree,
            &target.root,
            &generated,
            groups,
        ));
        let scope = self.scope(&sources, &target);
        let plan = Plan::new(&target.root, &tree, &Tree::new(), &scope)?;
        self.check_partial(&sources, &target, &plan)?;
        Ok(Prepared {
            api,
            plan,
            advice,
            warnings,
        })
    }

    /// Generates everything without comparing it with the disk; paths are relative to the output folder.
    ///
    /// # Errors
    ///
    /// [`Error`].
    pub fn tree(&self, progress: &dyn Progress) -> Result<Tree, Error> {
        let options = self.options(&Target {
            root: PathBuf::new(),
            below: PathBuf::new(),
            holds_apis: false,
        })?;
        Ok(run(&self.sources(None, progress)?, &options)?.2)
    }

    /// Reads and checks the inputs without generating; the warnings come with the model.
    ///
    /// # Errors
    ///
    /// [`Error`].
    pub fn load(&self, progress: &dyn Progress) -> Result<(ApiSet, Diagnostics), Error> {
        let target = self.out.is_some().then(|| self.target()).transpose()?;
        let sources = self.sources(target.as_ref(), progress)?;
        crate::load_with_warnings(&sources, &self.options).map_err(Error::Input)
    }

    fn sources(&self, target: Option<&Target>, progress: &dyn Progress) -> Result<Sources, Error> {
        let mut sources = Sources::default();
        for apis in &self.apis {
            let folder = &apis.folder;
            let below = target.map_or_else(
                || Place::of(folder).below,
                |target| target.apis_below(folder),
            );
            sources.rust.extend(load_apis(apis, &below)?);
        }
        sources.crds = load_crds(&self.crds, progress)?;
        Ok(sources)
    }

    /// The generator's options, with what only the disk can tell.
    fn options(&self, target: &Target) -> Result<Options, Error> {
        let mut options = self.options.clone();
        if let Some(path) = &self.header_file {
            options.header = Some(read(path)?.text.to_string());
        }
        options.base_path = self
            .base_path
            .clone()
            .unwrap_or_else(|| module_path(&target.below));
        if let Some(partial) = &self.partial {
            // The same path whichever generators run, now or later.
            let runtime = &options.runtime_path;
            let k8s_openapi = format!("{runtime}::k8s_openapi");
            options.k8s_openapi_path.get_or_insert(k8s_openapi);
            options.emit = partial | &present(&target.root.join(target.generated(&options)));
        }
        Ok(options)
    }

    /// Moves the tree below the root: what belongs beside annotated Rust stays there, all else goes to the output folder.
    fn place(
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
                .zip(generator_of(path, Path::new("generated")))
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

    /// Where files that nothing generates any more may be.
    fn scope(&self, sources: &Sources, target: &Target) -> Scope {
        let generated = target.generated(&self.options);
        let mut folders = BTreeSet::from([generated.clone()]);
        if target.holds_apis {
            folders.extend(sources.rust.iter().map(|package| package.dir.clone()));
        }
        if self.partial.is_none() {
            folders.extend(self.owned_apis(sources, target));
        }
        Scope {
            folders,
            generated,
            only: self.partial.clone(),
        }
    }

    /// The folders of types that are this configuration's alone. Where it names its groups, those of others are not.
    fn owned_apis(&self, sources: &Sources, target: &Target) -> BTreeSet<PathBuf> {
        let groups = sources
            .rust
            .iter()
            .filter_map(|package| package.dir.parent());
        let mut folders: BTreeSet<PathBuf> = groups.map(Path::to_owned).collect();
        let whole = self.apis.iter().filter(|apis| apis.groups.is_empty());
        folders.extend(whole.map(|apis| Place::of(&apis.folder).below));
        if !self.crds.is_empty() || self.apis.iter().all(|apis| apis.groups.is_empty()) {
            folders.insert(target.below.join("apis"));
        }
        folders
    }

    /// The output folder as messages name it, and as two configurations of one run may not share it.
    #[must_use]
    pub fn shown_out(&self) -> String {
        self.out
            .as_deref()
            .map_or_else(|| "OUT_DIR".to_owned(), |out| shown(&normalize(out)))
    }
}

fn run(sources: &Sources, options: &Options) -> Result<(ApiSet, Diagnostics, Tree), Error> {
    let (api, mut warnings) = crate::load_with_warnings(sources, options).map_err(Error::Input)?;
    if api.groups.is_empty() {
        let diagnostic = Diagnostic::error("the input holds no API")
            .help("look at it with `kube-codegen inspect`, and at the filters for group, version and kind");
        // What was passed over may be why.
        warnings.push(diagnostic);
        return Err(Error::Input(warnings));
    }
    let tree = stack::on_deep_stack(|| emit::emit(&api, options)).map_err(Error::Input)?;
    Ok((api, warnings, tree))
}

/// The generators whose output an output folder already holds.
fn present(generated: &Path) -> BTreeSet<Generator> {
    let holds = [
        (Generator::Client, "clientset"),
        (Generator::Fake, "clientset/fake"),
        (Generator::Fake, "clientset/fake.rs"),
        (Generator::Lister, "listers"),
        (Generator::Informer, "informers"),
    ];
    holds
        .into_iter()
        .filter(|(_, path)| generated.join(path).exists())
        .map(|(generator, _)| generator)
        .collect()
}
