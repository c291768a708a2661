//! Int-or-strings that preserve 64-bit integers.

use std::fmt;

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde::{
    Deserializer, Serialize, Serializer,
    de::{Error, Unexpected, Visitor},
};

use super::{Codec, Number};

/// An integer beyond 32 bits is held as a string with its sign; a string of that form gets an extra `+` prefix.
impl Codec for IntOrString {
    fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl Visitor<'_> for Either {
            type Value = IntOrString;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an integer or a string")
            }

            fn visit_i64<E>(self, integer: i64) -> Result<IntOrString, E> {
                Ok(int(integer.into()))
            }

            fn visit_u64<E>(self, integer: u64) -> Result<IntOrString, E> {
                Ok(int(integer.into()))
            }

            fn visit_f64<E: Error>(self, float: f64) -> Result<IntOrString, E> {
                let whole = Number::from(float).as_integer();
                let refusal = || E::invalid_type(Unexpected::Float(float), &self);
                whole.map(int).ok_or_else(refusal)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<IntOrString, E> {
                self.visit_string(text.to_owned())
            }

            fn visit_string<E>(self, text: String) -> Result<IntOrString, E> {
                let escaped = long(text.trim_start_matches('+')).is_some();
                Ok(IntOrString::String(
                    if escaped && text.starts_with(['+', '-']) {
                        format!("+{text}")
                    } else {
                        text
                    },
                ))
            }
        }

        deserializer.deserialize_any(Either)
    }

    fn encode<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(_) => self.serialize(serializer),
            Self::String(text) => write(text, serializer),
        }
    }
}

/// Writes the value that the string of an int-or-string represents.
pub(super) fn write<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let bare = text.trim_start_matches('+');
    let Some(integer) = long(bare).filter(|_| text.starts_with(['+', '-'])) else {
        return serializer.serialize_str(text);
    };
    let written = if integer < 0 {
        bare.len()
    } else {
        bare.len() + 1
    };
    match (i64::try_from(integer), u64::try_from(integer)) {
        (Ok(signed), _) if text.len() == written => serializer.serialize_i64(signed),
        (_, Ok(unsigned)) if text.len() == written => serializer.serialize_u64(unsigned),
        _ => serializer.serialize_str(text.strip_prefix('+').unwrap_or(text)),
    }
}

fn int(integer: i128) -> IntOrString {
    match i32::try_from(integer) {
        Ok(int) => IntOrString::Int(int),
        Err(_) => IntOrString::String(format!("{integer:+}")),
    }
}

/// Parses an integer of 33 to 64 bits from a string without `+`, in its canonical form only.
fn long(text: &str) -> Option<i128> {
    let integer: i128 = text.parse().ok()?;
    let bounds = i128::from(i64::MIN)..=i128::from(u64::MAX);
    let long = bounds.contains(&integer) && i32::try_from(integer).is_err();
    (long && integer.to_string() == text).then_some(integer)
}
