//! Lists, maps and strings of types from Go, which may be null, or omitted when empty.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, de::MapAccess, ser::SerializeMap};

use super::{Codec, Encoded, object::Reader, object_writer::Writer};

impl<'de, A: MapAccess<'de>> Reader<'de, A> {
    /// Reads a field that is empty if the property is missing or null; it is always written.
    pub fn filled<T: Deserialize<'de> + Default>(&mut self, field: &mut T) {
        if self.takes() {
            *field = self.value::<Option<T>>().flatten().unwrap_or_default();
        }
    }

    /// Like [`filled`](Self::filled), for a field that is omitted when empty.
    pub fn omittable<T: Deserialize<'de> + Default>(&mut self, field: &mut T) {
        self.filled(field);
    }

    /// Like [`omittable`](Self::omittable), with a wire format of its own.
    pub fn omittable_encoded<T: Codec>(&mut self, field: &mut T) {
        self.defaulted_encoded(field);
    }
}

impl<M: SerializeMap> Writer<M> {
    /// Writes a field in any case.
    pub fn filled<T: Serialize>(&mut self, field: &T) {
        self.property(field);
    }

    /// Writes a field unless it is empty.
    pub fn omittable<T: Serialize + Empty>(&mut self, field: &T) {
        if field.is_empty() {
            self.skip();
        } else {
            self.property(field);
        }
    }

    /// Like [`omittable`](Self::omittable), with a wire format of its own.
    pub fn omittable_encoded<T: Codec + Empty>(&mut self, field: &T) {
        if field.is_empty() {
            self.skip();
        } else {
            self.property(&Encoded(field));
        }
    }
}

/// A string, list or map, which may be empty.
pub trait Empty {
    /// Whether it is empty.
    fn is_empty(&self) -> bool;
}

impl Empty for String {
    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}

impl<T> Empty for Vec<T> {
    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}

impl<T> Empty for BTreeMap<String, T> {
    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}
