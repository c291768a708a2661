//! Decodes JSON and YAML bodies, and finds the duplicate fields that strict validation rejects.

use std::fmt;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::types::protobuf;

/// The encoding of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Json,
    Yaml,
    /// Sent by typed Go clients for built-in kinds.
    Protobuf,
}

/// A decoded body.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) value: Value,
    /// The paths of duplicate fields, in order of appearance.
    pub(crate) duplicates: Vec<String>,
}

impl Decoded {
    /// What strict validation finds: the duplicate fields.
    pub(crate) fn faults(&self) -> Vec<String> {
        let paths = self.duplicates.iter();
        paths
            .map(|path| format!("duplicate field \"{path}\""))
            .collect()
    }
}

/// Decodes a body.
///
/// # Errors
/// A syntax error.
pub(crate) fn decode(bytes: &[u8], encoding: Encoding) -> Result<Decoded, String> {
    match encoding {
        Encoding::Json => decode_json(bytes),
        Encoding::Yaml => decode_yaml(bytes),
        Encoding::Protobuf => protobuf::decode(bytes)
            .map(|value| Decoded {
                value,
                duplicates: Vec::new(),
            })
            .ok_or_else(|| "proto: illegal wireType".to_owned()),
    }
}

fn decode_yaml(bytes: &[u8]) -> Result<Decoded, String> {
    let text =
        std::str::from_utf8(bytes).map_err(|_| "yaml: invalid leading UTF-8 octet".to_owned())?;
    let mut duplicates = Vec::new();
    let mut value = None;
    let options = serde_saphyr::options! {
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins,
    };
    let outcome = serde_saphyr::with_deserializer_from_str_with_options(text, options, |yaml| {
        let seed = Seed {
            path: String::new(),
            duplicates: &mut duplicates,
        };
        value = Some(seed.deserialize(yaml)?);
        Ok(())
    });
    match (value, outcome) {
        // Go reads the first document and nothing that follows it.
        (Some(value), _) => Ok(Decoded { value, duplicates }),
        (None, Ok(())) => Err("yaml: no document".to_owned()),
        (None, Err(error)) => {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            Err(format!("yaml: {line}"))
        }
    }
}

fn decode_json(bytes: &[u8]) -> Result<Decoded, String> {
    // Go replaces invalid UTF-8 instead of rejecting it.
    let text = String::from_utf8_lossy(bytes);
    let mut duplicates = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_str(&text);
    let seed = Seed {
        path: String::new(),
        duplicates: &mut duplicates,
    };
    let value = seed
        .deserialize(&mut deserializer)
        .map_err(|e| go_message(&text, &e))?;
    deserializer.end().map_err(|e| go_message(&text, &e))?;
    Ok(Decoded { value, duplicates })
}

/// Returns a syntax error with the message of Go's decoder.
fn go_message(text: &str, error: &serde_json::Error) -> String {
    let message = error.to_string();
    if error.is_eof() {
        return "unexpected end of JSON input".to_owned();
    }
    let line = text
        .split('\n')
        .nth(error.line().saturating_sub(1))
        .unwrap_or_default();
    let at = line
        .get(error.column().saturating_sub(1)..)
        .and_then(|rest| rest.chars().next());
    let Some(c) = at else {
        return "unexpected end of JSON input".to_owned();
    };
    let place = match () {
        () if message.starts_with("recursion limit") => "exceeded max depth",
        () if message.starts_with("key must be a string") => {
            "looking for beginning of object key string"
        }
        () if message.starts_with("expected `:`") => "after object key",
        () if message.starts_with("expected `,` or `}`") => "after object key:value pair",
        () if message.starts_with("expected `,` or `]`") => "after array element",
        () if message.starts_with("trailing characters") => "after top-level value",
        () if message.starts_with("control character") => "in string literal",
        () if message.starts_with("invalid escape") => "in string escape code",
        () => "looking for beginning of value",
    };
    format!("invalid character '{c}' {place}")
}

struct Seed<'a> {
    path: String,
    duplicates: &'a mut Vec<String>,
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = access.next_element_seed(Seed {
            path: format!("{}[{}]", self.path, list.len()),
            duplicates: &mut *self.duplicates,
        })? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            let path = if self.path.is_empty() {
                key.clone()
            } else {
                format!("{}.{key}", self.path)
            };
            if map.contains_key(&key) {
                self.duplicates.push(path.clone());
            }
            let value = access.next_value_seed(Seed {
                path,
                duplicates: &mut *self.duplicates,
            })?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn duplicate_fields_are_reported_and_the_last_one_counts() {
        let decoded = decode(
            br#"{"a": 1, "b": {"c": [{"d": 1, "d": 2}]}, "a": 3}"#,
            Encoding::Json,
        )
        .unwrap();
        assert_eq!(decoded.value, json!({"a": 3, "b": {"c": [{"d": 2}]}}));
        assert_eq!(decoded.duplicates, ["b.c[0].d", "a"]);
    }

    #[test]
    fn yaml_and_json_give_the_same_value() {
        let yaml = decode(b"a: 1\nb: [x, 'y']\nc: null\nd: '1'\n", Encoding::Yaml).unwrap();
        assert_eq!(
            yaml.value,
            json!({"a": 1, "b": ["x", "y"], "c": null, "d": "1"})
        );
    }

    #[test]
    fn yaml_repeats_fields_like_json_and_ends_with_its_first_document() {
        let text = b"a: 1\nb:\n- c: 1\n  c: 2\na: 3\n---\nd: [\n";
        let decoded = decode(text, Encoding::Yaml).unwrap();
        assert_eq!(decoded.value, json!({"a": 3, "b": [{"c": 2}]}));
        assert_eq!(decoded.duplicates, ["b[0].c", "a"]);
    }

    #[test]
    fn deep_nesting_and_broken_syntax_are_errors() {
        let deep = "[".repeat(100_000);
        assert_eq!(
            decode(deep.as_bytes(), Encoding::Json).unwrap_err(),
            "invalid character '[' exceeded max depth"
        );
        let check = |text: &str, expected: &str| {
            assert_eq!(
                decode(text.as_bytes(), Encoding::Json).unwrap_err(),
                expected
            );
        };
        check(
            "hello",
            "invalid character 'h' looking for beginning of value",
        );
        check("{} x", "invalid character 'x' after top-level value");
        check("{\"a\" 1}", "invalid character '1' after object key");
        check(
            "{a:1}",
            "invalid character 'a' looking for beginning of object key string",
        );
        assert_eq!(
            decode(b"{\"a\":", Encoding::Json).unwrap_err(),
            "unexpected end of JSON input"
        );
        assert!(decode(b"{} x", Encoding::Json).is_err());
        assert!(decode(b"a: [", Encoding::Yaml).is_err());
    }
}
