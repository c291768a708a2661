//! Judges one object by both definitions: who is hurt, if it is a witness at all.

use kube_schema::FieldError;
use serde_json::{Value, json};

use crate::decode::{Misfit, misfits};
use crate::finding::{Harm, Severity, Who, Witness};
use crate::run::Pair;

/// What other changes make of an object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    refusals: Vec<FieldError>,
    differences: Vec<Difference>,
    misfits: Vec<Misfit>,
}

/// A value that the two definitions make differently.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Difference {
    pub(crate) path: String,
    pub(crate) before: Option<Value>,
    pub(crate) after: Option<Value>,
}

impl Known {
    /// Runs a pair over an object: the definitions without the change that is judged.
    pub(crate) fn of(pair: &Pair, object: &Value) -> Self {
        let refusals = pair.new.refusals(object);
        if !refusals.is_empty() {
            return Self {
                refusals,
                ..Self::default()
            };
        }
        Self {
            refusals,
            misfits: old_misfits(pair, object),
            differences: all_differences(pair, object),
        }
    }

    /// Whether all of it is about the value at a path.
    pub(crate) fn is_at(&self, path: &str) -> bool {
        let mut refusals = self.refusals.iter();
        let mut differences = self.differences.iter();
        refusals.all(|error| error.field == path)
            && differences.all(|one| one.path == path)
            && self.misfits.iter().all(|misfit| match misfit {
                Misfit::Fails(at, _) | Misfit::Unlisted(at, _) => at == path,
                Misfit::Absent(..) => false,
            })
    }
}

/// Whom an object hurts, beyond what is known.
pub(crate) fn judge(pair: &Pair, known: &Known, object: &Value) -> Vec<Harm> {
    let mut harms = Vec::new();
    let (before, after) = (pair.old.refusals(object), pair.new.refusals(object));
    if before.is_empty() && !after.is_empty() {
        let own = |error: &&FieldError| !known.refusals.contains(error);
        if after.iter().any(|error| own(&error)) {
            harms.push(refused(pair, object, &after));
        }
    }
    if before.is_empty() && after.is_empty() {
        harms.extend(treated_otherwise(pair, known, object));
    }
    if after.is_empty() {
        harms.extend(not_decoded(pair, known, object));
    }
    harms
}

/// Stored objects and writers: accepted before, refused now.
fn refused(pair: &Pair, object: &Value, errors: &[FieldError]) -> Harm {
    let stored = pair.old.settle(object).unwrap_or_default();
    let mut touched = stored.clone();
    touched["metadata"]["annotations"] = json!({"example.com/touched": "true"});
    let errors_of_update = pair.new.refusals_of_update(&stored, &touched);
    let update = match errors_of_update.as_slice() {
        [] => "accepted: errors in values that an update leaves alone are ignored (from Kubernetes 1.33)".to_owned(),
        errors => format!("refused: {}", pair.header.refusal(errors)),
    };
    Harm {
        who: vec![Who::Stored, Who::Writers],
        severity: Severity::Incompatible,
        witness: Some(Witness {
            object: object.clone(),
            before: "accepted".to_owned(),
            after: pair.header.refusal(errors),
            update: Some(update),
        }),
        note: String::new(),
    }
}

/// Data and meaning: accepted by both, and not the same.
fn treated_otherwise(pair: &Pair, known: &Known, object: &Value) -> Option<Harm> {
    let found = all_differences(pair, object);
    let mut own = found
        .into_iter()
        .filter(|one| !known.differences.contains(one));
    let found = own.next()?;
    let sent = object.pointer(&pointer_of(&found.path));
    let is_null = |value: &Option<Value>| value.as_ref().is_some_and(Value::is_null);
    let (who, after) = match (&found.before, &found.after) {
        (Some(_), None) if sent.is_some_and(|sent| !sent.is_null() || is_null(&found.before)) => {
            (Who::Data, format!("`{}` is dropped", found.path))
        }
        (_, None) => (Who::Meaning, format!("`{}` is not set", found.path)),
        (_, Some(value)) => (Who::Meaning, format!("`{}` is {value}", found.path)),
    };
    // To most clients, a null is no value.
    let severity = match is_null(&found.before) && found.after.is_none() {
        true => Severity::Risk,
        false => Severity::Incompatible,
    };
    let before = match &found.before {
        Some(value) => format!("`{}` is {value}", found.path),
        None => format!("`{}` is not set", found.path),
    };
    Some(Harm {
        who: vec![who],
        severity,
        witness: Some(Witness {
            object: object.clone(),
            before,
            after,
            update: None,
        }),
        note: String::new(),
    })
}

/// Readers: accepted now, not decoded by an old client.
fn not_decoded(pair: &Pair, known: &Known, object: &Value) -> Option<Harm> {
    let found = old_misfits(pair, object);
    let mut own = found.into_iter().filter(|one| !known.misfits.contains(one));
    let first = own.next()?;
    let fails = |at: &str, error: &str| {
        let at = if at.is_empty() { "the object" } else { at };
        format!("a type of the old schema fails to decode {at}: {error}")
    };
    let (severity, before) = match &first {
        Misfit::Fails(path, error) => (Severity::Incompatible, fails(path, error)),
        Misfit::Absent(path, name) => {
            let error = format!("missing field `{name}`");
            (Severity::Incompatible, fails(path, &error))
        }
        Misfit::Unlisted(path, value) => (
            Severity::Risk,
            format!("a client of the old schema does not know the value {value} of {path}"),
        ),
    };
    Some(Harm {
        who: vec![Who::Readers],
        severity,
        witness: Some(Witness {
            object: object.clone(),
            before,
            after: "accepted".to_owned(),
            update: None,
        }),
        note: String::new(),
    })
}

/// What a type of the old schema cannot decode of an object that the new definition stores.
fn old_misfits(pair: &Pair, object: &Value) -> Vec<Misfit> {
    let settled = pair.new.settle(object).unwrap_or_default();
    misfits(&pair.old.schema, &settled)
}

/// What the new definition makes of an object otherwise: of a stored one that is read, and of one
/// that is sent.
fn all_differences(pair: &Pair, object: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    let Some(stored) = pair.old.settle(object) else {
        return found;
    };
    for sent in [&stored, object] {
        let Some(mut now) = pair.new.settle(sent) else {
            return found;
        };
        // Fields that the old schema does not have hurt nobody who knows it.
        pair.old.prune(&mut now);
        differences(&stored, &now, &mut String::new(), &mut found);
    }
    let mut unique = Vec::new();
    for one in found {
        if !unique.contains(&one) {
            unique.push(one);
        }
    }
    unique
}

/// The outermost values that differ; parts of lists of another length are not compared.
pub(crate) fn differences(
    before: &Value,
    after: &Value,
    path: &mut String,
    found: &mut Vec<Difference>,
) {
    let difference = |path: &str, before: Option<&Value>, after: Option<&Value>| Difference {
        path: path.to_owned(),
        before: before.cloned(),
        after: after.cloned(),
    };
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            for (name, value) in old {
                let length = path.len();
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(name);
                match new.get(name) {
                    Some(other) => differences(value, other, path, found),
                    None => found.push(difference(path, Some(value), None)),
                }
                path.truncate(length);
            }
            // A null that was dropped says no more than its absence.
            let come = new
                .iter()
                .filter(|(name, value)| !old.contains_key(*name) && !value.is_null());
            for (name, value) in come {
                let at = match path.as_str() {
                    "" => name.clone(),
                    path => format!("{path}.{name}"),
                };
                found.push(difference(&at, None, Some(value)));
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                let length = path.len();
                path.push_str(&format!("[{index}]"));
                differences(old, new, path, found);
                path.truncate(length);
            }
        }
        (old, new) if old != new => found.push(difference(path, Some(old), Some(new))),
        _ => {}
    }
}

/// A path as a JSON pointer; names with dots in them are not found.
fn pointer_of(path: &str) -> String {
    let steps = path
        .split(['.', '['])
        .map(|step| step.trim_end_matches(']'));
    steps.map(|step| format!("/{step}")).collect()
}
