//! `#[versioned]` of stackable-versioned on modules and types.
//!
//! The macro makes a module for each version, whose kinds have the attributes of kube's derive, and
//! whose types have the fields and variants of that version.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Attribute, Field, Fields, Ident, Item, LitStr, Meta, Token, Type, Visibility,
    ext::IdentExt as _, parse::Parser as _, punctuated::Punctuated,
};

use super::{file::FileReader, modules::Use, schema::as_literal, syntax::ident_text};

/// Parts of an attribute.
type Parts = Punctuated<Meta, Token![,]>;

/// The attributes, the visibility and the name of a module, or of a type that becomes one.
pub(super) type Outside<'a> = (&'a [Attribute], &'a Visibility, &'a Ident);

pub(super) fn type_of(item: &Item) -> Option<Outside<'_>> {
    match item {
        Item::Struct(item) => Some((&item.attrs, &item.vis, &item.ident)),
        Item::Enum(item) => Some((&item.attrs, &item.vis, &item.ident)),
        _ => None,
    }
}

impl FileReader<'_> {
    /// Reads items as they are in each version: those of a module, or a type.
    pub(super) fn versions(
        &mut self,
        versions: &[String],
        outside: Outside<'_>,
        items: &[Item],
        parent: usize,
        start: usize,
    ) {
        for (at, version) in versions.iter().enumerate() {
            let items = items_in(items, versions, at);
            let module = self.module_in(parent, version.clone(), outside);
            // The macro adds it.
            self.out.modules[module].uses.push(Use {
                name: None,
                path: vec!["super".to_owned()],
                global: false,
                public: false,
            });
            let outer = self.version.replace(version.clone());
            self.items(&items, module, start);
            self.version = outer;
        }
    }
}

/// Returns the versions that the attribute of a module names, in order.
pub(super) fn versions(attributes: &[Attribute]) -> Vec<String> {
    let parts = parts_of(attributes).unwrap_or_default();
    let versions = parts.iter().filter(|part| part.path().is_ident("version"));
    let names = versions.filter_map(|part| value(part, "name"));
    names.map(|name| name.value()).collect()
}

/// Returns the items of a module in one of its versions. A module in it with the name of a version
/// has more items of that one.
fn items_in(items: &[Item], versions: &[String], at: usize) -> Vec<Item> {
    let mut found = Vec::new();
    for item in items {
        let mut item = item.clone();
        match &mut item {
            Item::Mod(module) if versions.contains(&ident_text(&module.ident)) => {
                let is_own = versions.get(at) == Some(&ident_text(&module.ident));
                let content = module.content.take().filter(|_| is_own);
                found.extend(content.into_iter().flat_map(|(_, items)| items));
                continue;
            }
            Item::Struct(item) => settle_fields(&mut item.fields, versions, at),
            Item::Enum(item) => {
                let variants = std::mem::take(&mut item.variants).into_iter();
                let variants = variants.filter_map(|mut variant| {
                    let changes = Changes::of(&variant.attrs, versions);
                    settle_fields(&mut variant.fields, versions, at);
                    changes.rename(&mut variant.ident, "Deprecated", at);
                    changes.has(at).then_some(variant)
                });
                item.variants = variants.collect();
            }
            _ => {}
        }
        found.push(item);
    }
    found
}

fn settle_fields(fields: &mut Fields, versions: &[String], at: usize) {
    let settled = |mut field: Field| {
        let changes = Changes::of(&field.attrs, versions);
        if let Some(name) = &mut field.ident {
            changes.rename(name, "deprecated_", at);
        }
        if let Some(ty) = changes.before(at).find_map(|change| change.ty.clone()) {
            field.ty = ty;
        }
        changes.has(at).then_some(field)
    };
    match fields {
        Fields::Named(fields) => {
            let all = std::mem::take(&mut fields.named).into_iter();
            fields.named = all.filter_map(settled).collect();
        }
        Fields::Unnamed(fields) => {
            let all = std::mem::take(&mut fields.unnamed).into_iter();
            fields.unnamed = all.filter_map(settled).collect();
        }
        Fields::Unit => {}
    }
}

/// How a field or variant changes from version to version. Versions are places among all.
struct Changes {
    added: usize,
    deprecated: Option<usize>,
    changed: Vec<Change>,
}

/// Name and type before a version.
struct Change {
    since: usize,
    name: Option<String>,
    ty: Option<Type>,
}

impl Changes {
    fn of(attributes: &[Attribute], versions: &[String]) -> Self {
        let parts = parts_of(attributes).unwrap_or_default();
        let since = |part: &Meta| {
            let name = value(part, "since")?.value();
            versions.iter().position(|version| *version == name)
        };
        let named = |name: &'static str| parts.iter().filter(move |it| it.path().is_ident(name));
        let changed = named("changed").filter_map(|part| {
            Some(Change {
                since: since(part)?,
                name: value(part, "from_name").map(|name| name.value()),
                ty: value(part, "from_type").and_then(|ty| ty.parse().ok()),
            })
        });
        Self {
            added: named("added").find_map(since).unwrap_or_default(),
            deprecated: named("deprecated").find_map(since),
            changed: changed.collect(),
        }
    }

    /// Whether the version has the field or variant.
    fn has(&self, at: usize) -> bool {
        self.added <= at
    }

    /// The changes that a version does not have yet, in order.
    fn before(&self, at: usize) -> impl Iterator<Item = &Change> {
        self.changed.iter().filter(move |change| at < change.since)
    }

    fn rename(&self, name: &mut Ident, prefix: &str, at: usize) {
        let own = ident_text(name);
        let plain = self.deprecated.filter(|&since| at < since);
        let plain = plain.and_then(|_| own.strip_prefix(prefix));
        let earlier = self.before(at).filter_map(|change| change.name.as_deref());
        // rustc reports a name that is none.
        let mut earlier = earlier
            .chain(plain)
            .filter_map(|text| Ident::parse_any.parse_str(text).ok());
        if let Some(mut earlier) = earlier.next() {
            earlier.set_span(name.span());
            *name = earlier;
        }
    }
}

/// Returns an argument of a part.
fn value(part: &Meta, name: &str) -> Option<LitStr> {
    let Meta::List(part) = part else {
        return None;
    };
    let arguments = part.parse_args_with(Parts::parse_terminated).ok()?;
    match arguments.iter().find(|it| it.path().is_ident(name))? {
        Meta::NameValue(pair) => as_literal(&pair.value).cloned(),
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

fn parts_of(attributes: &[Attribute]) -> Option<Parts> {
    let own = attributes.iter().find(|it| is_versioned(it))?;
    own.parse_args_with(Parts::parse_terminated).ok()
}

fn is_versioned(attribute: &Attribute) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|last| last.ident == "versioned")
}
