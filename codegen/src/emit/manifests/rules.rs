//! Validation rules (`x-kubernetes-validations`): advice about the faults that `kube-schema` finds in them, at their markers.

use std::collections::BTreeSet;

use kube_schema::{
    Charge, RuleFault, RuleFinding,
    cel::{
        budget::{MOST_OF_A_RULE, MOST_OF_ALL, factor, most_values},
        examine::{Found, Purpose},
    },
    field::Path,
    walk_rules,
};
use serde_json::Value;

use super::{
    about::{About, RULE, properties, shown},
    schema::{Schema, TYPE},
    wording::worded,
};
use crate::diag::Diagnostic;

/// Receives a finding and its subject.
type Report<'c> = dyn FnMut(About<'_>, Diagnostic) + 'c;

/// Reports all findings about the rules of one version of a kind.
pub(super) fn check_rules(kind: &str, schema: &Schema, report: &mut Report<'_>) {
    let mut faults = Faults {
        kind,
        schema,
        report,
    };
    walk_rules(schema, &Path::root(""), &mut |found| faults.add(&found));
}

/// The findings about one version of a kind.
struct Faults<'c, 'r> {
    kind: &'c str,
    schema: &'c Schema,
    report: &'c mut Report<'r>,
}

impl Faults<'_, '_> {
    fn add(&mut self, found: &RuleFinding<'_>) {
        let place = found.path.render();
        let path = properties(&place);
        let at = shown(&path);
        let text = |word: &str| {
            let rule = found.rule.and_then(|(_, rule)| rule.get(word));
            rule.and_then(Value::as_str).unwrap_or_default()
        };
        let about = About::marker(&path, RULE, text("rule"));
        match &found.fault {
            RuleFault::Untyped => {
                // A missing type is reported elsewhere.
                let Some((_, schema)) = steps(self.schema, &place).pop() else {
                    return;
                };
                if let Some(rule) = schema.rules().first().filter(|_| schema.words.has(TYPE)) {
                    let message = format!(
                        "the API server refuses a rule of {at}: it uses values whose types the schema does not specify"
                    );
                    let expression = rule.get("rule").and_then(Value::as_str).unwrap_or_default();
                    let error =
                        Diagnostic::error(message).help("move the rule to a value with a type");
                    (self.report)(About::marker(&path, RULE, expression), error);
                }
            }
            RuleFault::Expression(purpose, faults) => {
                let word = word(*purpose);
                for fault in *faults {
                    let expression = text(word);
                    let about = About::marker(&path, RULE, expression);
                    (self.report)(
                        about.part(fault.place.as_ref()),
                        refused(word, &at, expression, fault),
                    );
                }
            }
            RuleFault::Expensive(purpose, cost, bounds) => {
                let (word, factor) = (word(*purpose), factor(*cost, MOST_OF_A_RULE));
                let message = format!(
                    "the API server refuses a {word} of {at}: its estimated cost exceeds the budget by a factor of {factor}"
                );
                let error = Diagnostic::error(message)
                    .help(self.cheaper(bounds, &place))
                    .note(format!("it is `{}`", text(word)));
                (self.report)(about, error);
            }
            RuleFault::Uncorrelatable(_) => {
                let message = format!(
                    "a rule of {at} compares with oldSelf within a list whose items have no identity"
                );
                let help = "the API server refuses it: mark the list `+listType=map` with its keys, or move the rule above the list";
                (self.report)(about, Diagnostic::error(message).help(help));
            }
            RuleFault::UnusedOptional(_) => {
                let message = format!("a rule of {at} has optionalOldSelf and no oldSelf");
                let help = "the API server refuses it: remove `optionalOldSelf`, which says how oldSelf is read";
                (self.report)(about, Diagnostic::error(message).help(help));
            }
            RuleFault::ExpensiveTogether(total, charges) => {
                if let Some(greatest) = charges.first() {
                    self.together(*total, greatest);
                }
            }
        }
    }

    /// Reports the total cost, at the most expensive expression.
    fn together(&mut self, total: u64, greatest: &Charge) {
        // A rule that is too expensive by itself was reported already.
        if greatest.cost > MOST_OF_A_RULE {
            return;
        }
        let message = format!(
            "the API server refuses the rules of {}: together their estimated cost exceeds the budget by a factor of {}",
            self.kind,
            factor(total, MOST_OF_ALL)
        );
        let error = Diagnostic::error(message)
            .help(self.cheaper(&BTreeSet::new(), &greatest.path))
            .note(format!("the most expensive is `{}`", greatest.expression));
        let path = properties(&greatest.path);
        (self.report)(About::marker(&path, RULE, &greatest.expression), error);
    }

    /// Suggests how to make a rule cheaper: bounds of the values that it reads, and of the lists and maps that contain it.
    fn cheaper(&self, bounds: &BTreeSet<(&'static str, &str)>, place: &str) -> String {
        let steps = steps(self.schema, place);
        let around = steps
            .iter()
            .filter(|(_, schema)| most_values(*schema).is_none());
        let around = around.map(|(at, schema)| {
            let marker = match schema.items {
                Some(_) => "MaxItems",
                None => "MaxProperties",
            };
            format!("{marker} of `{at}`")
        });
        let here = steps.last().map_or("", |(at, _)| at);
        let read = bounds
            .iter()
            .map(|(marker, below)| match format!("{here}{below}").as_str() {
                "" => format!("{marker} of `self`"),
                at => format!("{marker} of `{at}`"),
            });
        let mut found: Vec<String> = Vec::new();
        for bound in around.chain(read) {
            if !found.contains(&bound) {
                found.push(bound);
            }
        }
        match found.as_slice() {
            [] => "simplify the rule, or add MaxItems, MaxProperties and MaxLength where lists, maps and strings are declared"
                .to_owned(),
            found => format!("simplify the rule, or add {}", found.join(", ")),
        }
    }
}

/// The key of an expression.
const fn word(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Rule => "rule",
        Purpose::Message => "messageExpression",
    }
}

/// The error for a fault in an expression.
fn refused(word: &str, at: &str, expression: &str, found: &Found<'_>) -> Diagnostic {
    let (message, help) = worded(&found.fault);
    let error = Diagnostic::error(format!(
        "the API server refuses a {word} of {at}: {message}"
    ));
    let error = match help.as_str() {
        "" => error,
        help => error.help(help),
    };
    error.note(format!("it is `{expression}`"))
}

/// The schemas that a path such as `properties[spec].items` leads through, with their places as users write them (`.spec[]`).
fn steps<'s>(root: &'s Schema, path: &str) -> Vec<(String, &'s Schema)> {
    let mut steps = vec![(String::new(), root)];
    let (mut at, mut schema, mut rest) = (String::new(), root, path);
    loop {
        rest = rest.trim_start_matches('.');
        let next = if let Some(named) = rest.strip_prefix("properties[") {
            let (name, below) = named.split_once(']').unwrap_or((named, ""));
            rest = below;
            at = format!("{at}.{name}");
            schema.properties.get(name)
        } else if let Some(below) = rest.strip_prefix("items") {
            rest = below;
            at.push_str("[]");
            schema.items.as_ref()
        } else if let Some(below) = rest.strip_prefix("additionalProperties") {
            rest = below;
            at.push_str("[]");
            schema.additional.as_ref()
        } else {
            return steps;
        };
        let Some(next) = next else { return steps };
        schema = next;
        steps.push((at.clone(), schema));
    }
}

/// The findings about the rules of a schema: each with message and help.
#[cfg(test)]
fn findings(schema: &Schema) -> Vec<String> {
    let mut found = Vec::new();
    let mut report = |_: About<'_>, error: Diagnostic| {
        found.push(format!("{}; {}", error.message, error.help.join("; ")));
    };
    check_rules("the kind", schema, &mut report);
    found
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
