//! Pairs of schemas, and what is found.

mod crdify;
mod definitions;
mod laws;
mod schemas;

use serde_json::{Value, json};

use crate::{Finding, Options, Severity, compare};

/// A CRD with one version, whose `spec` has a schema.
fn crd_of(spec: &Value) -> Value {
    crd(&json!({"type": "object", "properties": {"spec": spec}}))
}

/// A CRD with one version.
fn crd(schema: &Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Widget", "plural": "widgets"},
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": schema},
            }],
        },
    })
}

/// One line a finding: severity, rule, path, who is hurt, and the witness or why there is none.
fn lines(found: &[Finding]) -> Vec<String> {
    let mut lines = Vec::new();
    for finding in found {
        let head = format!(
            "{} {} {}",
            finding.severity().name(),
            finding.rule.id,
            finding.path
        );
        let head = head.trim_end();
        if finding.harms.is_empty() {
            assert!(
                !finding.reason.is_empty(),
                "{head} says not why nobody is hurt"
            );
            lines.push(head.to_owned());
        }
        for harm in &finding.harms {
            let who: Vec<&str> = harm.who.iter().map(|who| who.name()).collect();
            let shown = match &harm.witness {
                Some(witness) => format!("{} ⇒ {}", witness.before, witness.after),
                None => harm.note.clone(),
            };
            assert!(
                !shown.is_empty(),
                "{head} has neither a witness nor a reason"
            );
            lines.push(format!("{head}: {}: {shown}", who.join(", ")));
        }
    }
    lines
}

/// Asserts the findings of two CRDs.
#[track_caller]
fn check_crds(old: &Value, new: &Value, expected: &[&str]) {
    let found = compare(old, new, &Options::default());
    let lines = lines(&found);
    let same = lines.len() == expected.len()
        && lines
            .iter()
            .zip(expected)
            .all(|(line, expected)| line.contains(expected));
    assert!(
        same,
        "found\n  {}\nexpected\n  {}",
        lines.join("\n  "),
        expected.join("\n  ")
    );
}

/// Asserts the findings of two schemas of the property `spec`.
#[track_caller]
fn check(old: Value, new: Value, expected: &[&str]) {
    check_crds(&crd_of(&old), &crd_of(&new), expected);
}

/// Asserts the findings of two schemas of the field `spec.a`.
#[track_caller]
fn check_field(old: Value, new: Value, expected: &[&str]) {
    let spec = |schema: Value| json!({"type": "object", "properties": {"a": schema}});
    check(spec(old), spec(new), expected);
}

#[test]
fn equal_definitions_have_no_findings() {
    let same = crd_of(&json!({"type": "object"}));
    assert_eq!(compare(&same, &same, &Options::default()), []);
    assert_eq!(Severity::Compatible.name(), "compatible");
}
