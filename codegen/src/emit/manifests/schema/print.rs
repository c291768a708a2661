//! Printing of schemas: one object with all keywords, and subschemas as branches.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Schema;
use crate::output::yaml::{Branch, Part};

impl Branch for Schema {
    fn part(&self) -> Part<'_> {
        let words = self.words.iter();
        let mut words: BTreeMap<&str, Part<'_>> = words
            .map(|(word, value)| (*word, Part::Json(value)))
            .collect();
        if !self.properties.is_empty() {
            let properties = self.properties.iter();
            let properties = properties.map(|(name, one)| (name.as_str(), Part::Branch(&**one)));
            words.insert("properties", Part::Map(properties.collect()));
        }
        if !self.required.is_empty() {
            let required = self.required.iter().map(|name| Part::Text(name));
            words.insert("required", Part::List(required.collect()));
        }
        if let Some(items) = &self.items {
            words.insert("items", Part::Branch(&**items));
        }
        if let Some(additional) = &self.additional {
            words.insert("additionalProperties", Part::Branch(&**additional));
        }
        if !self.all_of.is_empty() {
            let all_of = self.all_of.iter().map(|one| Part::Branch(&**one));
            words.insert("allOf", Part::List(all_of.collect()));
        }
        Part::Map(words)
    }
}

impl From<&Schema> for Value {
    fn from(schema: &Schema) -> Self {
        schema.part().to_json()
    }
}
