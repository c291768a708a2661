//! `Clone` for types that request it and do not derive it.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Generics;

use super::{cfg, type_path};
use crate::{
    emit::context::ident,
    model::{EnumDef, Field, StructDef, TypeDef, TypeKind, UnionDef, UnionVariant},
};

/// ```ignore
/// impl ::core::clone::Clone for super::types::VirtualMachine {
///     fn clone(&self) -> Self {
///         Self {
///             metadata: ::core::clone::Clone::clone(&self.metadata),
///             spec: ::core::clone::Clone::clone(&self.spec),
///             status: ::core::clone::Clone::clone(&self.status),
///         }
///     }
/// }
/// ```
///
/// The impl has the type's `cfg` conditions, and those under which a conditional derive does not apply. `clone` is called as a
/// function, which also works for `Copy` fields.
pub(super) fn emit(def: &TypeDef) -> TokenStream {
    let Some(item) = def.item.as_ref().filter(|item| item.clone_is_generated()) else {
        return TokenStream::new();
    };
    let body = match &def.kind {
        _ if item.derives.iter().any(|derive| derive == "Copy") => quote!(*self),
        TypeKind::Struct(def) => emit_struct(def),
        TypeKind::Enum(def) => emit_enum(def),
        TypeKind::Union(def) => emit_union(def),
        TypeKind::Alias(alias) if alias.newtype => {
            quote!(Self(::core::clone::Clone::clone(&self.0)))
        }
        TypeKind::Alias(_) => return TokenStream::new(),
    };
    let mut generics: Generics = syn::parse_str(&item.generics).unwrap_or_default();
    for parameter in generics.type_params_mut() {
        parameter.default = None;
        parameter
            .bounds
            .push(syn::parse_quote!(::core::clone::Clone));
    }
    let (impl_generics, type_generics, _) = generics.split_for_impl();
    let path = type_path(def);
    let cfg = cfg(def);
    let derived = item.clone_if.iter();
    let derived = derived.filter_map(|condition| condition.parse::<TokenStream>().ok());
    quote! {
        #cfg
        #(#[cfg(not(#derived))])*
        impl #impl_generics ::core::clone::Clone for #path #type_generics {
            fn clone(&self) -> Self {
                #body
            }
        }
    }
}

fn emit_struct(def: &StructDef) -> TokenStream {
    if def.fields.is_empty() {
        // Braces are valid for structs declared with parentheses, braces or neither.
        return quote!(Self {});
    }
    if def.tuple {
        let positions = (0..def.fields.len()).map(syn::Index::from);
        return quote!(Self(#(::core::clone::Clone::clone(&self.#positions)),*));
    }
    let fields = def.fields.iter().map(|field| {
        let name = ident(&field.rust_name);
        quote!(#name: ::core::clone::Clone::clone(&self.#name))
    });
    quote!(Self { #(#fields),* })
}

/// Unit variants, and the open variant if there is one.
fn emit_enum(def: &EnumDef) -> TokenStream {
    let open = def.open.iter().map(|name| {
        let name = ident(name);
        quote!(Self::#name(value) => Self::#name(::core::clone::Clone::clone(value)))
    });
    let units = def
        .variants
        .iter()
        .filter(|variant| def.open.as_ref() != Some(&variant.name))
        .map(|variant| {
            let name = ident(&variant.name);
            quote!(Self::#name => Self::#name)
        });
    emit_match(units.chain(open).collect())
}

fn emit_union(def: &UnionDef) -> TokenStream {
    emit_match(def.variants.iter().map(emit_union_variant).collect())
}

fn emit_match(arms: Vec<TokenStream>) -> TokenStream {
    if arms.is_empty() {
        quote!(match *self {})
    } else {
        quote!(match self { #(#arms),* })
    }
}

fn emit_union_variant(variant: &UnionVariant) -> TokenStream {
    let name = ident(&variant.name);
    if variant.fields.is_empty() && !variant.named {
        return quote!(Self::#name => Self::#name);
    }
    if variant.named {
        let fields: Vec<_> = named(&variant.fields);
        return quote! {
            Self::#name { #(#fields),* } => Self::#name {
                #(#fields: ::core::clone::Clone::clone(#fields)),*
            }
        };
    }
    let values: Vec<_> = (0..variant.fields.len())
        .map(|position| format_ident!("value{position}"))
        .collect();
    quote!(Self::#name(#(#values),*) => Self::#name(#(::core::clone::Clone::clone(#values)),*))
}

fn named(fields: &[Field]) -> Vec<proc_macro2::Ident> {
    fields.iter().map(|field| ident(&field.rust_name)).collect()
}
