//! Arrays (`[T; N]`): lists with a fixed length.

use super::Cx;
use crate::{
    model::{TypeRef, Validation},
    read::rust::{Kind, Type},
};

impl Cx<'_> {
    /// Bounds the number of items of arrays, since an object with another number would be unreadable for clients. controller-gen's schemas
    /// have no such bounds for Go's arrays, so they are omitted in compatibility mode.
    pub(super) fn bound_arrays(
        &self,
        written: &Type,
        reference: &TypeRef,
        validation: &mut Validation,
    ) {
        if self.options.compat.is_strict() {
            bound(written, reference, validation);
        }
    }
}

/// Bounds the arrays of a type as written, which was resolved to `reference`.
fn bound(written: &Type, reference: &TypeRef, validation: &mut Validation) {
    if validation.schemaless || validation.type_.is_some() {
        return;
    }
    let (items, inner) = match (&written.kind, reference) {
        (Kind::List(items, length), TypeRef::List(inner)) => {
            if length.is_some() {
                validation.min_items = *length;
                validation.max_items = *length;
            }
            (Some(&**items), inner)
        }
        (Kind::Path(path), TypeRef::Optional(inner) | TypeRef::Boxed(inner)) => {
            if let Some(written) = path.arguments.first() {
                bound(written, inner, validation);
            }
            return;
        }
        (Kind::Path(path), TypeRef::List(inner)) => (path.arguments.first(), inner),
        (Kind::Path(path), TypeRef::Map(inner)) => (path.arguments.get(1), inner),
        _ => return,
    };
    let Some(items) = items else { return };
    let mut element = validation.element.as_deref().cloned().unwrap_or_default();
    bound(items, inner, &mut element);
    if element != Validation::default() {
        validation.element = Some(Box::new(element));
    }
}
