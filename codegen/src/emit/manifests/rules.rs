//! Validation rules (`x-kubernetes-validations`), checked as the API server does on creation of a CRD.
//!
//! The expressions themselves are checked by `cel`.

use serde_json::Value;

use super::{
    about::{About, path_of, shown},
    schema::{RULES, Schema},
};
use super::{schema::TYPE, wording::worded};
use crate::cel::{
    Decl, Level, OldSelf, Purpose, Verdict,
    budget::{Count, MOST_OF_A_RULE, MOST_OF_ALL, factor, most_values},
    examine::{Found, examine, reads},
};
use crate::{diag::Diagnostic, suggest::closest};

/// The marker that findings refer to.
const RULE: &str = "XValidation";

/// Receives a finding and its subject.
type Report<'c> = dyn FnMut(About<'_>, Diagnostic) + 'c;

/// The rules of one version of a kind.
pub(super) struct Rules<'c> {
    kind: &'c str,
    schema: &'c Schema,
    report: &'c mut Report<'c>,
    /// The total cost of all expressions.
    total: u64,
    /// The most expensive expression: its cost, path and source.
    greatest: Option<(u64, Vec<String>, String)>,
}

/// The position of a schema.
#[derive(Clone, Copy, Debug)]
struct Stand {
    /// Whether old and new values can be correlated, so that `oldSelf` is available.
    correlatable: bool,
    /// How many values of this schema an object can contain.
    count: Count,
}

impl<'c> Rules<'c> {
    pub(super) fn new(kind: &'c str, schema: &'c Schema, report: &'c mut Report<'c>) -> Self {
        Self {
            kind,
            schema,
            report,
            total: 0,
            greatest: None,
        }
    }

    /// Reports all findings.
    pub(super) fn run(mut self) {
        let stand = Stand {
            correlatable: true,
            count: Count::ONE,
        };
        self.walk(self.schema, &mut Vec::new(), stand);
        self.all();
    }

    /// Checks a schema and all nested ones; `path` leads to it.
    fn walk(&mut self, schema: &Schema, path: &mut Vec<String>, stand: Stand) {
        let rules = schema.words.get(RULES).and_then(Value::as_array);
        if let Some(rules) = rules {
            for rule in rules {
                self.form(rule, schema, path, stand);
            }
            self.expressions(rules, schema, path, stand);
        }
        let below = Stand {
            count: stand.count.within(schema),
            ..stand
        };
        for (name, property) in &schema.properties {
            path.push(name.clone());
            self.walk(property, path, below);
            path.pop();
        }
        if let Some(value) = &schema.additional {
            self.walk(value, path, below);
        }
        if let Some(items) = &schema.items {
            let list_type = schema.words.get("x-kubernetes-list-type");
            let keyed = list_type.and_then(Value::as_str) == Some("map");
            let mut item = below;
            item.correlatable = stand.correlatable && keyed;
            self.walk(items, path, item);
        }
    }

    /// Checks a rule apart from its expression.
    fn form(&mut self, rule: &Value, schema: &Schema, path: &[String], stand: Stand) {
        let text = |word: &str| rule.get(word).and_then(Value::as_str).unwrap_or_default();
        let expression = text("rule");
        let about = About::marker(path, RULE, expression);
        let mut report = |message: String, help: &str| {
            (self.report)(about, Diagnostic::error(message).help(help));
        };
        let at = shown(path);
        if expression.trim().is_empty() {
            report(
                format!("a rule of {at} is empty"),
                "write an expression that must be true, such as `self.min <= self.max`",
            );
        }
        if expression.contains('\n') && text("message").is_empty() {
            report(
                format!("a rule of {at} has several lines and no message"),
                "the API server demands a `message` then",
            );
        }
        if text("message").contains('\n') {
            report(
                format!("the message of a rule of {at} has several lines"),
                "write it in one line",
            );
        }
        let reads_old = reads_old_self(expression);
        if rule.get("optionalOldSelf").is_some() && !reads_old {
            report(
                format!("a rule of {at} has optionalOldSelf and no oldSelf"),
                "the API server refuses it: remove `optionalOldSelf`, which says how oldSelf is read",
            );
        }
        if !stand.correlatable && reads_old {
            report(
                format!(
                    "a rule of {at} compares with oldSelf within a list whose items have no identity"
                ),
                "the API server refuses it: mark the list `+listType=map` with its keys, or move the rule above the list",
            );
        }
        let field = text("fieldPath");
        let first = path_of(field).into_iter().next();
        if let Some(first) = first
            && !schema.properties.is_empty()
            && !schema.properties.contains_key(&first)
        {
            let near = closest(&first, schema.properties.keys().map(String::as_str));
            let help = match near {
                Some(near) => format!("did you mean `.{near}`?"),
                None => "write a path below the type, such as `.field`".to_owned(),
            };
            let message =
                format!("fieldPath of a rule of {at} names a field that is not there: `{field}`");
            report(message, &help);
        }
    }

    /// Checks types and costs of the expressions of a schema's rules.
    fn expressions(&mut self, rules: &[Value], schema: &Schema, path: &[String], stand: Stand) {
        let embedded = schema.words.get("x-kubernetes-embedded-resource");
        let level = if std::ptr::eq(schema, self.schema) || embedded == Some(&true.into()) {
            Level::Object
        } else {
            Level::Value
        };
        let at = path
            .iter()
            .map(|name| format!(".{name}"))
            .collect::<String>();
        let Some(decl) = Decl::of(schema, level, &at) else {
            // A missing type is reported elsewhere.
            if schema.words.has(TYPE)
                && let Some(rule) = rules.first()
            {
                let expression = rule.get("rule").and_then(Value::as_str).unwrap_or_default();
                let message = format!(
                    "the API server refuses a rule of {}: it uses values whose types the schema does not specify",
                    shown(path)
                );
                let error = Diagnostic::error(message).help("move the rule to a value with a type");
                let about = About::marker(path, RULE, expression);
                (self.report)(about, error);
            }
            return;
        };
        let count = stand.count.of(decl.min_bytes);
        for rule in rules {
            let text = |word: &str| rule.get(word).and_then(Value::as_str).unwrap_or_default();
            let old = match rule.get("optionalOldSelf") {
                Some(Value::Bool(true)) => OldSelf::Optional,
                _ => OldSelf::Value,
            };
            for (what, purpose, expression, count) in [
                ("rule", Purpose::Rule, text("rule"), count),
                (
                    "messageExpression",
                    Purpose::Message,
                    text("messageExpression"),
                    1,
                ),
            ] {
                if expression.trim().is_empty() {
                    continue;
                }
                match examine(expression, purpose, old, &decl) {
                    Verdict::Unknown => {}
                    Verdict::Faults(faults) => self.faults(what, expression, path, faults),
                    Verdict::Cost(each, bounds) => {
                        let cost = each.saturating_mul(count);
                        self.count(cost, path, expression);
                        if cost > MOST_OF_A_RULE {
                            let message = format!(
                                "the API server refuses a {what} of {}: its estimated cost exceeds the budget by a factor of {}",
                                shown(path),
                                factor(cost, MOST_OF_A_RULE)
                            );
                            let error = Diagnostic::error(message)
                                .help(self.cheaper(bounds, path))
                                .note(format!("it is `{expression}`"));
                            (self.report)(About::marker(path, RULE, expression), error);
                        }
                    }
                }
            }
        }
    }

    /// Reports the errors in an expression.
    fn faults(&mut self, what: &str, expression: &str, path: &[String], faults: Vec<Found<'_>>) {
        let about = About::marker(path, RULE, expression);
        for Found { fault, place } in faults {
            let (message, help) = worded(&fault);
            let message = format!(
                "the API server refuses a {what} of {}: {message}",
                shown(path),
            );
            let mut error = Diagnostic::error(message);
            if !help.is_empty() {
                error = error.help(help);
            }
            let error = error.note(format!("it is `{expression}`"));
            (self.report)(about.part(place.as_ref()), error);
        }
    }

    /// Adds an expression's cost to the total.
    fn count(&mut self, cost: u64, path: &[String], expression: &str) {
        self.total = self.total.saturating_add(cost);
        if self.greatest.as_ref().is_none_or(|(most, ..)| cost > *most) {
            self.greatest = Some((cost, path.to_vec(), expression.to_owned()));
        }
    }

    /// Checks the total cost; reported at the most expensive expression.
    fn all(&mut self) {
        let Some((cost, path, expression)) = self.greatest.take() else {
            return;
        };
        // A rule that is too expensive by itself was reported already.
        if cost <= MOST_OF_A_RULE && self.total > MOST_OF_ALL {
            let message = format!(
                "the API server refuses the rules of {}: together their estimated cost exceeds the budget by a factor of {}",
                self.kind,
                factor(self.total, MOST_OF_ALL)
            );
            let error = Diagnostic::error(message)
                .help(self.cheaper([], &path))
                .note(format!("the most expensive is `{expression}`"));
            (self.report)(About::marker(&path, RULE, &expression), error);
        }
    }

    /// Suggests how to make a rule at a path cheaper: bounds of the values that it reads, and of the lists and maps that contain
    /// it.
    fn cheaper<'b>(
        &self,
        bounds: impl IntoIterator<Item = (&'static str, &'b str)>,
        path: &[String],
    ) -> String {
        let mut found: Vec<String> = Vec::new();
        let mut schema = self.schema;
        let mut at = String::new();
        let mut names = path.iter();
        loop {
            if most_values(schema).is_none() {
                let marker = if schema.items.is_some() {
                    "MaxItems"
                } else {
                    "MaxProperties"
                };
                found.push(format!("{marker} of `{at}`"));
            }
            if let Some(within) = schema.items.as_deref().or(schema.additional.as_deref()) {
                // The path does not distinguish a list from its items; bounds for both help.
                schema = within;
                at.push_str("[]");
                continue;
            }
            let Some(next) = names.next().and_then(|name| {
                at = format!("{at}.{name}");
                schema.properties.get(name)
            }) else {
                break;
            };
            schema = next;
        }
        let read = bounds.into_iter().map(|(marker, at)| {
            let at = if at.is_empty() { "self" } else { at };
            format!("{marker} of `{at}`")
        });
        for one in read {
            if !found.contains(&one) {
                found.push(one);
            }
        }
        if found.is_empty() {
            return "simplify the rule, or add MaxItems, MaxProperties and MaxLength where lists, maps and strings are declared"
                .to_owned();
        }
        format!("simplify the rule, or add {}", found.join(", "))
    }
}

/// Whether an expression reads the value before an update.
fn reads_old_self(expression: &str) -> bool {
    if let Some(reads) = reads(expression, "oldSelf") {
        return reads;
    }
    names(expression, "oldSelf")
}

/// Whether an identifier occurs in an expression.
fn names(expression: &str, identifier: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    expression.match_indices(identifier).any(|(at, _)| {
        let before = expression[..at].chars().next_back();
        let after = expression[at + identifier.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// The findings about the rules of a schema: each with message and help.
#[cfg(test)]
fn findings(schema: &Schema) -> Vec<String> {
    let mut found = Vec::new();
    let mut report = |_: About<'_>, error: Diagnostic| {
        found.push(format!("{}; {}", error.message, error.help.join("; ")));
    };
    Rules::new("the kind", schema, &mut report).run();
    found
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
