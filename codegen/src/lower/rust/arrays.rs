//! Arrays (`[T; N]`): lists whose length the type fixes.

use super::Cx;
use crate::{
    model::{TypeRef, Validation},
    read::rust::{Kind, Type},
};

impl Cx<'_> {
    /// Bounds the number of items of arrays, since an object with fewer or more would keep clients from reading any. Go's arrays have no
    /// such bounds in controller-gen's schemas, nor have these where they should be equal.
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

/// Bounds the arrays of a type as written, which `reference` stands for.
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
