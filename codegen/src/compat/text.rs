//! A report for people:
//!
//! ```text
//! incompatible[bound-changed]: widgets.example.com v1 spec.size: `maximum`: `10` → `5`
//!   --> new.yaml:24:17, was old.yaml:24:17
//!   hurts stored objects, writers:
//!     apiVersion: example.com/v1
//!     …
//!   before: accepted
//!   now:    Widget.example.com "example" is invalid: spec.size: …
//! ```

use kube_crd_diff::{Finding, Harm, Severity, Who};

use super::{Located, Report};
use crate::{compat::definition::Spot, output::yaml::to_yaml};

/// Which findings are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Those that hurt somebody.
    Harmful,
    /// All, compatible ones with the reason.
    All,
}

impl Shown {
    /// Whether a finding is shown.
    pub(crate) fn admits(self, located: &Located) -> bool {
        let is_harmful = located.finding.severity() != Severity::Compatible;
        self == Self::All || is_harmful && located.accepted.is_none()
    }
}

/// Formats a report. The last line has the figures.
pub(crate) fn text(report: &Report, shown: Shown) -> String {
    let findings = report.findings.iter();
    let findings = findings.filter(|it| shown.admits(it));
    let mut text: String = findings.map(one).collect();
    text.push_str(&figures(report));
    text.push('\n');
    text
}

/// `1 incompatible change, 2 risks, 3 compatible changes`.
pub(crate) fn figures(report: &Report) -> String {
    let count = |severity, one: &str, many: &str| match report.count(severity) {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    };
    if report.findings.is_empty() {
        return "no changes".to_owned();
    }
    let mut figures = vec![
        count(
            Severity::Incompatible,
            "incompatible change",
            "incompatible changes",
        ),
        count(Severity::Risk, "risk", "risks"),
        count(
            Severity::Compatible,
            "compatible change",
            "compatible changes",
        ),
    ];
    let accepted = report.findings.iter().filter(|it| it.accepted.is_some());
    match accepted.count() {
        0 => {}
        count => figures.push(format!("{count} accepted")),
    }
    figures.join(", ")
}

/// What changed where, on one line.
pub(crate) fn subject(finding: &Finding) -> String {
    let place = located([&finding.crd, &finding.version, &finding.path]);
    format!("{place}: {}", finding.message)
}

/// A CRD, its version and a field of that, as far as they are given.
pub(crate) fn located(words: [&str; 3]) -> String {
    let words: Vec<&str> = words.into_iter().filter(|it| !it.is_empty()).collect();
    words.join(" ")
}

fn one(located: &Located) -> String {
    let finding = &located.finding;
    let mut text = format!(
        "{}[{}]: {}\n",
        finding.severity().name(),
        finding.rule.id,
        subject(finding)
    );
    let spot = |spot: &Spot| format!("{}:{}:{}", spot.file, spot.line, spot.column);
    match (&located.new, &located.old) {
        (Some(new), Some(old)) => {
            text.push_str(&format!("  --> {}, was {}\n", spot(new), spot(old)));
        }
        (Some(new), None) => text.push_str(&format!("  --> {}\n", spot(new))),
        (None, Some(old)) => text.push_str(&format!("  --> was {}\n", spot(old))),
        (None, None) => {}
    }
    for harm in &finding.harms {
        text.push_str(&hurt(harm));
    }
    if let Some(reason) = &located.accepted {
        text.push_str(&format!("  accepted: {reason}\n"));
    }
    if !finding.reason.is_empty() {
        text.push_str(&format!("  nobody is hurt: {}\n", finding.reason));
    }
    if !finding.rust.is_empty() {
        text.push_str(&format!("  in Rust: {}\n", finding.rust));
    }
    text.push('\n');
    text
}

fn hurt(harm: &Harm) -> String {
    let mut text = format!("  hurts {}", names(&harm.who));
    let Some(witness) = &harm.witness else {
        text.push_str(&format!("; {}\n", harm.note));
        return text;
    };
    text.push_str(":\n");
    for line in to_yaml(&witness.object).lines() {
        text.push_str(&format!("    {line}\n"));
    }
    text.push_str(&format!("  before: {}\n", witness.before));
    text.push_str(&format!("  now:    {}\n", witness.after));
    if let Some(update) = &witness.update {
        text.push_str(&format!(
            "  update of a stored object that leaves it as it is: {update}\n"
        ));
    }
    if !harm.note.is_empty() {
        text.push_str(&format!("  note: {}\n", harm.note));
    }
    text
}

/// `stored objects, writers`.
pub(crate) fn names(who: &[Who]) -> String {
    let names: Vec<&str> = who.iter().map(|who| who.name()).collect();
    names.join(", ")
}
