//! Small queries on syntax trees.

use proc_macro2::Span;
use syn::{Attribute, Ident, Meta, Token, punctuated::Punctuated, spanned::Spanned};

/// Returns the text of an identifier, without `r#`.
pub(super) fn ident_text(ident: &Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").map_or(text.clone(), str::to_owned)
}

pub(super) fn is_public(vis: &syn::Visibility) -> bool {
    matches!(vis, syn::Visibility::Public(_))
}

/// Whether the item is visible beyond its own module.
pub(super) fn is_visible(vis: &syn::Visibility) -> bool {
    match vis {
        syn::Visibility::Public(_) => true,
        syn::Visibility::Restricted(restricted) => !restricted.path.is_ident("self"),
        syn::Visibility::Inherited => false,
    }
}

pub(super) fn span_of(attrs: &[Attribute]) -> Span {
    attrs
        .iter()
        .find(|attribute| attribute.path().is_ident("kube") || attribute.path().is_ident("derive"))
        .map_or_else(Span::call_site, Spanned::span)
}

/// Returns the derives of an attribute by last path segment, each with its span.
pub(super) fn derive_spans(attribute: &Attribute) -> Vec<(String, Span)> {
    let mut derives = Vec::new();
    if attribute.path().is_ident("derive") {
        // rustc reports everything except a list of paths.
        let _ = attribute.parse_nested_meta(|meta| {
            let last = meta.path.segments.last();
            derives.extend(last.map(|last| (ident_text(&last.ident), meta.path.span())));
            Ok(())
        });
    }
    derives
}

/// Whether the attribute may be a macro that adds derives or implementations.
pub(super) fn is_attribute_macro(attribute: &Attribute) -> bool {
    #[rustfmt::skip]
    const INERT: [&str; 20] = [
        "derive", "doc", "cfg", "cfg_attr", "allow", "warn", "deny", "expect", "forbid",
        "deprecated", "must_use", "non_exhaustive", "repr", "serde", "kube", "schemars", "validate",
        "garde", "x_kube", "cel_validate",
    ];
    !INERT.iter().any(|name| attribute.path().is_ident(name))
}

/// Returns the value of `#[path = "…"]`.
pub(super) fn path_attribute(attrs: &[Attribute]) -> Option<String> {
    let attribute = attrs.iter().find(|a| a.path().is_ident("path"))?;
    match &attribute.meta.require_name_value().ok()?.value {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}

/// Whether there is `#[cfg(test)]`, or a `cfg` that requires `test` among other conditions.
pub(super) fn is_test(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<Meta>()
                .is_ok_and(|predicate| needs_test(&predicate))
    })
}

fn needs_test(predicate: &Meta) -> bool {
    match predicate {
        Meta::List(list) if list.path.is_ident("all") => list
            .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
            .is_ok_and(|parts| parts.iter().any(needs_test)),
        Meta::Path(path) => path.is_ident("test"),
        _ => false,
    }
}

pub(super) fn attributes_of(item: &syn::Item) -> &[Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::ExternCrate(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::ForeignMod(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::TraitAlias(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Union(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns the span of an item's last token. Computing the item's own span would join the spans of
/// all its tokens.
pub(super) fn last_span(item: &syn::Item) -> Span {
    match item {
        syn::Item::Const(item) => item.semi_token.span,
        syn::Item::Enum(item) => item.brace_token.span.close(),
        syn::Item::Fn(item) => item.block.brace_token.span.close(),
        syn::Item::Impl(item) => item.brace_token.span.close(),
        syn::Item::Static(item) => item.semi_token.span,
        syn::Item::Struct(item) => match (&item.fields, item.semi_token) {
            (_, Some(semicolon)) => semicolon.span,
            (syn::Fields::Named(fields), None) => fields.brace_token.span.close(),
            _ => item.span(),
        },
        syn::Item::Trait(item) => item.brace_token.span.close(),
        syn::Item::Type(item) => item.semi_token.span,
        syn::Item::Use(item) => item.semi_token.span,
        other => other.span(),
    }
}

/// Collects every name that a `use` tree imports, with its path.
pub(super) fn collect_uses(
    tree: &syn::UseTree,
    prefix: &mut Vec<String>,
    found: &mut impl FnMut(Option<String>, Vec<String>),
) {
    match tree {
        syn::UseTree::Path(path) => {
            prefix.push(ident_text(&path.ident));
            collect_uses(&path.tree, prefix, found);
            prefix.pop();
        }
        syn::UseTree::Name(name) => {
            let name = ident_text(&name.ident);
            let mut path = prefix.clone();
            if name == "self" {
                found(path.last().cloned(), path);
            } else {
                path.push(name.clone());
                found(Some(name), path);
            }
        }
        syn::UseTree::Rename(rename) => {
            let mut path = prefix.clone();
            if rename.ident != "self" {
                path.push(ident_text(&rename.ident));
            }
            found(Some(ident_text(&rename.rename)), path);
        }
        syn::UseTree::Glob(_) => found(None, prefix.clone()),
        syn::UseTree::Group(group) => {
            for tree in &group.items {
                collect_uses(tree, prefix, found);
            }
        }
    }
}

/// Whether a text seems to declare kinds with kube's derive, under any name.
pub(crate) fn mentions_kinds(text: &str) -> bool {
    text.contains("CustomResource") || text.contains("#[kube(")
}

/// Whether attributes name the group of a kind, which only kube's derive reads.
pub(super) fn names_group(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let Meta::List(list) = &attribute.meta else {
            return false;
        };
        let mut tokens = list.tokens.clone().into_iter();
        let is_group = |token: proc_macro2::TokenTree| match token {
            proc_macro2::TokenTree::Ident(name) => name == "group",
            _ => false,
        };
        attribute.path().is_ident("kube") && tokens.any(is_group)
    })
}

/// Returns the names of the modules that the tokens of a macro declare.
pub(super) fn modules_in(tokens: proc_macro2::TokenStream) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_module = false;
    for token in tokens {
        match token {
            proc_macro2::TokenTree::Group(group) => names.extend(modules_in(group.stream())),
            proc_macro2::TokenTree::Ident(name) if is_module => names.push(ident_text(&name)),
            proc_macro2::TokenTree::Ident(name) if name == "mod" => {
                is_module = true;
                continue;
            }
            _ => {}
        }
        is_module = false;
    }
    names
}
