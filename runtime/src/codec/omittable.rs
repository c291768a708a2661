//! Lists, maps and texts of types from Go, which may be null or left out when empty.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, de::MapAccess, ser::SerializeMap};

use super::{Codec, Encoded, object::Reader, object_writer::Writer};

impl<'de, A: MapAccess<'de>> Reader<'de, A> {
    /// A field that is empty when the property is missing or null, and is always written.
    pub fn filled<T: Deserialize<'de> + Default>(&mut self, name: &'static str, field: &mut T) {
        if self.takes(name) {
            *field = self.value::<Option<T>>().flatten().unwrap_or_default();
        }
    }

    /// [`filled`](Self::filled), but not written when empty.
    pub fn omittable<T: Deserialize<'de> + Default>(&mut self, name: &'static str, field: &mut T) {
        self.filled(name, field);
    }

    /// [`omittable`](Self::omittable), with a wire format of its own.
    pub fn omittable_encoded<T: Codec>(&mut self, name: &'static str, field: &mut T) {
        self.defaulted_encoded(name, field);
    }
}

impl<M: SerializeMap> Writer<M> {
    /// A field that is always written.
    pub fn filled<T: Serialize>(&mut self, name: &'static str, field: &T) {
        self.property(name, field);
    }

    /// A field that is written unless empty.
    pub fn omittable<T: Serialize + Empty>(&mut self, name: &'static str, field: &T) {
        if !field.is_empty() {
            self.property(name, field);
        }
    }

    /// [`omittable`](Self::omittable), with a wire format of its own.
    pub fn omittable_encoded<T: Codec + Empty>(&mut self, name: &'static str, field: &T) {
        if !field.is_empty() {
            self.property(name, &Encoded(field));
        }
    }
}

/// A text, list or map, which may be empty.
pub trait Empty {
    /// Whether there is nothing in it.
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
