//! Writes objects from lists of their fields.

use std::{collections::BTreeMap, fmt, slice::Iter};

use k8s_openapi::Resource;
use serde::{Serialize, ser::SerializeMap};

use super::{Codec, Encoded, property::Names};

/// Writes the fields of one object as properties.
///
/// Each method is the reverse of [`Reader`](super::Reader)'s.
pub struct Writer<M: SerializeMap> {
    map: M,
    /// The names of the remaining properties.
    names: Iter<'static, String>,
    /// The first error; writing stops there.
    error: Option<M::Error>,
}

impl<M: SerializeMap> Writer<M> {
    pub(super) fn new(map: M, names: &'static Names) -> Self {
        Self {
            map,
            names: names.properties.iter(),
            error: None,
        }
    }

    pub(super) fn finish(self) -> Result<M::Ok, M::Error> {
        match self.error {
            Some(error) => Err(error),
            None => self.map.end(),
        }
    }

    /// Writes the next property.
    pub(super) fn property<T: Serialize + ?Sized>(&mut self, value: &T) {
        if let Some(name) = self.names.next() {
            self.entry(name, value);
        }
    }

    /// Skips the next property.
    pub(super) fn skip(&mut self) {
        self.names.next();
    }

    fn entry<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) {
        if self.error.is_none() {
            self.error = self.map.serialize_entry(name, value).err();
        }
    }

    /// Writes a field in any case.
    pub fn required<T: Serialize>(&mut self, field: &T) {
        self.property(field);
    }

    /// Like [`required`](Self::required), with a wire format of its own.
    pub fn required_encoded<T: Codec>(&mut self, field: &T) {
        self.property(&Encoded(field));
    }

    /// Writes a field in any case.
    pub fn defaulted<T: Serialize>(&mut self, field: &T) {
        self.property(field);
    }

    /// Like [`defaulted`](Self::defaulted), with a wire format of its own.
    pub fn defaulted_encoded<T: Codec>(&mut self, field: &T) {
        self.property(&Encoded(field));
    }

    /// Writes a field unless it is `None`.
    pub fn optional<T: Serialize>(&mut self, field: &Option<T>) {
        match field {
            Some(value) => self.property(value),
            None => self.skip(),
        }
    }

    /// Like [`optional`](Self::optional), with a wire format of its own.
    pub fn optional_encoded<T: Codec>(&mut self, field: &Option<T>) {
        match field {
            Some(value) => self.property(&Encoded(value)),
            None => self.skip(),
        }
    }

    /// Writes a field unless it is `None`; null is a value.
    pub fn nullable<T: Serialize>(&mut self, field: &Option<T>) {
        self.optional(field);
    }

    /// Like [`nullable`](Self::nullable), with a wire format of its own.
    pub fn nullable_encoded<T: Codec>(&mut self, field: &Option<T>) {
        self.optional_encoded(field);
    }

    /// Writes `apiVersion` and `kind`.
    pub fn kind<T: Resource>(&mut self) {
        self.property(T::API_VERSION);
        self.property(T::KIND);
    }

    /// Writes the properties without a field.
    pub fn unknown<T: Serialize>(&mut self, field: &BTreeMap<String, T>) {
        for (name, value) in field {
            self.entry(name, value);
        }
    }
}

impl<M: SerializeMap> fmt::Debug for Writer<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}
