//! Reads types of k8s-openapi, bypassing their own handling of numbers.
//!
//! k8s-openapi asks a deserializer for quantities as newtypes of that name, and for int-or-strings, alone among the
//! types in [`kubernetes`](super::kubernetes), with `deserialize_any`. [`ExactReader`] delegates both to their codecs,
//! and strings that are omitted when empty to [`optional_text`](super::optional_text).

use std::fmt;

use k8s_openapi::apimachinery::pkg::{api::resource::Quantity, util::intstr::IntOrString};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Visitor},
};

use super::{Codec, exact_writer::OPAQUE, optional_text};

/// Wraps a deserializer, visitor or access of serde, and every nested one.
pub(super) struct ExactReader<T> {
    inner: T,
    place: Place,
}

/// The reader's position, with regard to strings that are omitted when empty.
#[derive(Clone, Copy)]
enum Place {
    /// In a value where an empty string is written.
    Full,
    /// In a value where an empty string is omitted.
    Sparse,
    /// In an object of this type, some of whose strings are omitted when empty.
    Object(&'static str),
    /// At such a string.
    Text,
}

impl<T> ExactReader<T> {
    pub(super) const fn new(inner: T) -> Self {
        let place = Place::Full;
        Self { inner, place }
    }

    /// Creates a reader of a value where strings are omitted when empty.
    pub(super) const fn sparse(inner: T) -> Self {
        let place = Place::Sparse;
        Self { inner, place }
    }

    /// Wraps a nested part at the same position.
    const fn with<U>(&self, inner: U) -> ExactReader<U> {
        let place = self.place;
        ExactReader { inner, place }
    }
}

/// Methods for values that contain no others.
macro_rules! plain {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method(visitor)
        })*
    };
}

/// Methods for values that may contain others.
macro_rules! nested {
    ($($method:ident($($argument:ident: $ty:ty),*))*) => {
        $(fn $method<V: Visitor<'de>>(self, $($argument: $ty,)* visitor: V) -> Result<V::Value, D::Error> {
            let visitor = self.with(visitor);
            self.inner.$method($($argument,)* visitor)
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ExactReader<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        match IntOrString::decode(self.inner)? {
            IntOrString::Int(integer) => visitor.visit_i32(integer),
            IntOrString::String(text) => visitor.visit_string(text),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        if name == "Quantity" {
            let Quantity(text) = Quantity::decode(self.inner)?;
            visitor.visit_newtype_struct(text.into_deserializer())
        } else if OPAQUE.contains(&name) {
            self.inner.deserialize_newtype_struct(name, visitor)
        } else {
            let visitor = self.with(visitor);
            self.inner.deserialize_newtype_struct(name, visitor)
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let place = match self.place {
            Place::Full => Place::Full,
            _ if fields
                .iter()
                .any(|field| optional_text::leaves_out(name, field)) =>
            {
                Place::Object(name)
            }
            _ => Place::Sparse,
        };
        let inner = visitor;
        self.inner
            .deserialize_struct(name, fields, ExactReader { inner, place })
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        match self.place {
            Place::Text => {
                visitor.visit_string(optional_text::held(String::deserialize(self.inner)?))
            }
            _ => self.inner.deserialize_string(visitor),
        }
    }

    plain! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16
        deserialize_u32 deserialize_u64 deserialize_f32 deserialize_f64 deserialize_char deserialize_str
        deserialize_bytes deserialize_byte_buf deserialize_unit deserialize_identifier
        deserialize_ignored_any
    }

    nested! {
        deserialize_option()
        deserialize_seq()
        deserialize_map()
        deserialize_unit_struct(name: &'static str)
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for ExactReader<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        let value = self.with(value);
        self.inner.visit_some(value)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        let value = self.with(value);
        self.inner.visit_newtype_struct(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        let items = self.with(items);
        self.inner.visit_seq(items)
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<V::Value, A::Error> {
        let place = self.place;
        let (inner, value) = (entries, place);
        self.inner.visit_map(Entries {
            inner,
            place,
            value,
        })
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for ExactReader<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        let deserializer = self.with(deserializer);
        self.inner.deserialize(deserializer)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for ExactReader<A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, A::Error> {
        let seed = self.with(seed);
        self.inner.next_element_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

/// The entries of a map or an object.
struct Entries<A> {
    inner: A,
    place: Place,
    /// The position of the value whose key was read last.
    value: Place,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Entries<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let Place::Object(name) = self.place else {
            return self.inner.next_key_seed(seed);
        };
        let Some(key) = self.inner.next_key::<String>()? else {
            return Ok(None);
        };
        self.value = if optional_text::leaves_out(name, &key) {
            Place::Text
        } else {
            Place::Sparse
        };
        seed.deserialize(key.into_deserializer()).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        let (inner, place) = (seed, self.value);
        self.inner.next_value_seed(ExactReader { inner, place })
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}
