//! Versions of a CRD: which there are, and what each serves.

use serde_json::Value;

use crate::finding::{Finding, Harm, Severity, Who};
use crate::place::{list, pointer, text};
use crate::rules;
use crate::run::{Header, Pair, Side};
use crate::version::{Version, at, preserves, versions};
use crate::walk::Walk;
use crate::witness::{Known, judge};
use crate::{Options, columns, definition};

/// Compares the versions.
pub(crate) fn compare(old: &Value, new: &Value, options: &Options) -> Vec<Finding> {
    let (before, after) = (versions(old), versions(new));
    let name = definition::name_of(new);
    let mut found = Vec::new();
    for version in &before {
        if !after.iter().any(|it| it.name == version.name) {
            found.push(removed(&name, *version, old, new));
        }
    }
    for version in &after {
        match before.iter().find(|it| it.name == version.name) {
            Some(earlier) => found.extend(one((&name, *earlier, *version), (old, new), options)),
            None => {
                let mut finding = at(&name, *version, rules::VERSION_ADDED, "the version is new");
                finding.new = Some(version.pointer(&[]));
                finding.reason = "no client knows it yet".to_owned();
                found.push(finding);
            }
        }
    }
    found.extend(storage(&name, &before, &after));
    found
}

fn removed(crd: &str, version: Version<'_>, old: &Value, new: &Value) -> Finding {
    let mut finding = at(crd, version, rules::VERSION_REMOVED, "the version is gone");
    finding.old = Some(version.pointer(&[]));
    finding.new = Some(pointer(&["spec", "versions"]));
    finding.rust = "the module of the version is gone".to_owned();
    if version.is_served() {
        let group = text(new, &["spec", "group"]);
        let note = format!(
            "no witness is needed: each request to `/apis/{group}/{}/…` is answered with 404",
            version.name
        );
        let who = [Who::Writers, Who::Readers];
        finding
            .harms
            .push(Harm::stated(who, Severity::Incompatible, note));
    }
    let stored = list(old, &["status", "storedVersions"]);
    if version.is_stored() || stored.iter().any(|it| it == version.name) {
        let note = format!(
            "the server refuses the CRD while `status.storedVersions` names it: write each object again, \
             then remove `{}` from there",
            version.name
        );
        finding
            .harms
            .push(Harm::stated([Who::Stored], Severity::Incompatible, note));
    }
    if finding.harms.is_empty() {
        finding.reason = "it was neither served nor stored".to_owned();
    }
    finding
}

/// The version that is stored.
fn storage(crd: &str, before: &[Version<'_>], after: &[Version<'_>]) -> Option<Finding> {
    let stored = |all: &[Version<'_>]| {
        all.iter()
            .find(|it| it.is_stored())
            .map(|it| (it.name.to_owned(), it.index))
    };
    let ((old, old_index), (new, new_index)) = (stored(before)?, stored(after)?);
    if old == new {
        return None;
    }
    let version = *after.iter().find(|it| it.name == new)?;
    let message = format!("the storage version is `{new}`, and was `{old}`");
    let mut finding = at(crd, version, rules::STORAGE_CHANGED, message);
    finding.old = Some(pointer(&[
        "spec",
        "versions",
        &old_index.to_string(),
        "storage",
    ]));
    finding.new = Some(pointer(&[
        "spec",
        "versions",
        &new_index.to_string(),
        "storage",
    ]));
    finding.reason = format!(
        "stored objects are converted when they are read; what conversion drops is a finding of its own. \
         `status.storedVersions` keeps `{old}` until each object is written again"
    );
    Some(finding)
}

/// Compares one version.
fn one(
    (crd, old, new): (&str, Version<'_>, Version<'_>),
    (old_crd, new_crd): (&Value, &Value),
    options: &Options,
) -> Vec<Finding> {
    let mut found = Vec::new();
    if old.value == new.value && preserves(old_crd) == preserves(new_crd) {
        return found;
    }
    found.extend(served(crd, old, new));
    found.extend(deprecation(crd, old, new));
    found.extend(columns::compare(crd, old, new));
    let schema = |version: Version<'_>| version.value.get("schema").cloned();
    let same = schema(old) == schema(new) && preserves(old_crd) == preserves(new_crd);
    let subresources = old.value.get("subresources") == new.value.get("subresources");
    if same && subresources {
        return found;
    }
    let pair = Pair {
        old: Side::of(old.value, preserves(old_crd)),
        new: Side::of(new.value, preserves(new_crd)),
        header: Header::of(new_crd, new.name),
    };
    if !subresources {
        found.extend(subresource(crd, old, new, &pair));
    }
    if same {
        return found;
    }
    if pair.old.faults().is_empty()
        && let Some(fault) = pair.new.faults().first()
    {
        let message = "kube-apiserver refuses the new schema";
        let mut finding = at(crd, new, rules::SCHEMA_REFUSED, message);
        finding.new = Some(new.pointer(&["schema"]));
        let note = format!("no witness is needed: {fault}");
        finding
            .harms
            .push(Harm::stated([Who::Writers], Severity::Incompatible, note));
        found.push(finding);
    }
    let root = |version: Version<'_>| version.pointer(&["schema", "openAPIV3Schema"]);
    let walk = Walk::new(&pair, options, (crd, new.name), (root(old), root(new)));
    found.extend(walk.run());
    found
}

fn served(crd: &str, old: Version<'_>, new: Version<'_>) -> Option<Finding> {
    if old.is_served() == new.is_served() {
        return None;
    }
    let places = |finding: &mut Finding| {
        finding.old = Some(old.pointer(&["served"]));
        finding.new = Some(new.pointer(&["served"]));
    };
    if new.is_served() {
        let mut finding = at(crd, new, rules::VERSION_ADDED, "the version is served now");
        places(&mut finding);
        finding.reason = "no client uses it yet".to_owned();
        return Some(finding);
    }
    let mut finding = at(
        crd,
        new,
        rules::VERSION_REMOVED,
        "the version is no longer served",
    );
    places(&mut finding);
    let note = "no witness is needed: each request to the version is answered with 404";
    let who = [Who::Writers, Who::Readers];
    finding
        .harms
        .push(Harm::stated(who, Severity::Incompatible, note));
    Some(finding)
}

fn deprecation(crd: &str, old: Version<'_>, new: Version<'_>) -> Option<Finding> {
    let keys = ["deprecated", "deprecationWarning"];
    let key = keys
        .iter()
        .find(|key| old.value.get(*key) != new.value.get(*key))?;
    let is_deprecated = new.value.get("deprecated") == Some(&Value::Bool(true));
    let message = match is_deprecated {
        true => "the version is deprecated",
        false => "the version is no longer deprecated",
    };
    let mut finding = at(crd, new, rules::DEPRECATION_CHANGED, message);
    finding.old = Some(old.pointer(&[key]));
    finding.new = Some(new.pointer(&[key]));
    finding.reason = "requests are answered as before, with or without a warning".to_owned();
    Some(finding)
}

/// The subresources `status` and `scale`.
fn subresource(crd: &str, old: Version<'_>, new: Version<'_>, pair: &Pair) -> Vec<Finding> {
    let mut found = Vec::new();
    for name in ["status", "scale"] {
        let of = |version: Version<'_>| {
            let found = version.value.pointer(&format!("/subresources/{name}"));
            found.filter(|it| !it.is_null()).cloned()
        };
        let (before, after) = (of(old), of(new));
        let keys = ["subresources", name];
        let mut finding = match (&before, &after) {
            (None, Some(_)) => at(
                crd,
                new,
                rules::SUBRESOURCE_ADDED,
                format!("the subresource `{name}` is new"),
            ),
            (Some(_), None) => at(
                crd,
                new,
                rules::SUBRESOURCE_REMOVED,
                format!("the subresource `{name}` is gone"),
            ),
            (Some(before), Some(after)) if before != after => at(
                crd,
                new,
                rules::SCALE_CHANGED,
                format!("`scale`: `{before}` → `{after}`"),
            ),
            _ => continue,
        };
        finding.path = keys.join(".");
        finding.old = before.as_ref().map(|_| old.pointer(&keys));
        finding.new = Some(match after.is_some() {
            true => new.pointer(&keys),
            false => new.pointer(&[]),
        });
        match (name, before.is_some(), after.is_some()) {
            ("status", false, _) => finding.harms.push(ignored_status(pair)),
            ("scale", false, _) => {
                finding.reason = "requests to `/scale` were answered with 404".to_owned();
            }
            (_, true, true) => finding.harms.push(Harm::stated(
                [Who::Meaning, Who::Tools],
                Severity::Incompatible,
                "no object shows it: autoscalers and `kubectl scale` read and write other fields",
            )),
            _ => finding.harms.push(Harm::stated(
                [Who::Writers, Who::Tools],
                Severity::Incompatible,
                format!("no witness is needed: requests to `/{name}` are answered with 404"),
            )),
        }
        found.push(finding);
    }
    found
}

/// With the subresource, a write of the object ignores its status.
fn ignored_status(pair: &Pair) -> Harm {
    let mut object = crate::sample::Demand::of([&pair.old.schema, &pair.new.schema]).least();
    pair.header.put(&mut object);
    object["status"] = match pair.old.schema.pointer("/properties/status") {
        Some(schema) => crate::sample::Demand::of([schema]).least(),
        None => serde_json::json!({}),
    };
    let is_shown =
        pair.old.refusals(&object).is_empty() && judge(pair, &Known::default(), &object).is_empty();
    let witness = is_shown.then(|| crate::finding::Witness {
        object,
        before: "the status is stored".to_owned(),
        after: "the status is ignored: only `/status` writes it".to_owned(),
        update: None,
    });
    let note = match witness {
        Some(_) => String::new(),
        None => "a write of the object ignores its status: only `/status` writes it".to_owned(),
    };
    Harm {
        who: vec![Who::Meaning, Who::Writers],
        severity: Severity::Incompatible,
        witness,
        note,
    }
}
