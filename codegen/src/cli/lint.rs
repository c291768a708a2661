//! `kube-codegen lint`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{
    Failure,
    diff::{Format, read},
    inputs::configs,
    interrupt,
    progress::Bar,
    style::{self, Color, count},
};
use crate::{
    Config,
    compat::Set,
    config::{Error, FILE_NAME, shown},
    lint::{
        self, Finding, Level, Levels, baseline,
        choice::{ALL, Choice, check_rule},
        fix, print, rules,
    },
    output::{self, Plan},
};

/// Lines of baselines that no finding matches, with their files.
type Unused = Vec<(PathBuf, String)>;

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
    /// Mend sources where nobody is hurt by it, by adding markers and attributes; report the rest.
    #[arg(long, conflicts_with = "print_baseline")]
    fix: bool,
    /// The form of the output.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
    /// List the rules.
    #[arg(long)]
    list: bool,
    /// Say what a rule is for, with examples.
    #[arg(long, value_name = "RULE", value_parser = check_rule)]
    explain: Option<String>,
}

impl Lint {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        if self.list {
            return style::print(&list());
        }
        if let Some(id) = &self.explain {
            return style::print(&explained(id));
        }
        let (mut findings, mut unused) = self.findings()?;
        if self.print_baseline {
            return style::print(&baseline::lines(&findings));
        }
        if self.fix && mended(&findings)? {
            (findings, unused) = self.findings()?;
        }
        for (path, line) in &unused {
            report_unused(path, line);
        }
        style::print(&match self.format {
            Format::Text => print::text(&findings, color.stdout()),
            Format::Json => print::json(&findings),
            Format::Github => print::github(&findings),
            Format::Sarif => print::sarif(&findings),
        })?;
        verdict(&findings)
    }

    /// The findings that no baseline lists, and the lines of baselines that list none.
    fn findings(&self) -> Result<(Vec<Finding>, Unused), Failure> {
        let found = match self.paths.as_slice() {
            [] => self.configured(),
            paths => self.of(paths).map(|findings| (findings, Unused::new())),
        };
        let (mut findings, mut unused) = self.format.read("kube-codegen lint", found)?;
        if let Some(path) = &self.baseline {
            let text = std::fs::read_to_string(path).map_err(|error| {
                Failure::Usage(format!("cannot read {}: {error}", path.display()))
            })?;
            let lines = baseline::except(&text, &mut findings).into_iter();
            unused.extend(lines.map(|line| (path.clone(), line.to_owned())));
        }
        Ok((findings, unused))
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
    fn configured(&self) -> Result<(Vec<Finding>, Unused), Failure> {
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
    let (findings, unused) = linted(configs, &Levels::new())?;
    for (path, line) in &unused {
        report_unused(path, line);
    }
    style::print(&print::text(&findings, color.stdout()))?;
    verdict(&findings)
}

fn linted(configs: &[Config], levels: &Levels) -> Result<(Vec<Finding>, Unused), Failure> {
    let bar = Bar::default();
    let (mut findings, mut unused) = (Vec::new(), Unused::new());
    for config in configs {
        let Some(linted) = config.linted(levels, &bar)? else {
            continue;
        };
        unused.extend(linted.unused);
        findings.extend(linted.findings);
    }
    Ok((findings, unused))
}

/// Writes the sources in which fixes mend findings; returns whether there are any.
fn mended(findings: &[Finding]) -> Result<bool, Failure> {
    let fixed = fix::fixed(findings, |path| std::fs::read_to_string(path).ok());
    if fixed.count == 0 {
        return Ok(false);
    }
    let shown = count(fixed.files.len(), "file");
    let files = fixed.files.into_iter();
    let files = files.map(|(path, text)| (path, Some(text))).collect();
    let plan = Plan::of_edits(Path::new("."), files)?;
    interrupt::watch();
    output::apply([&plan])?;
    style::eprint(&format!(
        "mended {} in {shown}\n",
        count(fixed.count, "finding")
    ));
    Ok(true)
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

/// What a rule is for, or every one.
fn explained(id: &str) -> String {
    let wanted = rules::all().filter(|rule| id == ALL || id == rule.id);
    let texts = wanted.map(|rule| format!("{}\n\n{}", rule.id, rule.explanation()));
    texts.collect::<Vec<_>>().join("\n")
}

/// The rules, a line each.
fn list() -> String {
    let lines = rules::all().map(|rule| {
        let (id, level) = (rule.id, rule.level.name());
        format!("{id:<20} {level:<8} {}\n", rule.instead)
    });
    lines.collect()
}
