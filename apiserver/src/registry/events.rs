//! Events of `events.k8s.io/v1` as a view of the core group's: one storage, other field names.

use serde_json::{Map, Value, json};

use super::Conversion;
use crate::types::normal::normalise;

/// Core field names and those of `events.k8s.io/v1`.
const NAMES: &[(&str, &str)] = &[
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

pub(crate) const CONVERSION: Conversion = Conversion {
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
    // What is empty is written differently there; a stored event decodes.
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
