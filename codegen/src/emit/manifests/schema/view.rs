//! The rule checker's view of a schema.

use serde_json::Value;

use super::Schema;
use crate::cel::SchemaView;

impl<'s> SchemaView<'s> for &'s Schema {
    fn text(self, word: &str) -> &'s str {
        let text = self.words.get(word).and_then(Value::as_str);
        text.unwrap_or_default()
    }

    fn flag(self, word: &str) -> bool {
        self.words.get(word) == Some(&Value::Bool(true))
    }

    fn has(self, word: &str) -> bool {
        let has = self.words.get(word).is_some_and(|value| !value.is_null());
        has || (word == "additionalProperties" && self.additional.is_some())
    }

    fn bound(self, word: &str) -> Option<u64> {
        let bound = self.words.get(word)?;
        bound.as_u64().or_else(|| bound.as_i64().map(|_| 0))
    }

    fn longest_of_enum(self) -> Option<u64> {
        let values = self.words.get("enum")?.as_array()?;
        let lengths = values.iter().filter_map(Value::as_str).map(str::len);
        (!values.is_empty()).then(|| lengths.max().unwrap_or(0) as u64)
    }

    fn requires(self, property: &str) -> bool {
        self.required.contains(property)
    }

    fn rules(self) -> &'s [Value] {
        Schema::rules(self)
    }

    fn properties(self) -> impl Iterator<Item = (&'s str, Self)> {
        self.properties
            .iter()
            .map(|(name, schema)| (name.as_str(), &**schema))
    }

    fn property(self, name: &str) -> Option<Self> {
        self.properties.get(name).map(|schema| &**schema)
    }

    fn items(self) -> Option<Self> {
        self.items.as_deref()
    }

    fn additional(self) -> Option<Self> {
        self.additional.as_deref()
    }
}
