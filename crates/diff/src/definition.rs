//! The definition: names, scope, conversion.

use serde_json::{Value, json};

use crate::finding::{Finding, Harm, Severity, Who};
use crate::place::{list, pointer, text};
use crate::rules::{self, Rule};

/// The name of a CRD (`widgets.example.com`).
pub(crate) fn name_of(crd: &Value) -> String {
    let plural = text(crd, &["spec", "names", "plural"]);
    format!("{plural}.{}", text(crd, &["spec", "group"]))
}

fn finding(crd: &Value, rule: &'static Rule, keys: &[&str], message: impl Into<String>) -> Finding {
    Finding {
        rule,
        crd: name_of(crd),
        version: String::new(),
        path: keys.join("."),
        old: Some(pointer(keys)),
        new: Some(pointer(keys)),
        message: message.into(),
        harms: Vec::new(),
        reason: String::new(),
        rust: String::new(),
    }
}

pub(crate) fn removed(old: &Value) -> Finding {
    let mut finding = finding(old, rules::CRD_REMOVED, &[], "the CRD is gone");
    finding.new = None;
    let note = "no witness is needed: with the CRD, the server deletes all of its objects";
    let who = [Who::Stored, Who::Data, Who::Writers, Who::Readers];
    finding
        .harms
        .push(Harm::stated(who, Severity::Incompatible, note));
    finding.rust = "the types of the kind are gone".to_owned();
    finding
}

pub(crate) fn added(new: &Value) -> Finding {
    let mut finding = finding(new, rules::CRD_ADDED, &[], "the CRD is new");
    finding.old = None;
    finding.reason = "there are no objects and no clients of it".to_owned();
    finding
}

/// Compares what is not of a version.
pub(crate) fn compare(old: &Value, new: &Value) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(scope(old, new));
    found.extend(names(old, new));
    for (key, noun) in [("shortNames", "short name"), ("categories", "category")] {
        found.extend(sets(old, new, key, noun));
    }
    found.extend(conversion(old, new));
    found
}

fn scope(old: &Value, new: &Value) -> Option<Finding> {
    let keys = ["spec", "scope"];
    let (before, after) = (text(old, &keys), text(new, &keys));
    if before == after {
        return None;
    }
    let message = format!("scope `{before}` → `{after}`");
    let mut finding = finding(new, rules::SCOPE_CHANGED, &keys, message);
    let note = "no witness is needed: the server refuses the CRD (`spec.scope: Invalid value: field is immutable`)";
    let who = [Who::Stored, Who::Data, Who::Writers, Who::Readers];
    finding
        .harms
        .push(Harm::stated(who, Severity::Incompatible, note));
    Some(finding)
}

/// Names of the kind. An absent one has its default.
fn names(old: &Value, new: &Value) -> Vec<Finding> {
    let mut found = Vec::new();
    let (mut old, mut new) = (old.clone(), new.clone());
    kube_schema::definition::set_defaults(&mut old);
    kube_schema::definition::set_defaults(&mut new);
    for key in ["kind", "listKind", "singular"] {
        let keys = ["spec", "names", key];
        let (before, after) = (text(&old, &keys), text(&new, &keys));
        if before == after {
            continue;
        }
        let message = format!("`{key}`: `{before}` → `{after}`");
        let mut finding = finding(&new, rules::NAME_CHANGED, &keys, message);
        let (who, severity) = match key {
            "kind" => (
                vec![Who::Stored, Who::Writers, Who::Readers],
                Severity::Incompatible,
            ),
            "listKind" => (vec![Who::Readers], Severity::Incompatible),
            _ => (vec![Who::Tools], Severity::Risk),
        };
        let note = format!(
            "no witness is needed: the API has another `{key}`, which clients send and compare"
        );
        finding.harms.push(Harm::stated(who, severity, note));
        if key == "kind" {
            finding.rust = format!("the type `{before}` is `{after}`");
        }
        found.push(finding);
    }
    found
}

fn sets(old: &Value, new: &Value, key: &'static str, noun: &str) -> Vec<Finding> {
    let keys = ["spec", "names", key];
    let (before, after) = (list(old, &keys), list(new, &keys));
    let mut found = Vec::new();
    for gone in before.iter().filter(|it| !after.contains(it)) {
        let message = format!("the {noun} {gone} is gone");
        let mut finding = finding(new, rules::SHORT_NAME_CHANGED, &keys, message);
        let note = "no object shows it: commands and scripts that use it fail";
        finding
            .harms
            .push(Harm::stated([Who::Tools], Severity::Risk, note));
        found.push(finding);
    }
    for come in after.iter().filter(|it| !before.contains(it)) {
        let message = format!("the {noun} {come} is new");
        let mut finding = finding(new, rules::SHORT_NAME_CHANGED, &keys, message);
        finding.reason = "no name that was there is gone".to_owned();
        found.push(finding);
    }
    found
}

fn conversion(old: &Value, new: &Value) -> Option<Finding> {
    let keys = ["spec", "conversion"];
    let of = |crd: &Value| {
        let found = crd.pointer("/spec/conversion").cloned();
        found.unwrap_or_else(|| json!({"strategy": "None"}))
    };
    let (before, after) = (of(old), of(new));
    if before == after {
        return None;
    }
    let strategy = |value: &Value| match text(value, &["strategy"]) {
        "" => "None".to_owned(),
        name => name.to_owned(),
    };
    let (from, to) = (strategy(&before), strategy(&after));
    let several = list(new, &["spec", "versions"]).len() > 1;
    let message = match from == to {
        true => "the client of the conversion webhook changed".to_owned(),
        false => format!("conversion strategy `{from}` → `{to}`"),
    };
    let mut finding = finding(new, rules::CONVERSION_CHANGED, &keys, message);
    if from == to || !several {
        finding.reason = match several {
            true => "objects are still converted by a webhook".to_owned(),
            false => "with one version nothing is converted".to_owned(),
        };
    } else {
        let severity = match to.as_str() {
            "None" => Severity::Incompatible,
            _ => Severity::Risk,
        };
        let note = "no witness: what a webhook does cannot be run here; each object that is stored in another version than the requested one is converted otherwise";
        let who = [Who::Data, Who::Meaning];
        finding.harms.push(Harm::stated(who, severity, note));
    }
    Some(finding)
}
