//! Go modules: generates a crate of types for the API packages of each, checks it with the samples
//! of its project in the corpus, and compares the figures with those of the types from its CRDs.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use kube_codegen::diag::Style;
use kube_codegen::{
    Diagnostics, Generated, Source, Sources,
    config::go::{Environment, KubernetesSources, load},
};

use crate::{
    Result, figures::Figures, index::Index, index::Project, options, write_crate, write_workspace,
};

/// A line of the table of modules: name, module with version, packages, project in the corpus.
struct Module {
    name: String,
    folder: PathBuf,
    packages: Vec<String>,
    project: String,
}

/// Runs `corpus go` with the arguments `MODULES CACHE CORPUS OUTPUT [NAME…]`. Without a corpus,
/// CORPUS is `-`.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let [table, cache, corpus, output, only @ ..] = arguments else {
        return Err("usage: corpus go MODULES CACHE CORPUS OUTPUT [NAME…]".into());
    };
    let (corpus, output) = (Path::new(corpus), Path::new(output));
    let environment = Environment {
        module_cache: PathBuf::from(cache),
        ..Environment::from_process()
    };
    let index = if corpus.join("index.json").is_file() {
        Index::read(corpus)?
    } else {
        Index {
            projects: Vec::new(),
        }
    };
    let modules: Vec<Module> = fs::read_to_string(table)?
        .lines()
        .filter_map(|line| Module::parse(line, Path::new(cache)))
        .filter(|module| only.is_empty() || only.contains(&module.name))
        .collect();
    println!(
        "{:<20} {:>5} {:>5} {:>6} {:>7} {:>8} {:>9}  from CRDs",
        "module", "kinds", "types", "lines", "seconds", "warnings", "samples"
    );
    let mut failed = 0;
    let mut names = Vec::new();
    for module in &modules {
        match generate(module, &index, corpus, output, &environment) {
            Ok(line) => {
                println!("{line}");
                names.push(module.name.as_str());
            }
            Err(error) => {
                println!("{:<20} failed:\n{error}", module.name);
                failed += 1;
            }
        }
    }
    write_workspace(output, names.into_iter())?;
    if failed > 0 {
        Err(format!("{failed} modules failed").into())
    } else {
        Ok(())
    }
}

impl Module {
    fn parse(line: &str, cache: &Path) -> Option<Self> {
        let mut columns = line.split('\t');
        let name = columns.next()?.to_owned();
        let escape = |c: char| {
            if c.is_ascii_uppercase() {
                format!("!{}", c.to_ascii_lowercase())
            } else {
                c.to_string()
            }
        };
        let folder: String = columns.next()?.chars().map(escape).collect();
        Some(Self {
            name,
            folder: cache.join(folder),
            packages: columns.next()?.split(' ').map(str::to_owned).collect(),
            project: columns.next()?.to_owned(),
        })
    }
}

fn generate(
    module: &Module,
    index: &Index,
    corpus: &Path,
    output: &Path,
    environment: &Environment,
) -> Result<String> {
    let start = Instant::now();
    let rendered = |errors: Diagnostics| errors.render(Style::Plain);
    let go = load(
        &module.packages,
        &module.folder,
        environment,
        KubernetesSources::Unused,
    )
    .map_err(rendered)?;
    let sources = Sources {
        go: vec![go],
        ..Sources::default()
    };
    let generated = kube_codegen::generate(&sources, &options()).map_err(rendered)?;
    let seconds = start.elapsed().as_secs_f64();
    let Generated {
        api,
        files,
        warnings,
        ..
    } = generated;
    let of_corpus = index
        .projects
        .iter()
        .find(|project| project.name == module.project);
    // A sample of a version that the module lacks belongs to another release.
    let kinds: Vec<(String, &str)> = api
        .versions()
        .flat_map(|(group, version)| {
            let resources = version.resources.iter();
            resources.map(move |resource| {
                (
                    format!("{}/{}", group.name, version.name),
                    resource.kind.as_str(),
                )
            })
        })
        .collect();
    let samples: Vec<String> = of_corpus
        .iter()
        .flat_map(|project| &project.samples)
        .filter(|path| is_of(&corpus.join(path), &kinds))
        .cloned()
        .collect();
    let figures = Figures::of(kinds.len(), &api, &files);
    let crds = match of_corpus {
        Some(project) => of_crds(project, corpus)?,
        None => "-".to_owned(),
    };
    let line = format!(
        "{:<20} {:>5} {:>5} {:>6} {seconds:>7.3} {:>8} {:>9}  {crds}",
        module.name,
        kinds.len(),
        figures.types(),
        figures.lines(),
        warnings.as_slice().len(),
        format!(
            "{}/{}",
            samples.len(),
            of_corpus.map_or(0, |project| project.samples.len())
        ),
    );
    let project = Project {
        name: module.name.clone(),
        crds: Vec::new(),
        samples,
    };
    write_crate(output, corpus, &project, &api, &files)?;
    Ok(line)
}

fn is_of(path: &Path, kinds: &[(String, &str)]) -> bool {
    let text = fs::read_to_string(path).unwrap_or_default();
    let value = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key));
        line.unwrap_or_default()
            .trim()
            .trim_matches(['"', '\''])
            .to_owned()
    };
    let (version, kind) = (value("apiVersion:"), value("kind:"));
    kinds
        .iter()
        .any(|(of, name)| *of == version && *name == kind)
}

/// Returns the figures of the types from the project's CRDs.
fn of_crds(project: &Project, corpus: &Path) -> Result<String> {
    let mut sources = Sources::default();
    for path in &project.crds {
        sources.crds.push(Source::new(
            path.clone(),
            fs::read_to_string(corpus.join(path))?,
        ));
    }
    let Generated { api, files, .. } = kube_codegen::generate(&sources, &options())?;
    let figures = Figures::of(project.crds.len(), &api, &files);
    Ok(format!(
        "{} CRDs, {} types, {} lines",
        project.crds.len(),
        figures.types(),
        figures.lines()
    ))
}
