//! Brings an object to be accepted, while the value at a path of it stays: discriminators, siblings
//! that exclude each other, fields that others need.
//!
//! The errors say where to look: the fields that the rules of an error's node name come first, then
//! all fields there, then those beside the path.

use serde_json::Value;

use crate::change::Candidate;
use crate::place::{Step, is_identity, list, text};
use crate::run::Side;
use crate::sample::Demand;

/// How many objects are tried.
const TRIES: usize = 400;
/// How many values of one field are tried.
const VALUES: usize = 24;
/// How many errors are looked at before the path.
const ERRORS: usize = 3;

/// What an object gets at a path.
enum Proposal<'s> {
    Listed(&'s Value),
    Least,
    Second,
    /// All fields, to a depth.
    Full,
    Not(bool),
    Absent,
    /// No field but these.
    Only(Vec<String>),
}

type Edit<'s> = (Vec<Step>, Proposal<'s>);

/// How far an object is from being accepted. Rules are not run over one with other errors, so that
/// it may have more errors than are known.
#[derive(PartialEq, PartialOrd)]
struct Distance {
    hides_rules: bool,
    errors: usize,
}

/// Changes fields, one at a time, as long as the side reports fewer errors. `None` if some are
/// left. Without steps, any field may change.
pub(crate) fn reach(side: &Side, object: &Value, steps: &[Step]) -> Option<Value> {
    let root = Demand::of([&side.schema]);
    let kept = at(object, steps);
    let mut best = object.clone();
    let mut errors = refusals(side, &best);
    let mut tries = 0;
    while !errors.is_empty() {
        let mut improved = None;
        for (path, proposal) in edits(&root, &best, &errors, steps) {
            let Some(edited) = apply(&root, &best, &path, &proposal) else {
                continue;
            };
            let is_kept = steps.is_empty() || at(&edited, steps) == kept;
            if !is_kept || edited == best {
                continue;
            }
            tries += 1;
            if tries > TRIES {
                return None;
            }
            let left = refusals(side, &edited);
            if distance(&left) < distance(&errors) {
                improved = Some((edited, left));
                break;
            }
        }
        (best, errors) = improved?;
    }
    Some(best)
}

/// The errors of an object: the places and the messages.
fn refusals(side: &Side, object: &Value) -> Vec<(String, String)> {
    let errors = side.refusals(object).into_iter();
    errors.map(|error| (error.field, error.detail)).collect()
}

fn distance(errors: &[(String, String)]) -> Distance {
    Distance {
        hides_rules: errors.iter().any(|(field, _)| field == "<nil>"),
        errors: errors.len(),
    }
}

fn edits<'s>(
    root: &Demand<'s>,
    object: &Value,
    errors: &[(String, String)],
    steps: &[Step],
) -> Vec<Edit<'s>> {
    let mut found = Vec::new();
    for (field, message) in errors.iter().take(ERRORS) {
        let Some(path) = path_of(field) else { continue };
        let demand = below(root, &path);
        for named in named_by_rules(&demand, message) {
            let path = [path.as_slice(), &named].concat();
            found.extend(others(&below(root, &path), at(object, &path), path));
        }
        found.extend(fields(root, object, &path, &[]));
        if let Some((Step::Property(name), before)) = path.split_last() {
            found.extend(others(&demand, at(object, &path), path.clone()));
            found.extend(fields(root, object, before, &[name]));
        }
    }
    for length in (0..steps.len()).rev() {
        if let (before, [Step::Property(name), ..]) = steps.split_at(length) {
            found.extend(fields(root, object, before, &[name]));
        }
    }
    found
}

/// The path of an error (`spec.disks[0].size`). `None` if it leads to another item than the first.
fn path_of(field: &str) -> Option<Vec<Step>> {
    let mut path = Vec::new();
    if matches!(field, "" | "<nil>") {
        return Some(path);
    }
    for part in field.split('.') {
        let mut names = part.split('[').map(|name| name.trim_end_matches(']'));
        path.extend(names.next().map(|name| Step::Property(name.to_owned())));
        for name in names {
            match name.parse::<usize>() {
                Ok(0) => path.push(Step::Items),
                Ok(_) => return None,
                Err(_) => path.push(Step::Property(name.to_owned())),
            }
        }
    }
    Some(path)
}

/// The fields that the rules of a node name: of those with the message, if there are any.
fn named_by_rules(demand: &Demand<'_>, message: &str) -> Vec<Vec<Step>> {
    let rules = demand.schemas.iter();
    let rules = rules.flat_map(|schema| list(schema, &["x-kubernetes-validations"]));
    let (own, others): (Vec<&Value>, Vec<_>) =
        rules.partition(|rule| text(rule, &["message"]) == message);
    let rules = if own.is_empty() { others } else { own };
    let mut found: Vec<Vec<Step>> = Vec::new();
    for rule in rules {
        for path in fields_of_self(text(rule, &["rule"])) {
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }
    found
}

/// The fields that an expression selects from `self`. Its texts may look as if they did: what is
/// proposed is tried.
fn fields_of_self(expression: &str) -> Vec<Vec<Step>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (index, _) in expression.match_indices("self.") {
        let (before, after) = expression.split_at(index);
        if before.ends_with(is_word) {
            continue;
        }
        let mut path = Vec::new();
        let mut rest = after.strip_prefix("self").unwrap_or_default();
        while let Some(selected) = rest.strip_prefix('.') {
            let selected = selected.trim_start_matches('?');
            let length = selected.find(|c| !is_word(c)).unwrap_or(selected.len());
            let (name, more) = selected.split_at(length);
            // A function.
            if name.is_empty() || more.starts_with('(') {
                break;
            }
            path.push(Step::Property(name.to_owned()));
            rest = more;
        }
        if !path.is_empty() {
            found.push(path);
        }
    }
    found
}

/// Other values of a field than the one that it has.
fn others<'s>(demand: &Demand<'s>, value: Option<&Value>, path: Vec<Step>) -> Vec<Edit<'s>> {
    let listed = demand.listed().into_iter().filter(|it| Some(*it) != value);
    let mut found: Vec<Proposal<'s>> = listed.take(VALUES).map(Proposal::Listed).collect();
    match value {
        Some(Value::Bool(flag)) => found.extend([Proposal::Not(*flag), Proposal::Absent]),
        Some(_) => found.extend([Proposal::Absent, Proposal::Second, Proposal::Full]),
        None if found.is_empty() => found.extend([Proposal::Least, Proposal::Full]),
        None => {}
    }
    let edits = found.into_iter().map(|proposal| (path.clone(), proposal));
    edits.collect()
}

/// The object at a path with one field gone, added, or with another listed value.
fn fields<'s>(root: &Demand<'s>, object: &Value, path: &[Step], fixed: &[&str]) -> Vec<Edit<'s>> {
    let Some(Value::Object(map)) = at(object, path) else {
        return Vec::new();
    };
    let is_fixed = |name: &str| fixed.contains(&name) || path.is_empty() && is_identity(name);
    let mut found = Vec::new();
    let only = map.keys().filter(|name| is_fixed(name)).cloned();
    found.push((path.to_vec(), Proposal::Only(only.collect())));
    for schema in &below(root, path).schemas {
        let named = schema.get("properties").and_then(Value::as_object);
        for (name, schema) in named.into_iter().flatten() {
            if is_fixed(name) {
                continue;
            }
            let listed = list(schema, &["enum"]).iter().take(VALUES);
            let mut proposals: Vec<_> = listed.map(Proposal::Listed).collect();
            match map.get(name) {
                Some(Value::Bool(flag)) => proposals.push(Proposal::Not(*flag)),
                Some(_) => proposals.push(Proposal::Absent),
                None if proposals.is_empty() => proposals.push(Proposal::Least),
                None => {}
            }
            let path = [path, &[Step::Property(name.clone())]].concat();
            found.extend(proposals.into_iter().map(|one| (path.clone(), one)));
        }
    }
    found
}

/// Makes an edit. `None` if it is of the object's identity.
fn apply(
    root: &Demand<'_>,
    object: &Value,
    path: &[Step],
    proposal: &Proposal<'_>,
) -> Option<Value> {
    if matches!(path.first(), Some(Step::Property(name)) if is_identity(name)) {
        return None;
    }
    let value = match proposal {
        Proposal::Listed(value) => (*value).clone(),
        Proposal::Least => below(root, path).least(),
        Proposal::Second => below(root, path).second(),
        Proposal::Full => below(root, path).full(2),
        Proposal::Not(flag) => Value::Bool(!flag),
        Proposal::Absent => return Some(Candidate::Absent.put(root, Some(object.clone()), path)),
        Proposal::Only(names) => {
            let mut value = at(object, path)?.clone();
            let map = value.as_object_mut()?;
            map.retain(|name, _| names.contains(name));
            value
        }
    };
    Some(Candidate::Value(value).put(root, Some(object.clone()), path))
}

/// What the schemas demand of the value at a path.
fn below<'s>(root: &Demand<'s>, path: &[Step]) -> Demand<'s> {
    let start = root.clone();
    path.iter().fold(start, |demand, step| demand.step(step))
}

/// The value at a path: that of the first item of lists.
fn at<'v>(object: &'v Value, path: &[Step]) -> Option<&'v Value> {
    path.iter().try_fold(object, |value, step| match step {
        Step::Property(name) => value.get(name),
        Step::Items => value.get(0),
        Step::Values => value.get("key"),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_of_expressions_are_found() {
        let found = |expression: &str| {
            let paths = fields_of_self(expression).into_iter();
            let texts = paths.map(|path| crate::place::path_text(&path));
            texts.collect::<Vec<_>>()
        };
        assert_eq!(
            found("!has(self.a.b) || oldSelf.c == self.?d.orValue('') && self.e.size() > 0"),
            ["a.b", "d", "e"]
        );
        assert_eq!(found("self == oldSelf"), Vec::<String>::new());
    }

    #[test]
    fn what_rules_elsewhere_need_is_added() {
        let schema = json!({"type": "object", "properties": {
            "spec": {
                "type": "object",
                "required": ["forProvider"],
                "properties": {
                    "policies": {"type": "array", "default": ["*"], "items": {"type": "string", "enum": ["*", "Observe"]}},
                    "forProvider": {"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}},
                },
                "x-kubernetes-validations": [
                    {"rule": "!('*' in self.policies) || has(self.forProvider.name)", "message": "name is required"},
                    {"rule": "!('*' in self.policies) || has(self.forProvider.size)", "message": "size is required"},
                ],
            },
            "status": {"type": "object", "properties": {"state": {"type": "string"}}},
        }});
        let version =
            json!({"schema": {"openAPIV3Schema": schema}, "subresources": {"status": {}}});
        let side = Side::of(&version, false);
        let object = json!({"spec": {"forProvider": {}}, "status": {"state": "kept"}});
        let steps = ["status", "state"].map(|name| Step::Property(name.to_owned()));
        assert!(!side.refusals(&object).is_empty());
        let reached = reach(&side, &object, &steps).expect("an object");
        assert_eq!(side.refusals(&reached), []);
        assert_eq!(reached["status"]["state"], "kept");
    }
}
