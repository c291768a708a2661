//! Arrays (`[T; N]`): lists with a fixed length.

use super::Cx;
use crate::{
    model::{TypeRef, Validation},
    read::rust::{Kind, Type},
};

impl Cx<'_> {
    /// Bounds the number of items of arrays, since an object with another number would be
    /// unreadable for clients. controller-gen's schemas have no such bounds for Go's arrays, so
    /// they are omitted in compatibility mode.
    pub(super) fn bound_arrays(
        &self,
        module: usize,
        written: &Type,
        reference: &TypeRef,
        validation: &mut Validation,
    ) {
        if self.options.compat.is_strict() {
            self.bound(module, written, reference, validation);
        }
    }

    /// Bounds the arrays of a type as written in a module, which was resolved to `reference`.
    fn bound(
        &self,
        module: usize,
        written: &Type,
        reference: &TypeRef,
        validation: &mut Validation,
    ) {
        if validation.schemaless || validation.type_.is_some() {
            return;
        }
        let (items, inner) = match (&written.kind, reference) {
            (Kind::List(items, length), TypeRef::List(inner)) => {
                let length = self.value(module, length);
                if let Some(length) = length.and_then(|length| length.as_u64()) {
                    validation.min_items = Some(length);
                    validation.max_items = Some(length);
                }
                (Some(&**items), inner)
            }
            (Kind::Path(path), TypeRef::Optional(inner) | TypeRef::Boxed(inner)) => {
                if let Some(written) = path.arguments.first() {
                    self.bound(module, written, inner, validation);
                }
                return;
            }
            (Kind::Path(path), TypeRef::List(inner)) => (path.arguments.first(), inner),
            (Kind::Path(path), TypeRef::Map(inner)) => (path.arguments.get(1), inner),
            _ => return,
        };
        let Some(items) = items else { return };
        let mut element = validation.element.as_deref().cloned().unwrap_or_default();
        self.bound(module, items, inner, &mut element);
        if element != Validation::default() {
            validation.element = Some(Box::new(element));
        }
    }
}
