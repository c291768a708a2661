//! serde's attributes, as far as they determine the wire format.

use std::ops::Range;

use syn::{Attribute, LitStr, Token, meta::ParseNestedMeta, spanned::Spanned as _};

/// The serde attributes of a container, variant or field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SerdeAttrs {
    /// The names or cases for reading that differ from those for writing, each with its attribute;
    /// `None` is the default.
    pub reading: Vec<(Renaming, Option<String>)>,
    /// `alias = "name"`
    pub aliases: Vec<String>,
    /// `rename`: the name for serialization.
    pub rename: Option<String>,
    /// `rename_all`: the case for serialization.
    pub rename_all: Option<String>,
    /// `rename_all_fields`: the case of the fields of struct variants.
    pub rename_all_fields: Option<String>,
    /// `default`, with or without a function.
    pub default: bool,
    /// The function of `default`.
    pub default_function: Option<String>,
    /// `flatten`
    pub flatten: bool,
    /// `skip`, or both of `skip_serializing` and `skip_deserializing`.
    pub skip: bool,
    /// `skip_serializing_if`
    pub skip_if: bool,
    /// The function of `skip_serializing_if`.
    pub skip_function: Option<String>,
    /// `skip_serializing`
    pub skip_serializing: bool,
    /// `skip_deserializing`
    pub skip_deserializing: bool,
    /// `tag`
    pub tag: Option<String>,
    /// `content`
    pub content: Option<String>,
    /// `untagged`
    pub untagged: bool,
    /// `transparent`
    pub transparent: bool,
    /// `other`
    pub other: bool,
    /// `with`, `serialize_with` or `deserialize_with`: the wire format differs from the type's.
    pub with: bool,
    /// `from`, `try_from` or `into`: the intermediate type.
    pub through: Option<String>,
    /// The first attribute that only serde's own derive supports: any except a plain name,
    /// `flatten`, `skip`, `default` without a function, and
    /// `skip_serializing_if = "Option::is_none"`.
    pub needs_derive: Option<(String, Range<usize>)>,
    /// The place of the first unconditional attribute.
    pub attribute: Option<Range<usize>>,
}

/// An attribute that changes names on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renaming {
    /// `rename`
    One,
    /// `rename_all`
    All,
    /// `rename_all_fields`
    AllFields,
}

impl SerdeAttrs {
    /// Returns the name or case for deserialization that an attribute gives.
    pub fn for_reading(&self, renaming: Renaming) -> Option<&str> {
        if let Some((_, name)) = self.reading.iter().find(|(of, _)| *of == renaming) {
            return name.as_deref();
        }
        let written = match renaming {
            Renaming::One => &self.rename,
            Renaming::All => &self.rename_all,
            Renaming::AllFields => &self.rename_all_fields,
        };
        written.as_deref()
    }

    /// Reads the attributes, and leaves unknown ones to serde. Ranges refer to the parsed text.
    pub(super) fn read(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut attrs = Self::default();
        for attribute in attributes {
            if attribute.path().is_ident("serde") {
                attribute.parse_nested_meta(|meta| attrs.apply(&meta))?;
            }
        }
        attrs.skip |= attrs.skip_serializing && attrs.skip_deserializing;
        if !attrs.skip && (attrs.skip_serializing || attrs.skip_deserializing) {
            let name = if attrs.skip_serializing {
                "skip_serializing"
            } else {
                "skip_deserializing"
            };
            let mut found = attributes.iter().filter(|a| a.path().is_ident("serde"));
            let range = found.next().map_or(0..0, |a| a.span().byte_range());
            attrs
                .needs_derive
                .get_or_insert_with(|| (name.to_owned(), range));
        }
        Ok(attrs)
    }

    fn apply(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let name = meta.path.get_ident().map(ToString::to_string);
        let name = name.as_deref().unwrap_or_default();
        let mut is_plain = matches!(
            name,
            "rename" | "rename_all" | "rename_all_fields" | "flatten" | "crate" | "expecting"
        ) || name.starts_with("skip");
        match name {
            "rename" => (self.rename, is_plain) = self.names(Renaming::One, meta)?,
            "alias" => self.aliases.push(text(meta)?),
            "rename_all" => (self.rename_all, is_plain) = self.names(Renaming::All, meta)?,
            "rename_all_fields" => {
                (self.rename_all_fields, is_plain) = self.names(Renaming::AllFields, meta)?;
            }
            "default" => {
                self.default = true;
                is_plain = !meta.input.peek(Token![=]);
                self.default_function = optional_value(meta)?;
            }
            "flatten" => self.flatten = true,
            "skip" => self.skip = true,
            "skip_serializing" => self.skip_serializing = true,
            "skip_deserializing" => self.skip_deserializing = true,
            "skip_serializing_if" => {
                self.skip_if = true;
                let function = text(meta)?;
                is_plain = function.ends_with("Option::is_none");
                self.skip_function = Some(function);
            }
            "tag" => self.tag = Some(text(meta)?),
            "content" => self.content = Some(text(meta)?),
            "untagged" => self.untagged = true,
            "transparent" => self.transparent = true,
            "other" => self.other = true,
            "with" | "serialize_with" | "deserialize_with" => {
                self.with = true;
                text(meta)?;
            }
            "from" | "try_from" | "into" => self.through = Some(text(meta)?),
            _ => skip_value(meta)?,
        }
        if !is_plain && self.needs_derive.is_none() {
            let with_value = matches!(name, "default" | "skip_serializing_if");
            let shown = format!("{name}{}", if with_value { " = …" } else { "" });
            self.needs_derive = Some((shown, meta.path.span().byte_range()));
        }
        Ok(())
    }

    /// Parses `= "name"`, or the `serialize` name in `(serialize = "name", deserialize = "name")`.
    /// Also returns whether both names agree.
    fn names(
        &mut self,
        renaming: Renaming,
        meta: &ParseNestedMeta<'_>,
    ) -> syn::Result<(Option<String>, bool)> {
        if meta.input.peek(Token![=]) {
            return text(meta).map(|name| (Some(name), true));
        }
        let (mut serialize, mut deserialize) = (None, Vec::new());
        meta.parse_nested_meta(|inner| {
            let name = text(&inner)?;
            if inner.path.is_ident("serialize") {
                serialize = Some(name);
            } else {
                deserialize.push(name);
            }
            Ok(())
        })?;
        let mut deserialize = deserialize.into_iter();
        let first = deserialize.next();
        // serde reads further names as aliases.
        self.aliases.extend(deserialize);
        let same = serialize == first;
        if !same {
            self.reading.push((renaming, first));
        }
        Ok((serialize, same))
    }
}

fn text(meta: &ParseNestedMeta<'_>) -> syn::Result<String> {
    Ok(meta.value()?.parse::<LitStr>()?.value())
}

fn optional_value(meta: &ParseNestedMeta<'_>) -> syn::Result<Option<String>> {
    let is_given = meta.input.peek(Token![=]);
    is_given.then(|| text(meta)).transpose()
}

fn skip_value(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<syn::Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        let content;
        syn::parenthesized!(content in meta.input);
        content.parse::<proc_macro2::TokenStream>()?;
    }
    Ok(())
}
