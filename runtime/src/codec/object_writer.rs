//! Writing of objects by lists of their fields.

use std::{collections::BTreeMap, fmt, slice::Iter};

use k8s_openapi::Resource;
use serde::{Serialize, ser::SerializeMap};

use super::{Codec, Encoded, property::Names};

/// Writes the fields of one object as properties.
///
/// Each method is the reverse of [`Reader`](super::Reader)'s.
pub struct Writer<M: SerializeMap> {
    map: M,
    /// The names of the properties that are left.
    names: Iter<'static, String>,
    /// The first error; nothing is written after it.
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
        self.error.map_or_else(|| self.map.end(), Err)
    }

    /// Writes the next property.
    pub(super) fn property<T: Serialize + ?Sized>(&mut self, value: &T) {
        if let Some(name) = self.names.next() {
            self.entry(name, value);
        }
    }

    /// Leaves the next property out.
    pub(super) fn skip(&mut self) {
        self.names.next();
    }

    fn entry<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) {
        if self.error.is_none() {
            self.error = self.map.serialize_entry(name, value).err();
        }
    }

    /// A field that is always written.
    pub fn required<T: Serialize>(&mut self, field: &T) {
        self.property(field);
    }

    /// [`required`](Self::required), with a wire format of its own.
    pub fn required_encoded<T: Codec>(&mut self, field: &T) {
        self.property(&Encoded(field));
    }

    /// A field that is always written.
    pub fn defaulted<T: Serialize>(&mut self, field: &T) {
        self.property(field);
    }

    /// [`defaulted`](Self::defaulted), with a wire format of its own.
    pub fn defaulted_encoded<T: Codec>(&mut self, field: &T) {
        self.property(&Encoded(field));
    }

    /// A field that is written unless none.
    pub fn optional<T: Serialize>(&mut self, field: &Option<T>) {
        match field {
            Some(value) => self.property(value),
            None => self.skip(),
        }
    }

    /// [`optional`](Self::optional), with a wire format of its own.
    pub fn optional_encoded<T: Codec>(&mut self, field: &Option<T>) {
        match field {
            Some(value) => self.property(&Encoded(value)),
            None => self.skip(),
        }
    }

    /// A field that is written unless none, where null is a value.
    pub fn nullable<T: Serialize>(&mut self, field: &Option<T>) {
        self.optional(field);
    }

    /// [`nullable`](Self::nullable), with a wire format of its own.
    pub fn nullable_encoded<T: Codec>(&mut self, field: &Option<T>) {
        self.optional_encoded(field);
    }

    /// `apiVersion` and `kind`.
    pub fn kind<T: Resource>(&mut self) {
        self.property(T::API_VERSION);
        self.property(T::KIND);
    }

    /// The properties that belong to no field.
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
