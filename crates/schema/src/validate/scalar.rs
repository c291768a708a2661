//! Types, strings and formats.

use serde_json::Value;

use super::kind_of;
use super::number::is_json_integer;
use super::outcome::invalid;
use crate::field::Path;
use crate::field::go_quote;
use crate::field::{FieldError, FieldErrorKind};
use crate::node::{Checks, Schema};
use crate::types::Kind;

/// `<field>: Invalid value: "<actual>": <field> in body must be of type <expected>: "<actual>"`.
pub(super) fn wrong_type(path: &Path<'_>, expected: &str, actual: &str) -> FieldError {
    let detail = format!(
        "{} in body must be of type {expected}: {}",
        path.render(),
        go_quote(actual)
    );
    FieldError::with_value(
        path.field(),
        FieldErrorKind::TypeInvalid,
        Value::from(actual),
        detail,
    )
}

/// Returns the type error of a value that is not null.
pub(super) fn type_error(schema: &Schema, path: &Path<'_>, value: &Value) -> Option<FieldError> {
    let kind = kind_of(value)?;
    let types = schema.types;
    let whole_float = kind == Kind::Number
        && types.contains(Kind::Integer)
        && value.as_f64().is_some_and(is_json_integer);
    let accepted = types.contains(kind)
        || whole_float
        || kind == Kind::Integer && types.contains(Kind::Number);
    if let Some(format) = &schema.format {
        let textual = matches!(kind, Kind::String | Kind::Array);
        let native = match kind {
            Kind::Integer => "int64",
            Kind::Number => "float64",
            _ => "",
        };
        if !textual && !accepted && format != native {
            return Some(wrong_type(path, format, native));
        }
        let numeric = types.contains(Kind::Number) || types.contains(Kind::Integer);
        if textual && !numeric {
            return None;
        }
    }
    (!accepted).then(|| wrong_type(path, types.names(), kind.name()))
}

/// Returns the first violation of length and pattern by a string. Lengths count Unicode code
/// points.
pub(super) fn string_error(checks: &Checks, path: &Path<'_>, text: &str) -> Option<FieldError> {
    if checks.max_length.is_some() || checks.min_length.is_some() {
        let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        if let Some(max) = checks.max_length.filter(|max| length > *max) {
            return Some(too_long(path, max));
        }
        if let Some(min) = checks.min_length.filter(|min| length < *min) {
            return Some(invalid(
                path,
                Value::from(text),
                &format!("should be at least {min} chars long"),
            ));
        }
    }
    let pattern = checks
        .pattern
        .as_deref()
        .filter(|pattern| !pattern.is_match(text))?;
    Some(invalid(
        path,
        Value::from(text),
        &format!("should match '{}'", pattern.source()),
    ))
}

fn too_long(path: &Path<'_>, max: i64) -> FieldError {
    let detail = match max {
        1 => "may not be more than 1 byte".to_owned(),
        max if max < 0 => "value is too long".to_owned(),
        max => format!("may not be more than {max} bytes"),
    };
    FieldError::new(path.field(), FieldErrorKind::TooLong, detail)
}

/// Returns the error of a string that does not match its format.
pub(super) fn format_error(format: &str, path: &Path<'_>, text: &str) -> FieldError {
    wrong_type(path, format, text)
}
