//! Reads types of k8s-openapi without their own treatment of numbers.
//!
//! k8s-openapi asks a deserializer for quantities as newtypes of that name, and for int-or-strings, alone among the types in
//! [`kubernetes`](super::kubernetes), as values of any type. [`ExactReader`] leaves both to their codecs.

use std::fmt;

use k8s_openapi::apimachinery::pkg::{api::resource::Quantity, util::intstr::IntOrString};
use serde::{
    Deserializer,
    de::{DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Visitor},
};

use super::{Codec, exact_writer::OPAQUE};

/// A part of serde's reading that passes itself on to all parts within.
pub(super) struct ExactReader<T>(pub(super) T);

/// Methods whose values hold no others.
macro_rules! plain {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method(visitor)
        })*
    };
}

/// Methods whose values may hold others.
macro_rules! nested {
    ($($method:ident($($argument:ident: $ty:ty),*))*) => {
        $(fn $method<V: Visitor<'de>>(self, $($argument: $ty,)* visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method($($argument,)* ExactReader(visitor))
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ExactReader<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        match IntOrString::decode(self.0)? {
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
            let Quantity(text) = Quantity::decode(self.0)?;
            visitor.visit_newtype_struct(text.into_deserializer())
        } else if OPAQUE.contains(&name) {
            self.0.deserialize_newtype_struct(name, visitor)
        } else {
            self.0
                .deserialize_newtype_struct(name, ExactReader(visitor))
        }
    }

    plain! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16
        deserialize_u32 deserialize_u64 deserialize_f32 deserialize_f64 deserialize_char deserialize_str
        deserialize_string deserialize_bytes deserialize_byte_buf deserialize_unit deserialize_identifier
        deserialize_ignored_any
    }

    nested! {
        deserialize_option()
        deserialize_seq()
        deserialize_map()
        deserialize_unit_struct(name: &'static str)
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for ExactReader<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(ExactReader(value))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        self.0.visit_newtype_struct(ExactReader(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(ExactReader(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(ExactReader(entries))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for ExactReader<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(ExactReader(deserializer))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for ExactReader<A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, A::Error> {
        self.0.next_element_seed(ExactReader(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for ExactReader<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        self.0.next_value_seed(ExactReader(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}
