//! `kube-codegen diff`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use kube_crd_diff::Severity;

use super::{
    Failure,
    inspect::configs,
    manifests::source_root,
    progress::Bar,
    style::{self, Color},
};
use crate::{
    Config,
    compat::{
        self, Report, Set,
        annotations::annotations,
        json, sarif,
        text::{self, Shown, figures},
    },
    config::{Error, FILE_NAME},
};

/// Compare two versions of CRDs: who is hurt by a change, with an object that proves it.
///
/// Each change says whom it hurts: stored objects, data, meaning, writers, readers or tools. Where there is one, an object shows it that both
/// schemas were run over, with kube-apiserver's message. The exit code is 1 if a change is incompatible.
#[derive(Debug, Args)]
pub(super) struct Diff {
    /// The old CRDs: files, folders, `-`, folders of annotated Rust or crates, Go modules, or a codegen.toml.
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The new CRDs, in any of these forms.
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Also list changes that hurt nobody, with the reason.
    #[arg(long)]
    all: bool,
    /// The form of the output.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
    /// Print JSON: short for --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Also print which API version the changes need by Kubernetes' rules.
    #[arg(long)]
    suggest_version: bool,
    /// Fail on risks too.
    #[arg(long)]
    strict: bool,
    /// How many objects are tried for a change whose effect has to be searched for.
    #[arg(long, value_name = "COUNT", default_value_t = 2_000)]
    budget: usize,
}

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// Annotations of a GitHub workflow.
    Github,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
}

impl Diff {
    pub(super) fn run(self, _: Color) -> Result<(), Failure> {
        let both = [&self.old, &self.new];
        if both.iter().all(|path| path.as_os_str() == "-") {
            let message = "OLD and NEW cannot both be standard input";
            return Err(Failure::Usage(message.to_owned()));
        }
        let bar = Bar::default();
        let (old, new) = (read(&self.old, &bar)?, read(&self.new, &bar)?);
        let compared = crate::threads::run(|| compat::compare(&old, &new, self.budget));
        let report = compared
            .map_err(|failed| Error::Config(failed.into()))?
            .map_err(Error::Config)?;
        drop(bar);
        self.print(&report)?;
        self.verdict(&report)
    }

    fn print(&self, report: &Report) -> Result<(), Failure> {
        let shown = match self.all {
            true => Shown::All,
            false => Shown::Harmful,
        };
        let format = if self.json { Format::Json } else { self.format };
        let mut text = match format {
            Format::Text => text::text(report, shown),
            Format::Json => json::text(report, shown),
            Format::Github => annotations(report, shown),
            Format::Sarif => sarif::text(report, shown),
        };
        if self.suggest_version && format == Format::Text {
            text.extend(report.suggestions().iter().map(|line| format!("{line}\n")));
        }
        style::print(&text)
    }

    fn verdict(&self, report: &Report) -> Result<(), Failure> {
        let risks = if self.strict {
            report.count(Severity::Risk)
        } else {
            0
        };
        match report.count(Severity::Incompatible) + risks {
            0 => Ok(()),
            _ => Err(Failure::Stale(format!(
                "the new version is not compatible: {}",
                figures(report)
            ))),
        }
    }
}

/// Reads the CRDs of an argument.
pub(super) fn read(path: &Path, bar: &Bar) -> Result<Set, Failure> {
    let mut set = Set::default();
    for config in configs_of(path)? {
        set.extend(config.definitions(bar).map_err(unreadable)?);
    }
    if set.definitions.is_empty() {
        return Err(Failure::Usage(format!("{} has no CRDs", path.display())));
    }
    Ok(set)
}

/// An error in an input is one of usage here: 1 means that the versions are not compatible.
fn unreadable(error: Error) -> Failure {
    Failure::Error(match error {
        Error::Input(found) => Error::Config(found),
        error => error,
    })
}

/// How an argument is read.
fn configs_of(path: &Path) -> Result<Vec<Config>, Failure> {
    if path.file_name().is_some_and(|name| name == FILE_NAME) {
        return configs(Vec::new(), Some(path.to_owned()));
    }
    if path.join("Cargo.toml").is_file() || holds(path, "rs") {
        return Ok(vec![Config::new().apis(source_root(path.to_owned()))]);
    }
    #[cfg(feature = "go")]
    if path.join("go.mod").is_file() || holds(path, "go") {
        return Ok(vec![Config::new().go(path, ["./..."])]);
    }
    configs(vec![path.to_owned()], None)
}

/// Whether a folder, or a folder two levels below it, has files with an extension.
fn holds(folder: &Path, extension: &str) -> bool {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = folder.read_dir().into_iter().flatten();
        entries
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .collect()
    };
    let mut level = vec![folder.to_owned()];
    for _ in 0..3 {
        let below: Vec<PathBuf> = level.iter().flat_map(|folder| entries(folder)).collect();
        let is_one = |path: &&PathBuf| path.extension().is_some_and(|it| it == extension);
        if below.iter().any(|path| is_one(&path)) {
            return true;
        }
        level = below.into_iter().filter(|path| path.is_dir()).collect();
    }
    false
}
