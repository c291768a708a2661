//! Enums: their values, for the codec's macros.
//!
//! ```text
//! codec::texts! { VirtualMachineAction, Unrecognized, Start = "start", Stop = "stop" }
//! codec::integers! { PolicyIpVersion, Unrecognized, V4 = 4, V6 = 6 }
//! ```

use super::{
    FileContext, attributes,
    object::{call, listed, named},
};
use crate::{
    emit::{Emit, context::ident},
    model::{EnumValues, TypeDef, TypeKind, Variant},
};

/// Whether serde of the type goes by a list of its values: an open enum that no schema is derived for, which reads serde's
/// attributes, or one of integers.
pub(super) fn is_listed(cx: &Emit<'_>, def: &TypeDef) -> bool {
    match &def.kind {
        TypeKind::Enum(body) if body.values == EnumValues::Texts => {
            body.open.is_some() && !attributes::derives_schema(cx, def)
        }
        TypeKind::Enum(body) => body.open.is_some(),
        _ => false,
    }
}

/// The call of the macro for an enum; none for other types.
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
    let names = [&def.name, body.open.as_ref()?];
    let names = names.into_iter().map(|name| ident(name).to_string());
    let entries: Vec<String> = names.chain(body.variants.iter().map(variant)).collect();
    let name = match body.values {
        EnumValues::Texts => "texts",
        EnumValues::Integers => "integers",
    };
    Some(call(scope, name, &listed(entries)))
}
