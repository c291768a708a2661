//! Constraints of the elements of lists and maps, and of uses of enums.

use std::sync::Arc;

use super::{Schema, shape::Shapes};
use crate::{emit::docs::describe::description, model::Validation, options::Compat};

impl Shapes<'_> {
    /// The schema of a list or map with the constraints of its elements.
    pub(super) fn with_elements(&mut self, mut base: Schema, rules: &Validation) -> Schema {
        if let Some(element) = &rules.element {
            let mut own = Schema::of_rules(element);
            own.describe(description(&element.docs, self.blank()));
            for inner in base.items.iter_mut().chain(&mut base.additional) {
                if element.schemaless {
                    *inner = Arc::new(own.clone());
                    continue;
                }
                let joined = Schema::clone(inner).used(own.clone());
                let joined = self.narrowed(joined, &own);
                *inner = Arc::new(self.with_elements(joined, element));
            }
        }
        base
    }

    /// Lets a field permit fewer enum values than its type; controller-gen ignores that.
    pub(super) fn narrowed(&self, mut schema: Schema, own: &Schema) -> Schema {
        if self.compat == Compat::Strict
            && let Some(values) = own.words.get("enum")
        {
            schema.words.set("enum", values.clone());
        }
        schema
    }
}
