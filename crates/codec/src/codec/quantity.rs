//! Quantities that preserve whether they were numbers or strings.

use std::fmt;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use serde::{
    Deserializer, Serializer,
    de::{Error, Unexpected, Visitor},
};

use super::{Codec, Number};

/// A number is held as a string with its sign, `+2` for `2` and `-02` for `-2`, which every parser of quantities reads as the
/// same amount; a string of that form gets one more zero after the sign.
impl Codec for Quantity {
    fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Amount;

        impl Visitor<'_> for Amount {
            type Value = Quantity;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a quantity: a number or a string")
            }

            fn visit_i64<E>(self, integer: i64) -> Result<Quantity, E> {
                Ok(held(integer.into()))
            }

            fn visit_u64<E>(self, integer: u64) -> Result<Quantity, E> {
                Ok(held(integer.into()))
            }

            fn visit_f64<E: Error>(self, float: f64) -> Result<Quantity, E> {
                if float.is_finite() {
                    Ok(held(float.into()))
                } else {
                    Err(E::invalid_type(Unexpected::Float(float), &self))
                }
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Quantity, E> {
                self.visit_string(text.to_owned())
            }

            fn visit_string<E>(self, mut text: String) -> Result<Quantity, E> {
                if Signed::of(&text).is_some_and(|signed| signed.zeros >= signed.zeros_of_number())
                {
                    text.insert(1, '0');
                }
                Ok(Quantity(text))
            }
        }

        deserializer.deserialize_any(Amount)
    }

    fn encode<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write(&self.0, serializer)
    }
}

/// Writes the value that the string of a quantity represents. As k8s-openapi does, tells the serializer that it is one.
pub(super) fn write<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    const NAME: &str = "Quantity";
    let Some(signed) = Signed::of(text) else {
        return serializer.serialize_newtype_struct(NAME, text);
    };
    match signed.zeros.checked_sub(signed.zeros_of_number()) {
        None => serializer.serialize_newtype_struct(NAME, text),
        Some(0) => serializer.serialize_newtype_struct(NAME, &signed.number),
        Some(_) => {
            let sign = if signed.negative { '-' } else { '+' };
            let text = format!("{sign}{}", text.get(2..).unwrap_or_default());
            serializer.serialize_newtype_struct(NAME, &text)
        }
    }
}

fn held(number: Number) -> Quantity {
    Quantity(if number.as_f64().is_sign_negative() {
        format!("-0{}", number.negated())
    } else {
        format!("+{number}")
    })
}

/// A string of a sign, zeros, and a number in our canonical form.
struct Signed {
    negative: bool,
    /// The number of zeros before the number.
    zeros: usize,
    number: Number,
}

impl Signed {
    fn of(text: &str) -> Option<Self> {
        let negative = text.starts_with('-');
        let padded = text.strip_prefix(['+', '-'])?;
        let bare = padded.trim_start_matches('0');
        // The zero of `0` or `0.5` is part of the number.
        let own_zero = usize::from(!bare.starts_with(|c: char| c.is_ascii_digit()));
        let zeros = (padded.len() - bare.len()).checked_sub(own_zero)?;
        let digits = padded.get(zeros..)?;
        let magnitude = match digits.parse::<u64>() {
            Ok(integer) => Number::from(integer),
            Err(_) => Number::from(digits.parse::<f64>().ok()?),
        };
        let number = if negative {
            magnitude.negated()
        } else {
            magnitude
        };
        (magnitude.to_string() == digits).then_some(Self {
            negative,
            zeros,
            number,
        })
    }

    /// The number of zeros that mark a number: a string such as `-2` is common and stays unchanged.
    const fn zeros_of_number(&self) -> usize {
        if self.negative { 1 } else { 0 }
    }
}
