//! One file: from its syntax tree and its comments to items.

use std::ops::Range;

use syn::{Attribute, Ident, spanned::Spanned};

use super::{
    comments::Comments,
    conditions::{Attributes, cfg},
    docs,
    item::{Body, Bound, Declared, Generics, Impl, Item, Module, SchemaAttrs, Use},
    kube::KubeDerive,
    literal::Literal,
    serde::SerdeAttrs,
    syntax::{
        attributes_of, collect_uses, ident_text, is_attribute_macro, is_public, is_test,
        is_visible, last_span, path_attribute, span_of,
    },
    types,
};
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    read::markers::{self, MarkerSet, RawMarker, Target},
};

/// The part that a file adds to its package.
#[derive(Debug, Default)]
pub(super) struct FileItems {
    /// The modules, each with its path below the version's; the first is the file's own.
    pub(super) modules: Vec<Module>,
    /// The types; their module counts from this file's first.
    pub(super) items: Vec<Item>,
    /// The traits implemented by hand.
    pub(super) impls: Vec<Impl>,
    /// Markers and documentation of the package, from `mod.rs`.
    pub(super) package: MarkerSet,
    /// Documentation of the module.
    pub(super) docs: String,
    /// The values of constants and functions.
    pub(super) values: Vec<(usize, String, Literal)>,
    /// Whether macros are called among the items.
    pub(super) has_macros: bool,
}

/// Where an item stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// First in its file, below the file's own comments.
    FirstOfFile,
    Later,
}

/// Reads one file.
pub(super) struct FileReader<'a> {
    pub(super) comments: Comments,
    /// Bytes before what was parsed: a byte order mark, a `#!` line.
    pub(super) base: usize,
    /// Whether this is the version's own `mod.rs`.
    pub(super) is_root: bool,
    pub(super) diagnostics: &'a mut Diagnostics,
    pub(super) out: FileItems,
}

impl FileReader<'_> {
    pub(super) fn read(mut self, file: &syn::File, path: Vec<String>) -> FileItems {
        let header_end = file
            .attrs
            .last()
            .map_or(self.base, |attribute| self.attribute(attribute).end);
        self.header(header_end, &file.attrs);
        let head = ModuleHead {
            path,
            visible: true,
            cfg: cfg(&file.attrs),
            place: self.comments.place(self.base..self.base),
        };
        self.module(head, &file.items, header_end);
        self.rest(file, header_end);
        self.comments.report_rest(self.diagnostics);
        self.out
    }

    pub(super) fn range(&self, node: &impl Spanned) -> std::ops::Range<usize> {
        let range = node.span().byte_range();
        range.start + self.base..range.end + self.base
    }

    /// The bytes of an attribute or doc comment.
    fn attribute(&self, attribute: &Attribute) -> Range<usize> {
        docs::place(attribute, &self.comments, self.base)
    }

    pub(super) fn place(&self, node: &impl Spanned) -> Place {
        self.comments.place(self.range(node))
    }

    /// The comments in `//!` lines and above them.
    fn header(&mut self, end: usize, attributes: &[Attribute]) {
        let (docs, hidden) = docs::read(attributes, &self.comments, self.base);
        let mut raws = self.comments.markers_in(self.base..end);
        raws.extend(hidden);
        self.package(raws);
        self.out.docs = docs;
    }

    /// Comments after the last item, or of a file without items, belong to the package too.
    fn rest(&mut self, file: &syn::File, header_end: usize) {
        let from = file
            .items
            .last()
            .map_or(header_end, |item| self.range(&last_span(item)).end);
        let end = self.comments.text().len();
        let raws = self.comments.markers_in(from..end);
        if file.items.is_empty() {
            self.package(raws);
        } else {
            self.free(raws);
        }
    }

    /// Markers that stand in the package's place.
    fn package(&mut self, raws: Vec<RawMarker>) {
        if !self.is_root {
            return self.free(raws);
        }
        for raw in raws {
            let marker = markers::parse(&raw, Target::Package, self.diagnostics);
            self.out.package.0.extend(marker);
        }
    }

    /// Markers that belong to nothing: only rules and webhooks may stand so.
    pub(super) fn free(&mut self, raws: Vec<RawMarker>) {
        for raw in raws {
            match raw.parse() {
                Ok(marker) if marker.def.stands_anywhere() => self.out.package.0.push(marker),
                Ok(marker) => self.diagnostics.push(markers::misplaced(
                    &marker,
                    "here, apart from what it marks",
                )),
                Err(error) => self.diagnostics.push(error),
            }
        }
    }

    fn module(&mut self, head: ModuleHead, items: &[syn::Item], start: usize) {
        let module = self.out.modules.len();
        self.out.modules.push(Module {
            path: head.path,
            from_file: module == 0,
            visible: head.visible,
            cfg: head.cfg,
            place: head.place,
            uses: Vec::new(),
            declared: Vec::new(),
            tests: Vec::new(),
        });
        let mut from = start;
        for (index, item) in items.iter().enumerate() {
            let end = self.range(&last_span(item)).end;
            let position = match (module, index) {
                (0, 0) => Position::FirstOfFile,
                _ => Position::Later,
            };
            self.item(item, module, from..end, position);
            from = end;
        }
    }

    /// An item; `extent` begins where the item before it ends.
    fn item(&mut self, item: &syn::Item, module: usize, extent: Range<usize>, position: Position) {
        let (from, end) = (extent.start, extent.end);
        if is_test(attributes_of(item)) {
            if let syn::Item::Mod(item) = item {
                let declared = self.declared(item);
                self.out.modules[module].tests.push(declared);
            }
            return self.comments.ignore(extent);
        }
        match item {
            syn::Item::Struct(item) => {
                let mut head = self.head(&item.ident, &item.attrs, from, position);
                head.extent = extent;
                head.generics = self.generics(&item.generics);
                let body = Body::Struct(self.fields(&item.fields));
                self.push_item(head, &item.vis, module, body, &item.attrs);
            }
            syn::Item::Enum(item) => {
                let mut head = self.head(&item.ident, &item.attrs, from, position);
                head.extent = extent;
                head.generics = self.generics(&item.generics);
                let body = Body::Enum(self.variants(item));
                self.push_item(head, &item.vis, module, body, &item.attrs);
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

    /// An item that is not a type, at its place.
    fn other(&mut self, item: &syn::Item, module: usize, place: Range<usize>) {
        match item {
            syn::Item::Mod(item) => match &item.content {
                Some((brace, items)) => {
                    let mut path = self.out.modules[module].path.clone();
                    path.push(ident_text(&item.ident));
                    let start = brace.span.open().byte_range().end + self.base;
                    let head = ModuleHead {
                        path,
                        visible: is_visible(&item.vis),
                        cfg: cfg(&item.attrs),
                        place: self.place(&item.ident),
                    };
                    self.module(head, items, start);
                }
                None => {
                    let declared = self.declared(item);
                    self.out.modules[module].declared.push(declared);
                }
            },
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
                    && let (Some(trait_name), Some(type_name)) =
                        (trait_path.segments.last(), ty.path.segments.last())
                {
                    self.out.impls.push(Impl {
                        trait_name: ident_text(&trait_name.ident),
                        type_name: ident_text(&type_name.ident),
                        module,
                    });
                }
                self.associated_values(item, module);
                self.comments.ignore(place);
            }
            other => {
                self.value(other, module);
                self.out.has_macros |= matches!(other, syn::Item::Macro(_));
                self.comments.ignore(place);
            }
        }
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

    /// Name, documentation and markers of a type.
    fn head(
        &mut self,
        ident: &Ident,
        attrs: &[Attribute],
        from: usize,
        position: Position,
    ) -> Head {
        let name_range = self.range(ident);
        let lead = self.comments.lead(from, name_range.start);
        let (docs, hidden) = docs::read(attrs, &self.comments, self.base);
        let mut own = lead.own;
        // In `mod.rs`, what stands above the first item and apart from it is the package's.
        if position == Position::FirstOfFile && self.is_root {
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

    /// Markers of one place, with those apart taken out that may stand anywhere.
    pub(super) fn markers(&mut self, raws: Vec<RawMarker>, target: Target) -> MarkerSet {
        let mut set = MarkerSet::default();
        for raw in raws {
            match raw.parse() {
                Ok(marker) if target == Target::Type && marker.def.stands_anywhere() => {
                    self.out.package.0.push(marker);
                }
                _ => set.0.extend(markers::parse(&raw, target, self.diagnostics)),
            }
        }
        set.check(self.diagnostics);
        set
    }

    fn push_item(
        &mut self,
        head: Head,
        vis: &syn::Visibility,
        module: usize,
        body: Body,
        attrs: &[Attribute],
    ) {
        let attributes = Attributes::new(attrs);
        let derives = attributes.derives();
        let is_kube = derives
            .names
            .iter()
            .any(|derive| derive == "CustomResource");
        let kube = is_kube.then(|| KubeDerive::read(attributes.all(), span_of(attributes.all())));
        let kube = kube.and_then(|kube| self.report(kube));
        let kube_rules = match is_kube {
            true => self.kube_rules(attrs),
            false => SchemaAttrs::default(),
        };
        let mut schema = self.schema(attrs);
        let is_derived = derives
            .names
            .iter()
            .any(|derive| derive.ends_with("Schema"));
        let mut unset = schema.unset.iter().map(|name| name.value.as_str());
        let is_unset = unset.any(|name| matches!(name, "from" | "try_from"));
        if is_derived && schema.with.is_none() && !is_unset {
            schema.with = self.read_from(attrs);
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
            cfg: cfg(attrs),
            derives: derives.names,
            derive_places,
            has_attribute_macros: attrs.iter().any(is_attribute_macro),
            clone_if: derives.clone_if,
            serde,
            schema,
            kube_rules,
            kube,
            generics: head.generics,
            body,
        });
    }

    /// The serde attributes among `attrs`, with places in the file.
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

    pub(super) fn report<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        let errors = match result {
            Ok(read) => return Some(read),
            Err(errors) => errors,
        };
        for error in errors {
            let range = error.span().byte_range();
            let place = self
                .comments
                .place(range.start + self.base..range.end + self.base);
            self.diagnostics
                .push(Diagnostic::error(error.to_string()).at(place, ""));
        }
        None
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
        Generics {
            names,
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

/// A module before its items are known.
struct ModuleHead {
    path: Vec<String>,
    visible: bool,
    cfg: Vec<String>,
    place: Place,
}

struct Head {
    name: String,
    place: Place,
    docs: String,
    markers: MarkerSet,
    generics: Generics,
    extent: Range<usize>,
}
