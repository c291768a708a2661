//! Reads the items of a file: combines syntax trees and comments into plain data.

use std::{ops::Range, sync::Arc};

use syn::{Attribute, Ident};

use super::{
    conditions::{Attributes, cfg},
    default_derives, discriminants,
    file::{FileReader, ModuleHead},
    item::{Body, Bound, Generics, Impl, Item, LeftOut},
    kube::KubeDerive,
    modules::{ANY_MODULE, Declared, Use},
    serde::SerdeAttrs,
    syntax::{
        attributes_of, collect_uses, ident_text, is_attribute_macro, is_public, is_test,
        is_visible, last_span, modules_in, names_group, path_attribute, span_of,
    },
    types,
    values::DEFAULT_BY_HAND,
    versioned::{self, Outside, type_of},
};
use crate::{
    diag::{Diagnostic, Place},
    read::markers::{MarkerSet, Target},
    sparse::Sparse,
};

/// The position of an item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// First in its file, after the file's own comments.
    FirstOfFile,
    Later,
}

impl FileReader<'_> {
    /// Reads the items of a module that start after a byte, and returns the end of the last.
    pub(super) fn items(&mut self, items: &[syn::Item], module: usize, start: usize) -> usize {
        let mut from = start;
        for item in items {
            let end = self.range(&last_span(item)).end;
            let position = match self.has_items {
                false => Position::FirstOfFile,
                true => Position::Later,
            };
            self.has_items = true;
            self.item(item, module, from..end, position);
            from = end;
        }
        from
    }

    /// Reads an item; `extent` starts at the end of the preceding item.
    fn item(&mut self, item: &syn::Item, module: usize, extent: Range<usize>, position: Position) {
        let (from, end) = (extent.start, extent.end);
        if is_test(attributes_of(item)) {
            if let syn::Item::Mod(item) = item {
                let declared = self.declared(item);
                self.out.modules[module].tests.push(declared);
            }
            return self.comments.ignore(extent);
        }
        if self.is_off(attributes_of(item)) {
            if let syn::Item::Mod(item) = item {
                let declared = self.declared(item);
                self.out.modules[module].off.push(declared);
            }
            if self.declares_kinds(&extent) {
                let place = self.place(item);
                let file = Arc::clone(&place.file);
                self.out.off.push(LeftOut { place, file });
            }
            return self.comments.ignore(extent);
        }
        if let Some(outside) = type_of(item).filter(|_| self.version.is_none()) {
            let versions = versioned::versions(outside.0);
            if !versions.is_empty() {
                let items = std::slice::from_ref(item);
                return self.versions(&versions, outside, items, module, from);
            }
        }
        match item {
            syn::Item::Struct(item) => {
                let mut head = self.head(&item.ident, &item.attrs, from, position);
                head.extent = extent;
                head.generics = self.generics(&item.generics);
                let body = Body::Struct(self.fields(&item.fields));
                self.push_item(head, &item.vis, module, body, &item.attrs);
                self.default_of_derive(&item.fields, &item.attrs);
            }
            syn::Item::Enum(item) => {
                let mut head = self.head(&item.ident, &item.attrs, from, position);
                head.extent = extent.clone();
                head.generics = self.generics(&item.generics);
                let body = Body::Enum(self.variants(item));
                self.push_item(head, &item.vis, module, body, &item.attrs);
                self.default_of_derive(&syn::Fields::Unit, &item.attrs);
                if let Some(made) = discriminants::of(item) {
                    self.discriminants(&made, module, extent);
                }
            }
            syn::Item::Type(item) => {
                let mut head = self.head(&item.ident, &item.attrs, from, position);
                head.extent = extent;
                head.generics = self.generics(&item.generics);
                let body = Body::Alias(types::read(&item.ty, &self.comments, self.base));
                self.push_item(head, &item.vis, module, body, &item.attrs);
            }
            other => {
                let start = self.comments.skip_trivia(from);
                let raws = self.comments.markers_in(from..start);
                self.package(raws);
                let first = attributes_of(other).first();
                let start = first.map_or(start, |first| self.attribute(first).start);
                self.other(other, module, start..end);
            }
        }
    }

    /// Reads an item that is not a type, at its place.
    fn other(&mut self, item: &syn::Item, module: usize, place: Range<usize>) {
        match item {
            syn::Item::Mod(item) => self.submodule(item, module),
            syn::Item::Use(item) => {
                let mut uses = Vec::new();
                let global = item.leading_colon.is_some();
                collect_uses(&item.tree, &mut Vec::new(), &mut |name, path| {
                    uses.push(Use {
                        name,
                        path,
                        global,
                        public: is_public(&item.vis),
                    });
                });
                self.out.modules[module].uses.extend(uses);
            }
            syn::Item::Impl(item) => {
                if let Some((trait_path, _)) = &item.trait_
                    && let syn::Type::Path(ty) = &*item.self_ty
                    && let Some(trait_name) = trait_path.segments.last()
                {
                    let trait_name = ident_text(&trait_name.ident);
                    let schema = match trait_name.as_str() {
                        "JsonSchema" => self.schema_of_impl(item, module),
                        _ => None,
                    };
                    if trait_name == "Default" {
                        self.default_of_impl(item, module);
                    }
                    let segments = ty.path.segments.iter();
                    self.out.impls.push(Impl {
                        trait_name,
                        path: segments.map(|it| ident_text(&it.ident)).collect(),
                        module,
                        schema,
                    });
                }
                self.associated_values(item, module);
                self.comments.ignore(place);
            }
            other => {
                self.value(other, module);
                if let syn::Item::Macro(item) = other {
                    self.out.has_macros = true;
                    let is_automatic = item.mac.path.segments.first();
                    let is_automatic = is_automatic.is_some_and(|it| it.ident == "automod");
                    let names = match is_automatic {
                        true => vec![ANY_MODULE.to_owned()],
                        false => modules_in(item.mac.tokens.clone()),
                    };
                    self.out.modules[module].in_macros.extend(names);
                    self.report_include(&item.mac);
                    let tokens = || item.mac.tokens.to_string();
                    if self.declares_kinds(&place) && tokens().contains("CustomResource") {
                        self.out.macros.push(self.place(&item.mac.path));
                    }
                }
                self.comments.ignore(place);
            }
        }
    }

    /// Warns of a source file that is included, whose types are not read.
    fn report_include(&mut self, call: &syn::Macro) {
        let name = call.path.segments.last();
        if name.is_none_or(|name| name.ident != "include") {
            return;
        }
        // Other arguments than a literal lead to files that a build script writes.
        let Ok(file) = call.parse_body::<syn::LitStr>() else {
            return;
        };
        let message = format!("the types in {} are not read", file.value());
        let warning = Diagnostic::warning(message);
        self.diagnostics.push(
            warning
                .at(self.place(call), "an included file is not part of a module")
                .help("declare the file as a module (`mod name;`) instead of including it"),
        );
    }

    /// Reads a module in a module.
    fn submodule(&mut self, item: &syn::ItemMod, parent: usize) {
        let Some((brace, items)) = &item.content else {
            let declared = self.declared(item);
            self.out.modules[parent].declared.push(declared);
            return;
        };
        let start = brace.span.open().byte_range().end + self.base;
        let outside = (&*item.attrs, &item.vis, &item.ident);
        let versions = versioned::versions(&item.attrs);
        if !versions.is_empty() {
            return self.versions(&versions, outside, items, parent, start);
        }
        let name = ident_text(&item.ident);
        let module = self.module_in(parent, name, outside);
        let outer = self.version.take();
        self.items(items, module, start);
        self.version = outer;
    }

    /// Adds a module in a module.
    pub(super) fn module_in(
        &mut self,
        parent: usize,
        name: String,
        (attrs, vis, ident): Outside<'_>,
    ) -> usize {
        let mut path = self.out.modules[parent].path.clone();
        path.push(name);
        self.module(ModuleHead {
            path,
            visible: is_visible(vis),
            public: is_public(vis),
            cfg: cfg(attrs),
            place: self.place(ident),
        })
    }

    fn declared(&self, item: &syn::ItemMod) -> Declared {
        Declared {
            name: ident_text(&item.ident),
            public: is_public(&item.vis),
            visible: is_visible(&item.vis),
            cfg: cfg(&item.attrs),
            path: path_attribute(&item.attrs),
            place: self.place(&item.ident),
        }
    }

    /// Reads the `Default` that a derive of another crate implements for the last item.
    fn default_of_derive(&mut self, fields: &syn::Fields, attrs: &[Attribute]) {
        let Some(item) = self.out.items.last_mut() else {
            return;
        };
        let Some(attribute) = default_derives::attribute_of(&item.derives, attrs) else {
            return;
        };
        match default_derives::of_fields(fields, attribute) {
            Some(value) => {
                let name = format!("{}::{DEFAULT_BY_HAND}", item.name);
                self.out.values.push((item.module, name, value));
            }
            None => item.derives.push("Default".to_owned()),
        }
    }

    /// Reads an enum that a derive makes, which has no comments.
    fn discriminants(&mut self, made: &syn::ItemEnum, module: usize, extent: Range<usize>) {
        let (docs, _) = self.docs(&made.attrs);
        let head = Head {
            name: ident_text(&made.ident),
            place: self.place(&made.ident),
            docs,
            markers: MarkerSet::default(),
            generics: Generics::default(),
            extent,
        };
        let body = Body::Enum(self.plain_variants(made));
        self.push_item(head, &made.vis, module, body, &made.attrs);
    }

    /// Reads name, documentation and markers of a type.
    fn head(
        &mut self,
        ident: &Ident,
        attrs: &[Attribute],
        from: usize,
        position: Position,
    ) -> Head {
        let name_range = self.range(ident);
        let lead = self.comments.lead(from, name_range.start);
        let (docs, hidden) = self.docs(attrs);
        let mut own = lead.own;
        // In `mod.rs`, detached comments above the first item belong to the package.
        if position == Position::FirstOfFile && self.is_root() {
            self.package(lead.far);
            self.package(lead.apart);
        } else {
            self.free(lead.far);
            own.splice(0..0, lead.apart);
        }
        own.extend(hidden);
        Head {
            name: ident_text(ident),
            place: self.comments.place(name_range),
            docs,
            markers: self.markers(own, Target::Type),
            generics: Generics::default(),
            extent: 0..0,
        }
    }

    fn push_item(
        &mut self,
        head: Head,
        vis: &syn::Visibility,
        module: usize,
        body: Body,
        attrs: &[Attribute],
    ) {
        let version = self.version.as_deref();
        let made = version.and_then(|version| versioned::kube(attrs, version, &head.name));
        let attrs = made.as_deref().unwrap_or(attrs);
        let attributes = Attributes::new(attrs);
        let mut derives = attributes.derives();
        let has_derive = derives.names.iter().any(|it| it == "CustomResource");
        // The derive may be imported under another name.
        let is_kube = has_derive || names_group(attributes.all());
        if is_kube && !has_derive {
            derives.names.push("CustomResource".to_owned());
        }
        let kube = is_kube.then(|| KubeDerive::read(attributes.all(), span_of(attributes.all())));
        let kube = kube.and_then(|kube| self.report(kube)).map(Box::new);
        let kube_rules = match is_kube {
            true => Sparse::from(self.kube_rules(attrs)),
            false => Sparse::default(),
        };
        let mut schema = self.schema(attrs);
        let is_derived = derives
            .names
            .iter()
            .any(|derive| derive.ends_with("Schema"));
        let mut unset = schema.unset.iter().map(|name| name.value.as_str());
        let is_unset = unset.any(|name| matches!(name, "from" | "try_from"));
        if is_derived
            && schema.with.is_none()
            && !is_unset
            && let Some(ty) = self.read_from(attrs)
        {
            schema.with = Some(ty);
        }
        let serde = self.serde(attrs);
        let derive_places = derives
            .spans
            .into_iter()
            .map(|(name, span)| (name, self.place(&span)));
        let derive_places = derive_places.collect();
        self.out.items.push(Item {
            name: head.name,
            place: head.place,
            extent: head.extent,
            module,
            docs: head.docs,
            markers: head.markers,
            visible: is_visible(vis),
            public: is_public(vis),
            cfg: cfg(attrs),
            derives: derives.names,
            derive_places,
            has_attribute_macros: attrs.iter().any(is_attribute_macro),
            clone_if: derives.clone_if,
            serde,
            schema,
            kube_rules,
            kube,
            is_kube_root: false,
            generics: head.generics,
            body,
        });
    }

    /// Reads the serde attributes among `attrs`, with places in the file.
    pub(super) fn serde(&mut self, attrs: &[Attribute]) -> SerdeAttrs {
        let may_say =
            |it: &Attribute| it.path().is_ident("serde") || it.path().is_ident("cfg_attr");
        if !attrs.iter().any(may_say) {
            return SerdeAttrs::default();
        }
        let all = Attributes::new(attrs);
        let read = self.report(SerdeAttrs::read(all.all()));
        let mut serde = read.unwrap_or_default();
        if let Some((_, range)) = &mut serde.needs_derive {
            *range = range.start + self.base..range.end + self.base;
        }
        let mut always = attrs.iter().filter(|a| a.path().is_ident("serde"));
        serde.attribute = always.next().map(|attribute| self.attribute(attribute));
        serde
    }

    fn bounds(&self, generics: &syn::Generics) -> Vec<Bound> {
        generics
            .type_params()
            .flat_map(|parameter| &parameter.bounds)
            .filter_map(|bound| match bound {
                syn::TypeParamBound::Trait(bound) => Some(&bound.path),
                _ => None,
            })
            .map(|path| Bound {
                place: self.place(path),
                global: path.leading_colon.is_some(),
                segments: path.segments.iter().map(|s| ident_text(&s.ident)).collect(),
            })
            .collect()
    }

    fn generics(&self, generics: &syn::Generics) -> Generics {
        let Some(open) = generics.lt_token else {
            return Generics::default();
        };
        let end = generics.gt_token.map_or(0, |close| self.range(&close).end);
        let range = self.range(&open).start..end;
        let names = generics
            .params
            .iter()
            .filter_map(|parameter| match parameter {
                syn::GenericParam::Type(parameter) => Some(ident_text(&parameter.ident)),
                syn::GenericParam::Const(parameter) => Some(ident_text(&parameter.ident)),
                syn::GenericParam::Lifetime(_) => None,
            })
            .collect();
        let defaults = generics.type_params().map(|parameter| {
            let (_, ty) = parameter.default.as_ref()?;
            Some(types::read(ty, &self.comments, self.base))
        });
        Generics {
            names,
            defaults: defaults.collect(),
            bounds: self.bounds(generics),
            text: self
                .comments
                .text()
                .get(range.clone())
                .unwrap_or_default()
                .to_owned(),
            lifetime: generics
                .lifetimes()
                .next()
                .map(|lifetime| self.place(lifetime)),
            where_clause: generics
                .where_clause
                .as_ref()
                .map(|clause| self.place(clause)),
            place: Some(self.comments.place(range)),
        }
    }
}

struct Head {
    name: String,
    place: Place,
    docs: String,
    markers: MarkerSet,
    generics: Generics,
    extent: Range<usize>,
}
