//! Merges a type's own schema with the constraints at its use, as controller-gen folds `allOf`.

use std::sync::Arc;

use serde_json::Value;

use super::{PRESERVE, RULES, Schema, TYPE};

/// Documentation keywords; those at the use win over the type's.
const DOCUMENTATION: [&str; 4] = ["description", "example", "externalDocs", "title"];

impl Schema {
    /// The schema of a named type, merged with the schema `own` of its use.
    pub(super) fn used(mut self, mut own: Self) -> Self {
        let mut documentation = Vec::new();
        for word in DOCUMENTATION {
            let value = own.words.remove(word).or_else(|| self.words.remove(word));
            documentation.extend(value.map(|value| (word, value)));
        }
        let mut joined = Self::default();
        joined.fold(self);
        joined.fold(own);
        joined.words.extend(documentation);
        joined
    }

    /// The schema of a value without a named type, with keywords replaced by those of its markers.
    pub(super) fn overridden(mut self, own: Self) -> Self {
        let rules = self.words.remove(RULES);
        self.words.extend(own.words);
        match (self.words.get_mut(RULES), rules) {
            // Flattened fields may contribute rules too.
            (Some(Value::Array(own)), Some(Value::Array(rules))) => own.extend(rules),
            (None, Some(rules)) => self.words.set(RULES, rules),
            _ => {}
        }
        self.properties.extend(own.properties);
        self.required.extend(own.required);
        self.items = own.items.or(self.items);
        self.additional = own.additional.or(self.additional);
        self.all_of.extend(own.all_of);
        self
    }

    /// Folds a part of `allOf` into the schema.
    ///
    /// Constraints that cannot be merged, such as two patterns, are kept as a pair in `allOf`. Of two lists of permitted values,
    /// the first is kept; rules of the part go first.
    pub(super) fn fold(&mut self, mut part: Self) {
        for within in std::mem::take(&mut part.all_of) {
            self.fold(Arc::unwrap_or_clone(within));
        }
        let (mut ours, mut theirs) = (Self::default(), Self::default());
        for (word, value) in part.words {
            if DOCUMENTATION.contains(&word) {
                continue;
            }
            let Some(present) = self.words.get_mut(word) else {
                self.words.set(word, value);
                continue;
            };
            match word {
                "enum" | TYPE => {}
                PRESERVE | "x-kubernetes-map-type" => *present = value,
                RULES => prepend(present, value),
                // As in controller-gen, only strings and flags are compared by value; its other values are pointers, which always
                // differ.
                _ if (value.is_string() && word != "default" || value.is_boolean())
                    && !matches!(word, "x-kubernetes-list-type" | "default")
                    && *present == value => {}
                _ => {
                    theirs.words.set(word, value);
                    if let Some(value) = self.words.remove(word) {
                        ours.words.set(word, value);
                    }
                }
            }
        }
        match (self.items.take(), part.items) {
            (Some(present), Some(items)) => {
                ours.items = Some(present);
                theirs.items = Some(items);
            }
            (present, items) => self.items = present.or(items),
        }
        match (&mut self.additional, part.additional) {
            (Some(present), Some(value)) => {
                Arc::make_mut(present).fold(Arc::unwrap_or_clone(value));
            }
            (present @ None, value) => *present = value,
            (Some(_), None) => {}
        }
        for (name, property) in part.properties {
            match self.properties.get_mut(&name) {
                Some(present) => {
                    Arc::make_mut(present).fold(Arc::unwrap_or_clone(property));
                }
                None => {
                    self.properties.insert(name, property);
                }
            }
        }
        self.required.extend(part.required);
        if ours != Self::default() {
            self.all_of.extend([ours, theirs].map(Arc::new));
        }
    }
}

/// Prepends the elements of one list to another.
fn prepend(present: &mut Value, first: Value) {
    if let (Value::Array(present), Value::Array(first)) = (present, first) {
        present.splice(0..0, first);
    }
}
