//! What a version cannot hold, and the annotation that keeps it.
//!
//! A conversion compares an object with what converting it back would give. Where they differ,
//! [`Kept`] has both values: the object's own, which comes back, and the other one, by which a
//! later conversion sees whether the field was changed in between.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::rules::{How, Rule, Side};
use super::{Error, LARGEST, annotation};
use crate::error::chain;

/// How an object differs from what converting it back gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Kept {
    /// Objects that differ in these fields.
    Fields(BTreeMap<String, Kept>),
    /// Lists of the same length that differ in these items.
    Items {
        /// The length of the lists.
        length: usize,
        /// The items.
        items: Vec<Item>,
    },
    /// Different values.
    Value {
        /// The value that comes back; nothing for an absent one.
        #[serde(default, skip_serializing_if = "Option::is_none", with = "present")]
        own: Option<Value>,
        /// The value that is there if nobody has changed it.
        #[serde(default, skip_serializing_if = "Option::is_none", with = "present")]
        seen: Option<Value>,
    },
}

/// An item of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Item {
    /// Its index.
    at: usize,
    /// The whole item as it is if nobody has changed it, or the fields that identify it.
    seen: Value,
    /// Whether `seen` has only what identifies the item.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    keyed: bool,
    /// How it differs.
    kept: Kept,
}

/// Tells null from an absent value, which `Option` alone does not.
mod present {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;

    pub(super) fn serialize<S: Serializer>(
        value: &Option<Value>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Value>, D::Error> {
        Value::deserialize(deserializer).map(Some)
    }
}

impl Kept {
    /// Returns how a value differs from what converting it back gives; `None` if it does not.
    pub(super) fn difference(
        rules: &[Rule],
        side: Side,
        own: Option<&Value>,
        seen: Option<&Value>,
    ) -> Option<Self> {
        match (own, seen) {
            (own, seen) if own == seen => None,
            (Some(Value::Object(own)), Some(Value::Object(seen))) => {
                let mut fields = BTreeMap::new();
                for name in own.keys().chain(seen.keys()) {
                    let (rules, keys) = below(rules, side, name);
                    let values = (own.get(name), seen.get(name));
                    if let Some(kept) = Self::of_field(rules, keys, side, values) {
                        fields.insert(name.clone(), kept);
                    }
                }
                Some(Self::Fields(fields))
            }
            (own, seen) => Self::of_field(rules, &[], side, (own, seen)),
        }
    }

    fn of_field(
        rules: &[Rule],
        keys: &[&str],
        side: Side,
        (own, seen): (Option<&Value>, Option<&Value>),
    ) -> Option<Self> {
        match (own, seen) {
            (own, seen) if own == seen => None,
            (Some(Value::Object(_)), Some(Value::Object(_))) => {
                Self::difference(rules, side, own, seen)
            }
            (Some(Value::Array(own)), Some(Value::Array(seen))) if own.len() == seen.len() => {
                let item = |(at, (own, seen)): (usize, (&Value, &Value))| {
                    let kept = Self::of_field(rules, &[], side, (Some(own), Some(seen)))?;
                    let key = key_of(keys, seen);
                    Some(Item {
                        at,
                        keyed: key.is_some(),
                        seen: key.unwrap_or_else(|| seen.clone()),
                        kept,
                    })
                };
                let items = own.iter().zip(seen).enumerate().filter_map(item);
                Some(Self::Items {
                    length: own.len(),
                    items: items.collect(),
                })
            }
            (own, seen) => Some(Self::Value {
                own: own.cloned(),
                seen: seen.cloned(),
            }),
        }
    }

    /// Gives an object back what it had, where nobody has changed it since.
    pub(super) fn restore(self, object: &mut Value) {
        let found = self.onto(Some(object.take()));
        *object = found.unwrap_or_default();
    }

    fn onto(self, now: Option<Value>) -> Option<Value> {
        match (self, now) {
            (Self::Value { own, seen }, now) if now == seen => own,
            (Self::Fields(fields), Some(Value::Object(mut object))) => {
                for (name, kept) in fields {
                    if let Some(value) = kept.onto(object.remove(&name)) {
                        object.insert(name, value);
                    }
                }
                Some(Value::Object(object))
            }
            (Self::Items { length, items }, Some(Value::Array(now))) => {
                Some(Value::Array(restored(length, items, now)))
            }
            (_, now) => now,
        }
    }
}

/// The rules of the objects in a field, and what identifies them in a list.
fn below(rules: &[Rule], side: Side, name: &str) -> (&'static [Rule], &'static [&'static str]) {
    let within = |rule: &Rule| match rule.how {
        How::Within { rules, keys } if rule.path(side) == name => Some((rules, keys)),
        _ => None,
    };
    rules.iter().find_map(within).unwrap_or_default()
}

/// The fields that identify an item; `None` if the list has no keys or the item lacks one.
fn key_of(keys: &[&str], item: &Value) -> Option<Value> {
    let field = |key: &&str| Some(((*key).to_owned(), item.get(*key)?.clone()));
    let fields: Option<Map<String, Value>> = keys.iter().map(field).collect();
    fields
        .filter(|fields| !fields.is_empty())
        .map(Value::Object)
}

/// Gives the items of a list back what they had: those that are at their place with the same
/// keys or as they were seen, then such ones elsewhere, then, in a list of the same length, those
/// at the same place that are left.
fn restored(length: usize, items: Vec<Item>, now: Vec<Value>) -> Vec<Value> {
    let is_same_length = now.len() == length;
    let mut now: Vec<(Value, bool)> = now.into_iter().map(|value| (value, false)).collect();
    let is_it = |item: &Item, value: &Value| match (&item.seen, item.keyed) {
        (Value::Object(keys), true) => keys.iter().all(|(k, v)| value.get(k) == Some(v)),
        (seen, _) => seen == value,
    };
    let mut moved = Vec::new();
    for item in items {
        // Of equal items, the one that has not moved is meant.
        match now.get_mut(item.at).filter(|(it, _)| is_it(&item, it)) {
            Some(slot) => give(slot, item.kept),
            None => moved.push(item),
        }
    }
    let mut left = Vec::new();
    for item in moved {
        let found = now.iter_mut().find(|(it, done)| !done && is_it(&item, it));
        match found {
            Some(slot) => give(slot, item.kept),
            None if !item.keyed => left.push(item),
            // Whoever identifies items by keys has removed it.
            None => {}
        }
    }
    for item in left {
        let slot = now.get_mut(item.at).filter(|(_, done)| !done);
        if let Some(slot) = slot.filter(|_| is_same_length) {
            give(slot, item.kept);
        }
    }
    now.into_iter().map(|(value, _)| value).collect()
}

fn give((value, done): &mut (Value, bool), kept: Kept) {
    kept.restore(value);
    *done = true;
}

/// The annotation with what each version had that others cannot hold.
pub(super) struct Annotation {
    name: String,
    versions: BTreeMap<String, Kept>,
}

impl Annotation {
    /// Takes the annotation out of an object.
    pub(super) fn take(object: &mut Value, group: &str) -> Self {
        let name = annotation(group);
        let versions = text(object, &name).map(|text| serde_json::from_str(&text));
        let versions = match versions.transpose() {
            Ok(versions) => versions.unwrap_or_default(),
            Err(error) => {
                tracing::warn!(error = %chain(&error), annotation = name, "an annotation of conversions is not valid");
                BTreeMap::new()
            }
        };
        Self { name, versions }
    }

    /// Takes what was kept of a version.
    pub(super) fn remove(&mut self, version: &str) -> Option<Kept> {
        self.versions.remove(version)
    }

    /// Keeps what a version had.
    pub(super) fn insert(&mut self, version: &str, kept: Kept) {
        self.versions.insert(version.to_owned(), kept);
    }

    /// Writes the annotation into an object, unless nothing is kept.
    pub(super) fn put(self, object: &mut Value) -> Result<(), Error> {
        if self.versions.is_empty() {
            return Ok(());
        }
        let text = serde_json::to_string(&self.versions).map_err(|source| Error::Encode {
            version: self.name.clone(),
            source,
        })?;
        let annotations = &mut object["metadata"]["annotations"];
        if !annotations.is_object() {
            *annotations = Value::Object(Map::new());
        }
        annotations[self.name.as_str()] = Value::String(text);
        let all = annotations.as_object().into_iter().flatten();
        let sizes = all.map(|(name, value)| name.len() + value.as_str().map_or(0, str::len));
        match sizes.sum::<usize>() {
            size if size > LARGEST => Err(Error::TooLarge { size }),
            _ => Ok(()),
        }
    }
}

/// Takes the annotation's text out of an object, and the annotations if there is no other one.
fn text(object: &mut Value, name: &str) -> Option<String> {
    let metadata = object.get_mut("metadata")?.as_object_mut()?;
    let annotations = metadata.get_mut("annotations")?.as_object_mut()?;
    let found = annotations.remove(name)?;
    if annotations.is_empty() {
        metadata.remove("annotations");
    }
    match found {
        Value::String(text) => Some(text),
        _ => None,
    }
}
