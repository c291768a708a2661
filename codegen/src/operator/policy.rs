//! A ValidatingAdmissionPolicy from the CEL rules of a kind's schema.
//!
//! A schema refuses an object for everybody. A policy with the same rules can be bound to some
//! namespaces, or only warn and audit, and needs no webhook. Start at [`policy`].
//!
//! ```yaml
//! - expression: "!has(object.spec) || (object.spec.min <= object.spec.max)"
//!   message: "spec: min is at most max"
//! ```

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::{
    DEPLOYED,
    edits::{Edit, EditKind},
};
use crate::output::yaml::to_yaml;

/// Formats whose values are times or bytes in rules of a schema, and text in a policy.
const CONVERTED: [&str; 4] = ["byte", "date", "date-time", "duration"];

/// A policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policy {
    /// The policy and its binding as YAML; empty if no rule can be said.
    pub text: String,
    /// The rules that a policy cannot say, each with its field and the reason.
    pub left_out: Vec<String>,
}

/// The kind that a policy is about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The group.
    pub group: &'a str,
    /// The version.
    pub version: &'a str,
    /// The plural.
    pub plural: &'a str,
    /// Whether `/status` is a subresource.
    pub status: bool,
}

/// The policy with the rules of a schema.
#[must_use]
pub fn policy(subject: Subject<'_>, schema: &Value) -> Policy {
    let mut walk = Walk::default();
    let root = Place {
        value: "object".to_owned(),
        old: Some("oldObject".to_owned()),
        ..Place::default()
    };
    walk.schema(schema, &root);
    if walk.validations.is_empty() {
        return Policy {
            text: String::new(),
            left_out: walk.left_out,
        };
    }
    let Subject {
        group,
        version,
        plural,
        status,
    } = subject;
    let name = format!("{plural}.{group}");
    let mut resources = vec![plural.to_owned()];
    resources.extend(status.then(|| format!("{plural}/status")));
    let policy = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": { "name": name },
        "spec": {
            "failurePolicy": "Fail",
            "matchConstraints": { "resourceRules": [{
                "apiGroups": [group],
                "apiVersions": [version],
                "operations": ["CREATE", "UPDATE"],
                "resources": resources,
            }] },
            "validations": walk.validations,
        },
    });
    let binding = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": { "name": name },
        "spec": { "policyName": name, "validationActions": ["Deny"] },
    });
    Policy {
        text: format!("{}---\n{}", to_yaml(&policy), to_yaml(&binding)),
        left_out: walk.left_out,
    }
}

/// The file of the policy of a kind in this module.
#[must_use]
pub fn policy_path(module: &str) -> PathBuf {
    format!("config/policies/{module}.yaml").into()
}

/// The lines that refer to a policy's file: in the kustomization, and in `demo`.
#[must_use]
pub fn policy_edits(module: &str) -> Vec<Edit> {
    let item = format!("policies/{module}.yaml");
    let listed = EditKind::ListItem {
        key: "resources",
        item,
    };
    let path = policy_path(module);
    vec![
        Edit::new(DEPLOYED, listed),
        Edit::demo_objects(&path.to_string_lossy()),
    ]
}

/// A place in an object, as CEL reaches it.
#[derive(Clone, Default)]
struct Place {
    /// The field (`spec.disks[].size`); empty for the object.
    field: String,
    /// The expression for the value.
    value: String,
    /// The expression for the value in the old object; `None` in lists and maps, whose old elements
    /// a policy cannot find.
    old: Option<String>,
    /// How the value is reached, outermost first.
    steps: Vec<Step>,
    /// The guards of the old value.
    old_guards: Vec<String>,
}

#[derive(Clone)]
enum Step {
    /// The value is there if the expression is true.
    Guard(String),
    /// The value is each element of a list, or of the keys of a map.
    Each { of: String, name: String },
}

#[derive(Default)]
struct Walk {
    validations: Vec<Value>,
    left_out: Vec<String>,
}

impl Walk {
    fn schema(&mut self, schema: &Value, place: &Place) {
        let rules = schema["x-kubernetes-validations"].as_array();
        for rule in rules.into_iter().flatten() {
            match validation(rule, schema, place) {
                Ok(validation) => self.validations.push(validation),
                Err(reason) => {
                    let field = match place.field.as_str() {
                        "" => "the object",
                        field => field,
                    };
                    let text = rule["rule"].as_str().unwrap_or_default();
                    self.left_out.push(format!("{field}: `{text}`: {reason}"));
                }
            }
        }
        let properties = schema["properties"].as_object();
        for (name, property) in properties.into_iter().flatten() {
            if let Some(below) = place.property(name, property) {
                self.schema(property, &below);
            } else if has_rules(property) {
                let field = joined(&place.field, name);
                self.left_out
                    .push(format!("{field}: the name is no identifier of CEL"));
            }
        }
        if schema["items"].is_object() {
            self.schema(&schema["items"], &place.each_item());
        }
        if schema["additionalProperties"].is_object() {
            self.schema(&schema["additionalProperties"], &place.each_value());
        }
    }
}

impl Place {
    /// The property with the name; `None` if CEL needs it escaped.
    fn property(&self, name: &str, schema: &Value) -> Option<Self> {
        if kube_names::cel::escaped(name).is_some_and(|escaped| escaped != name) || !is_word(name) {
            return None;
        }
        let of = |value: &str| format!("{value}.{name}");
        let is_nullable = schema["nullable"] == true;
        let guards = |value: &str| {
            let mut guards = vec![format!("has({})", of(value))];
            guards.extend(is_nullable.then(|| format!("{} != null", of(value))));
            guards
        };
        let mut below = self.clone();
        below.field = joined(&self.field, name);
        below.value = of(&self.value);
        let steps = guards(&self.value).into_iter().map(Step::Guard);
        below.steps.extend(steps);
        if let Some(old) = &self.old {
            below.old_guards.extend(guards(old));
            below.old = Some(of(old));
        }
        Some(below)
    }

    fn each_item(&self) -> Self {
        let name = self.fresh("item");
        let mut below = self.each(name.clone());
        below.field.push_str("[]");
        below.value = name;
        below
    }

    fn each_value(&self) -> Self {
        let name = self.fresh("key");
        let mut below = self.each(name.clone());
        below.field.push_str("[*]");
        below.value = format!("{}[{name}]", self.value);
        below
    }

    fn each(&self, name: String) -> Self {
        let mut below = self.clone();
        let of = self.value.clone();
        below.steps.push(Step::Each { of, name });
        below.old = None;
        below
    }

    /// A name for elements that differs from those around.
    fn fresh(&self, what: &str) -> String {
        format!("{what}_{}", self.steps.len())
    }

    /// The rule for all values at the place.
    fn wrapped(&self, rule: String) -> String {
        let mut steps = self.steps.iter().rev().peekable();
        let mut text = rule;
        while let Some(step) = steps.next() {
            text = match step {
                Step::Each { of, name } => format!("{of}.all({name}, {text})"),
                Step::Guard(guard) => {
                    let mut guards = vec![guard];
                    while let Some(Step::Guard(guard)) =
                        steps.next_if(|step| matches!(step, Step::Guard(_)))
                    {
                        guards.push(guard);
                    }
                    let guards = guards.into_iter().rev().cloned();
                    let guards = guards.collect::<Vec<_>>().join(" && ");
                    format!("!({guards}) || ({text})")
                }
            };
        }
        text
    }
}

/// A rule as a policy says it, or why it cannot.
fn validation(rule: &Value, schema: &Value, place: &Place) -> Result<Value, &'static str> {
    let text = |key: &str| rule[key].as_str().unwrap_or_default();
    let source = text("rule");
    if source.contains("__") {
        return Err("names that CEL escapes are written in another way in policies");
    }
    if has_converted(schema) {
        return Err("times, durations and bytes are text in policies");
    }
    let is_transition = words(source).any(|(_, word)| word == "oldSelf");
    if is_transition && rule["optionalOldSelf"] == true {
        return Err("`optionalOldSelf` is not known to policies");
    }
    let old = match (&place.old, is_transition) {
        (None, true) => return Err("policies do not find the old elements of lists and maps"),
        (old, _) => old.clone().unwrap_or_default(),
    };
    let said = |text: &str| substituted(text, &place.value, &old);
    let mut expression = said(source);
    if is_transition {
        let mut guards = vec!["oldObject != null".to_owned()];
        guards.extend(place.old_guards.iter().cloned());
        expression = format!("!({}) || ({expression})", guards.join(" && "));
    }
    let at = |message: &str| match place.field.as_str() {
        "" => message.to_owned(),
        field => format!("{field}: {message}"),
    };
    let message = match text("message") {
        "" => format!("failed rule: {}", source.trim()),
        message => message.to_owned(),
    };
    let mut validation = Map::new();
    validation.insert("expression".to_owned(), place.wrapped(expression).into());
    validation.insert("message".to_owned(), at(&message).into());
    let is_one = !place.steps.iter().any(|it| matches!(it, Step::Each { .. }));
    if is_one && !text("messageExpression").is_empty() {
        let expression = said(text("messageExpression"));
        validation.insert("messageExpression".to_owned(), expression.into());
    }
    let reason = match text("reason") {
        "FieldValueForbidden" => "Forbidden",
        _ => "Invalid",
    };
    validation.insert("reason".to_owned(), reason.into());
    Ok(Value::Object(validation))
}

/// Whether a schema has rules, or one below.
fn has_rules(schema: &Value) -> bool {
    any(schema, &|it| it["x-kubernetes-validations"].is_array())
}

/// Whether values within a schema are no text in its rules.
fn has_converted(schema: &Value) -> bool {
    any(schema, &|it| {
        let format = it["format"].as_str().unwrap_or_default();
        CONVERTED.contains(&format)
    })
}

fn any(schema: &Value, is: &dyn Fn(&Value) -> bool) -> bool {
    let properties = schema["properties"].as_object();
    let below = properties.into_iter().flat_map(Map::values);
    let below = below.chain([&schema["items"], &schema["additionalProperties"]]);
    is(schema) || below.filter(|it| it.is_object()).any(|it| any(it, is))
}

fn joined(field: &str, name: &str) -> String {
    match field {
        "" => name.to_owned(),
        field => format!("{field}.{name}"),
    }
}

fn is_word(name: &str) -> bool {
    let is_start = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    is_start && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The expression with other expressions in place of `self` and `oldSelf`.
fn substituted(source: &str, value: &str, old: &str) -> String {
    let mut text = String::new();
    let mut at = 0;
    for (start, word) in words(source) {
        let new = match word {
            "self" => value,
            "oldSelf" => old,
            _ => continue,
        };
        text.push_str(source.get(at..start).unwrap_or_default());
        text.push_str(new);
        at = start + word.len();
    }
    text.push_str(source.get(at..).unwrap_or_default());
    text.trim().to_owned()
}

/// The identifiers of an expression, with their positions: those that select a field, and the
/// content of strings, are not among them.
fn words(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = source;
    let mut after_dot = false;
    std::iter::from_fn(move || {
        loop {
            let start = source.len() - rest.len();
            let first = rest.chars().next()?;
            if first == '"' || first == '\'' {
                rest = after_string(rest, first, false);
                after_dot = false;
                continue;
            }
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if !is_part(first) {
                if !first.is_whitespace() {
                    after_dot = first == '.';
                }
                rest = rest.get(first.len_utf8()..)?;
                continue;
            }
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let (word, next) = rest.split_at(end);
            let quote = next.chars().next().filter(|c| *c == '"' || *c == '\'');
            rest = match quote {
                // The prefix of a string: `r"…"`, `b"…"`.
                Some(quote) if word.len() <= 2 => {
                    let is_raw = word.contains(['r', 'R']);
                    after_string(next, quote, is_raw)
                }
                _ => next,
            };
            let selects = std::mem::take(&mut after_dot);
            if !selects && quote.is_none() {
                return Some((start, word));
            }
        }
    })
}

/// What follows the string at the start of the text.
fn after_string(text: &str, quote: char, is_raw: bool) -> &str {
    let triple: String = [quote; 3].iter().collect();
    let delimiter = match text.starts_with(&triple) {
        true => triple,
        false => quote.to_string(),
    };
    let mut rest = text.get(delimiter.len()..).unwrap_or_default();
    while !rest.starts_with(&delimiter) {
        let mut chars = rest.chars();
        let is_escape = chars.next() == Some('\\') && !is_raw;
        if is_escape {
            chars.next();
        }
        if chars.as_str().is_empty() {
            return "";
        }
        rest = chars.as_str();
    }
    rest.get(delimiter.len()..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn self_is_replaced_where_it_is_the_value() {
        let check = |source: &str, expected: &str| {
            assert_eq!(
                substituted(source, "object.spec", "oldObject.spec"),
                expected
            );
        };
        rows![check:
            ("self.min <= self.max", "object.spec.min <= object.spec.max"),
            ("self == oldSelf", "object.spec == oldObject.spec"),
            ("self.self != 'self' && myself", "object.spec.self != 'self' && myself"),
            (r#"self.a != "it's \"self\"" "#, r#"object.spec.a != "it's \"self\"""#),
            (r#"self.matches(r"\self") || self . self"#, r#"object.spec.matches(r"\self") || object.spec . self"#),
            ("self.all(x, x.self > 0)", "object.spec.all(x, x.self > 0)"),
            ("'''a'self''' + self", "'''a'self''' + object.spec"),
        ];
    }

    fn expressions(schema: &Value) -> (Vec<String>, Vec<String>) {
        let mut walk = Walk::default();
        let root = Place {
            value: "object".to_owned(),
            old: Some("oldObject".to_owned()),
            ..Place::default()
        };
        walk.schema(schema, &root);
        let said = walk.validations.iter();
        let said = said.map(|it| it["expression"].as_str().unwrap_or_default().to_owned());
        (said.collect(), walk.left_out)
    }

    #[test]
    fn rules_hold_wherever_their_value_is() {
        let rule = |text: &str| json!([{ "rule": text }]);
        let schema = json!({
            "properties": { "spec": {
                "x-kubernetes-validations": rule("self.a == oldSelf.a"),
                "properties": {
                    "list": { "items": { "properties": { "n": { "nullable": true, "x-kubernetes-validations": rule("self > 0") } } } },
                    "map": { "additionalProperties": { "x-kubernetes-validations": rule("self != ''") } },
                },
            } },
        });
        let (said, left_out) = expressions(&schema);
        assert_eq!(
            said,
            [
                "!(has(object.spec)) || (!(oldObject != null && has(oldObject.spec)) || (object.spec.a == oldObject.spec.a))",
                "!(has(object.spec) && has(object.spec.list)) || (object.spec.list.all(item_2, !(has(item_2.n) && item_2.n != null) || (item_2.n > 0)))",
                "!(has(object.spec) && has(object.spec.map)) || (object.spec.map.all(key_2, object.spec.map[key_2] != ''))",
            ]
        );
        assert_eq!(left_out, [""; 0]);
    }

    #[test]
    fn rules_that_a_policy_would_read_differently_are_left_out() {
        let rule = |text: &str| json!([{ "rule": text }]);
        let schema = json!({
            "properties": {
                "a-b": { "x-kubernetes-validations": rule("self > 0") },
                "age": { "format": "duration", "x-kubernetes-validations": rule("self > duration('1s')") },
                "list": { "items": { "x-kubernetes-validations": rule("self == oldSelf") } },
                "odd": { "x-kubernetes-validations": rule("self.x__dash__y > 0") },
            },
        });
        let (said, left_out) = expressions(&schema);
        assert_eq!(said, [""; 0]);
        assert_eq!(left_out.len(), 4, "{left_out:?}");
    }
}
