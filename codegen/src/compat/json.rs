//! A report as JSON.

use kube_crd_diff::{Harm, Pointer, Severity, pointer_text};
use serde_json::{Value, json};

use super::{Located, Report};
use crate::compat::{definition::Spot, text::Shown};

/// Formats a report.
pub(crate) fn text(report: &Report, shown: Shown) -> String {
    let findings = report.findings.iter();
    let findings = findings.filter(|it| shown.admits(it)).map(one);
    let value = json!({
        "findings": findings.collect::<Vec<Value>>(),
        "summary": {
            "incompatible": report.count(Severity::Incompatible),
            "risk": report.count(Severity::Risk),
            "compatible": report.count(Severity::Compatible),
        },
        "suggestions": report.suggestions(),
    });
    pretty(&value)
}

/// JSON with a line end.
pub(crate) fn pretty(value: &Value) -> String {
    let text = serde_json::to_string_pretty(value);
    text.unwrap_or_default() + "\n"
}

fn one(located: &Located) -> Value {
    let finding = &located.finding;
    json!({
        "id": finding.rule.id,
        "severity": finding.severity().name(),
        "hurts": finding.who().iter().map(|who| who.name()).collect::<Vec<_>>(),
        "crd": finding.crd,
        "version": finding.version,
        "path": finding.path,
        "message": finding.message,
        "old": place(finding.old.as_ref(), located.old.as_ref()),
        "new": place(finding.new.as_ref(), located.new.as_ref()),
        "harms": finding.harms.iter().map(harm).collect::<Vec<Value>>(),
        "reason": finding.reason,
        "rust": finding.rust,
        "accepted": located.accepted,
    })
}

fn place(pointer: Option<&Pointer>, spot: Option<&Spot>) -> Value {
    let Some(pointer) = pointer else {
        return Value::Null;
    };
    let pointer = pointer_text(pointer);
    match spot {
        Some(spot) => {
            json!({"file": spot.file, "line": spot.line, "column": spot.column, "pointer": pointer})
        }
        None => json!({"pointer": pointer}),
    }
}

fn harm(harm: &Harm) -> Value {
    let witness = harm.witness.as_ref().map(|witness| {
        json!({
            "object": witness.object,
            "before": witness.before,
            "after": witness.after,
            "update": witness.update,
        })
    });
    json!({
        "hurts": harm.who.iter().map(|who| who.name()).collect::<Vec<_>>(),
        "severity": harm.severity.name(),
        "witness": witness,
        "note": harm.note,
    })
}
