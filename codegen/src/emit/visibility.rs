//! Visibility of generated items.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote;

use super::Emit;
use crate::options::Visibility;

/// The lints that crate-private items trigger if the crate uses only some of them.
const UNUSED: [&str; 2] = ["dead_code", "unused_imports"];

impl Emit<'_> {
    /// The visibility of items and fields that are emitted as source text.
    pub(crate) const fn visibility(&self) -> &'static str {
        match self.options.types.visibility {
            Visibility::Public => "pub",
            Visibility::Crate => "pub(crate)",
        }
    }

    /// Gives items the visibility set in the options; emitters write `pub`.
    pub(crate) fn visible(&self, tokens: TokenStream) -> TokenStream {
        match self.options.types.visibility {
            Visibility::Public => tokens,
            Visibility::Crate => within_crate(tokens),
        }
    }

    /// Like [`visible`](Self::visible), for the tokens at the start of a file.
    pub(crate) fn visible_file(&self, tokens: TokenStream) -> TokenStream {
        match self.options.types.visibility {
            Visibility::Public => tokens,
            // The copy of the codec, which is text and allows lints of its own.
            Visibility::Crate if tokens.is_empty() => tokens,
            Visibility::Crate => {
                let lints = UNUSED.map(super::ident);
                // A client of a kind such as `FromIterator`: clippy does not check the names of public methods.
                let named =
                    has_conversion(&tokens).then(|| quote!(, clippy::wrong_self_convention));
                let items = within_crate(tokens);
                quote!(#![allow(#(#lints),* #named)] #items)
            }
        }
    }
}

/// Whether a method that takes `self` is named like a conversion: `from_iterators`.
fn has_conversion(tokens: &TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let is_here = tokens.windows(2).any(|pair| match pair {
        [TokenTree::Ident(name), TokenTree::Group(arguments)] => {
            let name = name.to_string();
            let mut arguments = arguments.stream().into_iter().take(2);
            (name.starts_with("from_") || name.starts_with("into_"))
                && arguments.any(|it| matches!(it, TokenTree::Ident(it) if it == "self"))
        }
        _ => false,
    });
    let within = tokens.iter();
    is_here
        || within
            .filter_map(|token| match token {
                TokenTree::Group(group) => Some(group.stream()),
                _ => None,
            })
            .any(|stream| has_conversion(&stream))
}

/// Replaces `pub` by `pub(crate)`. As a keyword, `pub` has no other meaning, and no emitter writes `pub(…)`.
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
    fn methods_named_like_conversions_are_found() {
        let has = |tokens: TokenStream| has_conversion(&tokens);
        assert!(has(
            quote!(impl A { pub fn from_iterators(&self, a: u8) {} })
        ));
        assert!(has(quote!(impl A { pub fn into_iterators(self) {} })));
        assert!(!has(
            quote!(impl A { pub fn from_text(text: &str) {} fn iterators(&self) {} })
        ));
    }

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
