//! Enums of integers: their values, for the codec's macro.
//!
//! ```text
//! codec::integers! { PolicyIpVersion, Unrecognized, V4 = 4, V6 = 6 }
//! ```

use super::{FileContext, object::call};
use crate::{
    emit::context::ident,
    model::{EnumValues, TypeDef, TypeKind, Variant},
};

/// The call of the macro for an enum of integers; none for other types.
pub(super) fn emit(scope: &FileContext<'_>, def: &TypeDef) -> Option<String> {
    let TypeKind::Enum(body) = &def.kind else {
        return None;
    };
    if body.values != EnumValues::Integers {
        return None;
    }
    let variant = |variant: &Variant| format!("{} = {}", ident(&variant.name), variant.value);
    let names = [&def.name, body.open.as_ref()?];
    let names = names.into_iter().map(|name| ident(name).to_string());
    let entries: Vec<String> = names.chain(body.variants.iter().map(variant)).collect();
    Some(call(scope, "integers", &entries))
}
