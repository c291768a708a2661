//! Tests the generator with a large corpus: generates a crate of types for each project of real
//! CRDs, compiles it, round-trips samples and random objects, regenerates the CRDs and compares
//! them. Prints one line per project, and a total.
//!
//! Usage:
//!
//! - `corpus CORPUS OUTPUT TARGET [--kubernetes-version=VERSION] [--generate-only] [PROJECT…]`,
//!   where CORPUS contains `index.json`, `corpus/` and `samples/`. The crates form one workspace in
//!   OUTPUT, which is built into TARGET.
//! - `corpus go MODULES CACHE CORPUS OUTPUT [NAME…]` generates crates from Go modules in a module
//!   cache, for `hack/go-corpus.sh`.
//! - `corpus names …` compares the names of types, for `hack/names.sh`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program of tables"
)]

mod api;
mod compile;
mod equal;
mod figures;
mod go;
mod index;
mod instances;
mod names;
mod program;
mod project;
mod sharing;
mod table;

use std::{env, error::Error, fs, path::Path, process::ExitCode, sync::OnceLock, time::Instant};

use kube_codegen::{Generator, KubernetesVersion, Options, Tree, model::ApiSet};
use rayon::prelude::*;

use self::{
    figures::Figures,
    index::{Index, Project},
    project::Outcome,
    table::Row,
};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The minimum Kubernetes version of the generated types.
static VERSION: OnceLock<KubernetesVersion> = OnceLock::new();

fn main() -> ExitCode {
    let result = compile::as_rustc().unwrap_or_else(|| {
        let arguments: Vec<String> = env::args().skip(1).collect();
        match arguments.split_first() {
            Some((first, rest)) if first == "names" => names::run(rest).map(|()| ExitCode::SUCCESS),
            Some((first, rest)) if first == "go" => go::run(rest).map(|()| ExitCode::SUCCESS),
            _ => run(&arguments),
        }
    });
    result.unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::FAILURE
    })
}

fn run(arguments: &[String]) -> Result<ExitCode> {
    let [corpus, output, target, rest @ ..] = arguments else {
        return Err("usage: corpus CORPUS OUTPUT TARGET [OPTION…] [PROJECT…]".into());
    };
    let (flags, only): (Vec<&String>, Vec<&String>) =
        rest.iter().partition(|word| word.starts_with("--"));
    let mut generate_only = false;
    for flag in flags {
        match flag.split_once('=') {
            Some(("--kubernetes-version", version)) => {
                let _ = VERSION.set(KubernetesVersion::parse(version)?);
            }
            None if flag == "--generate-only" => generate_only = true,
            _ => return Err(format!("unknown option {flag}").into()),
        }
    }
    let (corpus, output, target) = (Path::new(corpus), Path::new(output), Path::new(target));
    let start = Instant::now();
    let index = Index::read(corpus)?;
    let projects: Vec<&Project> = index
        .projects
        .iter()
        .filter(|p| only.is_empty() || only.contains(&&p.name))
        .collect();
    if let Some(unknown) = only
        .iter()
        .find(|name| projects.iter().all(|project| project.name != ***name))
    {
        return Err(format!("no project {unknown} in {}", corpus.display()).into());
    }
    let outcomes: Vec<Result<Outcome>> = projects
        .par_iter()
        .map(|project| project::generate(corpus, output, project))
        .collect();
    if generate_only {
        return figures(&projects, outcomes);
    }
    let compiled = projects
        .iter()
        .zip(&outcomes)
        .filter(|(_, outcome)| outcome.is_ok());
    let names: Vec<&str> = compiled.map(|(project, _)| project.name.as_str()).collect();
    write_workspace(output, names.iter().copied())?;
    fs::copy("Cargo.lock", output.join("Cargo.lock"))?;
    let (seconds, programs) = compile::compile(output, target, &names)?;
    let mut rows = Vec::new();
    for (project, outcome) in projects.iter().zip(outcomes) {
        rows.push(Row::of(project, outcome, &seconds, &programs, output)?);
    }
    table::print(&rows, start.elapsed());
    Ok(if rows.iter().all(Row::is_good) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Prints the figures of each project, and the total. A project that cannot be generated is
/// reported, and does not affect others.
fn figures(projects: &[&Project], outcomes: Vec<Result<Outcome>>) -> Result<ExitCode> {
    let mut total = Figures::default();
    let mut code = ExitCode::SUCCESS;
    for (project, outcome) in projects.iter().zip(outcomes) {
        match outcome {
            Ok(Outcome { figures, .. }) => {
                println!("{}: {figures}", project.name);
                total = total.add(&figures);
            }
            Err(error) => {
                println!("{}: {error}", project.name);
                code = ExitCode::FAILURE;
            }
        }
    }
    println!("total: {total}");
    Ok(code)
}

fn options() -> Options {
    Options {
        emit: [Generator::Types, Generator::Deepcopy].into(),
        kubernetes_version: VERSION.get().copied(),
        ..Options::default()
    }
}

/// Writes the manifest of the workspace.
fn write_workspace<'a>(output: &Path, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let members: Vec<String> = names.map(|name| format!("{name:?}")).collect();
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{}]\n\n[profile.dev]\ndebug = false\nincremental = false\n",
        members.join(", ")
    );
    write(&output.join("Cargo.toml"), &manifest)
}

/// Writes a crate of types, and the program that checks the project's samples.
fn write_crate(
    output: &Path,
    corpus: &Path,
    project: &Project,
    api: &ApiSet,
    files: &Tree,
) -> Result<()> {
    let root = output.join(&project.name);
    if root.join("src").exists() {
        fs::remove_dir_all(root.join("src"))?;
    }
    for (path, text) in files {
        write(&root.join("src").join(path), text)?;
    }
    write(&root.join("Cargo.toml"), &program::manifest(&project.name))?;
    write(&root.join("src/lib.rs"), "//! Types.\npub mod apis;\n")?;
    write(
        &root.join("src/main.rs"),
        &program::main(&project.name, api),
    )?;
    let samples: Vec<String> = project
        .samples
        .iter()
        .map(|path| corpus.join(path).display().to_string())
        .collect();
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
