//! Rules in CEL and combined schemas: what they refuse is searched for.

use serde_json::Value;

use super::shown;
use crate::change::{Change, Node, Outlook};
use crate::finding::Who;
use crate::place::{list, text};
use crate::rules;
use crate::variants::Hints;

const RULES: &str = "x-kubernetes-validations";

pub(super) fn rules(node: Node<'_>) -> Vec<Change> {
    let (old, new) = (list(node.old, &[RULES]), list(node.new, &[RULES]));
    let expression = |rule: &Value| text(rule, &["rule"]).trim().to_owned();
    let is_in =
        |rule: &Value, all: &[Value]| all.iter().any(|it| expression(it) == expression(rule));
    let gone: Vec<&Value> = old.iter().filter(|rule| !is_in(rule, new)).collect();
    let come: Vec<&Value> = new.iter().filter(|rule| !is_in(rule, old)).collect();
    let mut found = Vec::new();
    for (index, rule) in come.iter().enumerate() {
        let shown_rule = shown(rule.get("rule"));
        // A rule that takes the place of one is a change of it.
        let message = match gone.get(index) {
            Some(before) => format!("rule {} → {shown_rule}", shown(before.get("rule"))),
            None => format!("the rule {shown_rule} is new"),
        };
        let mut change = Change::new(rules::RULE_CHANGED, RULES, message, Outlook::narrower());
        for one in gone.get(index).into_iter().chain([rule]) {
            change.hints.read(text(one, &["rule"]));
        }
        change.transition = text(rule, &["rule"]).contains("oldSelf");
        found.push(change);
    }
    for rule in gone.iter().skip(come.len()) {
        let message = format!("the rule {} is gone", shown(rule.get("rule")));
        found.push(Change::new(
            rules::RULE_CHANGED,
            RULES,
            message,
            Outlook::wider(),
        ));
    }
    for before in old {
        let same = new.iter().find(|it| expression(it) == expression(before));
        if let Some(after) = same.filter(|after| *after != before) {
            let mut keys: Vec<&str> = Vec::new();
            for key in [
                "message",
                "messageExpression",
                "reason",
                "fieldPath",
                "optionalOldSelf",
            ] {
                if before.get(key) != after.get(key) {
                    keys.push(key);
                }
            }
            let message = format!(
                "`{}` of the rule {} changed",
                keys.join("`, `"),
                shown(before.get("rule"))
            );
            let outlook = match keys.contains(&"optionalOldSelf") {
                true => Outlook::narrower(),
                false => Outlook::Harmless(
                    "the rule refuses the same objects, in other words".to_owned(),
                ),
            };
            let mut change = Change::new(rules::RULE_CHANGED, RULES, message, outlook);
            change.transition = true;
            found.push(change);
        }
    }
    found
}

pub(super) fn all_of(node: Node<'_>) -> Vec<Change> {
    branches(node, "allOf", |_, come| !come)
}

pub(super) fn any_of(node: Node<'_>) -> Vec<Change> {
    let (old, new) = node.both("anyOf");
    if old.is_none() || new.is_none() {
        return vec![combined(node, "anyOf", new.is_none())];
    }
    branches(node, "anyOf", |gone, _| !gone)
}

pub(super) fn one_of(node: Node<'_>) -> Vec<Change> {
    let is_wider = node.both("oneOf").1.is_none();
    vec![combined(node, "oneOf", is_wider)]
}

pub(super) fn not(node: Node<'_>) -> Vec<Change> {
    let is_wider = node.both("not").1.is_none();
    vec![combined(node, "not", is_wider)]
}

/// Compares branches as sets. `decide` says from whether branches are gone and have come whether
/// the whole is wider.
fn branches(node: Node<'_>, keyword: &'static str, decide: fn(bool, bool) -> bool) -> Vec<Change> {
    let (old, new) = (list(node.old, &[keyword]), list(node.new, &[keyword]));
    let gone = old.iter().any(|branch| !new.contains(branch));
    let come = new.iter().any(|branch| !old.contains(branch));
    let is_wider = decide(gone, come);
    vec![combined(node, keyword, is_wider)]
}

fn combined(node: Node<'_>, keyword: &'static str, is_wider: bool) -> Change {
    let (old, new) = node.both(keyword);
    let message = format!("`{keyword}`: {} → {}", shown(old), shown(new));
    let outlook = match is_wider {
        true => Outlook::wider(),
        false => Outlook::Searched(vec![Who::Stored, Who::Writers]),
    };
    let mut change = Change::new(rules::COMBINATION_CHANGED, keyword, message, outlook);
    let mut hints = Hints::default();
    for schema in [old, new].into_iter().flatten() {
        hints.read_schema(schema);
    }
    change.hints = hints;
    change
}
