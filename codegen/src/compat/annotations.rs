//! A report as annotations of a GitHub workflow:
//!
//! ```text
//! ::error file=crds/widget.yaml,line=24,col=17,title=bound-changed::widgets.example.com v1 spec.size: …
//! ```

use kube_crd_diff::Severity;

use super::{Located, Report, Spot, text};
use crate::compat::text::Shown;

/// Formats a report: a line for each finding.
pub(crate) fn annotations(report: &Report, shown: Shown) -> String {
    let findings = report.findings.iter();
    let findings = findings.filter(|it| shown.admits(it));
    findings.map(one).collect()
}

fn one(located: &Located) -> String {
    let finding = &located.finding;
    let level = match finding.severity() {
        Severity::Incompatible => "error",
        Severity::Risk => "warning",
        Severity::Compatible => "notice",
    };
    let spot = located.new.as_ref().or(located.old.as_ref());
    line(level, spot, finding.rule.id, &message(located))
}

/// One annotation.
pub(crate) fn line(level: &str, spot: Option<&Spot>, title: &str, message: &str) -> String {
    let place = spot.map(|spot| {
        let file = property(&spot.file);
        format!("file={file},line={},col={},", spot.line, spot.column)
    });
    let (place, title) = (place.unwrap_or_default(), property(title));
    format!("::{level} {place}title={title}::{}\n", data(message))
}

/// What changed, who is hurt, and what the witness shows.
pub(super) fn message(located: &Located) -> String {
    let finding = &located.finding;
    let mut message = text::subject(finding);
    for harm in &finding.harms {
        message.push_str(&format!("\nhurts {}: ", text::names(&harm.who)));
        match &harm.witness {
            Some(witness) => message.push_str(&format!(
                "{}; before: {}; now: {}",
                witness.object, witness.before, witness.after
            )),
            None => message.push_str(&harm.note),
        }
    }
    if !finding.reason.is_empty() {
        message.push_str(&format!("\nnobody is hurt: {}", finding.reason));
    }
    message
}

/// Escapes a message.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
