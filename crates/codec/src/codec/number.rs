//! Numbers that preserve 64-bit integers.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Visitor, ser::Error};

/// A JSON number: an `f64`, or a 64-bit integer that an `f64` cannot represent exactly.
///
/// Equality and order compare the numeric values, so that `1` equals `1.0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Number {
    float: f64,
    /// The difference between the integer and `float`; 0 for nearly all numbers.
    rest: i16,
}

impl Number {
    /// Returns the number, rounded to the nearest `f64` if it is an integer beyond 53 bits.
    #[must_use]
    pub const fn as_f64(self) -> f64 {
        self.float
    }

    /// Returns the integer, if the number is one of at most 64 bits.
    pub(super) fn as_integer(self) -> Option<i128> {
        let bounds = -9_223_372_036_854_775_808.0..=18_446_744_073_709_551_616.0;
        let whole = self.float.fract() == 0.0 && bounds.contains(&self.float);
        let sum = whole.then(|| self.float as i128 + i128::from(self.rest))?;
        (sum <= i128::from(u64::MAX)).then_some(sum)
    }

    /// Returns the number with the opposite sign.
    pub(super) const fn negated(self) -> Self {
        Self {
            float: -self.float,
            rest: -self.rest,
        }
    }

    fn from_integer(integer: i128) -> Self {
        let float = integer as f64;
        let rest = i16::try_from(integer - float as i128).unwrap_or_default();
        Self { float, rest }
    }
}

impl From<f64> for Number {
    fn from(float: f64) -> Self {
        Self { float, rest: 0 }
    }
}

impl From<i32> for Number {
    fn from(integer: i32) -> Self {
        Self::from(f64::from(integer))
    }
}

impl From<i64> for Number {
    fn from(integer: i64) -> Self {
        Self::from_integer(integer.into())
    }
}

impl From<u64> for Number {
    fn from(integer: u64) -> Self {
        Self::from_integer(integer.into())
    }
}

impl From<Number> for f64 {
    fn from(number: Number) -> Self {
        number.float
    }
}

impl PartialEq<f64> for Number {
    fn eq(&self, other: &f64) -> bool {
        self.rest == 0 && self.float == *other
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_integer() {
            Some(integer) => fmt::Display::fmt(&integer, f),
            None => fmt::Display::fmt(&self.float, f),
        }
    }
}

/// Writes whole numbers as integers, as the API server does, and `-0.0` with its sign. A number that is not finite is an error.
impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.float.is_finite() {
            return Err(S::Error::custom("invalid number: expected a finite number"));
        }
        let negative_zero = self.float == 0.0 && self.float.is_sign_negative();
        let Some(integer) = self.as_integer().filter(|_| !negative_zero) else {
            return serializer.serialize_f64(self.float);
        };
        match (i64::try_from(integer), u64::try_from(integer)) {
            (Ok(signed), _) => serializer.serialize_i64(signed),
            (_, Ok(unsigned)) => serializer.serialize_u64(unsigned),
            _ => serializer.serialize_f64(self.float),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyNumber;

        impl Visitor<'_> for AnyNumber {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_i64<E>(self, integer: i64) -> Result<Number, E> {
                Ok(integer.into())
            }

            fn visit_u64<E>(self, integer: u64) -> Result<Number, E> {
                Ok(integer.into())
            }

            fn visit_f64<E>(self, float: f64) -> Result<Number, E> {
                Ok(float.into())
            }
        }

        deserializer.deserialize_any(AnyNumber)
    }
}
