//! `#[versioned]` of stackable-versioned, which is read on modules of one version.
//!
//! The macro makes a module for each version, whose kinds have the attributes of kube's derive.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, LitStr, Meta, Token, punctuated::Punctuated};

/// Parts of an attribute.
type Parts = Punctuated<Meta, Token![,]>;

/// Returns the version of a module, if the attribute names exactly one.
pub(super) fn only_version(attributes: &[Attribute]) -> Option<String> {
    let parts = parts_of(attributes)?;
    let mut versions = parts.iter().filter(|part| part.path().is_ident("version"));
    let (Some(Meta::List(only)), None) = (versions.next(), versions.next()) else {
        return None;
    };
    let arguments = only.parse_args_with(Parts::parse_terminated).ok()?;
    let mut names = arguments.iter().filter(|it| it.path().is_ident("name"));
    match names.next()? {
        Meta::NameValue(name) => text(&name.value),
        _ => None,
    }
}

/// Returns the attributes of a kind in a version, those of kube's derive in place of
/// `#[versioned(crd(…))]`.
pub(super) fn kube(attributes: &[Attribute], version: &str, name: &str) -> Option<Vec<Attribute>> {
    let parts = parts_of(attributes)?;
    let crd = parts.iter().find(|part| part.path().is_ident("crd"))?;
    let Meta::List(crd) = crd else {
        return None;
    };
    let arguments = crd.parse_args_with(Parts::parse_terminated).ok()?;
    let has_kind = arguments.iter().any(|it| it.path().is_ident("kind"));
    let kind = name.strip_suffix("Spec").unwrap_or(name);
    let kind = match has_kind {
        true => TokenStream::new(),
        false => quote!(kind = #kind,),
    };
    let made = attributes.iter().map(|attribute| {
        let mut attribute = attribute.clone();
        if is_versioned(&attribute)
            && let Meta::List(list) = &mut attribute.meta
        {
            let arguments = arguments.iter();
            list.path = syn::parse_quote!(kube);
            list.tokens = quote!(version = #version, #kind #(#arguments),*);
        }
        attribute
    });
    Some(made.collect())
}

/// Returns the attribute of a type whose kinds are not read, as it changes from version to version.
pub(super) fn unread(attributes: &[Attribute]) -> Option<&Attribute> {
    let has_kube = attributes.iter().any(|it| it.path().is_ident("kube"));
    let parts = parts_of(attributes).filter(|_| !has_kube)?;
    let is_kind = parts.iter().any(|part| part.path().is_ident("crd"));
    attributes.iter().find(|it| is_kind && is_versioned(it))
}

fn parts_of(attributes: &[Attribute]) -> Option<Parts> {
    let own = attributes.iter().find(|it| is_versioned(it))?;
    own.parse_args_with(Parts::parse_terminated).ok()
}

fn is_versioned(attribute: &Attribute) -> bool {
    attribute.path().is_ident("versioned")
}

fn text(value: &syn::Expr) -> Option<String> {
    match value {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) => Some(LitStr::value(text)),
        _ => None,
    }
}
