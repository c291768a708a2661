//! Events of the core group and of `events.k8s.io/v1`: stored once, with different field names.

use serde_json::{Map, Value, json};

use crate::field::FieldError;
use crate::metadata::object::{self, at, text};
use crate::registry::{Conversion, Strategy, label_not_supported};
use crate::table::cells::name;
use crate::table::{Printer, col, since, wide};
use crate::types::normal::normalise;

/// Events with the field names of the core group.
#[derive(Debug)]
pub(super) struct Event;

impl Strategy for Event {
    fn validate(&self, object: &Value) -> Vec<FieldError> {
        validate("involvedObject", object)
    }

    fn unknown_field(&self, _kind: &str, field: &str) -> String {
        label_not_supported(field)
    }

    fn printer(&self) -> &'static Printer {
        &PRINTER
    }
}

/// Events with the field names of `events.k8s.io`.
#[derive(Debug)]
pub(super) struct EventView;

impl Strategy for EventView {
    fn validate(&self, object: &Value) -> Vec<FieldError> {
        validate("regarding", object)
    }

    fn unknown_field(&self, kind: &str, field: &str) -> String {
        format!("field label \"{field}\" not supported for {kind}")
    }

    fn printer(&self) -> &'static Printer {
        &PRINTER
    }
}

/// Checks that an event is in the namespace of its object; events of cluster-scoped objects are in `default`.
fn validate(about: &str, event: &Value) -> Vec<FieldError> {
    let namespace = text(event, &[about, "namespace"]);
    let expected = object::namespace(event);
    if namespace == expected || (expected == "default" && namespace.is_empty()) {
        return Vec::new();
    }
    let path = format!("{about}.namespace");
    vec![FieldError::invalid(
        path,
        namespace,
        "does not match event.namespace",
    )]
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

static PRINTER: Printer = Printer::new(
    &[
        col("Last Seen"),
        col("Type"),
        col("Reason"),
        col("Object"),
        wide("Subobject"),
        wide("Source"),
        col("Message"),
        wide("First Seen"),
        wide("Count"),
        wide("Name"),
    ],
    cells,
);

fn cells(o: &Value) -> Vec<Value> {
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
    vec![
        json!(since(&last)),
        json!(text(o, &["type"])),
        json!(text(o, &["reason"])),
        json!(target),
        json!(text(object, &["fieldPath"])),
        json!(source),
        json!(either(&["message"], &["note"]).trim()),
        json!(since(&first)),
        json!(count.max(1)),
        name(o),
    ]
}

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
