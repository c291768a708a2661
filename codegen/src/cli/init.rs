//! `kube-codegen init`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    config::{FILE_NAME, Workspace, admits, is_workspace, shown},
    operator::{
        Operator, is_dispensable, names, outside_folder, runtime_dependency,
        update::{Init as Started, Written},
    },
    output::{self, Tree},
    release::RUNTIME,
};
use clap::Args;

use super::{
    Failure, checkout,
    finish::Finish,
    operator::{Files, input_error},
    style::{self, Color},
};

/// Start an operator: a crate that builds and passes its tests at once, without a cluster.
///
/// It has a program with leader election, metrics, health checks and `demo`, tests against an
/// embedded API server, and manifests to deploy it. All files are yours afterwards.
/// `kube-codegen create api` adds kinds.
///
/// The folder may exist. A README.md, AGENTS.md, .gitignore, .dockerignore, .cargo/config.toml,
/// devcontainer.json, Dockerfile or CI workflow in it is kept; any other existing file is an error.
#[derive(Debug, Args)]
pub(super) struct Init {
    /// The name of the package and the program, such as my-operator.
    name: String,
    /// The domain of its API groups, such as example.com.
    #[arg(long)]
    domain: String,
    /// Restrict it to these namespaces: it has a Role in each, no ClusterRole, and reconciles no
    /// others. Metrics stay within the pod.
    #[arg(long, value_name = "NAMESPACES", value_delimiter = ',', value_parser = namespace)]
    namespaced: Vec<String>,
    /// The folder [default: one named like the operator].
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// The runtime dependency in Cargo.toml: a TOML version or table such as '{ path = "../runtime"
    /// }', relative to the folder.
    #[arg(long, value_name = "TOML", default_value = RUNTIME, value_parser = runtime_dependency)]
    runtime: String,
    /// Write nothing; list what would be written.
    #[arg(long)]
    dry_run: bool,
}

impl Init {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let faults = [
            names::operator_fault(&self.name),
            names::domain_fault(&self.domain),
        ];
        input_error(faults.into_iter().flatten())?;
        let operator = Operator {
            name: self.name,
            domain: Some(self.domain),
            converts: true,
            namespaces: self.namespaced,
        };
        let root = self.output.unwrap_or_else(|| operator.name.clone().into());
        let here = match root.as_os_str().is_empty() {
            true => PathBuf::from("."),
            false => root.clone(),
        };
        let _locked = (!self.dry_run).then(|| output::lock([here])).transpose()?;
        let tree = operator.files(&self.runtime);
        let is_there = |path: &Path| root.join(path).symlink_metadata().is_ok();
        let (theirs, tree): (Tree, Tree) = tree
            .into_iter()
            .partition(|(path, _)| is_dispensable(path) && is_there(path));
        let taken = tree.keys().filter(|path| is_there(path));
        let taken: Vec<String> = taken.map(|path| shown(path)).collect();
        input_error((!taken.is_empty()).then(|| {
            format!(
                "{} already has files of an operator: {}; `init` does not overwrite them: choose another folder with --output",
                shown(&root),
                taken.join(", ")
            )
        }))?;
        for path in theirs.keys() {
            let note = format!("{} exists and is kept", shown(&root.join(path)));
            style::eprint(&style::note(&note, color));
        }
        let is_default = runtime_dependency(RUNTIME).is_ok_and(|it| it == self.runtime);
        let written = Written::new(Started {
            operator: operator.clone(),
            runtime: (!is_default).then(|| self.runtime.clone()),
            kept: theirs.into_keys().collect(),
        });
        let mut files = Files::new(root, Some(written));
        let codegen_toml = tree.get(Path::new(FILE_NAME)).cloned().unwrap_or_default();
        for (path, text) in tree {
            files.write(path, text);
        }
        let configs = Workspace::parse(&files.root().join(FILE_NAME), &codegen_toml)?.crates;
        if let Some(workspace) = workspace_above(files.root()) {
            files.left.push(format!(
                "{} is a workspace: add {} to its `members` or `exclude`, or Cargo refuses the package",
                shown(&workspace),
                shown(files.root())
            ));
        }
        if let Some(path) = outside_folder(&self.runtime) {
            files.left.push(format!(
                "the runtime at {path} is outside of the folder: `docker build` and the CI workflow cannot access it; use a `git` dependency in Cargo.toml before you use them"
            ));
        }
        files.left.extend(checkout::advice(&self.runtime));
        let root = shown(files.root());
        let finish = Finish::of_edits(self.dry_run, color);
        files.generate(configs)?.conclude(finish)?;
        let enter = match root.as_str() {
            "." => String::new(),
            root => format!("  cd {root}\n"),
        };
        finish.close_with(&format!(
            "Created the operator {}. Next:\n{enter}  kube-codegen create api --group batch --version v1alpha1 --kind Widget\n  \
             cargo test\n  cargo run -- demo\n",
            operator.name
        ))
    }
}

fn namespace(text: &str) -> Result<String, String> {
    kube_names::label_fault(text).map_or_else(|| Ok(text.to_owned()), Err)
}

/// The manifest of the nearest enclosing workspace of a folder, if Cargo would refuse a package
/// there.
fn workspace_above(folder: &Path) -> Option<PathBuf> {
    let whole = std::path::absolute(folder).ok()?;
    let (manifest, table) = whole.ancestors().skip(1).find_map(|above| {
        let manifest = above.join("Cargo.toml");
        let table: toml::Table = fs::read_to_string(&manifest).ok()?.parse().ok()?;
        is_workspace(&table).then_some((manifest, table))
    })?;
    let below = whole.strip_prefix(manifest.parent()?).ok()?;
    (!admits(&table, below)).then_some(manifest)
}
