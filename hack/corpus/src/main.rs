//! The large corpus: generates a crate of types for each project of real CRDs, with a program that sends the project's
//! sample resources through the types and compares what comes out.
//!
//! Usage: `corpus CORPUS OUTPUT [PROJECT…]`, where CORPUS holds `index.json`, `corpus/` and `samples/`. The crates make one
//! workspace in OUTPUT, so that `hack/corpus.sh` checks all of them with one call of cargo. `corpus go MODULES CACHE CORPUS
//! OUTPUT [NAME…]` does the same from Go modules in a module cache, for `hack/go-corpus.sh`.

mod figures;
mod go;
mod index;
mod program;

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use codegen::{Generated, Generator, Options, Source, Sources, Tree, model::ApiSet};
use rayon::prelude::*;

use self::{
    figures::Figures,
    index::{Index, Project},
};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(("go", rest)) = arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return go::run(rest);
    }
    let mut args = arguments.into_iter().map(PathBuf::from);
    let (Some(corpus), Some(output)) = (args.next(), args.next()) else {
        return Err("usage: corpus CORPUS OUTPUT [PROJECT…]".into());
    };
    let only: Vec<String> = args.map(|name| name.display().to_string()).collect();
    let index = Index::read(&corpus)?;
    let projects: Vec<&Project> = index.projects.iter().filter(|p| only.is_empty() || only.contains(&p.name)).collect();
    let generated: Vec<Result<Figures>> = projects.par_iter().map(|project| generate(&corpus, &output, project)).collect();
    let mut failed = 0;
    let mut total = Figures::default();
    for (project, result) in projects.iter().zip(generated) {
        match result {
            Ok(figures) => {
                println!("{}: {figures}", project.name);
                total = total.add(&figures);
            }
            Err(error) => {
                eprintln!("{}: {error}", project.name);
                failed += 1;
            }
        }
    }
    write_workspace(&output, projects.iter().map(|project| project.name.as_str()))?;
    println!("{} projects, {failed} failed: {total}", projects.len());
    if failed > 0 { Err("some projects failed".into()) } else { Ok(()) }
}

/// Writes the crate of a project; the figures of its types.
fn generate(corpus: &Path, output: &Path, project: &Project) -> Result<Figures> {
    let mut sources = Sources::default();
    for path in &project.crds {
        sources.crds.push(Source::new(path.clone(), fs::read_to_string(corpus.join(path))?));
    }
    let Generated { api, files, .. } = codegen::generate(&sources, &options())?;
    write_crate(output, corpus, project, &api, &files)?;
    Ok(Figures::of(project.crds.len(), &api, &files))
}

fn options() -> Options {
    Options { emit: [Generator::Types, Generator::Deepcopy].into(), ..Options::default() }
}

/// Writes the workspace of the crates.
fn write_workspace<'a>(output: &Path, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let members: Vec<String> = names.map(|name| format!("{name:?}")).collect();
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{}]\n\n[profile.dev]\ndebug = false\nincremental = false\n",
        members.join(", ")
    );
    write(&output.join("Cargo.toml"), &manifest)
}

/// Writes a crate of types, and its program for the project's samples.
fn write_crate(output: &Path, corpus: &Path, project: &Project, api: &ApiSet, files: &Tree) -> Result<()> {
    let root = output.join(&project.name);
    if root.join("src").exists() {
        fs::remove_dir_all(root.join("src"))?;
    }
    for (path, text) in files {
        write(&root.join("src").join(path), text)?;
    }
    write(&root.join("Cargo.toml"), &program::manifest(&project.name))?;
    write(&root.join("src/lib.rs"), "//! Types.\npub mod apis;\n")?;
    write(&root.join("src/main.rs"), &program::main(&project.name, api))?;
    let samples: Vec<String> = project.samples.iter().map(|path| corpus.join(path).display().to_string()).collect();
    write(&root.join("samples.txt"), &samples.join("\n"))
}

fn write(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    Ok(fs::write(path, text)?)
}
