//! The elements of a field path: field names, list keys, set values and indices.

use std::cmp::Ordering;
use std::fmt;

use serde_json::{Map, Value};

use crate::field::{go_float, go_json, go_quote};

/// A scalar that identifies a list item, ordered as structured-merge-diff orders values.
#[derive(Clone, Debug)]
pub(super) struct Scalar(pub(super) Value);

impl Scalar {
    fn rank(&self) -> u8 {
        match self.0 {
            Value::Number(_) => 0,
            Value::String(_) => 1,
            Value::Bool(_) => 2,
            Value::Array(_) => 3,
            Value::Object(_) => 4,
            Value::Null => 5,
        }
    }
}

impl Ord for Scalar {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
                (Some(a), Some(b)) => a.cmp(&b),
                _ => a
                    .as_f64()
                    .partial_cmp(&b.as_f64())
                    .unwrap_or(Ordering::Equal),
            },
            (Value::String(a), Value::String(b)) => a.cmp(b),
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            _ => self
                .rank()
                .cmp(&other.rank())
                .then_with(|| go_json(&self.0).cmp(&go_json(&other.0))),
        }
    }
}

impl PartialOrd for Scalar {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scalar {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Scalar {}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match &self.0 {
            Value::String(text) => go_quote(text),
            Value::Number(number) if number.is_f64() => {
                go_float(number.as_f64().unwrap_or_default())
            }
            Value::Null => "null".to_owned(),
            other => other.to_string(),
        })
    }
}

/// An element of a path. Elements sort in the order of FieldsV1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Element {
    /// A field of a map or struct.
    Field(String),
    /// An item of a list map, by its keys sorted by name.
    Key(Vec<(String, Scalar)>),
    /// An item of a set.
    Value(Scalar),
    /// An item of an atomic list.
    Index(i64),
}

/// The path from the object's root to a field.
pub(super) type FieldPath = Vec<Element>;

impl Element {
    /// Returns the serialised form of the element (`f:spec`, `k:{"name":"a"}`, `v:"x"`, `i:0`).
    pub(super) fn encode(&self) -> String {
        match self {
            Self::Field(name) => format!("f:{name}"),
            Self::Key(keys) => {
                let map: Map<String, Value> = keys
                    .iter()
                    .map(|(name, value)| (name.clone(), value.0.clone()))
                    .collect();
                format!("k:{}", go_json(&Value::Object(map)))
            }
            Self::Value(value) => format!("v:{}", go_json(&value.0)),
            Self::Index(index) => format!("i:{index}"),
        }
    }

    /// Parses the serialised form. Returns `Ok(None)` for an unknown kind of element, which is
    /// skipped.
    pub(super) fn decode(text: &str) -> Result<Option<Self>, String> {
        let Some((kind, rest)) = text.split_at_checked(2) else {
            return Err("key must be 2 characters long:".to_owned());
        };
        let json =
            |text: &str| serde_json::from_str::<Value>(text).map_err(|error| error.to_string());
        Ok(Some(match kind {
            "f:" => Self::Field(rest.to_owned()),
            "v:" => Self::Value(Scalar(json(rest)?)),
            "i:" => Self::Index(rest.parse().map_err(|_| format!("invalid index: {rest}"))?),
            "k:" => match json(rest)? {
                Value::Object(map) => {
                    let mut keys: Vec<_> = map
                        .into_iter()
                        .map(|(name, value)| (name, Scalar(value)))
                        .collect();
                    keys.sort();
                    Self::Key(keys)
                }
                _ => return Err(format!("invalid key: {rest}")),
            },
            _ if !kind.ends_with(':') => return Err(format!("missing colon: {text}")),
            _ => return Ok(None),
        }))
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Key(keys) => {
                let shown: Vec<String> = keys
                    .iter()
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect();
                write!(f, "[{}]", shown.join(","))
            }
            Self::Value(value) => write!(f, "[={value}]"),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

/// Formats a path for messages (`.spec.containers[name="a"].image`).
pub(super) fn show(path: &[Element]) -> String {
    path.iter().map(ToString::to_string).collect()
}
