//! Limits on schemas: a type that uses another one twice doubles the schema at each level, and so do instances of generic types.

use std::sync::Arc;

use super::{
    Schema,
    shape::{At, Shapes},
};
use crate::{diag::Diagnostic, model::TypeDef};

/// The maximum number of nested schemas, with each type expanded at every use. The smallest property takes 20 bytes, and etcd
/// accepts 1.5 MiB.
const MOST_PARTS: u64 = 200_000;

/// The maximum number of types, counting each instance of a generic type.
const MOST_TYPES: usize = 10_000;

/// The maximum length of a generic instance's name, including its arguments.
const LONGEST_INSTANCE: usize = 10_000;

impl Shapes<'_> {
    /// Whether the limit of types is reached, which is reported once.
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

    /// Whether an instance's type arguments grow without end.
    pub(super) fn is_too_long(instance: &str) -> bool {
        instance.len() > LONGEST_INSTANCE
    }

    /// The schema of a type, or an empty one and an error if it is too large when expanded.
    pub(super) fn bounded(&mut self, def: &TypeDef, schema: Arc<Schema>) -> Arc<Schema> {
        if self.parts_of(&schema) <= MOST_PARTS {
            return schema;
        }
        // The schemas that it nests are dropped with it, and others may get their addresses.
        self.parts.clear();
        Arc::new(self.too_large(def))
    }

    /// The number of nested schemas, including the schema itself, with shared ones counted at every use.
    fn parts_of(&mut self, schema: &Arc<Schema>) -> u64 {
        if schema.below().next().is_none() {
            return 1;
        }
        let address = Arc::as_ptr(schema).addr();
        if let Some(counted) = self.parts.get(&address) {
            return *counted;
        }
        let below = schema.below().map(|schema| self.parts_of(schema));
        let parts = below.fold(1, u64::saturating_add);
        self.parts.insert(address, parts);
        parts
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
