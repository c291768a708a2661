//! Enums over strings.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserializer,
    de::{Error, Visitor},
};

/// Implements serde, `From<&str>` and `AsRef<str>` for an enum by the strings of its variants; any other string is held in the
/// variant named first. A variant without `= "…"` has its own name as string. The variant after `default` is the type's
/// `Default`. serde's derive would buffer each value and try the variants one by one.
///
/// ```ignore
/// codec::texts! { RunPolicy default Always, Unrecognized, Always, OnFailure = "on-failure" }
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __codec_texts {
    ($name:ident $(default $default:ident)?, $open:ident $(, $variant:ident $(= $value:literal)?)* $(,)?) => {
        $(impl ::core::default::Default for $name {
            fn default() -> Self {
                Self::$default
            }
        })?

        impl ::core::convert::From<&str> for $name {
            #[inline]
            fn from(text: &str) -> Self {
                match text {
                    $($crate::codec::name!($variant $($value)?) => Self::$variant,)*
                    other => Self::$open(::std::string::String::from(other)),
                }
            }
        }

        impl ::core::convert::AsRef<str> for $name {
            #[inline]
            fn as_ref(&self) -> &str {
                match self {
                    $(Self::$variant => $crate::codec::name!($variant $($value)?),)*
                    Self::$open(other) => other,
                }
            }
        }

        impl<'de> $crate::codec::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::codec::serde::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                $crate::codec::read_text(deserializer)
            }
        }

        impl $crate::codec::serde::Serialize for $name {
            fn serialize<S: $crate::codec::serde::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(::core::convert::AsRef::as_ref(self))
            }
        }
    };
}

pub use crate::__codec_texts as texts;

/// Reads a string enum.
///
/// # Errors
///
/// The deserializer's, or the value is not a string.
pub fn read_text<'de, T: for<'a> From<&'a str>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_str(TextVisitor(PhantomData))
}

struct TextVisitor<T>(PhantomData<T>);

impl<T: for<'a> From<&'a str>> Visitor<'_> for TextVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        Ok(T::from(text))
    }
}
