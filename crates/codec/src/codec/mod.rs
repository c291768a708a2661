//! Lossless serde for the fields of types that are generated from CRDs.
//!
//! k8s-openapi's own serde refuses or rounds some values that an API server stores. A generated field refers to this
//! module (`#[serde(with = "…::codec")]`) where that matters:
//!
//! * Times keep their nanoseconds, and every time of the years 0 to 9999 is preserved, even those that no `Timestamp` can represent.
//! * An integer beyond 32 bits in an int-or-string is held as a string with its sign, `+4294967296`, and written as a number.
//! * A number in place of a quantity is held as a string with its sign, `+2` (negative ones as `-02`), and written as a number.
//! * Both also hold within Kubernetes' own types, such as `PodSpec`; within `Condition`, so do exact times.
//! * Base64 is read as Go reads it: with line breaks, and with stray bits in the last character.
//! * A string that k8s-openapi always writes is omitted when empty, where a field requests that: see [`sparse`].
//! * `null` is distinguished from an absent property.
//!
//! A `HashMap` is written in the order of its keys, so that equal objects serialize identically.
//!
//! A `number` is a [`Number`], which holds integers that an `f64` cannot represent.

mod base64;
mod condition;
mod derived;
mod exact_reader;
#[cfg(test)]
mod exact_tests;
mod exact_writer;
mod hashed;
mod int_or_string;
mod integers;
#[cfg(test)]
mod kind_tests;
mod kinds;
mod kubernetes;
mod number;
mod object;
#[cfg(test)]
mod object_tests;
mod object_writer;
mod omittable;
mod optional_text;
mod property;
mod quantity;
pub mod sparse;
#[cfg(test)]
mod sparse_tests;
#[cfg(test)]
mod tests;
mod texts;
mod time;
mod union;

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

// One line per module, since copies omit the modules that their types do not need (`sources`).
pub use self::condition::condition;
pub use self::derived::{deserialize, filled, nullable, present, serialize};
pub use self::number::Number;
pub use self::object::{Object, Reader, read_object, write_object};
pub use self::object_writer::Writer;
pub use self::omittable::Empty;
pub use self::texts::read_text;
pub use self::time::time;
pub use self::union::member;

pub use self::integers::integers;
pub use self::kinds::kinds;
pub use self::object::name;
pub use self::object::object;
pub use self::texts::texts;
pub use self::union::union;
// Macros refer to serde through this path, so that crates that call them need not depend on it.
#[doc(hidden)]
pub use ::serde;

/// Parses a default value from JSON. The API server has checked it against the schema; if it nevertheless has another
/// type, returns `T`'s own default.
#[must_use]
pub fn from_json<T: for<'de> Deserialize<'de> + Default>(json: &str) -> T {
    serde_json::from_str(json).unwrap_or_default()
}

/// Like [`from_json`], for a type that implements [`Codec`].
#[must_use]
pub fn decoded<T: Codec + Default>(json: &str) -> T {
    serde_json::from_str(json).map_or_else(|_| T::default(), Decoded::value)
}

/// Converts a value to another type by the properties that both have. Fields that only one of them has are dropped, or
/// keep their default.
///
/// For conversions between the versions of a kind, where those are equal.
///
/// # Errors
///
/// A property has another type in `T`, or a required one is missing.
pub fn recoded<T: DeserializeOwned>(value: &impl Serialize) -> Result<T, serde_json::Error> {
    serde_json::from_value(serde_json::to_value(value)?)
}

/// A value with a wire format of its own.
pub trait Codec: Sized {
    /// Reads the value.
    ///
    /// # Errors
    ///
    /// The deserializer's, or the value has another type.
    fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;

    /// Writes the value.
    ///
    /// # Errors
    ///
    /// The serializer's.
    fn encode<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
}

/// Implements `Deserialize` by [`Codec`].
#[derive(Debug, Default)]
pub struct Decoded<T>(T);

impl<T> Decoded<T> {
    /// Returns the value that was read.
    pub fn value(decoded: Self) -> T {
        decoded.0
    }
}

impl<'de, T: Codec> Deserialize<'de> for Decoded<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::decode(deserializer).map(Decoded)
    }
}

/// Implements `Serialize` by [`Codec`].
#[derive(Debug)]
pub struct Encoded<'a, T>(pub &'a T);

impl<'a, T> Encoded<'a, T> {
    /// Wraps a property that is always written.
    pub const fn some(value: &'a T) -> Option<Self> {
        Some(Self(value))
    }
}

impl<T: Codec> Serialize for Encoded<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.encode(serializer)
    }
}

impl<T: Codec> Codec for Option<T> {
    fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::<Decoded<T>>::deserialize(deserializer)?.map(Decoded::value))
    }

    fn encode<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_ref().map(Encoded).serialize(serializer)
    }
}

impl<T: Codec> Codec for Box<T> {
    fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::decode(deserializer).map(Self::new)
    }

    fn encode<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).encode(serializer)
    }
}

impl<T: Codec> Codec for Vec<T> {
    fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let items = Vec::<Decoded<T>>::deserialize(deserializer)?;
        Ok(items.into_iter().map(Decoded::value).collect())
    }

    fn encode<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Encoded))
    }
}

impl<T: Codec> Codec for BTreeMap<String, T> {
    fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let map = BTreeMap::<String, Decoded<T>>::deserialize(deserializer)?;
        Ok(map.into_iter().map(|(key, value)| (key, value.0)).collect())
    }

    fn encode<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(key, value)| (key, Encoded(value))))
    }
}
