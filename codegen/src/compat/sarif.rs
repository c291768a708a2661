//! A report in SARIF 2.1.0, which code scanning reads.

use kube_crd_diff::{RULES, Rule, Severity};
use serde_json::{Value, json};

use super::{Located, Report, annotations::message, json::pretty};
use crate::compat::{definition::Spot, text::Shown};

/// Formats a report.
pub(crate) fn text(report: &Report, shown: Shown) -> String {
    let findings = report.findings.iter();
    let results = findings.filter(|it| shown.admits(it)).map(one);
    let rules = RULES.iter().map(|rule| descriptor(rule));
    log("kube-codegen diff", rules.collect(), results.collect())
}

/// A log of one run of a tool.
pub(crate) fn log(tool: &str, rules: Vec<Value>, results: Vec<Value>) -> String {
    of_run(tool, rules, json!({"results": results}))
}

/// A log of a run that ended with errors of its input.
pub(crate) fn log_of_failure(tool: &str, rules: Vec<Value>, results: Vec<Value>) -> String {
    let invocations = json!([{"executionSuccessful": false}]);
    of_run(
        tool,
        rules,
        json!({"invocations": invocations, "results": results}),
    )
}

fn of_run(tool: &str, rules: Vec<Value>, mut run: Value) -> String {
    run["tool"] = json!({"driver": {"name": tool, "rules": rules}});
    run["columnKind"] = json!("unicodeCodePoints");
    pretty(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }))
}

fn descriptor(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.hurts},
    })
}

fn one(located: &Located) -> Value {
    let finding = &located.finding;
    let level = match finding.severity() {
        Severity::Incompatible => "error",
        Severity::Risk => "warning",
        Severity::Compatible => "note",
    };
    let primary = located.new.as_ref().or(located.old.as_ref());
    let related = located.old.as_ref().filter(|_| located.new.is_some());
    json!({
        "ruleId": finding.rule.id,
        "level": level,
        "message": {"text": message(located)},
        "locations": primary.map(location).into_iter().collect::<Vec<Value>>(),
        "relatedLocations": related.map(location).into_iter().collect::<Vec<Value>>(),
        "partialFingerprints": {
            "change/v1": format!("{}/{}/{}/{}", finding.rule.id, finding.crd, finding.version, finding.path),
        },
    })
}

/// The place of a result.
pub(crate) fn location(spot: &Spot) -> Value {
    json!({"physicalLocation": {
        "artifactLocation": {"uri": spot.file},
        "region": {"startLine": spot.line, "startColumn": spot.column},
    }})
}
