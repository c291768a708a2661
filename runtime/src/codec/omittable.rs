//! Lists, maps and texts of types from Go, which may be null or left out when empty.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, de::MapAccess, ser::SerializeMap};

use super::{Codec, Encoded, object::Reader, object_writer::Writer};

impl<'de, A: MapAccess<'de>> Reader<'de, A> {
    /// A field that is empty when the property is missing or null, and is always written.
    pub fn filled<T: Deserialize<'de> + Default>(&mut self, field: &mut T) {
        if self.takes() {
            *field = self.value::<Option<T>>().flatten().unwrap_or_default();
        }
    }

    /// [`filled`](Self::filled), but not written when empty.
    pub fn omittable<T: Deserialize<'de> + Default>(&mut self, field: &mut T) {
        self.filled(field);
    }

    /// [`omittable`](Self::omittable), with a wire format of its own.
    pub fn omittable_encoded<T: Codec>(&mut self, field: &mut T) {
        self.defaulted_encoded(field);
    }
}

impl<M: SerializeMap> Writer<M> {
    /// A field that is always written.
    pub fn filled<T: Serialize>(&mut self, field: &T) {
        self.property(field);
    }

    /// A field that is written unless empty.
    pub fn omittable<T: Serialize + Empty>(&mut self, field: &T) {
        if field.is_empty() {
            self.skip();
        } else {
            self.property(field);
        }
    }

    /// [`omittable`](Self::omittable), with a wire format of its own.
    pub fn omittable_encoded<T: Codec + Empty>(&mut self, field: &T) {
        if field.is_empty() {
            self.skip();
        } else {
            self.property(&Encoded(field));
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
