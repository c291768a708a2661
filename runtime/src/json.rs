//! Typed objects as JSON values and back, by way of their bytes, with errors that name the field.
//!
//! The code of a type is compiled once more for each format that it is read from or written to.
//! `serde_json::Value` is a format of its own; the bytes are those that requests and responses have
//! already.

use serde::de::{Deserialize, DeserializeOwned, Error as _};
use serde::ser::Serialize;
use serde_json::error::Category;
use serde_json::{Error, Value};

/// Returns an object as a value.
///
/// # Errors
///
/// The object has no JSON form.
pub(crate) fn to_value(object: &(impl Serialize + ?Sized)) -> Result<Value, Error> {
    from_bytes(&serde_json::to_vec(object)?)
}

/// Reads an object from a value.
///
/// # Errors
///
/// The value is no such object.
pub(crate) fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, Error> {
    serde_json::from_slice(&serde_json::to_vec(value)?)
}

/// Reads an object; an error begins with the path of the field that it is about.
///
/// # Errors
///
/// The bytes are no such object.
pub(crate) fn read<'de, T: Deserialize<'de>>(json: &'de [u8]) -> Result<T, Error> {
    serde_json::from_slice(json).map_err(|error| located(json, error))
}

/// Adds the path of the field that an error is about: `.spec.replicas: invalid type: …`. It is
/// found by reading the bytes up to the error again, so that what decodes costs nothing.
#[cold]
pub(crate) fn located(json: &[u8], error: Error) -> Error {
    if error.classify() != Category::Data {
        return error;
    }
    match offset(json, &error).map(|end| path(json.get(..end).unwrap_or(json))) {
        // The message keeps line and column.
        Some(path) if !path.is_empty() => Error::custom(format!("{path}: {error}")),
        _ => error,
    }
}

/// The number of bytes that were read when an error occurred.
fn offset(json: &[u8], error: &Error) -> Option<usize> {
    let before = error.line().checked_sub(1)?;
    let mut lines = json.split_inclusive(|byte| *byte == b'\n');
    let start: usize = lines.by_ref().take(before).map(<[u8]>::len).sum();
    Some(start + error.column())
}

/// An object with the current key, or a list with the current index, around a position.
enum Around<'a> {
    Object(&'a [u8]),
    List(usize),
}

/// The path of the value that the bytes end with or in.
fn path(json: &[u8]) -> String {
    let mut around = Vec::new();
    let mut rest = json;
    // The last string, which is a key if a colon follows.
    let mut text: &[u8] = b"";
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'"' => (text, rest) = string(after),
            b':' => {
                if let Some(Around::Object(key)) = around.last_mut() {
                    *key = text;
                }
            }
            b',' => match around.last_mut() {
                Some(Around::List(index)) => *index += 1,
                Some(Around::Object(key)) => *key = b"",
                None => {}
            },
            b'{' | b'[' if after.is_empty() => {}
            b'{' => around.push(Around::Object(b"")),
            b'[' => around.push(Around::List(0)),
            b'}' | b']' => {
                around.pop();
            }
            _ => {}
        }
    }
    around.iter().map(step).collect()
}

/// The content of a string without its quotation mark at the start, as written, and what follows
/// it.
fn string(json: &[u8]) -> (&[u8], &[u8]) {
    let mut is_escaped = false;
    let end = json.iter().position(|byte| match byte {
        _ if is_escaped => {
            is_escaped = false;
            false
        }
        b'\\' => {
            is_escaped = true;
            false
        }
        byte => *byte == b'"',
    });
    let end = end.unwrap_or(json.len());
    let (text, rest) = json.split_at(end);
    (text, rest.get(1..).unwrap_or_default())
}

/// `.key`, `[index]`, or `["a key"]` for keys with other characters than names have.
fn step(around: &Around<'_>) -> String {
    match around {
        Around::List(index) => format!("[{index}]"),
        Around::Object(b"") => String::new(),
        Around::Object(key) => {
            let is_name = key
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
            let key = String::from_utf8_lossy(key);
            match is_name {
                true => format!(".{key}"),
                false => format!("[\"{key}\"]"),
            }
        }
    }
}

// Not generic, so that it is compiled here.
fn from_bytes(json: &[u8]) -> Result<Value, Error> {
    serde_json::from_slice(json)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        for json in [json.to_owned(), json.replace(',', ",\n ")] {
            let plain = serde_json::from_str::<Plain>(&json).unwrap_err();
            let found = read::<Plain>(json.as_bytes()).unwrap_err();
            assert_eq!(found.to_string(), format!("{expected}{plain}"));
            let position = |error: &Error| (error.line(), error.column(), error.classify());
            assert_eq!(position(&found), position(&plain));
        }
    }

    #[derive(Debug, serde::Deserialize)]
    #[expect(dead_code, reason = "only decoded")]
    struct Plain {
        size: i32,
        name: Option<String>,
        more: Option<Vec<Plain>>,
        map: Option<BTreeMap<String, bool>>,
    }

    #[test]
    fn errors_name_the_field() {
        check(r#"{"size":"a"}"#, ".size: ");
        check(r#"{"size":1,"name":{"a":1}}"#, ".name: ");
        check(r#"{"size":1,"name":[1]}"#, ".name: ");
        check(
            r#"{"size":1,"more":[{"size":1},{"size":true}]}"#,
            ".more[1].size: ",
        );
        check(
            r#"{"size":1,"more":[{"size":1},{"name":"}]"}]}"#,
            ".more[1]: ",
        );
        check(r#"{"size":1,"more":[{"size":1},7]}"#, ".more[1]: ");
        check(
            r#"{"size":1,"map":{"a\"b [c":true,"d.e/f":1}}"#,
            ".map[\"d.e/f\"]: ",
        );
        check(r#"{"size":1,"name":"a\\","map":{"a":null}}"#, ".map.a: ");
        check(r#"{"size":12345678901}"#, ".size: ");
        check(r#"{"name":"a"}"#, "");
        check("[]", "");
        check(r#"{"size":1"#, "");
        check("7", "");
    }
}
