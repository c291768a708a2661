//! strum's `EnumDiscriminants`, which makes an enum of the variants without their fields.

use syn::{Attribute, Ident, ItemEnum, Meta, Token, Visibility, punctuated::Punctuated};

use super::{
    conditions::Attributes,
    syntax::{derive_spans, ident_text},
};

/// The attribute whose arguments are attributes of what the derive makes.
const PASSED: &str = "strum_discriminants";

/// Attributes that the derive copies from a variant.
const COPIED: [&str; 4] = ["cfg", "cfg_attr", "default", "doc"];

/// Returns the enum that the derive makes of another.
pub(super) fn of(item: &ItemEnum) -> Option<ItemEnum> {
    let attributes = Attributes::new(&item.attrs);
    let mut derives = attributes.all().iter().flat_map(derive_spans);
    if !derives.any(|(name, _)| name == "EnumDiscriminants") {
        return None;
    }
    let mut made = ItemEnum {
        attrs: Vec::new(),
        ident: Ident::new(
            &format!("{}Discriminants", ident_text(&item.ident)),
            item.ident.span(),
        ),
        generics: syn::Generics::default(),
        ..item.clone()
    };
    for attribute in attributes.all().iter().flat_map(passed) {
        match &attribute.meta {
            Meta::List(list) if list.path.is_ident("name") => {
                made.ident = list.parse_args().unwrap_or(made.ident);
            }
            Meta::List(list) if list.path.is_ident("vis") => {
                made.vis = list.parse_args::<Visibility>().unwrap_or(made.vis);
            }
            _ => made.attrs.push(attribute),
        }
    }
    for variant in &mut made.variants {
        variant.fields = syn::Fields::Unit;
        let own = std::mem::take(&mut variant.attrs);
        for attribute in own {
            let mut copied = COPIED.iter();
            variant.attrs.extend(passed(&attribute));
            if copied.any(|name| attribute.path().is_ident(name)) {
                variant.attrs.push(attribute);
            }
        }
    }
    Some(made)
}

/// Returns the attributes that an attribute passes on.
fn passed(attribute: &Attribute) -> Vec<Attribute> {
    if !attribute.path().is_ident(PASSED) {
        return Vec::new();
    }
    // strum reports everything except a list.
    let parts = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    let parts = parts.into_iter().flatten();
    let attributes = parts.map(|meta| Attribute {
        meta,
        ..attribute.clone()
    });
    attributes.collect()
}
