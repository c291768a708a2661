//! Kubernetes' own types, with texts left out when empty.
//!
//! Go omits an empty `name` of a reference, and CRDs permit that unless they require the property or give it a default. k8s-openapi
//! has a `String` there, which it always writes. Fields that go through this module hold an absent property as the empty text; an
//! empty text on the wire, which is no name of anything, is held as two quotation marks (`""`), and a text of two or more quotation
//! marks with one more. So every object is written as it was read.

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, MapAccess},
    ser::SerializeMap,
};

use super::{
    exact_reader::ExactReader, exact_writer::ExactWriter, object::Reader, object_writer::Writer,
};

/// Reads a value where texts are left out when empty.
///
/// # Errors
///
/// Those of `T`.
pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    T::deserialize(ExactReader::sparse(deserializer))
}

/// Writes a value where texts are left out when empty.
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

/// A default value, from JSON; see [`from_json`](super::from_json).
#[must_use]
pub fn from_json<T: DeserializeOwned + Default>(json: &str) -> T {
    serde_json::from_str(json).map_or_else(|_| T::default(), |Sparse(value)| value)
}

/// `Deserialize` by [`deserialize`].
pub(super) struct Sparse<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Sparse<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer).map(Sparse)
    }
}

/// `Serialize` by [`serialize`].
pub(super) struct SparseRef<'a, T>(pub(super) &'a T);

impl<T: Serialize> Serialize for SparseRef<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self.0, serializer)
    }
}

impl<'de, A: MapAccess<'de>> Reader<'de, A> {
    /// [`required`](Self::required), of sparse values.
    pub fn required_sparse<T: Deserialize<'de>>(&mut self, field: &mut T) {
        self.defaulted_sparse(field);
        self.demand();
    }

    /// [`defaulted`](Self::defaulted), of sparse values.
    pub fn defaulted_sparse<T: Deserialize<'de>>(&mut self, field: &mut T) {
        if self.takes() {
            self.store(field, |Sparse(value)| value);
        }
    }

    /// [`optional`](Self::optional), of sparse values.
    pub fn optional_sparse<T: Deserialize<'de>>(&mut self, field: &mut Option<T>) {
        self.defaulted_sparse(field);
    }

    /// [`nullable`](Self::nullable), of sparse values.
    pub fn nullable_sparse<T: Deserialize<'de>>(&mut self, field: &mut Option<T>) {
        if self.takes() {
            *field = self.value().map(|Sparse(value)| value);
        }
    }
}

impl<M: SerializeMap> Writer<M> {
    /// [`required`](Self::required), of sparse values.
    pub fn required_sparse<T: Serialize>(&mut self, field: &T) {
        self.property(&SparseRef(field));
    }

    /// [`defaulted`](Self::defaulted), of sparse values.
    pub fn defaulted_sparse<T: Serialize>(&mut self, field: &T) {
        self.property(&SparseRef(field));
    }

    /// [`optional`](Self::optional), of sparse values.
    pub fn optional_sparse<T: Serialize>(&mut self, field: &Option<T>) {
        match field {
            Some(value) => self.property(&SparseRef(value)),
            None => self.skip(),
        }
    }

    /// [`nullable`](Self::nullable), of sparse values.
    pub fn nullable_sparse<T: Serialize>(&mut self, field: &Option<T>) {
        self.optional_sparse(field);
    }
}
