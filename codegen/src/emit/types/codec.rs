//! The `codec` module of a version: serde for values that k8s-openapi's own would round or refuse.

use proc_macro2::TokenStream;
use quote::quote;

use crate::{emit::Emit, model::Version};

/// Emits the module; only for versions that use it.
pub(super) fn emit(cx: &Emit<'_>, _version: &Version) -> TokenStream {
    let module = functions();
    let defaults = defaults();
    let trait_ = trait_and_containers();
    let values = values();
    let k8s_openapi = cx.k8s_openapi();
    quote! {
        //! serde for values that must survive decoding and encoding unchanged: times keep their fraction of a second, numbers
        //! are written as the API server writes them, and a missing property is told from one that is null. An integer beyond
        //! 32 bits where an int-or-string stands is held as a string with its sign, `+4294967296`, and written as a number.
        #![allow(dead_code)]
        use #k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
        use #k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
        use #k8s_openapi::jiff::Timestamp;
        use serde::de::IntoDeserializer;
        use serde::{Deserialize, Deserializer, Serialize, Serializer};
        use std::collections::BTreeMap;
        #module
        #defaults
        #trait_
        #values
    }
}

fn functions() -> TokenStream {
    quote! {
        /// Writes a value.
        pub(super) fn serialize<T: Codec, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
            value.encode(serializer)
        }
        /// Reads a value.
        pub(super) fn deserialize<'de, T: Codec, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
            T::decode(deserializer)
        }
        /// A property that is there, so that null is a value and not absence.
        pub(super) mod present {
            use serde::{Deserialize, Deserializer};
            /// Reads a value that is there.
            pub(in super::super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Option<T>, D::Error> {
                T::deserialize(deserializer).map(Some)
            }
        }
        /// A property that is there or null, of a type that goes through this module.
        pub(super) mod nullable {
            use super::Codec;
            use serde::{Deserializer, Serializer};
            /// Reads a value that is there.
            pub(in super::super) fn deserialize<'de, T: Codec, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Option<T>, D::Error> {
                T::decode(deserializer).map(Some)
            }
            /// Writes a value that is there.
            pub(in super::super) fn serialize<T: Codec, S: Serializer>(
                value: &Option<T>,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                value.encode(serializer)
            }
        }
    }
}

fn defaults() -> TokenStream {
    quote! {
        /// The value of a default. The API server has checked it against the schema; where it is of another type after all,
        /// the type's own default stands in.
        pub(super) fn from_json<T: for<'de> Deserialize<'de> + Default>(json: &str) -> T {
            serde_json::from_str(json).unwrap_or_default()
        }
        /// The value of a default that goes through this module.
        pub(super) fn decoded<T: Codec + Default>(json: &str) -> T {
            serde_json::from_str(json).map_or_else(|_| T::default(), Decoded::value)
        }
        /// The value of a default that is a time; the start of the Unix epoch stands for what is none.
        pub(super) fn time(text: &str) -> Time {
            text.parse().map_or(Time(Timestamp::UNIX_EPOCH), Time)
        }
    }
}

fn trait_and_containers() -> TokenStream {
    quote! {
        /// A value with serde of its own.
        pub(super) trait Codec: Sized {
            /// Reads the value.
            fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
            /// Writes the value.
            fn encode<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
        }
        /// Reads through [`Codec`].
        pub(super) struct Decoded<T>(T);
        impl<T> Decoded<T> {
            /// What was read.
            pub(super) fn value(decoded: Self) -> T {
                decoded.0
            }
        }
        impl<'de, T: Codec> Deserialize<'de> for Decoded<T> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                T::decode(deserializer).map(Decoded)
            }
        }
        /// Writes through [`Codec`].
        pub(super) struct Encoded<'a, T>(pub(super) &'a T);
        impl<'a, T> Encoded<'a, T> {
            /// What is always written.
            pub(super) const fn some(value: &'a T) -> Option<Self> {
                Some(Self(value))
            }
        }
        impl<T: Codec> Serialize for Encoded<'_, T> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.0.encode(serializer)
            }
        }
        impl<T: Codec> Codec for Option<T> {
            fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Ok(Option::<Decoded<T>>::deserialize(deserializer)?.map(|value| value.0))
            }
            fn encode<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.as_ref().map(Encoded).serialize(serializer)
            }
        }
        impl<T: Codec> Codec for Vec<T> {
            fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let items = Vec::<Decoded<T>>::deserialize(deserializer)?;
                Ok(items.into_iter().map(|item| item.0).collect())
            }
            fn encode<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_seq(self.iter().map(Encoded))
            }
        }
        impl<T: Codec> Codec for BTreeMap<String, T> {
            fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let map = BTreeMap::<String, Decoded<T>>::deserialize(deserializer)?;
                Ok(map.into_iter().map(|(key, value)| (key, value.0)).collect())
            }
            fn encode<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map(self.iter().map(|(key, value)| (key, Encoded(value))))
            }
        }
    }
}

fn values() -> TokenStream {
    quote! {
        impl Codec for Time {
            fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                if text == NEVER {
                    return Ok(Time(Timestamp::MAX));
                }
                Timestamp::deserialize(text.into_deserializer()).map(Time)
            }
            fn encode<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if self.0 == Timestamp::MAX {
                    return serializer.serialize_str(NEVER);
                }
                serializer.collect_str(&self.0)
            }
        }
        /// What APIs write for never, which stands a day after the last [`Timestamp`] and is held as that.
        const NEVER: &str = "9999-12-31T23:59:59Z";
        impl Codec for f64 {
            fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                f64::deserialize(deserializer)
            }
            fn encode<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let whole = *self as i64;
                if whole as f64 == *self && whole.abs() < 1 << 53 {
                    serializer.serialize_i64(whole)
                } else {
                    serializer.serialize_f64(*self)
                }
            }
        }
        impl Codec for IntOrString {
            fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(Deserialize)]
                #[serde(untagged)]
                enum Wire {
                    Int(i32),
                    Long(i64),
                    String(String),
                }
                let value = match Wire::deserialize(deserializer)? {
                    Wire::Int(int) => IntOrString::Int(int),
                    Wire::Long(long) => IntOrString::String(format!("{long:+}")),
                    Wire::String(string) => IntOrString::String(string),
                };
                Ok(value)
            }
            fn encode<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let long = match self {
                    IntOrString::String(text) => long(text),
                    IntOrString::Int(_) => None,
                };
                match long {
                    Some(long) => serializer.serialize_i64(long),
                    None => self.serialize(serializer),
                }
            }
        }
        /// The integer beyond 32 bits that a string stands for: one with its sign, and written in no other way.
        fn long(text: &str) -> Option<i64> {
            let long = text.parse::<i64>().ok()?;
            let beyond = i32::try_from(long).is_err();
            (beyond && format!("{long:+}") == text).then_some(long)
        }
    }
}
