//! Kubernetes' own types, with strings omitted when empty.
//!
//! Go omits an empty `name` of a reference, and CRDs permit that unless they require the property or give it a default.
//! k8s-openapi has a `String` there, which it always writes. In fields that use this module, an absent property is held as the
//! empty string, an explicit empty string, which names no object, as two quotation marks (`""`), and a string of two or more
//! quotation marks with one more. So every object is written as it was read.

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, MapAccess},
    ser::SerializeMap,
};

use super::{
    exact_reader::ExactReader, exact_writer::ExactWriter, object::Reader, object_writer::Writer,
};

/// Reads a value where strings are omitted when empty.
///
/// # Errors
///
/// Those of `T`.
pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    T::deserialize(ExactReader::sparse(deserializer))
}

/// Writes a value where strings are omitted when empty.
///
/// # Errors
///
/// The serializer's.
pub fn serialize<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.serialize(ExactWriter::sparse(serializer))
}

/// A property that may be null, where null differs from absence.
pub mod nullable {
    use serde::{Deserialize, Deserializer};

    pub use super::serialize;

    /// Reads a property that is present.
    ///
    /// # Errors
    ///
    /// Those of `T`.
    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        super::deserialize(deserializer).map(Some)
    }
}

/// Parses a default value from JSON; see [`from_json`](super::from_json).
#[must_use]
pub fn from_json<T: DeserializeOwned + Default>(json: &str) -> T {
    serde_json::from_str(json).map_or_else(|_| T::default(), |Sparse(value)| value)
}

/// Implements `Deserialize` by [`deserialize`].
pub(super) struct Sparse<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Sparse<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer).map(Sparse)
    }
}

/// Implements `Serialize` by [`serialize`].
pub(super) struct SparseRef<'a, T>(pub(super) &'a T);

impl<T: Serialize> Serialize for SparseRef<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self.0, serializer)
    }
}

impl<'de, A: MapAccess<'de>> Reader<'de, A> {
    /// Like [`required`](Self::required), for sparse values.
    pub fn required_sparse<T: Deserialize<'de>>(&mut self, field: &mut T) {
        self.defaulted_sparse(field);
        self.demand();
    }

    /// Like [`defaulted`](Self::defaulted), for sparse values.
    pub fn defaulted_sparse<T: Deserialize<'de>>(&mut self, field: &mut T) {
        if self.takes() {
            self.store(field, |Sparse(value)| value);
        }
    }

    /// Like [`optional`](Self::optional), for sparse values.
    pub fn optional_sparse<T: Deserialize<'de>>(&mut self, field: &mut Option<T>) {
        self.defaulted_sparse(field);
    }

    /// Like [`nullable`](Self::nullable), for sparse values.
    pub fn nullable_sparse<T: Deserialize<'de>>(&mut self, field: &mut Option<T>) {
        if self.takes() {
            *field = self.value().map(|Sparse(value)| value);
        }
    }
}

impl<M: SerializeMap> Writer<M> {
    /// Like [`required`](Self::required), for sparse values.
    pub fn required_sparse<T: Serialize>(&mut self, field: &T) {
        self.property(&SparseRef(field));
    }

    /// Like [`defaulted`](Self::defaulted), for sparse values.
    pub fn defaulted_sparse<T: Serialize>(&mut self, field: &T) {
        self.property(&SparseRef(field));
    }

    /// Like [`optional`](Self::optional), for sparse values.
    pub fn optional_sparse<T: Serialize>(&mut self, field: &Option<T>) {
        match field {
            Some(value) => self.property(&SparseRef(value)),
            None => self.skip(),
        }
    }

    /// Like [`nullable`](Self::nullable), for sparse values.
    pub fn nullable_sparse<T: Serialize>(&mut self, field: &Option<T>) {
        self.optional_sparse(field);
    }
}
