//! `kube-codegen diff`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use jiff::{Timestamp, civil::Date, tz::TimeZone};
use kube_crd_diff::Severity;

use super::{
    Failure,
    inputs::configs,
    progress::Bar,
    style::{self, Color},
};
use crate::{
    Config,
    compat::{
        Report, Set,
        annotations::annotations,
        json, sarif,
        text::{self, Shown, figures},
        unread,
    },
    config::{Error, FILE_NAME, compatibility::compared, history::Reference},
};

/// How many objects are tried, unless a flag says otherwise.
const BUDGET: usize = 2_000;

/// Compare two versions of CRDs: who is hurt by a change, with an object that proves it.
///
/// Each change says whom it hurts: stored objects, data, meaning, writers, readers or tools. Where
/// there is one, an object shows it that both schemas were run over, with kube-apiserver's message.
/// The exit code is 1 if a change is incompatible.
#[derive(Debug, Args)]
pub(super) struct Diff {
    /// The old CRDs: files, folders, `-`, folders of annotated Rust or crates, Go modules, or a
    /// codegen.toml.
    ///
    /// `git:REF:PATH` reads a file, a folder or a crate from history; `git:REF` reads NEW as it was
    /// then. Without OLD and NEW, codegen.toml says in [crate.compatibility] what to compare with.
    #[arg(value_name = "OLD", requires = "new")]
    old: Option<PathBuf>,
    /// The new CRDs, in any of these forms.
    #[arg(value_name = "NEW")]
    new: Option<PathBuf>,
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
    #[arg(long, value_name = "COUNT", default_value_t = BUDGET)]
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

impl Format {
    /// The result of reading input, whose errors are also printed to stdout if programs read that.
    pub(super) fn read<T>(self, tool: &str, result: Result<T, Failure>) -> Result<T, Failure> {
        let found = match &result {
            Err(Failure::Error(error)) => error.diagnostics(),
            _ => return result,
        };
        let text = match self {
            Self::Text => return result,
            Self::Json => unread::json(&found),
            Self::Github => unread::annotations(&found),
            Self::Sarif => unread::sarif(tool, &found),
        };
        style::print(&text)?;
        result
    }
}

impl Diff {
    pub(super) fn run(self, _: Color) -> Result<(), Failure> {
        let reports = self.form().read("kube-codegen diff", self.reports())?;
        self.show(reports)
    }

    fn reports(&self) -> Result<Vec<Report>, Failure> {
        let (Some(old), Some(new)) = (&self.old, &self.new) else {
            let configs = configs(Vec::new(), None)?;
            if !configs.iter().any(Config::has_base) {
                let message = format!(
                    "nothing to compare: name OLD and NEW, or write [crate.compatibility] into {FILE_NAME}"
                );
                return Err(Failure::Usage(message));
            }
            return reports(&configs, self.budget);
        };
        if [old, new].iter().all(|path| path.as_os_str() == "-") {
            let message = "OLD and NEW cannot both be standard input";
            return Err(Failure::Usage(message.to_owned()));
        }
        let bar = Bar::default();
        let sets = (read(old, new, &bar)?, read(new, old, &bar)?);
        drop(bar);
        let report = compared(&sets.0, &sets.1, self.budget)?;
        Ok(vec![report])
    }

    fn form(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    fn show(&self, reports: Vec<Report>) -> Result<(), Failure> {
        let mut all = Report::default();
        for report in reports {
            all.findings.extend(report.findings);
        }
        self.print(&all)?;
        let risks = if self.strict {
            all.count(Severity::Risk)
        } else {
            0
        };
        verdict(&all, risks)
    }

    fn print(&self, report: &Report) -> Result<(), Failure> {
        let shown = match self.all {
            true => Shown::All,
            false => Shown::Harmful,
        };
        let format = self.form();
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
}

/// Checks the configurations that name what they have to be compatible with.
pub(super) fn check(configs: &[Config]) -> Result<(), Failure> {
    for report in reports(configs, BUDGET)? {
        let is_harmful = report.count(Severity::Incompatible) + report.count(Severity::Risk) > 0;
        if is_harmful {
            style::print(&text::text(&report, Shown::Harmful))?;
        }
        verdict(&report, 0)?;
    }
    Ok(())
}

fn reports(configs: &[Config], budget: usize) -> Result<Vec<Report>, Failure> {
    let (bar, today) = (Bar::default(), today());
    let mut reports = Vec::new();
    for config in configs {
        let report = config.compared((budget, today), &bar);
        reports.extend(report.map_err(unreadable)?);
    }
    Ok(reports)
}

/// The date in UTC.
#[expect(
    clippy::disallowed_methods,
    reason = "an acceptance ends on a day; no output depends on it"
)]
fn today() -> Date {
    Timestamp::now().to_zoned(TimeZone::UTC).date()
}

/// The failure of a report with incompatible changes. Risks count if there is a number of them.
fn verdict(report: &Report, risks: usize) -> Result<(), Failure> {
    match report.count(Severity::Incompatible) + risks {
        0 => Ok(()),
        _ => Err(Failure::Stale(format!(
            "the new version is not compatible: {}",
            figures(report)
        ))),
    }
}

/// Reads the CRDs of an argument.
///
/// `git:REF` alone takes the path of the other argument.
pub(super) fn read(path: &Path, other: &Path, bar: &Bar) -> Result<Set, Failure> {
    let mut set = Set::default();
    let reference = path.to_str().and_then(Reference::parse);
    if let Some(reference) = reference {
        let reference = reference.map_err(Failure::Usage)?;
        let at = reference.own_path().unwrap_or(other);
        let found = match at.file_name().is_some_and(|name| name == FILE_NAME) {
            true => configs(vec![at.to_owned()], None)?
                .iter()
                .map(|config| reference.read_config(config, bar))
                .collect(),
            false => reference.read(at, bar).map(|set| vec![set]),
        };
        found
            .map_err(unreadable)?
            .into_iter()
            .for_each(|one| set.extend(one));
    } else {
        for config in configs(vec![path.to_owned()], None)? {
            set.extend(config.definitions(bar).map_err(unreadable)?);
        }
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
