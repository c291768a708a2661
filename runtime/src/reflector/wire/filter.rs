//! Decoding one object: managedFields are skipped, and the kind is checked, on the way from JSON to the type.
//!
//! A [`Filter`] stands between serde_json and the type's own `Deserialize`. It sees the keys of the object and of its
//! `metadata`, passes everything on, and consumes `metadata.managedFields` without building it. That is why an informer that
//! drops them never holds them, not even for a moment.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor,
    value::{BorrowedStrDeserializer, CowStrDeserializer},
};

/// What an object must be, and whether its managedFields are kept.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    /// The accepted pairs of apiVersion and kind. An object that says neither is accepted: lists leave them out.
    pub(crate) kinds: Vec<(String, String)>,
    pub(crate) keep_managed_fields: bool,
}

impl Rules {
    /// Decodes an object.
    pub(crate) fn decode<'de, K: Deserialize<'de>>(
        &self,
        json: &'de [u8],
    ) -> Result<K, serde_json::Error> {
        let mut json = serde_json::Deserializer::from_slice(json);
        let object = K::deserialize(Filter {
            inner: &mut json,
            level: Level::Object,
            rules: self,
        })?;
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

    fn expected(&self) -> String {
        let kinds = self
            .kinds
            .iter()
            .map(|(version, kind)| format!("{kind} of {version}"));
        kinds.collect::<Vec<_>>().join(" or ")
    }
}

#[derive(Clone, Copy)]
enum Level {
    Object,
    Metadata,
}

#[derive(Clone, Copy)]
enum Field {
    ApiVersion,
    Kind,
    Metadata,
    Other,
}

/// A deserializer, visitor or seed of which the keys are watched.
#[derive(Clone, Copy)]
struct Filter<'a, T> {
    inner: T,
    level: Level,
    rules: &'a Rules,
}

impl<'de, 'a, D: Deserializer<'de>> Deserializer<'de> for Filter<'a, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(Filter {
            inner: visitor,
            level: self.level,
            rules: self.rules,
        })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_map(Filter {
            inner: visitor,
            level: self.level,
            rules: self.rules,
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_struct(
            name,
            fields,
            Filter {
                inner: visitor,
                level: self.level,
                rules: self.rules,
            },
        )
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_option(Filter {
            inner: visitor,
            level: self.level,
            rules: self.rules,
        })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_newtype_struct(
            name,
            Filter {
                inner: visitor,
                level: self.level,
                rules: self.rules,
            },
        )
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_ignored_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct enum identifier
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Filter<'_, V> {
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
        self.inner.visit_some(Filter {
            inner,
            level: self.level,
            rules: self.rules,
        })
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(Filter {
            inner,
            level: self.level,
            rules: self.rules,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Keys {
            inner,
            level: self.level,
            rules: self.rules,
            field: Field::Other,
        })
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Filter<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Filter {
            inner,
            level: self.level,
            rules: self.rules,
        })
    }
}

/// The entries of a watched map.
struct Keys<'a, A> {
    inner: A,
    level: Level,
    rules: &'a Rules,
    field: Field,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Keys<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        loop {
            let Some(Text(key)) = self.inner.next_key::<Text<'de>>()? else {
                return Ok(None);
            };
            match self.level {
                Level::Metadata if key == "managedFields" && !self.rules.keep_managed_fields => {
                    self.inner.next_value::<IgnoredAny>()?;
                    continue;
                }
                Level::Metadata => {}
                Level::Object => {
                    self.field = match &*key {
                        "apiVersion" => Field::ApiVersion,
                        "kind" => Field::Kind,
                        "metadata" => Field::Metadata,
                        _ => Field::Other,
                    };
                }
            }
            return pass(key, seed).map(Some);
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        match self.field {
            Field::Other => self.inner.next_value_seed(seed),
            Field::Metadata => {
                let seed = Filter {
                    inner: seed,
                    level: Level::Metadata,
                    rules: self.rules,
                };
                self.inner.next_value_seed(seed)
            }
            field @ (Field::ApiVersion | Field::Kind) => {
                let Text(value) = self.inner.next_value()?;
                if !self.rules.accepts(field, &value) {
                    let name = if matches!(field, Field::Kind) {
                        "kind"
                    } else {
                        "apiVersion"
                    };
                    let expected = self.rules.expected();
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

fn pass<'de, S: DeserializeSeed<'de>, E: Error>(
    text: Cow<'de, str>,
    seed: S,
) -> Result<S::Value, E> {
    match text {
        Cow::Borrowed(text) => seed.deserialize(BorrowedStrDeserializer::new(text)),
        owned @ Cow::Owned(_) => seed.deserialize(CowStrDeserializer::new(owned)),
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
