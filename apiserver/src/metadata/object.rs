//! Reads and writes metadata in JSON objects.

use serde_json::{Map, Number, Value, json};

/// Returns the string at a path of keys; empty if it is absent or not a string.
pub(crate) fn text<'a>(object: &'a Value, path: &[&str]) -> &'a str {
    at(object, path).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the items of a list; none if it is absent or not a list.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns the value at a path of keys.
pub(crate) fn at<'a>(object: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(object, |value, key| value.get(*key))
}

/// Returns `metadata`; anything but an object is replaced by an empty object.
pub(crate) fn metadata(object: &mut Value) -> &mut Map<String, Value> {
    child(fields(object), "metadata")
}

/// Returns the fields of an object; anything but an object is replaced by an empty object.
pub(crate) fn fields(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = json!({});
    }
    match value {
        Value::Object(map) => map,
        // The assignment above made it an object.
        _ => unreachable!(),
    }
}

/// Returns the object under `key`, creating it if it is absent.
pub(crate) fn child<'a>(map: &'a mut Map<String, Value>, key: &str) -> &'a mut Map<String, Value> {
    fields(map.entry(key).or_insert_with(|| json!({})))
}

pub(crate) fn name(object: &Value) -> &str {
    text(object, &["metadata", "name"])
}

pub(crate) fn namespace(object: &Value) -> &str {
    text(object, &["metadata", "namespace"])
}

pub(crate) fn uid(object: &Value) -> &str {
    text(object, &["metadata", "uid"])
}

pub(crate) fn resource_version(object: &Value) -> &str {
    text(object, &["metadata", "resourceVersion"])
}

pub(crate) fn is_deleting(object: &Value) -> bool {
    at(object, &["metadata", "deletionTimestamp"]).is_some_and(|t| !t.is_null())
}

pub(crate) fn finalizers(object: &Value) -> Vec<&str> {
    at(object, &["metadata", "finalizers"])
        .and_then(Value::as_array)
        .map(|list| list.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default()
}

/// Replaces the finalizers; an empty list removes the field.
pub(crate) fn set_finalizers(object: &mut Value, finalizers: &[String]) {
    if finalizers.is_empty() {
        metadata(object).remove("finalizers");
    } else {
        metadata(object).insert("finalizers".into(), json!(finalizers));
    }
}

/// Removes a finalizer, if it is there.
pub(crate) fn remove_finalizer(object: &mut Value, name: &str) {
    let left: Vec<String> = finalizers(object)
        .into_iter()
        .filter(|f| *f != name)
        .map(str::to_owned)
        .collect();
    set_finalizers(object, &left);
}

pub(crate) fn generation(object: &Value) -> i64 {
    at(object, &["metadata", "generation"])
        .and_then(Value::as_i64)
        .unwrap_or_default()
}

/// Sets a field of `metadata`, or removes it with `None`.
pub(crate) fn set_meta(object: &mut Value, key: &str, value: Option<Value>) {
    let meta = metadata(object);
    match value {
        Some(value) => meta.insert(key.into(), value),
        None => meta.remove(key),
    };
}

/// Whether two objects are equal but for some fields.
pub(crate) fn equal_but(one: &Value, other: &Value, but: &[&str]) -> bool {
    let (Value::Object(one), Value::Object(other)) = (one, other) else {
        return one == other;
    };
    let counts = |key: &String| !but.contains(&key.as_str());
    let count = |map: &Map<String, Value>| map.keys().filter(|key| counts(key)).count();
    let mut counted = one.iter().filter(|(key, _)| counts(key));
    count(one) == count(other) && counted.all(|(key, value)| other.get(key) == Some(value))
}

/// Copies a top-level field to another object, or removes it there if the source does not have it.
pub(crate) fn copy_field(from: &Value, to: &mut Value, key: &str) {
    match from.get(key) {
        Some(value) => {
            fields(to).insert(key.into(), value.clone());
        }
        None => {
            fields(to).remove(key);
        }
    }
}

/// Rounds integers beyond 63 bits to a float, as Go's decoder of untyped JSON does.
pub(crate) fn round_integers(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_u64() && !number.is_i64() => {
            let float = number.as_f64().unwrap_or_default();
            // Written as Go writes it, with all digits, if it fits.
            let digits = format!("{float}").parse::<u64>().map(Number::from);
            if let Some(rounded) = digits.ok().or_else(|| Number::from_f64(float)) {
                *number = rounded;
            }
        }
        Value::Array(list) => list.iter_mut().for_each(round_integers),
        Value::Object(map) => map.values_mut().for_each(round_integers),
        _ => {}
    }
}

/// Makes integers of numbers without a fraction, as Go writes them: a client that reads integers
/// would refuse `2.0`.
pub(crate) fn settle_numbers(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            if let Some(whole) = number.as_f64().and_then(whole) {
                *number = whole.into();
            }
        }
        Value::Array(list) => list.iter_mut().for_each(settle_numbers),
        Value::Object(map) => map.values_mut().for_each(settle_numbers),
        _ => {}
    }
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "the number is whole and within the range"
)]
fn whole(number: f64) -> Option<i64> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    (number.fract() == 0.0 && number.abs() < LIMIT).then_some(number as i64)
}

/// Returns the `PartialObjectMetadata` of an object.
pub(crate) fn partial(object: &Value) -> Value {
    json!({
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": object["metadata"],
    })
}

/// Returns a random (version 4) UUID in its canonical form.
pub(crate) fn new_uid() -> String {
    let bits: u128 = rand::random();
    let bits = (bits & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
    let hex = format!("{bits:032x}");
    format!(
        "{}-{}-{}-{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    )
}

/// Returns a suffix for `generateName`: five characters of kube-apiserver's alphabet (no vowels or
/// look-alikes).
pub(crate) fn name_suffix() -> String {
    const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    (0..5)
        .map(|_| char::from(ALPHABET[rand::random_range(0..ALPHABET.len())]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_equal_but_for_some_fields() {
        let check = |other: Value, expected: bool| {
            let one = json!({"a": 1, "b": 2});
            assert_eq!(equal_but(&one, &other, &["b"]), expected, "{other}");
        };
        rows![check:
            (json!({"a": 1}), true), (json!({"a": 1, "b": 3}), true), (json!({"a": 2, "b": 2}), false),
            (json!({"a": 1, "c": 1}), false), (json!({"b": 2}), false), (json!([]), false),
        ];
    }

    #[test]
    fn integers_beyond_63_bits_are_rounded_to_floats() {
        let check = |given: &str, expected: &str| {
            let mut value: Value = serde_json::from_str(given).unwrap();
            round_integers(&mut value);
            assert_eq!(value.to_string(), expected, "{given}");
        };
        check("[9223372036854775807]", "[9223372036854775807]");
        check(
            r#"{"a":9223372036854775808}"#,
            r#"{"a":9223372036854776000}"#,
        );
        check("18446744073709551615", "1.8446744073709552e+19");
        check("-9223372036854775808", "-9223372036854775808");
    }

    #[test]
    fn uids_are_version_four_uuids() {
        let uid = new_uid();
        assert_eq!(uid.len(), 36);
        assert_eq!(&uid[14..15], "4");
        assert!(matches!(&uid[19..20], "8" | "9" | "a" | "b"));
    }
}
