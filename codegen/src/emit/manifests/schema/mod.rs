//! Schemas: a structural schema as it goes into a CRD, made from the model.
//!
//! [`Schema`] is the value; `shape` makes it from types, `of_crd` from those of CRDs, `rules` from validations, `merge` joins
//! what a type says with what its user says, `union` does enums with data.

mod instance;
mod integers;
mod merge;
mod of_crd;
mod rules;
mod shape;
mod union;
#[cfg(feature = "cel")]
mod view;
mod well_known;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

pub(super) use shape::{Lookup, Shapes};

/// A structural schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Schema {
    /// `properties`.
    pub(super) properties: BTreeMap<String, Schema>,
    /// `required`.
    pub(super) required: BTreeSet<String>,
    /// `items`.
    pub(super) items: Option<Box<Schema>>,
    /// `additionalProperties`.
    pub(super) additional: Option<Box<Schema>>,
    /// `allOf`, where rules of a type and of its user cannot be joined.
    pub(super) all_of: Vec<Schema>,
    /// Every other keyword.
    pub(super) words: Map<String, Value>,
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
    pub(super) fn with(mut self, word: &str, value: impl Into<Value>) -> Self {
        self.words.insert(word.to_owned(), value.into());
        self
    }

    /// Its type, if it names one.
    pub(super) fn ty(&self) -> Option<&str> {
        self.words.get(TYPE)?.as_str()
    }

    /// Its description, unless there is one.
    pub(super) fn describe(&mut self, text: String) {
        if !text.is_empty() {
            self.words.insert(DESCRIPTION.to_owned(), text.into());
        }
    }

    /// Changes every description, those below too.
    pub(super) fn edit_descriptions(&mut self, edit: &impl Fn(&str) -> String) {
        if let Some(text) = self.words.remove(DESCRIPTION)
            && let Some(text) = text.as_str()
        {
            self.describe(edit(text));
        }
        let below = self.properties.values_mut().chain(&mut self.all_of);
        let below = below.chain(self.items.as_deref_mut());
        for schema in below.chain(self.additional.as_deref_mut()) {
            schema.edit_descriptions(edit);
        }
    }
}

impl From<Schema> for Value {
    fn from(schema: Schema) -> Self {
        let mut map = schema.words;
        let mut insert = |word: &str, value: Value| map.insert(word.to_owned(), value);
        if !schema.properties.is_empty() {
            let properties = schema.properties.into_iter();
            let properties: Map<_, _> = properties.map(|(name, one)| (name, one.into())).collect();
            insert("properties", Self::Object(properties));
        }
        if !schema.required.is_empty() {
            insert("required", schema.required.into_iter().collect());
        }
        if let Some(items) = schema.items {
            insert("items", (*items).into());
        }
        if let Some(additional) = schema.additional {
            insert("additionalProperties", (*additional).into());
        }
        if !schema.all_of.is_empty() {
            insert("allOf", schema.all_of.into_iter().collect());
        }
        Self::Object(map)
    }
}
