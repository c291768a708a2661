//! Builds nodes from the parser's events.

use std::{fmt, ops::Range};

use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, SeqAccess, Visitor},
};
use serde_json::Number;
use serde_saphyr::{Location, Spanned};

use super::{Entry, Node, Yaml};

fn range(location: &Location) -> Range<usize> {
    let span = location.span();
    let start = usize::try_from(span.byte_offset().unwrap_or(0)).unwrap_or(0);
    start..start + usize::try_from(span.byte_len().unwrap_or(0)).unwrap_or(0)
}

/// A deserialized node.
pub(super) struct Placed(pub(super) Node);

/// A deserialized value.
pub(super) struct Content(pub(super) Yaml);

impl<'de> Deserialize<'de> for Placed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Content>::deserialize(deserializer)?;
        Ok(Self(Node {
            value: spanned.value.0,
            range: range(&spanned.referenced),
        }))
    }
}

/// Returns the JSON name of a key, as Go's tools convert it: `on` is `true`, and `0x10` is `16`. As
/// in JSON, a null key becomes `null`.
fn name<E: de::Error>(key: Yaml) -> Result<String, E> {
    match key {
        Yaml::Null => Ok("null".to_owned()),
        Yaml::Bool(flag) => Ok(flag.to_string()),
        Yaml::Number(number) if number.is_f64() => Ok(float(number.as_f64().unwrap_or_default())),
        Yaml::Number(number) => Ok(number.to_string()),
        Yaml::String(text) => Ok(text),
        Yaml::List(_) | Yaml::Map(_) => Err(E::custom("expected string scalar")),
    }
}

/// Formats a number as Go's `strconv.FormatFloat(number, 'g', -1, 32)`.
#[allow(clippy::cast_possible_truncation, reason = "Go formats 32 bits")]
fn float(number: f64) -> String {
    let number = number as f32;
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, exponent)) => match exponent.parse::<i32>() {
            Ok(power) if !(-4..6).contains(&power) => {
                let sign = if power < 0 { '-' } else { '+' };
                format!("{digits}e{sign}{:02}", power.abs())
            }
            _ => number.to_string(),
        },
        None => text,
    }
}

/// A deserialized key.
struct Key(String, Range<usize>);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Content>::deserialize(deserializer)?;
        Ok(Self(name(spanned.value.0)?, range(&spanned.referenced)))
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(YamlVisitor).map(Self)
    }
}

struct YamlVisitor;

impl<'de> Visitor<'de> for YamlVisitor {
    type Value = Yaml;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any YAML value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Yaml, E> {
        Ok(Yaml::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Yaml, E> {
        Ok(Yaml::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Yaml, E> {
        Ok(Yaml::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Yaml, E> {
        Ok(Yaml::Number(value.into()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Yaml, E> {
        Ok(Yaml::Number(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Yaml, E> {
        Number::from_f64(value)
            .map(Yaml::Number)
            .ok_or_else(|| E::custom("a number must be finite"))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Yaml, E> {
        Ok(Yaml::String(value.to_owned()))
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Yaml, E> {
        Ok(Yaml::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Yaml, A::Error> {
        let mut items = Vec::new();
        while let Some(Placed(item)) = access.next_element()? {
            items.push(item);
        }
        Ok(Yaml::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Yaml, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = access.next_entry()? {
            let Key(key, range) = key;
            let Placed(value) = value;
            entries.push(Entry { key, range, value });
        }
        Ok(Yaml::Map(entries))
    }
}
