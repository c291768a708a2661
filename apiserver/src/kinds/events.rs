//! Events of the core group and of `events.k8s.io/v1`: stored once, with different field names.

use serde_json::{Map, Value, json};

use super::check;
use crate::field::FieldError;
use crate::metadata::object::{self, at, text};
use crate::registry::{Conversion, Strategy, label_not_supported};
use crate::table::cells::name;
use crate::table::{Printer, col, columns, since, wide};
use crate::types::normal::normalise;

/// Events with the field names of the core group.
#[derive(Debug)]
pub(super) struct Event;

impl Strategy for Event {
    fn validate(&self, object: &Value) -> Vec<FieldError> {
        validate(object)
    }

    fn unknown_field(&self, _kind: &str, field: &str) -> String {
        label_not_supported(field)
    }

    fn printer(&self) -> &'static Printer {
        PRINTER
    }
}

/// Events with the field names of `events.k8s.io`. Errors name the fields of the core group, as
/// kube-apiserver's do.
#[derive(Debug)]
pub(super) struct EventView;

impl Strategy for EventView {
    fn validate(&self, object: &Value) -> Vec<FieldError> {
        validate(&to_stored(object.clone()))
    }

    fn validate_create(&self, object: &Value) -> Vec<FieldError> {
        validate_strictly(&to_stored(object.clone()))
    }

    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        let (old, new) = (to_stored(old.clone()), to_stored(new.clone()));
        let mut errors = Vec::new();
        if old.get("series") != new.get("series") {
            errors.extend(validate_series(&new));
        }
        for field in IMMUTABLE {
            check::immutable(field, &old, &new, &mut errors);
        }
        for error in &mut errors {
            if error.field == "reportingComponent" {
                "reportingController".clone_into(&mut error.field);
            }
        }
        errors
    }

    fn unknown_field(&self, kind: &str, field: &str) -> String {
        format!("field label \"{field}\" not supported for {kind}")
    }

    fn printer(&self) -> &'static Printer {
        PRINTER
    }
}

/// The limits of an event's texts, in bytes.
const LONGEST_WORD: usize = 128;
const LONGEST_NOTE: usize = 1024;

/// The fields that an update through `events.k8s.io` must not change. The reason stands twice in
/// kube-apiserver's list.
const IMMUTABLE: &[&str] = &[
    "involvedObject",
    "reason",
    "message",
    "source",
    "firstTimestamp",
    "lastTimestamp",
    "count",
    "reason",
    "type",
    "eventTime",
    "action",
    "related",
    "reportingComponent",
    "reportingInstance",
];

/// Whether an event was made for `events.k8s.io`, whichever group it is written through.
fn is_new_style(event: &Value) -> bool {
    !text(event, &["eventTime"]).is_empty()
}

/// Checks the rules of every event: kube-apiserver's `legacyValidateEvent`.
fn validate(event: &Value) -> Vec<FieldError> {
    let about = text(event, &["involvedObject", "namespace"]);
    let own = object::namespace(event);
    let is_placed = match (is_new_style(event), about) {
        // Events of cluster-scoped objects.
        (true, "") => matches!(own, "default" | "kube-system"),
        (false, "") => own == "default",
        (true, _) => true,
        (false, about) => own == about,
    };
    let mut errors = Vec::new();
    if !is_placed {
        errors.push(FieldError::invalid(
            "involvedObject.namespace",
            about,
            "does not match event.namespace",
        ));
    }
    if is_new_style(event) {
        validate_words(event, &mut errors);
    }
    errors
}

/// Checks the texts of an event made for `events.k8s.io`.
fn validate_words(event: &Value, errors: &mut Vec<FieldError>) {
    let controller = text(event, &["reportingComponent"]);
    if controller.is_empty() {
        errors.push(FieldError::required("reportingComponent", ""));
    }
    errors.extend(
        kube_names::label_key_faults(controller)
            .into_iter()
            .map(|fault| FieldError::invalid("reportingComponent", controller, fault)),
    );
    let mut longest = |field: &str, limit: usize| {
        let length = text(event, &[field]).len();
        if length > limit {
            let detail = format!("can have at most {limit} characters");
            errors.push(FieldError::invalid(field, "", detail));
        } else if length == 0 && field != "message" {
            errors.push(FieldError::required(field, ""));
        }
    };
    for word in ["reportingInstance", "action", "reason"] {
        longest(word, LONGEST_WORD);
    }
    longest("message", LONGEST_NOTE);
}

/// Checks the additional rules of a new event of `events.k8s.io`.
fn validate_strictly(event: &Value) -> Vec<FieldError> {
    let mut errors = validate_series(event);
    if !is_new_style(event) {
        errors.push(FieldError::required("eventTime", ""));
    }
    let kind = text(event, &["type"]);
    if !matches!(kind, "Normal" | "Warning") {
        let detail = format!("has invalid value: {kind}");
        errors.push(FieldError::invalid("type", "", detail));
    }
    let is_set = |field: &str| match event.get(field) {
        None | Some(Value::Null) => false,
        Some(Value::Object(source)) => !source.is_empty(),
        Some(Value::Number(count)) => count.as_i64() != Some(0),
        Some(_) => true,
    };
    let deprecated = ["firstTimestamp", "lastTimestamp", "count", "source"];
    errors.extend(
        deprecated
            .into_iter()
            .filter(|field| is_set(field))
            .map(|field| FieldError::invalid(field, "", "needs to be unset")),
    );
    errors
}

fn validate_series(event: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let Some(series) = event.get("series").filter(|series| series.is_object()) else {
        return errors;
    };
    if series["count"].as_i64().unwrap_or_default() < 2 {
        let detail = "should be at least 2";
        errors.push(FieldError::invalid("series.count", "", detail));
    }
    if text(series, &["lastObservedTime"]).is_empty() {
        errors.push(FieldError::required("series.lastObservedTime", ""));
    }
    errors
}

/// Field names of the core group and of `events.k8s.io/v1`.
const NAMES: &[(&str, &str)] = &[
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

pub(super) const CONVERSION: Conversion = Conversion {
    from_stored,
    to_stored,
};

fn rename(object: Value, new_name: impl Fn(&str) -> Option<&'static str>) -> Value {
    let Value::Object(map) = object else {
        return object;
    };
    Value::Object(
        map.into_iter()
            .map(|(key, value)| match new_name(&key) {
                Some(name) => (name.to_owned(), value),
                None => (key, value),
            })
            .collect::<Map<_, _>>(),
    )
}

fn from_stored(object: Value) -> Value {
    let mut new = rename(object, |key| {
        NAMES
            .iter()
            .find(|(core, _)| *core == key)
            .map(|(_, new)| *new)
    });
    // The two types encode empty values differently. A stored event always decodes.
    drop(normalise("events.v1.Event", &mut new));
    new
}

fn to_stored(object: Value) -> Value {
    let mut core = rename(object, |key| {
        NAMES
            .iter()
            .find(|(_, new)| *new == key)
            .map(|(core, _)| *core)
    });
    if let Value::Object(map) = &mut core {
        map.entry("source").or_insert_with(|| json!({}));
    }
    core
}

static PRINTER: &Printer = columns! { |o| {
    let either = |core: &[&str], new: &[&str]| -> String {
        [text(o, core), text(o, new)]
            .into_iter()
            .find(|t| !t.is_empty())
            .unwrap_or_default()
            .to_owned()
    };
    let object = at(o, &["involvedObject"])
        .or_else(|| at(o, &["regarding"]))
        .unwrap_or(&Value::Null);
    let first = either(&["firstTimestamp"], &["eventTime"]);
    let last = either(&["lastTimestamp"], &["series", "lastObservedTime"]);
    let last = if last.is_empty() { first.clone() } else { last };
    let count = o["series"]["count"]
        .as_i64()
        .or(o["count"].as_i64())
        .unwrap_or(1);
    let component = either(&["source", "component"], &["reportingComponent"]);
    let host = text(o, &["source", "host"]);
    let source = if host.is_empty() {
        component
    } else {
        format!("{component}, {host}")
    };
    let kind = text(object, &["kind"]).to_lowercase();
    let target = match text(object, &["name"]) {
        "" => kind,
        name => format!("{kind}/{name}"),
    };
}
    col("Last Seen") => since(&last),
    col("Type") => text(o, &["type"]),
    col("Reason") => text(o, &["reason"]),
    col("Object") => target,
    wide("Subobject") => text(object, &["fieldPath"]),
    wide("Source") => source,
    col("Message") => either(&["message"], &["note"]).trim(),
    wide("First Seen") => since(&first),
    wide("Count") => count.max(1),
    wide("Name") => name(o),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_keep_their_content_in_both_groups() {
        let new = json!({"metadata": {"name": "e"}, "regarding": {"kind": "Pod"}, "note": "n", "reason": "r",
            "reportingController": "c"});
        let core = to_stored(new.clone());
        assert_eq!(
            core,
            json!({"metadata": {"name": "e"}, "involvedObject": {"kind": "Pod"}, "message": "n", "reason": "r",
                "reportingComponent": "c", "source": {}})
        );
        let mut expected = new;
        expected["deprecatedSource"] = json!({});
        expected["eventTime"] = Value::Null;
        expected["deprecatedFirstTimestamp"] = Value::Null;
        expected["deprecatedLastTimestamp"] = Value::Null;
        assert_eq!(from_stored(core), expected);
    }
}
