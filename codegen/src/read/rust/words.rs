//! The arguments of `#[schemars(…)]`, `#[validate(…)]` and `#[garde(…)]`, as defined by schemars 1.

use darling::{Error, FromMeta, ast::NestedMeta, util::Ignored};
use proc_macro2::{Span, TokenStream};
use syn::{
    Expr, ExprLit, Lit, LitStr, Meta, Token,
    ext::IdentExt as _,
    parse::{Parse, ParseStream, Parser as _},
    punctuated::Punctuated,
    spanned::Spanned as _,
};

/// The arguments of one attribute.
#[derive(Debug, Default, FromMeta)]
#[darling(default)]
pub(super) struct Words {
    pub(super) rename: Option<Written>,
    pub(super) rename_all: Option<Written>,
    pub(super) rename_all_fields: Option<Written>,
    pub(super) tag: Option<Written>,
    pub(super) content: Option<Written>,
    pub(super) untagged: Option<Mark>,
    pub(super) flatten: Option<Mark>,
    pub(super) skip: Option<Mark>,
    pub(super) skip_serializing: Option<Mark>,
    pub(super) skip_deserializing: Option<Mark>,
    pub(super) default: Option<Mark>,
    pub(super) title: Option<Written>,
    pub(super) description: Option<Written>,
    #[darling(multiple, rename = "example")]
    pub(super) examples: Vec<Written>,
    pub(super) with: Option<Written>,
    pub(super) schema_with: Option<Written>,
    #[darling(multiple, rename = "transform")]
    pub(super) transforms: Vec<Written>,
    #[darling(multiple, rename = "extend")]
    pub(super) extensions: Vec<Extensions>,
    pub(super) required: Option<Mark>,
    pub(super) length: Option<Bounds>,
    pub(super) range: Option<Bounds>,
    pub(super) regex: Option<Pattern>,
    pub(super) pattern: Option<Pattern>,
    pub(super) contains: Option<Pattern>,
    pub(super) email: Option<Mark>,
    pub(super) url: Option<Mark>,
    pub(super) ip: Option<Mark>,
    pub(super) ipv4: Option<Mark>,
    pub(super) ipv6: Option<Mark>,
    pub(super) inner: Option<Inner>,
    #[darling(flatten)]
    _ignored: IgnoredWords,
}

/// Arguments that a CRD cannot represent or that concern only Rust.
#[derive(Debug, Default, FromMeta)]
#[darling(default)]
#[allow(dead_code, reason = "known, and not read")]
struct IgnoredWords {
    deprecated: Ignored,
    inline: Ignored,
    bound: Ignored,
    #[darling(rename = "crate")]
    krate: Ignored,
    remote: Ignored,
    deny_unknown_fields: Ignored,
    skip_serializing_if: Ignored,
    serialize_with: Ignored,
    transparent: Ignored,
    into: Ignored,
    from: Ignored,
    try_from: Ignored,
    _unstable_ref_variants: Ignored,
}

/// `name = expression`
#[derive(Debug)]
pub(super) struct Written(pub(super) Expr);

impl FromMeta for Written {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        Ok(Self(meta.require_name_value()?.value.clone()))
    }
}

/// An argument in any form, with the function of `default = "function"`.
#[derive(Debug)]
pub(super) struct Mark {
    pub(super) span: Span,
    pub(super) text: Option<String>,
}

impl FromMeta for Mark {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let text = match meta {
            Meta::NameValue(value) => String::from_expr(&value.value).ok(),
            _ => None,
        };
        let span = meta.span();
        Ok(Self { span, text })
    }
}

/// `(min = …, max = …)` or `(equal = …)`; ignores further arguments of validator and garde, which
/// do not affect the schema.
#[derive(Debug)]
pub(super) struct Bounds {
    pub(super) min: Option<Expr>,
    pub(super) max: Option<Expr>,
}

impl FromMeta for Bounds {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let (mut min, mut max) = (None, None);
        for (name, value) in named(meta)? {
            match name.as_str() {
                "min" => min = Some(value),
                "max" => max = Some(value),
                "equal" => (min, max) = (Some(value.clone()), Some(value)),
                _ => {}
            }
        }
        Ok(Self { min, max })
    }
}

/// `(pattern = …)`, `(path = …)` or a plain expression.
#[derive(Debug)]
pub(super) struct Pattern(pub(super) Expr);

impl FromMeta for Pattern {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        if let Meta::NameValue(value) = meta {
            // validator's older form `regex = "PATH"`, unlike `contains = "text"`.
            let is_path = meta.path().is_ident("regex");
            return match (&value.value, is_path) {
                (Expr::Lit(text), true) => Ok(Self(path_in(text)?)),
                (value, _) => Ok(Self(value.clone())),
            };
        }
        let list = meta.require_list()?;
        let is_named = |input: ParseStream<'_>| {
            let named = input.peek2(Token![=]) || input.peek2(Token![,]);
            input.parse::<TokenStream>()?;
            Ok(named)
        };
        if !list.parse_args_with(is_named)? {
            return Ok(Self(list.parse_args()?));
        }
        let mut named = named(meta)?.into_iter();
        let pattern = named.find(|(name, _)| name == "pattern" || name == "path");
        let (name, pattern) =
            pattern.ok_or_else(|| Error::missing_field("pattern").with_span(meta))?;
        match pattern {
            Expr::Lit(text) if name == "path" => Ok(Self(path_in(&text)?)),
            pattern => Ok(Self(pattern)),
        }
    }
}

/// Parses the path of a constant in quotes.
fn path_in(text: &ExprLit) -> darling::Result<Expr> {
    let Lit::Str(path) = &text.lit else {
        return Err(Error::custom("expected the path of a constant").with_span(text));
    };
    let parsed = path.parse::<Expr>();
    parsed.map_err(|_| Error::custom("expected the path of a constant").with_span(text))
}

/// Parses the `name = expression` entries of a list; a quoted expression is unquoted if possible.
fn named(meta: &Meta) -> darling::Result<Vec<(String, Expr)>> {
    let list = meta.require_list()?;
    let metas = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?;
    let is_text = meta.path().is_ident("regex") || meta.path().is_ident("contains");
    let named = metas.into_iter().filter_map(|meta| match meta {
        Meta::NameValue(value) => {
            let name = value.path.get_ident()?.to_string();
            let value = match value.value {
                Expr::Lit(ExprLit {
                    lit: Lit::Str(text),
                    ..
                }) if !is_text => text.parse().ok()?,
                other => other,
            };
            Some((name, value))
        }
        _ => None,
    });
    Ok(named.collect())
}

/// `("key" = json, …)`
#[derive(Debug)]
pub(super) struct Extensions(pub(super) Vec<Extension>);

impl FromMeta for Extensions {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let list = meta.require_list()?;
        let parsed = list.parse_args_with(Punctuated::<Extension, Token![,]>::parse_terminated)?;
        Ok(Self(parsed.into_iter().collect()))
    }
}

/// `"key" = json`
#[derive(Debug)]
pub(super) struct Extension {
    pub(super) key: LitStr,
    pub(super) value: TokenStream,
}

impl Parse for Extension {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = input.parse()?;
        input.parse::<Token![=]>()?;
        let mut value = TokenStream::new();
        while !input.is_empty() && !input.peek(Token![,]) {
            value.extend([input.parse::<proc_macro2::TokenTree>()?]);
        }
        Ok(Self { key, value })
    }
}

/// `(…)`, which applies to list items.
#[derive(Debug)]
pub(super) struct Inner(pub(super) Box<Words>);

impl FromMeta for Inner {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        Words::of_validation(meta.require_list()?.tokens.clone()).map(|words| Self(Box::new(words)))
    }
}

impl Words {
    /// Parses the arguments of `#[schemars(…)]`, and the names after a `!`, which unset serde
    /// attributes.
    pub(super) fn of_schemars(tokens: TokenStream) -> darling::Result<(Self, Vec<syn::Ident>)> {
        let words = Punctuated::<Word, Token![,]>::parse_terminated.parse2(tokens)?;
        let (mut metas, mut unset) = (Vec::new(), Vec::new());
        for word in words {
            match word {
                Word::Meta(meta) => metas.push(NestedMeta::Meta(*meta)),
                Word::Unset(name) => unset.push(name),
            }
        }
        Ok((Self::from_list(&metas)?, unset))
    }

    /// Parses the arguments that concern validation, and ignores the others.
    pub(super) fn of_validation(tokens: TokenStream) -> darling::Result<Self> {
        const KNOWN: [&str; 12] = [
            "contains", "email", "inner", "ip", "ipv4", "ipv6", "length", "pattern", "range",
            "regex", "required", "url",
        ];
        let words = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens)?;
        let metas = words.into_iter().filter(|meta| {
            let name = meta.path().get_ident();
            name.is_some_and(|name| KNOWN.iter().any(|known| name == known))
        });
        Self::from_list(&metas.map(NestedMeta::Meta).collect::<Vec<_>>())
    }
}

/// An argument, or a name that is unset.
enum Word {
    Meta(Box<Meta>),
    Unset(syn::Ident),
}

impl Parse for Word {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![!]) {
            input.parse::<Token![!]>()?;
            return input.call(syn::Ident::parse_any).map(Self::Unset);
        }
        Ok(Self::Meta(Box::new(input.parse()?)))
    }
}

/// The arguments of `#[x_kube(…)]`, and of its predecessor `#[cel_validate(…)]`.
#[derive(Debug, Default, FromMeta)]
#[darling(default)]
pub(super) struct KubeWords {
    #[darling(multiple, rename = "validation")]
    pub(super) validations: Vec<Written>,
    #[darling(multiple, rename = "rule")]
    pub(super) rules: Vec<Written>,
    pub(super) merge_strategy: Option<Written>,
    #[darling(rename = "crates")]
    _crates: Ignored,
    #[darling(rename = "cel")]
    _cel: Ignored,
}
