//! Functions that serde's derive refers to, for types without an `object!` list.

use serde::{Deserializer, Serializer};

use super::Codec;

/// Writes a value.
///
/// # Errors
///
/// The serializer's.
pub fn serialize<T: Codec, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.encode(serializer)
}

/// Reads a value.
///
/// # Errors
///
/// The deserializer's, or the value has another type.
pub fn deserialize<'de, T: Codec, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::decode(deserializer)
}

/// A property that may be null, where null differs from absence: null reads as `Some` too.
pub mod present {
    use serde::{Deserialize, Deserializer};

    /// Reads a property that is present.
    ///
    /// # Errors
    ///
    /// Those of `T`.
    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        T::deserialize(deserializer).map(Some)
    }
}

/// A list or map that Go may write as null; null reads as empty.
pub mod filled {
    use serde::{Deserialize, Deserializer};

    /// Reads a property that is present.
    ///
    /// # Errors
    ///
    /// Those of `T`.
    pub fn deserialize<'de, T: Deserialize<'de> + Default, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
    }
}

/// [`present`] for a type that implements [`Codec`].
pub mod nullable {
    use serde::{Deserializer, Serializer};

    use super::Codec;

    /// Reads a property that is present.
    ///
    /// # Errors
    ///
    /// Those of `T`.
    pub fn deserialize<'de, T: Codec, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        T::decode(deserializer).map(Some)
    }

    /// Writes a property that is present.
    ///
    /// # Errors
    ///
    /// The serializer's.
    pub fn serialize<T: Codec, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.encode(serializer)
    }
}
