//! Violations of validation rules, with the messages of
//! `k8s.io/apimachinery/pkg/util/validation/field`.

use std::fmt;

use serde_json::Value;

use super::text::{go_float, go_json, go_quote};

/// The kind of a field error, which determines the `reason` of a `metav1.StatusCause`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FieldErrorKind {
    /// A required value is absent.
    Required,
    /// A value is malformed or out of bounds.
    Invalid,
    /// A value that must be unique occurs twice.
    Duplicate,
    /// The object of a reference does not exist.
    NotFound,
    /// A value outside its enumeration.
    NotSupported,
    /// A value may not be set here.
    Forbidden,
    /// A string or document is too long.
    TooLong,
    /// A list has too many items.
    TooMany,
    /// A value has the wrong type.
    TypeInvalid,
    /// The server could not validate the value.
    Internal,
}

impl FieldErrorKind {
    /// Returns the `reason` of the status cause.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Invalid => "FieldValueInvalid",
            Self::Duplicate => "FieldValueDuplicate",
            Self::NotFound => "FieldValueNotFound",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::Internal => "InternalError",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Required => "Required value",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::Duplicate => "Duplicate value",
            Self::NotFound => "Not found",
            Self::NotSupported => "Unsupported value",
            Self::Forbidden => "Forbidden",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::Internal => "Internal error",
        }
    }
}

/// One violation. Its `Display` is the API server's `<field>: <message>`.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldError {
    /// The field's path, `<nil>` for the object itself.
    pub field: String,
    /// The kind of the error.
    pub kind: FieldErrorKind,
    /// The invalid value; `None` omits it from the message.
    pub value: Option<Value>,
    /// A valid value or a hint; may be empty.
    pub detail: String,
}

/// The parts of a `metav1.StatusCause`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The machine-readable reason (`FieldValueInvalid`).
    pub reason: &'static str,
    /// The message without the field's path.
    pub message: String,
    /// The field's path.
    pub field: String,
}

impl FieldError {
    /// Creates an error without a value.
    pub fn new(field: impl Into<String>, kind: FieldErrorKind, detail: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            kind,
            value: None,
            detail: detail.into(),
        }
    }

    /// Creates an error with the invalid value.
    pub fn with_value(
        field: impl Into<String>,
        kind: FieldErrorKind,
        value: Value,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            value: Some(shorten(value)),
            ..Self::new(field, kind, detail)
        }
    }

    /// Creates an error for a required value that is absent.
    pub fn required(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(field, FieldErrorKind::Required, detail)
    }

    /// Creates an error for a value that is malformed or out of bounds.
    pub fn invalid(
        field: impl Into<String>,
        value: impl Into<Value>,
        detail: impl Into<String>,
    ) -> Self {
        Self::with_value(field, FieldErrorKind::Invalid, value.into(), detail)
    }

    /// Creates an error for a value that may not be set here.
    pub fn forbidden(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(field, FieldErrorKind::Forbidden, detail)
    }

    /// Creates an error for a duplicate value.
    pub fn duplicate(field: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::with_value(field, FieldErrorKind::Duplicate, value.into(), "")
    }

    /// Creates an error for a reference to an object that does not exist.
    pub fn not_found(field: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::with_value(field, FieldErrorKind::NotFound, value.into(), "")
    }

    /// Creates an error for a value outside its enumeration.
    pub fn unsupported(
        field: impl Into<String>,
        value: impl Into<Value>,
        supported: &[&str],
    ) -> Self {
        let supported: Vec<String> = supported.iter().map(|v| go_quote(v)).collect();
        let detail = format!("supported values: {}", supported.join(", "));
        Self::with_value(field, FieldErrorKind::NotSupported, value.into(), detail)
    }

    /// Whether an error prevents the evaluation of the object's rules.
    pub(crate) fn blocks_rules(&self) -> bool {
        use FieldErrorKind::{NotSupported, Required, TooLong, TooMany, TypeInvalid};
        matches!(
            self.kind,
            NotSupported | Required | TooLong | TooMany | TypeInvalid
        )
    }

    /// Returns the message without the field's path (Go's `ErrorBody`).
    pub fn body(&self) -> String {
        self.body_with(|value| value)
    }

    /// Returns [`body`](Self::body) for people: a value of more than `most` characters is cut, and
    /// ends in `…`.
    pub fn brief(&self, most: usize) -> String {
        self.body_with(|value| match value.char_indices().nth(most) {
            Some((end, _)) => format!("{}…", &value[..end]),
            None => value,
        })
    }

    fn body_with(&self, shown: impl FnOnce(String) -> String) -> String {
        let mut text = self.kind.title().to_owned();
        let shows_value = !matches!(
            self.kind,
            FieldErrorKind::Required | FieldErrorKind::Forbidden | FieldErrorKind::TooLong
        );
        if let (true, Some(value)) = (shows_value, &self.value) {
            text.push_str(": ");
            text.push_str(&shown(match value {
                Value::String(s) => go_quote(s),
                Value::Number(n) => match (n.as_i64(), n.as_f64()) {
                    (None, Some(f)) => go_float(f),
                    _ => n.to_string(),
                },
                other => go_json(other),
            }));
        }
        if !self.detail.is_empty() {
            text.push_str(": ");
            text.push_str(&self.detail);
        }
        text
    }

    /// Returns the status cause of this error.
    pub fn cause(&self) -> Cause {
        Cause {
            reason: self.kind.reason(),
            message: self.body(),
            field: self.field.clone(),
        }
    }
}

/// The approximate number of bytes of a value that an error shows.
const MOST_SHOWN: usize = 16 * 1024;

/// Shortens a value that is too large to be shown: a body of a megabyte may violate hundreds of
/// rules.
fn shorten(value: Value) -> Value {
    let mut left = MOST_SHOWN;
    match fits(&value, &mut left) {
        true => value,
        false => {
            let mut left = MOST_SHOWN;
            cut(&value, &mut left)
        }
    }
}

fn fits(value: &Value, left: &mut usize) -> bool {
    let own = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => return items.iter().all(|item| fits(item, left)),
        Value::Object(map) => {
            return map.iter().all(|(name, value)| {
                fits(value, left)
                    && left.checked_sub(name.len()).is_some_and(|rest| {
                        *left = rest;
                        true
                    })
            });
        }
        _ => 1,
    };
    match left.checked_sub(own + 1) {
        Some(rest) => {
            *left = rest;
            true
        }
        None => false,
    }
}

/// Copies as much of a value as there is space left.
fn cut(value: &Value, left: &mut usize) -> Value {
    match value {
        Value::String(text) => {
            let mut end = text.len().min(*left);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            *left -= end;
            match text.get(..end) {
                Some(start) if end < text.len() => format!("{start}...").into(),
                _ => value.clone(),
            }
        }
        Value::Array(items) => {
            let mut kept = Vec::new();
            for item in items {
                if *left == 0 {
                    break;
                }
                *left -= 1;
                kept.push(cut(item, left));
            }
            Value::Array(kept)
        }
        Value::Object(map) => {
            let mut kept = serde_json::Map::new();
            for (name, value) in map {
                if *left == 0 {
                    break;
                }
                *left = left.saturating_sub(name.len() + 1);
                kept.insert(name.clone(), cut(value, left));
            }
            Value::Object(kept)
        }
        other => other.clone(),
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.body())
    }
}

impl std::error::Error for FieldError {}
