//! Printer columns and selectable fields.

use serde_json::Value;

use crate::finding::{Finding, Harm, Severity, Who};
use crate::place::{list, text};
use crate::rules::{self, Rule};
use crate::version::{Version, at};

/// A list of a version whose items have a key.
struct Keyed {
    list: &'static str,
    key: &'static str,
    noun: &'static str,
    rule: &'static Rule,
    who: Who,
    gone: (Severity, &'static str),
}

const LISTS: [Keyed; 2] = [
    Keyed {
        list: "additionalPrinterColumns",
        key: "name",
        noun: "column",
        rule: rules::COLUMN_CHANGED,
        who: Who::Tools,
        gone: (
            Severity::Risk,
            "no object shows it: scripts that read the output of `kubectl get` see another table",
        ),
    },
    Keyed {
        list: "selectableFields",
        key: "jsonPath",
        noun: "selectable field",
        rule: rules::SELECTABLE_CHANGED,
        who: Who::Readers,
        gone: (
            Severity::Incompatible,
            "no witness is needed: lists and watches that select by it are answered with 400",
        ),
    },
];

/// Compares them.
pub(crate) fn compare(crd: &str, old: Version<'_>, new: Version<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for keyed in &LISTS {
        let (before, after) = (
            list(old.value, &[keyed.list]),
            list(new.value, &[keyed.list]),
        );
        let name = |item: &Value| text(item, &[keyed.key]).to_owned();
        let finding = |index: Option<usize>, place: Option<usize>, message: String| {
            let of = |version: Version<'_>, index: usize| {
                version.pointer(&[keyed.list, &index.to_string()])
            };
            let mut finding = at(crd, new, keyed.rule, message);
            finding.path = keyed.list.to_owned();
            finding.old = index.map(|index| of(old, index));
            finding.new = place
                .map(|place| of(new, place))
                .or_else(|| Some(new.pointer(&[])));
            finding
        };
        let (severity, note) = keyed.gone;
        for (index, item) in before.iter().enumerate() {
            let place = after.iter().position(|it| name(it) == name(item));
            let other = place.and_then(|place| after.get(place));
            let message = match other {
                None => format!("the {} `{}` is gone", keyed.noun, name(item)),
                Some(other) if is_described_alone(item, other) => continue,
                Some(other) => format!(
                    "the {} `{}` changed: `{item}` → `{other}`",
                    keyed.noun,
                    name(item)
                ),
            };
            let mut finding = finding(Some(index), place, message);
            let who = [keyed.who, Who::Tools];
            let mut who = who.to_vec();
            who.dedup();
            finding.harms.push(Harm::stated(who, severity, note));
            found.push(finding);
        }
        for (place, item) in after.iter().enumerate() {
            if !before.iter().any(|it| name(it) == name(item)) {
                let message = format!("the {} `{}` is new", keyed.noun, name(item));
                let mut finding = finding(None, Some(place), message);
                finding.reason = "nothing that was there is gone".to_owned();
                found.push(finding);
            }
        }
    }
    found
}

/// Whether two columns differ in their descriptions at most.
fn is_described_alone(one: &Value, other: &Value) -> bool {
    let rest = |item: &Value| {
        let mut item = item.clone();
        if let Some(map) = item.as_object_mut() {
            map.remove("description");
        }
        item
    };
    rest(one) == rest(other)
}
