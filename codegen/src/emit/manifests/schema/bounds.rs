//! Bounds of schemas: types that hold another one twice double the schema at each level, and so do instances of generic types.

use std::sync::Arc;

use super::{
    Schema,
    shape::{At, Shapes},
};
use crate::{diag::Diagnostic, model::TypeDef};

/// The most parts of a schema, with each type written out where it is used. The smallest property takes 20 bytes, and etcd 1.5 MiB.
const MOST_PARTS: u64 = 200_000;

/// The most types, each instance of a generic type counted.
const MOST_TYPES: usize = 10_000;

/// The longest name of an instance of a generic type, with the types that it is an instance for.
const LONGEST_INSTANCE: usize = 10_000;

impl Shapes<'_> {
    /// Whether there are so many types that no more are made, which is reported once.
    pub(super) fn has_too_many_types(&mut self, def: &TypeDef) -> bool {
        let has_too_many = self.made.len() >= MOST_TYPES;
        if has_too_many && !self.is_crowded {
            self.is_crowded = true;
            let message = format!(
                "the CRDs need more than {MOST_TYPES} types, `{}` after all others",
                def.name
            );
            let help = "each instance of a generic type counts: a generic type that holds two instances of another doubles them";
            self.report(At::of(def), Diagnostic::error(message).help(help));
        }
        has_too_many
    }

    /// Whether the types that an instance is for have grown without end.
    pub(super) fn is_too_long(instance: &str) -> bool {
        instance.len() > LONGEST_INSTANCE
    }

    /// The schema of a type, unless it is too large to be written out.
    pub(super) fn bounded(&mut self, def: &TypeDef, schema: Arc<Schema>) -> Arc<Schema> {
        let parts = self.parts_of(&schema);
        let (schema, parts) = match parts > MOST_PARTS {
            true => (Arc::new(self.too_large(def)), 1),
            false => (schema, parts),
        };
        self.parts.insert(Arc::as_ptr(&schema).addr(), parts);
        schema
    }

    /// How many schemas there are in one, itself included, where each stands as often as it is used.
    fn parts_of(&self, schema: &Arc<Schema>) -> u64 {
        let counted = self.parts.get(&Arc::as_ptr(schema).addr()).copied();
        counted.unwrap_or_else(|| {
            let below = schema.below().map(|schema| self.parts_of(schema));
            below.fold(1, u64::saturating_add)
        })
    }

    pub(super) fn too_large(&mut self, def: &TypeDef) -> Schema {
        let message = format!("the schema of `{}` is too large", def.name);
        let help = format!(
            "a CRD writes a type out wherever it is used, here more than {MOST_PARTS} of them, and etcd takes 1.5 MiB: mark fields \
             of large types `+kubebuilder:validation:Schemaless` and `+kubebuilder:pruning:PreserveUnknownFields`"
        );
        self.report(At::of(def), Diagnostic::error(message).help(help));
        Schema::default()
    }
}
