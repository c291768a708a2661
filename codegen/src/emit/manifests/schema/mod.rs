//! Schemas: a structural schema as it goes into a CRD, made from the model.
//!
//! [`Schema`] is the value; `shape` makes it from types, `of_crd` from those of CRDs, `rules` from validations, `merge` joins
//! what a type says with what its user says, `union` does enums with data. What stands below a schema is shared: a type that
//! twenty fields have, such as a container's, is made and printed once.

mod bounds;
mod findings;
mod instance;
mod integers;
mod merge;
mod object;
mod of_crd;
mod print;
mod rules;
mod shape;
mod union;
#[cfg(feature = "cel")]
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
    /// `allOf`, where rules of a type and of its user cannot be joined.
    pub(super) all_of: Vec<Arc<Schema>>,
    /// Every other keyword.
    pub(super) words: Words,
}

/// The keyword of a value's type.
pub(super) const TYPE: &str = "type";

/// The keyword of descriptions.
pub(super) const DESCRIPTION: &str = "description";

/// The keyword that keeps properties which the schema does not name.
pub(super) const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// The keyword of rules.
pub(super) const RULES: &str = "x-kubernetes-validations";

impl Schema {
    /// A schema of a type and nothing else.
    pub(super) fn of_type(ty: &str) -> Self {
        Self::default().with(TYPE, ty)
    }

    /// The schema with a keyword.
    pub(super) fn with(mut self, word: &'static str, value: impl Into<Value>) -> Self {
        self.words.set(word, value);
        self
    }

    /// Its type, if it names one.
    pub(super) fn ty(&self) -> Option<&str> {
        self.words.get(TYPE)?.as_str()
    }

    /// `+kubebuilder:validation:Type=""` permits values of all types, and `Format=""` all formats.
    fn without_empty_words(mut self) -> Self {
        for word in [TYPE, "format"] {
            if self.words.get(word).and_then(Value::as_str) == Some("") {
                self.words.remove(word);
            }
        }
        self
    }

    /// Its description, unless there is one.
    pub(super) fn describe(&mut self, text: String) {
        if !text.is_empty() {
            self.words.set(DESCRIPTION, text);
        }
    }

    /// The schemas right below, as [`below_mut`](Self::below_mut) gives them.
    fn below(&self) -> impl Iterator<Item = &Arc<Self>> {
        let below = self.properties.values().chain(&self.items);
        below.chain(&self.additional).chain(&self.all_of)
    }

    /// The schemas right below: of properties, items, other properties and `allOf`.
    fn below_mut(&mut self) -> impl Iterator<Item = &mut Arc<Self>> {
        let below = self.properties.values_mut().chain(&mut self.items);
        below.chain(&mut self.additional).chain(&mut self.all_of)
    }
}

/// Changes the descriptions of schemas and of all below them.
pub(super) struct Descriptions<F> {
    edit: F,
    /// The schemas with other descriptions, each with the one that it was made from, by the address of that.
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
