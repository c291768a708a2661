//! Conversion by the strategy `None`: a version that lacks a field drops it.

use serde_json::Value;

use crate::Options;
use crate::definition::name_of;
use crate::finding::{Finding, Harm, Severity, Who, Witness};
use crate::place::text;
use crate::rules;
use crate::run::{Header, Side};
use crate::sample::Demand;
use crate::variants::{Hints, variants};
use crate::version::{Version, at, preserves, versions};
use crate::witness::differences;

/// A field that a version has and the stored one drops.
#[derive(PartialEq)]
struct Loss {
    version: String,
    path: String,
}

/// Reports what conversion drops and did not drop before.
pub(crate) fn compare(old: &Value, new: &Value, options: &Options) -> Vec<Finding> {
    let known: Vec<Loss> = losses(old, options)
        .into_iter()
        .map(|(loss, ..)| loss)
        .collect();
    let mut found = Vec::new();
    for (loss, version, witness) in losses(new, options) {
        if known.contains(&loss) {
            continue;
        }
        let message = format!(
            "`{}` is dropped when an object of `{}` is stored: the strategy `None` converts nothing",
            loss.path, loss.version
        );
        let mut finding = at(&name_of(new), version, rules::CONVERSION_LOSS, message);
        finding.path = loss.path;
        finding.new = Some(version.pointer(&["schema"]));
        finding.harms.push(Harm {
            who: vec![Who::Data],
            severity: Severity::Incompatible,
            witness: Some(witness),
            note: String::new(),
        });
        found.push(finding);
    }
    found
}

/// What each served version loses when it is stored.
fn losses<'c>(crd: &'c Value, options: &Options) -> Vec<(Loss, Version<'c>, Witness)> {
    let all = versions(crd);
    let strategy = text(crd, &["spec", "conversion", "strategy"]);
    let stored = all.iter().find(|it| it.is_stored());
    let (true, Some(stored)) = (matches!(strategy, "" | "None"), stored) else {
        return Vec::new();
    };
    let others = all.iter().filter(|it| {
        let differs = it.value.get("schema") != stored.value.get("schema");
        it.is_served() && it.name != stored.name && differs
    });
    let others: Vec<&Version<'c>> = others.collect();
    if others.is_empty() {
        return Vec::new();
    }
    let storage = Side::of(stored.value, preserves(crd));
    let mut found: Vec<(Loss, Version<'c>, Witness)> = Vec::new();
    for version in others {
        let side = Side::of(version.value, preserves(crd));
        let header = Header::of(crd, version.name);
        let demand = Demand::of([&side.schema]);
        let most = options.budget.min(64);
        for mut object in
            full(&demand)
                .into_iter()
                .chain(variants(&demand, &Hints::default(), most))
        {
            header.put(&mut object);
            if !side.refusals(&object).is_empty() {
                continue;
            }
            for (path, witness) in not_read_back(&side, &storage, (version, stored), &object) {
                let loss = Loss {
                    version: version.name.to_owned(),
                    path,
                };
                if !found.iter().any(|(known, ..)| *known == loss) {
                    found.push((loss, *version, witness));
                }
            }
        }
    }
    found
}

/// What of an object is not there when it is read back.
fn not_read_back(
    side: &Side,
    storage: &Side,
    (version, stored): (&Version<'_>, &Version<'_>),
    object: &Value,
) -> Vec<(String, Witness)> {
    let Some(written) = side.settle(object) else {
        return Vec::new();
    };
    let Some(mut read) = storage.settle(&written) else {
        return Vec::new();
    };
    side.prune(&mut read);
    let mut found = Vec::new();
    differences(&written, &read, &mut String::new(), &mut found);
    let gone = found.into_iter().filter(|one| one.after.is_none());
    gone.map(|one| {
        let path = generic(&one.path);
        let witness = Witness {
            object: object.clone(),
            before: format!("written as `{}`", version.name),
            after: format!("stored as `{}`: `{}` is dropped", stored.name, one.path),
            update: None,
        };
        (path, witness)
    })
    .collect()
}

/// A path of the schema: `[0]` is any item.
fn generic(path: &str) -> String {
    let mut text = String::new();
    let mut within = false;
    for c in path.chars() {
        match c {
            '[' => {
                within = true;
                text.push('[');
            }
            ']' => {
                within = false;
                text.push(']');
            }
            c if !within => text.push(c),
            _ => {}
        }
    }
    text
}

/// Objects with all fields, to some depth.
fn full(demand: &Demand<'_>) -> Vec<Value> {
    (1..=6).map(|depth| demand.full(depth)).rev().collect()
}
