//! Enums: the lists of their values, for the codec's macros.
//!
//! ```text
//! codec::texts! { VirtualMachineAction default Start, Unrecognized, Start = "start", Stop = "stop" }
//! codec::integers! { PolicyIpVersion, Unrecognized, V4 = 4, V6 = 6 }
//! ```

use super::{
    FileContext, attributes,
    object::{call, listed, named},
};
use crate::{
    emit::{Emit, context::ident},
    model::{EnumDef, EnumValues, TypeDef, TypeKind, Variant, names},
};

/// Whether serde of the enum is generated from a list of its values: an integer enum, or an open enum without a derived schema,
/// which would depend on serde attributes.
pub(super) fn is_listed(cx: &Emit<'_>, def: &TypeDef) -> bool {
    match &def.kind {
        TypeKind::Enum(body) if body.values == EnumValues::Texts => {
            body.open.is_some() && !attributes::derives_schema(cx, def)
        }
        TypeKind::Enum(body) => body.open.is_some(),
        _ => false,
    }
}

/// The index of the default variant; `None` if the default is Go's zero value, which has no variant.
pub(super) fn default(body: &EnumDef) -> Option<usize> {
    match (body.default, &body.open) {
        (None, Some(_)) if body.zero_is_empty => None,
        (default, _) => Some(default.unwrap_or(0)),
    }
}

/// The macro call for an enum; `None` for other types.
pub(super) fn emit(scope: &FileContext<'_>, def: &TypeDef) -> Option<String> {
    let TypeKind::Enum(body) = &def.kind else {
        return None;
    };
    if !is_listed(scope.cx, def) {
        return None;
    }
    let variant = |variant: &Variant| {
        let name = ident(&variant.name);
        match body.values {
            EnumValues::Texts => named(&name, &variant.value),
            EnumValues::Integers => format!("{name} = {}", variant.value),
        }
    };
    let mut name = names::ident(&def.name);
    let default = default(body).filter(|_| body.values == EnumValues::Texts);
    if let Some(default) = default.and_then(|index| body.variants.get(index)) {
        name.push_str(&format!(" default {}", names::ident(&default.name)));
    }
    let mut entries = vec![name, names::ident(body.open.as_ref()?)];
    entries.extend(body.variants.iter().map(variant));
    let name = match body.values {
        EnumValues::Texts => "texts",
        EnumValues::Integers => "integers",
    };
    Some(call(scope, name, &listed(entries)))
}
