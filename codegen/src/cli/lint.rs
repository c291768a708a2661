//! `kube-codegen lint`.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use clap::Args;

use super::{
    Failure,
    diff::{Format, read},
    progress::Bar,
    style::{self, Color},
};
use crate::{
    compat::Set,
    config::Error,
    lint::{
        self, Finding, Level, Levels, print,
        rules::{RULES, find},
    },
};

/// Hold an API against the conventions of Kubernetes.
///
/// Annotated Rust, kube-derive, Go and CRDs are checked alike, as the API server sees them.
/// `lint: allow(RULE) reason`, in a comment above a field, type or key, allows a finding there. The
/// exit code is 1 if there are errors.
#[derive(Debug, Args)]
pub(super) struct Lint {
    /// Files of CRDs, folders of them, `-`, folders of annotated Rust or crates, Go modules, or
    /// codegen.toml.
    #[arg(value_name = "PATH", required_unless_present = "list")]
    paths: Vec<PathBuf>,
    /// Count findings of these rules as errors; `all` names every rule that is on.
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = rule)]
    error: Vec<String>,
    /// Count findings of these rules as warnings.
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = rule)]
    warn: Vec<String>,
    /// Leave these rules out.
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = rule)]
    off: Vec<String>,
    /// The findings of an old API, which are not reported: a file with the output of
    /// --print-baseline.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Print all findings in the form of --baseline, and report none.
    #[arg(long, conflicts_with = "baseline")]
    print_baseline: bool,
    /// The form of the output.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
    /// List the rules.
    #[arg(long)]
    list: bool,
}

/// Every rule that is on.
const ALL: &str = "all";

fn rule(id: &str) -> Result<String, String> {
    let known = || RULES.iter().map(|rule| rule.id);
    if id == ALL || find(id).is_some() {
        return Ok(id.to_owned());
    }
    let close = crate::suggest::closest(id, known());
    let close = close.map(|close| format!("; did you mean `{close}`?"));
    Err(format!(
        "there is no such rule{}",
        close.unwrap_or_default()
    ))
}

impl Lint {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        if self.list {
            return style::print(&list());
        }
        let bar = Bar::default();
        let mut set = Set::default();
        for path in &self.paths {
            set.extend(read(path, path, &bar)?);
        }
        let linted = crate::threads::run(|| lint::lint(&set, &self.levels()));
        let linted = linted.map_err(|failed| Error::Config(failed.into()))?;
        let mut findings = linted.map_err(Error::Input)?;
        drop(bar);
        if self.print_baseline {
            return style::print(&listed(&findings));
        }
        if let Some(path) = &self.baseline {
            except(path, &mut findings)?;
        }
        style::print(&match self.format {
            Format::Text => print::text(&findings, color.stdout()),
            Format::Json => print::json(&findings),
            Format::Github => print::github(&findings),
            Format::Sarif => print::sarif(&findings),
        })?;
        let figures = print::figures(&findings);
        if findings.iter().any(|finding| finding.level == Level::Error) {
            return Err(Failure::Stale(figures));
        }
        if !findings.is_empty() {
            style::eprint(&format!("{figures}\n"));
        }
        Ok(())
    }

    fn levels(&self) -> Levels {
        let mut levels = Levels::new();
        let given = [
            (&self.error, Level::Error),
            (&self.warn, Level::Warning),
            (&self.off, Level::Off),
        ];
        // A rule's own name counts more than `all`.
        for (rules, level) in given {
            if rules.iter().any(|id| id == ALL) {
                let on = RULES.iter().filter(|rule| rule.level != Level::Off);
                levels.extend(on.map(|rule| (rule.id.to_owned(), level)));
            }
        }
        for (rules, level) in given {
            let named = rules.iter().filter(|id| *id != ALL);
            levels.extend(named.map(|id| (id.clone(), level)));
        }
        levels
    }
}

/// The rules, a line each.
fn list() -> String {
    let lines = RULES.iter().map(|rule| {
        let level = match rule.level {
            Level::Off => "off",
            Level::Warning => "warning",
            Level::Error => "error",
        };
        format!("{:<20} {level:<8} {}\n", rule.id, rule.instead)
    });
    lines.collect()
}

/// The findings as a baseline, a line each.
fn listed(findings: &[Finding]) -> String {
    let keys: BTreeSet<String> = findings.iter().map(Finding::key).collect();
    keys.iter().map(|key| format!("{key}\n")).collect()
}

/// Removes the findings that a baseline lists. Lines that no finding matches are named, so that a
/// baseline only shrinks.
fn except(path: &Path, findings: &mut Vec<Finding>) -> Result<(), Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Usage(format!("cannot read {}: {error}", path.display())))?;
    let mut unused: BTreeSet<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let listed = unused.clone();
    findings.retain(|finding| {
        let key = finding.key();
        unused.remove(key.as_str());
        !listed.contains(key.as_str())
    });
    for line in unused {
        style::eprint(&format!(
            "warning: {}: nothing matches `{line}` any more: remove it\n",
            path.display()
        ));
    }
    Ok(())
}
