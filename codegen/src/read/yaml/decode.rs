//! Builds nodes from the parser's events, with or without places.

use std::{collections::BTreeSet, fmt, ops::Range};

use serde::{
    Deserialize, Deserializer,
    de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor},
};
use serde_json::Number;
use serde_saphyr::{Location, Spanned};

use super::{Entry, Node, Yaml};

fn range(location: &Location) -> Range<usize> {
    let span = location.span();
    let start = usize::try_from(span.byte_offset().unwrap_or(0)).unwrap_or(0);
    start..start + usize::try_from(span.byte_len().unwrap_or(0)).unwrap_or(0)
}

/// A deserialized node, with its place if `PLACES` is set.
pub(super) struct Placed<const PLACES: bool>(pub(super) Node);

/// A deserialized value, whose nodes have places if `PLACES` is set.
struct Content<const PLACES: bool>(Yaml);

impl<'de, const PLACES: bool> Deserialize<'de> for Placed<PLACES> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (value, range) = if PLACES {
            let spanned = Spanned::<Content<PLACES>>::deserialize(deserializer)?;
            (spanned.value.0, range(&spanned.referenced))
        } else {
            (Content::<PLACES>::deserialize(deserializer)?.0, 0..0)
        };
        Ok(Self(Node { value, range }))
    }
}

/// Returns the JSON name of a key, as Go's tools convert it: `on` is `true`, and `0x10` is `16`. As in JSON, a null key becomes `null`.
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

/// Reads the next key of a map, with its place if `PLACES` is set.
struct NextKey<'m, const PLACES: bool> {
    /// The entries so far.
    entries: &'m [Entry],
    /// Their names, from the first key that is not written as it is named: the parser compares keys only as they are written.
    names: &'m mut Option<BTreeSet<String>>,
}

impl<'de, const PLACES: bool> DeserializeSeed<'de> for NextKey<'_, PLACES> {
    type Value = (String, Range<usize>);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let (key, range) = if PLACES {
            let spanned = Spanned::<Content<false>>::deserialize(deserializer)?;
            (spanned.value.0, range(&spanned.referenced))
        } else {
            (Content::<false>::deserialize(deserializer)?.0, 0..0)
        };
        let is_text = matches!(key, Yaml::String(_));
        let name = name(key)?;
        if !is_text && self.names.is_none() {
            let names = self.entries.iter().map(|entry| entry.key.clone());
            *self.names = Some(names.collect());
        }
        let names = self.names.as_mut();
        if names.is_none_or(|names| names.insert(name.clone())) {
            Ok((name, range))
        } else {
            Err(de::Error::custom(format!("duplicate mapping key: {name}")))
        }
    }
}

impl<'de, const PLACES: bool> Deserialize<'de> for Content<PLACES> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(YamlVisitor::<PLACES>)
            .map(Self)
    }
}

struct YamlVisitor<const PLACES: bool>;

impl<'de, const PLACES: bool> Visitor<'de> for YamlVisitor<PLACES> {
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
        while let Some(Placed::<PLACES>(item)) = access.next_element()? {
            items.push(item);
        }
        Ok(Yaml::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Yaml, A::Error> {
        let mut entries = Vec::new();
        let mut names = None;
        while let Some((key, range)) = access.next_key_seed(NextKey::<PLACES> {
            entries: &entries,
            names: &mut names,
        })? {
            let Placed::<PLACES>(value) = access.next_value()?;
            entries.push(Entry { key, range, value });
        }
        Ok(Yaml::Map(entries))
    }
}
