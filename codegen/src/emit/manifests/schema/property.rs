//! Schemas of fields.

use std::sync::Arc;

use super::{
    PRESERVE, Schema,
    shape::{At, Lookup, Shapes, is_named},
};
use crate::{
    model::{Field, TypeRef},
    options::Compat,
};

impl Shapes<'_> {
    /// The schema that a flattened field contributes: the properties of a struct, or preserved unknown fields for a map.
    pub(super) fn flattened(&mut self, field: &Field, scope: Lookup<'_>, at: At<'_>) -> Schema {
        let derived = field.derived.as_deref();
        let is_coded = derived.is_some_and(|derived| derived.code.is_some());
        if matches!(field.ty, TypeRef::Map(_) | TypeRef::Any) && !is_coded {
            return Schema::default().with(PRESERVE, true);
        }
        let mut schema = self.property(field, scope, at);
        // A map by another name.
        let is_map = schema.additional.is_some() || schema.words.has("additionalProperties");
        if scope.rust && is_map {
            return Schema::default().with(PRESERVE, true);
        }
        if scope.rust && (field.option || self.is_optional(&field.ty, scope)) {
            schema.permit_none();
        }
        if field.option {
            schema.required.clear();
        }
        schema
    }

    /// The schema of a field.
    pub(super) fn property(&mut self, field: &Field, scope: Lookup<'_>, at: At<'_>) -> Schema {
        self.marked(field, scope, at).without_empty_words()
    }

    fn marked(&mut self, field: &Field, scope: Lookup<'_>, at: At<'_>) -> Schema {
        let derived = field.derived.as_deref();
        self.findings(derived);
        let code = derived.and_then(|derived| derived.code.as_ref());
        let ty = derived.and_then(|derived| derived.ty.as_ref());
        let ty = ty.unwrap_or(&field.ty);
        let mut own = Schema::of_rules(&field.validation);
        own.describe(self.docs(&field.docs, scope));
        if field.nullable || derived.is_some_and(|derived| derived.nullable) {
            own = own.with("nullable", true);
        }
        if let Some(default) = field.default.as_ref().filter(|default| !default.is_null()) {
            own = own.with("default", default.clone());
        }
        if field.validation.schemaless {
            return own;
        }
        let declared = field.validation.type_.as_deref();
        self.keeps_fields = is_named(ty) && field.validation.preserve_unknown_fields;
        let base = match code {
            Some(code) => self.coded(code, scope, at),
            None if declared.is_some() && has_no_schema(ty) => Schema::default(),
            None if scope.rust && self.is_declared(&field.validation, ty, scope) => {
                Schema::default()
            }
            None => Arc::unwrap_or_clone(self.of(ty, scope, at)),
        };
        let base = self.with_elements(base, &field.validation);
        let keeps_base = self.compat == Compat::ControllerGen && !is_named(ty);
        if declared.is_some() && declared != base.ty() && !keeps_base {
            // The author knows the serialized type. controller-gen keeps the format of a number that is serialized as a string.
            return own;
        }
        if is_named(ty) && code.is_none() {
            self.narrowed(base.used(own.clone()), &own)
        } else {
            base.overridden(own)
        }
    }
}

/// Whether the type's JSON form is only known from markers.
fn has_no_schema(ty: &TypeRef) -> bool {
    match ty {
        TypeRef::Verbatim(_) | TypeRef::External(_) | TypeRef::Any => true,
        TypeRef::Optional(inner) | TypeRef::Boxed(inner) => has_no_schema(inner),
        _ => false,
    }
}
