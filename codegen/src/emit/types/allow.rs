//! Lints that generated types cannot satisfy, since names, types and values come from the API.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Unit, default::honoured, units};
use crate::{
    emit::{Emit, serde_attributes::Presence},
    model::{Field, TypeDef, TypeKind, TypeRef},
};

/// Clippy's default threshold for `type_complexity`.
const MAX_COMPLEXITY: usize = 250;

/// The `#![allow(…)]` of the module with all types; some of their items have no documentation.
pub(crate) fn emit(cx: &Emit<'_>) -> TokenStream {
    let defs = || units(cx).flat_map(|unit| unit.types);
    let fields = || defs().flat_map(fields);
    let has_enum = defs().any(|def| matches!(def.kind, TypeKind::Enum(_)));
    let lints = [
        (
            fields().any(looks_like_constant),
            quote!(clippy::approx_constant),
        ),
        (has_enum, quote!(clippy::enum_variant_names)),
        (has_inception(cx), quote!(clippy::module_inception)),
        (
            fields().any(|field| field_complexity(field) > MAX_COMPLEXITY),
            quote!(clippy::type_complexity),
        ),
        (has_enum, quote!(clippy::upper_case_acronyms)),
        (true, quote!(missing_docs)),
        // Go's names for nested Protobuf messages: `Upstream_TcpKeepAlive`.
        (
            defs().any(|def| def.name.trim_matches('_').contains('_')),
            quote!(non_camel_case_types),
        ),
    ];
    let lints: Vec<TokenStream> = lints
        .into_iter()
        .filter_map(|(applies, lint)| applies.then_some(lint))
        .collect();
    quote!(#![allow(#(#lints),*)])
}

/// Whether a version has the name of its group, or a kind that of its version.
fn has_inception(cx: &Emit<'_>) -> bool {
    cx.api.versions().any(|(group, version)| {
        let kinds = super::modules(Unit::of_version(version));
        group.module == version.module || kinds.contains_key(&version.module)
    })
}

fn fields(def: &TypeDef) -> &[Field] {
    match &def.kind {
        TypeKind::Struct(def) => &def.fields,
        _ => &[],
    }
}

/// Whether clippy may take the default for a mathematical constant, such as 3.14.
fn looks_like_constant(field: &Field) -> bool {
    let default = field.default.as_ref().filter(|_| honoured(field));
    field.ty == TypeRef::Float
        && default.is_some_and(|default| {
            let text = default.to_string();
            text.split_once('.')
                .is_some_and(|(_, fraction)| fraction.len() > 1)
        })
}

/// Clippy's complexity score of a field's type: ten for each part, times its nesting depth.
fn field_complexity(field: &Field) -> usize {
    let options = match Presence::of(field) {
        Presence::Required | Presence::Omittable => 0,
        Presence::RequiredNullable | Presence::Optional => 1,
        Presence::OptionalNullable => 2,
    };
    (1..=options).map(|nest| 10 * nest).sum::<usize>() + complexity(&field.ty, options + 1)
}

fn complexity(ty: &TypeRef, nest: usize) -> usize {
    let own = 10 * nest;
    match ty {
        TypeRef::List(inner) | TypeRef::Optional(inner) | TypeRef::Boxed(inner) => {
            own + complexity(inner, nest + 1)
        }
        TypeRef::Map(inner) => own + 10 * (nest + 1) + complexity(inner, nest + 1),
        _ => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clippy warns about the third map within an `Option`, not about the second.
    #[test]
    fn maps_of_maps_are_complex_from_the_third_on() {
        let map = |inner| TypeRef::Map(Box::new(inner));
        let two = map(map(TypeRef::String));
        assert_eq!(10 + complexity(&two, 2), 10 + 20 + 30 + 30 + 40 + 40);
        let three = map(two);
        assert!(10 + complexity(&three, 2) > MAX_COMPLEXITY);
    }
}
