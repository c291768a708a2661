//! Decodes one object, skipping managedFields and checking the kind on the way from JSON to the
//! type.
//!
//! A [`Filter`] wraps serde_json's deserializer for the type's own `Deserialize`. It sees the keys
//! of the object and of its `metadata`, passes everything else on, and skips
//! `metadata.managedFields` without building it, so that an informer that drops them never holds
//! them, not even temporarily. If an object lacks its apiVersion or kind, as list items do, the
//! filter adds the expected value, so that a type may have them as plain fields.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess,
    Visitor,
};

/// The accepted kinds of an object, and whether its managedFields are kept.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    /// The accepted pairs of apiVersion and kind. An object without either is accepted, since lists
    /// omit them.
    pub(crate) kinds: Vec<(String, String)>,
    pub(crate) keep_managed_fields: bool,
}

impl Rules {
    /// Decodes an object.
    pub(crate) fn decode<'de, K: Deserialize<'de>>(
        &self,
        json: &'de [u8],
    ) -> Result<K, serde_json::Error> {
        let bytes = json;
        let mut json = serde_json::Deserializer::from_slice(bytes);
        let level = Object {
            rules: self,
            fields: None,
        };
        let object = K::deserialize(level.over(&mut json));
        let object = object.map_err(|error| crate::json::located(bytes, error))?;
        json.end()?;
        Ok(object)
    }

    fn accepts(&self, field: Field, value: &str) -> bool {
        self.kinds.iter().any(|(version, kind)| match field {
            Field::ApiVersion => version == value,
            Field::Kind => kind == value,
            Field::Metadata | Field::Other => true,
        })
    }

    /// Returns the value assumed for a field that an object lacks, if only one kind is accepted.
    fn implied(&self, field: Field) -> Option<&str> {
        match (self.kinds.as_slice(), field) {
            ([(version, _)], Field::ApiVersion) => Some(version),
            ([(_, kind)], Field::Kind) => Some(kind),
            _ => None,
        }
    }

    fn expected(&self) -> String {
        let kinds = self
            .kinds
            .iter()
            .map(|(version, kind)| format!("{kind} of {version}"));
        kinds.collect::<Vec<_>>().join(" or ")
    }
}

/// A level of an object whose keys are filtered.
///
/// Each has a map of its own: the values below metadata are read as without a filter, so that their
/// types are compiled only once.
trait Level: Copy {
    /// The filtered entries of a map.
    type Keys<'de, A: MapAccess<'de>>: MapAccess<'de, Error = A::Error>;

    /// Notes the fields of the type, which requested a struct.
    fn of_struct(self, fields: &'static [&'static str]) -> Self;

    fn keys<'de, A: MapAccess<'de>>(self, inner: A) -> Self::Keys<'de, A>;

    /// Filters the keys of `inner` at this level.
    fn over<T>(self, inner: T) -> Filter<T, Self> {
        Filter { inner, level: self }
    }
}

/// The object itself.
#[derive(Clone, Copy)]
struct Object<'a> {
    rules: &'a Rules,
    /// The fields of its type if that requested a struct.
    fields: Option<&'static [&'static str]>,
}

impl<'a> Level for Object<'a> {
    type Keys<'de, A: MapAccess<'de>> = ObjectKeys<'a, A>;

    fn of_struct(self, fields: &'static [&'static str]) -> Self {
        Self {
            fields: Some(fields),
            ..self
        }
    }

    fn keys<'de, A: MapAccess<'de>>(self, inner: A) -> ObjectKeys<'a, A> {
        ObjectKeys {
            inner,
            level: self,
            field: Field::Other,
            value: Value::Read,
            seen: [false; 2],
        }
    }
}

/// The object's metadata.
#[derive(Clone, Copy)]
struct Metadata {
    keep_managed_fields: bool,
}

impl Level for Metadata {
    type Keys<'de, A: MapAccess<'de>> = MetadataKeys<A>;

    fn of_struct(self, _: &'static [&'static str]) -> Self {
        self
    }

    fn keys<'de, A: MapAccess<'de>>(self, inner: A) -> MetadataKeys<A> {
        MetadataKeys { inner, level: self }
    }
}

#[derive(Clone, Copy)]
enum Field {
    ApiVersion,
    Kind,
    Metadata,
    Other,
}

impl Field {
    /// The fields that are added if they are missing.
    const IMPLIED: [Self; 2] = [Self::ApiVersion, Self::Kind];

    fn name(self) -> &'static str {
        match self {
            Self::ApiVersion => "apiVersion",
            Self::Kind => "kind",
            Self::Metadata => "metadata",
            Self::Other => "",
        }
    }
}

/// A deserializer, visitor or seed whose keys are filtered.
#[derive(Clone, Copy)]
struct Filter<T, L> {
    inner: T,
    level: L,
}

impl<'de, D: Deserializer<'de>, L: Level> Deserializer<'de> for Filter<D, L> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(self.level.over(visitor))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_map(self.level.over(visitor))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let level = self.level.of_struct(fields);
        self.inner
            .deserialize_struct(name, fields, level.over(visitor))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_option(self.level.over(visitor))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner
            .deserialize_newtype_struct(name, self.level.over(visitor))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_ignored_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct enum identifier
    }
}

impl<'de, V: Visitor<'de>, L: Level> Visitor<'de> for Filter<V, L> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(self.level.over(inner))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(self.level.over(inner))
    }

    fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(self.level.keys(inner))
    }
}

impl<'de, S: DeserializeSeed<'de>, L: Level> DeserializeSeed<'de> for Filter<S, L> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(self.level.over(inner))
    }
}

/// The entries of an object.
struct ObjectKeys<'a, A> {
    inner: A,
    level: Object<'a>,
    field: Field,
    value: Value,
    /// Which of [`Field::IMPLIED`] the object has, or was given by the filter.
    seen: [bool; 2],
}

/// The source of a key's value.
#[derive(Clone, Copy)]
enum Value {
    Read,
    /// The map has ended; fields that the type expects and the map lacks are added.
    Implied,
}

impl<A> ObjectKeys<'_, A> {
    fn note(&mut self, key: &str) {
        self.field = match key {
            "apiVersion" => Field::ApiVersion,
            "kind" => Field::Kind,
            "metadata" => Field::Metadata,
            _ => Field::Other,
        };
        match self.field {
            Field::ApiVersion => self.seen[0] = true,
            Field::Kind => self.seen[1] = true,
            Field::Metadata | Field::Other => {}
        }
    }

    /// Returns the next field to add.
    fn next_implied(&mut self) -> Option<&'static str> {
        let Object { rules, fields } = self.level;
        for (field, seen) in Field::IMPLIED.into_iter().zip(&mut self.seen) {
            let name = field.name();
            let asked = fields.is_none_or(|fields| fields.contains(&name));
            if !std::mem::replace(seen, true) && asked && rules.implied(field).is_some() {
                self.field = field;
                return Some(name);
            }
        }
        None
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for ObjectKeys<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        if let Value::Read = self.value {
            if let Some(Text(key)) = self.inner.next_key::<Text<'de>>()? {
                self.note(&key);
                return pass(key, seed).map(Some);
            }
            self.value = Value::Implied;
        }
        match self.next_implied() {
            Some(name) => pass(Cow::Borrowed(name), seed).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let rules = self.level.rules;
        if let (Value::Implied, Some(value)) = (self.value, rules.implied(self.field)) {
            return pass(Cow::Owned(value.to_owned()), seed);
        }
        match self.field {
            Field::Other => self.inner.next_value_seed(seed),
            Field::Metadata => {
                let level = Metadata {
                    keep_managed_fields: rules.keep_managed_fields,
                };
                self.inner.next_value_seed(level.over(seed))
            }
            field @ (Field::ApiVersion | Field::Kind) => {
                let Text(value) = self.inner.next_value()?;
                if !rules.accepts(field, &value) {
                    let (name, expected) = (field.name(), rules.expected());
                    return Err(A::Error::custom(format_args!(
                        "{name} is {value:?}, expected {expected}"
                    )));
                }
                pass(value, seed)
            }
        }
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

/// The entries of an object's metadata.
struct MetadataKeys<A> {
    inner: A,
    level: Metadata,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for MetadataKeys<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        while let Some(Text(key)) = self.inner.next_key::<Text<'de>>()? {
            if key == "managedFields" && !self.level.keep_managed_fields {
                self.inner.next_value::<IgnoredAny>()?;
                continue;
            }
            return pass(key, seed).map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

fn pass<'de, S: DeserializeSeed<'de>, E: Error>(
    text: Cow<'de, str>,
    seed: S,
) -> Result<S::Value, E> {
    seed.deserialize(Passed(text, PhantomData))
}

/// A string that was already read, deserialized as any type a string can be: also an option or a
/// newtype of one.
struct Passed<'de, E>(Cow<'de, str>, PhantomData<E>);

impl<'de, E: Error> Deserializer<'de> for Passed<'de, E> {
    type Error = E;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        match self.0 {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, E> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, E> {
        visitor.visit_enum(self.0.into_deserializer())
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier
    }
}

/// A string that borrows from the input where it can, which `Cow`'s own `Deserialize` never does.
struct Text<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(TextVisitor)
    }
}
