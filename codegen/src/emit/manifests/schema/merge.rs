//! Merges a type's own schema with the constraints at its use, as controller-gen folds `allOf`.

use std::sync::Arc;

use serde_json::Value;

use super::{
    Lookup, PRESERVE, RULES, Schema, Shapes, TYPE,
    shape::{At, is_named},
};
use crate::model::{Field, Validation};

/// Documentation keywords; those at the use win over the type's.
const DOCUMENTATION: [&str; 4] = ["description", "example", "externalDocs", "title"];

impl Shapes<'_> {
    /// The schema of a property that several fields of Go structs declare, as controller-gen merges it: the documentation is that of
    /// the first field, whose other keywords are merged last if its type is named.
    pub(super) fn merged(&mut self, fields: &[Field], scope: Lookup<'_>, at: At<'_>) -> Schema {
        let mut schemas = fields.iter().map(|field| self.property(field, scope, at));
        let first = schemas.next().unwrap_or_default();
        let others: Vec<Schema> = schemas.collect();
        let is_last = fields.first().is_some_and(|field| is_named(&field.ty));
        first.merged(others, is_last)
    }
}

impl Schema {
    /// Merges other schemas of the same property into this one, or, if it `is_last`, into an empty one before it. The documentation
    /// is that of this one.
    fn merged(mut self, others: Vec<Self>, is_last: bool) -> Self {
        if !is_last {
            for other in others {
                self.fold(other);
            }
            return self;
        }
        let documentation: Vec<_> = DOCUMENTATION
            .into_iter()
            .filter_map(|word| Some((word, self.words.remove(word)?)))
            .collect();
        let mut joined = Self::default();
        for part in others.into_iter().chain([self]) {
            joined.fold(part);
        }
        joined.words.extend(documentation);
        joined
    }

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

    /// Replaces keywords for which several rules of embedded structs apply by those rules, merged in order.
    pub(super) fn keep_apart(&mut self, rules: &[Validation]) {
        let mut joined = Self::default();
        for rules in rules {
            joined.fold(Self::of_rules(rules));
        }
        for part in &joined.all_of {
            for (word, _) in part.words.iter() {
                self.words.remove(word);
                self.words.put(word, joined.words.get(word).cloned());
            }
        }
        self.all_of.extend(joined.all_of);
    }

    /// Folds a part of `allOf` into the schema.
    ///
    /// Constraints that cannot be merged, such as two patterns, are kept as a pair in `allOf`. Of two lists of permitted values,
    /// the first is kept; rules of the part go first.
    pub(super) fn fold(&mut self, part: Self) {
        self.fold_declared(part, false);
    }

    /// [`fold`](Self::fold). `is_same`: whether both schemas are of the same declaration.
    fn fold_declared(&mut self, mut part: Self, is_same: bool) {
        for within in std::mem::take(&mut part.all_of) {
            self.fold(Arc::unwrap_or_clone(within));
        }
        self.bare_metadata |= part.bare_metadata;
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
                // controller-gen's copies of a schema share these pointers.
                "default" | "x-kubernetes-list-type" if is_same => {}
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
                    let is_same = Arc::ptr_eq(present, &property);
                    let property = Arc::unwrap_or_clone(property);
                    Arc::make_mut(present).fold_declared(property, is_same);
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
