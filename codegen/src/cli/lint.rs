//! `kube-codegen lint`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{
    Failure,
    diff::{Format, read},
    inputs::configs,
    progress::Bar,
    style::{self, Color},
};
use crate::{
    Config,
    compat::Set,
    config::{Error, FILE_NAME, shown},
    lint::{
        self, Finding, Level, Levels, baseline,
        choice::{Choice, check_rule},
        print,
        rules::RULES,
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
    /// codegen.toml. Without any, the nearest codegen.toml, whose [crate.lint] says what is
    /// checked.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Count findings of these rules as errors; `all` names every rule that is on.
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = check_rule)]
    error: Vec<String>,
    /// Count findings of these rules as warnings.
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = check_rule)]
    warn: Vec<String>,
    /// Leave these rules out.
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = check_rule)]
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

impl Lint {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        if self.list {
            return style::print(&list());
        }
        let found = match self.paths.as_slice() {
            [] => self.configured(),
            paths => self.of(paths),
        };
        let mut findings = self.format.read("kube-codegen lint", found)?;
        if self.print_baseline {
            return style::print(&baseline::lines(&findings));
        }
        if let Some(path) = &self.baseline {
            let text = std::fs::read_to_string(path).map_err(|error| {
                Failure::Usage(format!("cannot read {}: {error}", path.display()))
            })?;
            for line in baseline::except(&text, &mut findings) {
                report_unused(path, line);
            }
        }
        style::print(&match self.format {
            Format::Text => print::text(&findings, color.stdout()),
            Format::Json => print::json(&findings),
            Format::Github => print::github(&findings),
            Format::Sarif => print::sarif(&findings),
        })?;
        verdict(&findings)
    }

    fn of(&self, paths: &[PathBuf]) -> Result<Vec<Finding>, Failure> {
        let bar = Bar::default();
        let mut set = Set::default();
        for path in paths {
            set.extend(read(path, path, &bar)?);
        }
        let linted = crate::threads::run(|| lint::lint(&set, &self.levels()));
        let linted = linted.map_err(|failed| Error::Config(failed.into()))?;
        Ok(linted.map_err(Error::Input)?)
    }

    /// The findings of the nearest codegen.toml.
    fn configured(&self) -> Result<Vec<Finding>, Failure> {
        let configs = configs(Vec::new(), None)?;
        if !configs.iter().any(Config::has_conventions) {
            return Err(Failure::Usage(format!(
                "nothing to check: name a PATH, or write [crate.lint] into {FILE_NAME}"
            )));
        }
        linted(&configs, &self.levels())
    }

    fn levels(&self) -> Levels {
        let choice = Choice {
            error: self.error.clone(),
            warn: self.warn.clone(),
            off: self.off.clone(),
        };
        choice.levels()
    }
}

/// Checks the configurations that have conventions.
pub(super) fn check(configs: &[Config], color: Color) -> Result<(), Failure> {
    let findings = linted(configs, &Levels::new())?;
    style::print(&print::text(&findings, color.stdout()))?;
    verdict(&findings)
}

fn linted(configs: &[Config], levels: &Levels) -> Result<Vec<Finding>, Failure> {
    let bar = Bar::default();
    let mut findings = Vec::new();
    for config in configs {
        let Some(linted) = config.linted(levels, &bar)? else {
            continue;
        };
        for (path, line) in &linted.unused {
            report_unused(path, line);
        }
        findings.extend(linted.findings);
    }
    Ok(findings)
}

fn report_unused(path: &Path, line: &str) {
    style::eprint(&format!(
        "warning: {}: nothing matches `{line}` any more: remove it\n",
        shown(path)
    ));
}

/// The failure of findings that are errors.
fn verdict(findings: &[Finding]) -> Result<(), Failure> {
    let figures = print::figures(findings);
    if findings.iter().any(|finding| finding.level == Level::Error) {
        return Err(Failure::Stale(figures));
    }
    if !findings.is_empty() {
        style::eprint(&format!("{figures}\n"));
    }
    Ok(())
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
