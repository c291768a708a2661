//! The forms of findings.

use serde_json::{Value, json};

use super::{Finding, Level, rules};
use crate::{
    compat::{Spot, annotations, json::pretty, sarif, text::located},
    diag::{Diagnostic, Diagnostics, Style},
};

/// Formats findings for people, with their source.
pub(crate) fn text(findings: &[Finding], style: Style) -> String {
    let mut diagnostics = Diagnostics::new();
    for finding in findings {
        let message = format!("[{}] {}", finding.rule.id, subject(finding));
        let diagnostic = match finding.level {
            Level::Error => Diagnostic::error(message),
            Level::Warning | Level::Off => Diagnostic::warning(message),
        };
        let diagnostic = diagnostic.help(finding.rule.instead);
        diagnostics.push(match &finding.place {
            Some(place) => diagnostic.at(place.clone(), ""),
            None => diagnostic,
        });
    }
    diagnostics.sort();
    diagnostics.render(style)
}

/// `2 errors, 1 warning`.
pub(crate) fn figures(findings: &[Finding]) -> String {
    let count = |level, noun: &str| {
        let all = findings.iter().filter(|it| it.level == level);
        match all.count() {
            1 => format!("1 {noun}"),
            count => format!("{count} {noun}s"),
        }
    };
    let (errors, warnings) = (
        count(Level::Error, "error"),
        count(Level::Warning, "warning"),
    );
    format!("{errors}, {warnings}")
}

/// Formats findings for programs.
pub(crate) fn json(findings: &[Finding]) -> String {
    let all = findings.iter().map(|finding| {
        let mut object = json!({
            "rule": finding.rule.id,
            "level": level(finding.level),
            "crd": finding.crd,
            "version": finding.version,
            "path": finding.path,
            "message": finding.message,
            "instead": finding.rule.instead,
        });
        if let Some(spot) = spot(finding) {
            object["file"] = json!(spot.file);
            object["line"] = json!(spot.line);
            object["column"] = json!(spot.column);
        }
        object
    });
    pretty(&Value::Array(all.collect()))
}

/// Formats findings as annotations of a GitHub workflow.
pub(crate) fn github(findings: &[Finding]) -> String {
    let lines = findings.iter().map(|finding| {
        let message = format!("{}; {}", subject(finding), finding.rule.instead);
        let spot = spot(finding);
        annotations::line(
            level(finding.level),
            spot.as_ref(),
            finding.rule.id,
            &message,
        )
    });
    lines.collect()
}

/// Formats findings as SARIF.
pub(crate) fn sarif(findings: &[Finding]) -> String {
    let rules = rules::all().map(|rule| json!({"id": rule.id, "help": {"text": rule.instead}}));
    let results = findings.iter().map(|finding| {
        let place = spot(finding);
        json!({
            "ruleId": finding.rule.id,
            "level": level(finding.level),
            "message": {"text": format!("{}; {}", subject(finding), finding.rule.instead)},
            "locations": place.iter().map(sarif::location).collect::<Vec<Value>>(),
            "partialFingerprints": {"finding/v1": finding.key()},
        })
    });
    sarif::log("kube-codegen lint", rules.collect(), results.collect())
}

fn subject(finding: &Finding) -> String {
    let place = located([&finding.crd, &finding.version, &finding.path]);
    format!("{place}: {}", finding.message)
}

const fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning | Level::Off => "warning",
    }
}

fn spot(finding: &Finding) -> Option<Spot> {
    finding.place.as_ref().map(Spot::of)
}
