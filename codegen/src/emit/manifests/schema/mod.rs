//! Structural schemas of CRDs, built from the model.
//!
//! [`Schema`] is the value; `shape` builds it from types, `of_crd` from types that come from CRDs, `rules` from validations;
//! `merge` combines a type's schema with the constraints at its use, and `union` handles enums with data. Nested schemas are
//! shared: a type that is used by twenty fields, such as a container, is built and printed once.

mod bounds;
mod coded;
mod elements;
mod findings;
mod instance;
mod integers;
mod merge;
mod object;
mod of_crd;
mod print;
mod property;
mod rules;
mod shape;
mod union;
mod view;
mod well_known;
mod words;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::Value;

use self::words::Words;
pub(super) use shape::{Lookup, Shapes};

/// A structural schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Schema {
    /// `properties`.
    pub(super) properties: BTreeMap<String, Arc<Schema>>,
    /// `required`.
    pub(super) required: BTreeSet<String>,
    /// `items`.
    pub(super) items: Option<Arc<Schema>>,
    /// `additionalProperties`.
    pub(super) additional: Option<Arc<Schema>>,
    /// `allOf`, if constraints of a type and of its use cannot be merged.
    pub(super) all_of: Vec<Arc<Schema>>,
    /// Whether it is that of an object's metadata, whose fields it does not list. Not printed.
    pub(super) bare_metadata: bool,
    /// All other keywords.
    pub(super) words: Words,
}

/// The keyword for the type of a value.
pub(super) const TYPE: &str = "type";

/// The keyword for descriptions.
pub(super) const DESCRIPTION: &str = "description";

/// Rust's types of time, by their paths: the fields that serde writes.
const RUST_TIMES: [(&str, [&str; 2]); 3] = [
    ("std::time::Duration", ["secs", "nanos"]),
    ("core::time::Duration", ["secs", "nanos"]),
    (
        "std::time::SystemTime",
        ["secs_since_epoch", "nanos_since_epoch"],
    ),
];

/// The keyword that preserves properties which the schema does not describe.
pub(super) const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// The keyword for validation rules.
pub(super) const RULES: &str = "x-kubernetes-validations";

impl Schema {
    /// A schema with only a type.
    pub(super) fn of_type(ty: &str) -> Self {
        Self::default().with(TYPE, ty)
    }

    /// Adds a keyword.
    pub(super) fn with(mut self, word: &'static str, value: impl Into<Value>) -> Self {
        self.words.set(word, value);
        self
    }

    /// The validation rules.
    pub(super) fn rules(&self) -> &[Value] {
        let rules = self.words.get(RULES).and_then(Value::as_array);
        rules.map(Vec::as_slice).unwrap_or_default()
    }

    /// The type, if there is one.
    pub(super) fn ty(&self) -> Option<&str> {
        self.words.get(TYPE)?.as_str()
    }

    /// Removes empty types and formats: `+kubebuilder:validation:Type=""` permits values of all types, and `Format=""` all
    /// formats.
    fn without_empty_words(mut self) -> Self {
        for word in [TYPE, "format"] {
            if self.words.get(word).and_then(Value::as_str) == Some("") {
                self.words.remove(word);
            }
        }
        self
    }

    /// Sets the description, unless `text` is empty.
    pub(super) fn describe(&mut self, text: String) {
        if !text.is_empty() {
            self.words.set(DESCRIPTION, text);
        }
    }

    /// The direct subschemas, in the order of [`below_mut`](Self::below_mut).
    fn below(&self) -> impl Iterator<Item = &Arc<Self>> {
        let below = self.properties.values().chain(&self.items);
        below.chain(&self.additional).chain(&self.all_of)
    }

    /// The direct subschemas: of properties, items, additional properties and `allOf`.
    fn below_mut(&mut self) -> impl Iterator<Item = &mut Arc<Self>> {
        let below = self.properties.values_mut().chain(&mut self.items);
        below.chain(&mut self.additional).chain(&mut self.all_of)
    }
}

/// Edits the descriptions of schemas and all their subschemas.
pub(super) struct Descriptions<F> {
    edit: F,
    /// Edited schemas, by the address of the original. The original is kept too, so that its address stays unique.
    edited: BTreeMap<usize, [Arc<Schema>; 2]>,
}

impl<F: Fn(&str) -> String> Descriptions<F> {
    pub(super) const fn new(edit: F) -> Self {
        Self {
            edit,
            edited: BTreeMap::new(),
        }
    }

    pub(super) fn edit(&mut self, schema: &Arc<Schema>) -> Arc<Schema> {
        let address = Arc::as_ptr(schema).addr();
        if let Some([_, edited]) = self.edited.get(&address) {
            return Arc::clone(edited);
        }
        let mut edited = Schema::clone(schema);
        if let Some(text) = edited.words.remove(DESCRIPTION)
            && let Some(text) = text.as_str()
        {
            edited.describe((self.edit)(text));
        }
        for below in edited.below_mut() {
            *below = self.edit(below);
        }
        let edited = Arc::new(edited);
        let both = [Arc::clone(schema), Arc::clone(&edited)];
        self.edited.insert(address, both);
        edited
    }
}
