//! Limits the nesting depth of objects to the depth that the parser can read back.

use serde_json::Value;

/// The maximum depth that the JSON parser reads.
pub(crate) const MOST_LEVELS: usize = 127;

/// Whether a value nests deeper than [`MOST_LEVELS`]. Stops descending at that depth.
pub(crate) fn is_too_deep(value: &Value) -> bool {
    exceeds(value, MOST_LEVELS)
}

fn exceeds(value: &Value, levels: usize) -> bool {
    let below = levels.checked_sub(1);
    let is_deeper = |value: &Value| below.is_some_and(|levels| exceeds(value, levels));
    match value {
        Value::Array(items) => below.is_none() || items.iter().any(is_deeper),
        Value::Object(entries) => below.is_none() || entries.values().any(is_deeper),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_too_deep_can_be_read_again() {
        let nested = |levels: usize| {
            let innermost = Value::from(1);
            (0..levels).fold(innermost, |value, _| Value::from(vec![value]))
        };
        for (levels, is_read) in [(MOST_LEVELS, true), (MOST_LEVELS + 1, false)] {
            let value = nested(levels);
            let read = serde_json::from_slice::<Value>(&serde_json::to_vec(&value).unwrap());
            assert_eq!((is_too_deep(&value), read.is_ok()), (!is_read, is_read));
        }
    }
}
