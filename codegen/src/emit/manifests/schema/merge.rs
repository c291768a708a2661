//! Merging: what a type says with what a field of that type says, as controller-gen folds `allOf`.

use std::sync::Arc;

use serde_json::Value;

use super::{PRESERVE, RULES, Schema, TYPE};

/// Merges the keywords about the value as a whole: the user's win over the type's.
const DOCUMENTATION: [&str; 4] = ["description", "example", "externalDocs", "title"];

impl Schema {
    /// The schema of a type, used where `own` holds too.
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

    /// The schema of a value without a named type, with what its markers say in place of its own.
    pub(super) fn overridden(mut self, own: Self) -> Self {
        let rules = self.words.remove(RULES);
        self.words.extend(own.words);
        match (self.words.get_mut(RULES), rules) {
            // What is flattened has rules, too.
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
    /// Rules that cannot be joined, such as two patterns, go to `allOf` as a pair. Of two lists of permitted values the first
    /// stays; rules of the part come before.
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
                // Texts and flags are compared; the rest is held by pointers, which differ always.
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

/// Puts the elements of a list before those of another.
fn prepend(present: &mut Value, first: Value) {
    if let (Value::Array(present), Value::Array(first)) = (present, first) {
        present.splice(0..0, first);
    }
}
