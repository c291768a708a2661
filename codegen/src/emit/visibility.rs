//! Visibility of generated items.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote;

use super::Emit;
use crate::options::Visibility;

/// The lints that items of a crate's own do not pass where the crate uses a part of them.
const UNUSED: [&str; 2] = ["dead_code", "unused_imports"];

impl Emit<'_> {
    /// The visibility of items and fields that are written as text.
    pub(crate) const fn visibility(&self) -> &'static str {
        match self.options.types.visibility {
            Visibility::Public => "pub",
            Visibility::Crate => "pub(crate)",
        }
    }

    /// Items with the visibility that the options ask for; emitters write `pub`.
    pub(crate) fn visible(&self, tokens: TokenStream) -> TokenStream {
        match self.options.types.visibility {
            Visibility::Public => tokens,
            Visibility::Crate => within_crate(tokens),
        }
    }

    /// [`visible`](Self::visible) for the tokens that a file starts with.
    pub(crate) fn visible_file(&self, tokens: TokenStream) -> TokenStream {
        match self.options.types.visibility {
            Visibility::Public => tokens,
            Visibility::Crate => {
                let lints = UNUSED.map(super::ident);
                let items = within_crate(tokens);
                quote!(#![allow(#(#lints),*)] #items)
            }
        }
    }
}

/// `pub` becomes `pub(crate)`. The word is a keyword, so that it stands for nothing else, and no emitter writes `pub(…)`.
fn within_crate(tokens: TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Ident(ident) if ident == "pub" => quote!(pub(crate)),
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), within_crate(group.stream()));
                inner.set_span(group.span());
                TokenTree::Group(inner).into()
            }
            other => other.into(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_and_field_is_the_crates() {
        let items = quote! {
            pub use self::a::*;
            pub struct A { pub r#pub: u8, other: u8 }
            impl A { pub fn a() -> &'static str { "pub" } }
        };
        let expected = quote! {
            pub(crate) use self::a::*;
            pub(crate) struct A { pub(crate) r#pub: u8, other: u8 }
            impl A { pub(crate) fn a() -> &'static str { "pub" } }
        };
        assert_eq!(within_crate(items).to_string(), expected.to_string());
    }
}
