//! Writing of objects by lists of their fields.

use std::{collections::BTreeMap, fmt};

use k8s_openapi::Resource;
use serde::{Serialize, ser::SerializeMap};

use super::{Codec, Encoded};

/// Writes the fields of one object as properties.
///
/// Each method is the reverse of [`Reader`](super::Reader)'s.
pub struct Writer<M: SerializeMap> {
    map: M,
    /// The first error; nothing is written after it.
    error: Option<M::Error>,
}

impl<M: SerializeMap> Writer<M> {
    pub(super) const fn new(map: M) -> Self {
        Self { map, error: None }
    }

    pub(super) fn finish(self) -> Result<M::Ok, M::Error> {
        self.error.map_or_else(|| self.map.end(), Err)
    }

    pub(super) fn property<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) {
        if self.error.is_none() {
            self.error = self.map.serialize_entry(name, value).err();
        }
    }

    /// A field that is always written.
    pub fn required<T: Serialize>(&mut self, name: &'static str, field: &T) {
        self.property(name, field);
    }

    /// [`required`](Self::required), with a wire format of its own.
    pub fn required_encoded<T: Codec>(&mut self, name: &'static str, field: &T) {
        self.property(name, &Encoded(field));
    }

    /// A field that is always written.
    pub fn defaulted<T: Serialize>(&mut self, name: &'static str, field: &T) {
        self.property(name, field);
    }

    /// [`defaulted`](Self::defaulted), with a wire format of its own.
    pub fn defaulted_encoded<T: Codec>(&mut self, name: &'static str, field: &T) {
        self.property(name, &Encoded(field));
    }

    /// A field that is written unless none.
    pub fn optional<T: Serialize>(&mut self, name: &'static str, field: &Option<T>) {
        if let Some(value) = field {
            self.property(name, value);
        }
    }

    /// [`optional`](Self::optional), with a wire format of its own.
    pub fn optional_encoded<T: Codec>(&mut self, name: &'static str, field: &Option<T>) {
        if let Some(value) = field {
            self.property(name, &Encoded(value));
        }
    }

    /// A field that is written unless none, where null is a value.
    pub fn nullable<T: Serialize>(&mut self, name: &'static str, field: &Option<T>) {
        self.optional(name, field);
    }

    /// [`nullable`](Self::nullable), with a wire format of its own.
    pub fn nullable_encoded<T: Codec>(&mut self, name: &'static str, field: &Option<T>) {
        self.optional_encoded(name, field);
    }

    /// `apiVersion` and `kind`.
    pub fn kind<T: Resource>(&mut self) {
        self.property("apiVersion", T::API_VERSION);
        self.property("kind", T::KIND);
    }

    /// The properties that belong to no field.
    pub fn unknown<T: Serialize>(&mut self, field: &BTreeMap<String, T>) {
        for (name, value) in field {
            self.property(name, value);
        }
    }
}

impl<M: SerializeMap> fmt::Debug for Writer<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}
