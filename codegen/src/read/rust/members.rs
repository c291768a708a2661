//! Reads fields and variants.

use syn::Attribute;

use super::{
    conditions::{Attributes, cfg},
    default_derives,
    file::FileReader,
    item::{Field, Fields, SchemaAttrs, Style, Variant},
    serde_as,
    syntax::{ident_text, is_visible},
    types,
};
use crate::{
    diag::Diagnostic,
    read::markers::{RawMarker, Target},
    sparse::Sparse,
};

impl FileReader<'_> {
    pub(super) fn fields(&mut self, fields: &syn::Fields) -> Fields {
        let (style, open) = match fields {
            syn::Fields::Named(named) => (Style::Named, named.brace_token.span.open()),
            syn::Fields::Unnamed(tuple) => (Style::Tuple, tuple.paren_token.span.open()),
            syn::Fields::Unit => {
                return Fields {
                    fields: Vec::new(),
                    style: Style::Unit,
                };
            }
        };
        let mut from = open.byte_range().end + self.base;
        let mut read = Vec::with_capacity(fields.len());
        for (position, field) in fields.iter().enumerate() {
            let end = self.range(&field.ty).end;
            if self.is_off(&field.attrs) {
                self.comments.ignore(from..end);
            } else {
                read.push(self.field(field, position, from));
            }
            from = self.after_comma(end);
        }
        Fields {
            fields: read,
            style,
        }
    }

    fn field(&mut self, field: &syn::Field, position: usize, from: usize) -> Field {
        let name_range = field
            .ident
            .as_ref()
            .map_or_else(|| self.range(&field.ty), |ident| self.range(ident));
        let (docs, own) = self.lead(&field.attrs, from, name_range.start);
        Field {
            name: field
                .ident
                .as_ref()
                .map_or_else(|| position.to_string(), ident_text),
            place: self.comments.place(name_range),
            docs,
            markers: self.markers(own, Target::Field),
            visible: is_visible(&field.vis),
            conditional: !cfg(&field.attrs).is_empty(),
            serde: self.serde(&field.attrs),
            schema: self.field_schema(field),
            ty: types::read(&field.ty, &self.comments, self.base),
        }
    }

    /// Reads the schema attributes of a field, and its type on the wire if serde_with gives it
    /// another.
    fn field_schema(&mut self, field: &syn::Field) -> Sparse<SchemaAttrs> {
        let schema = self.schema(&field.attrs);
        let Some((text, wire)) = serde_as::adapted(&field.attrs, &field.ty) else {
            return schema;
        };
        let mut schema = schema.into_present().unwrap_or_default();
        if schema.with.is_some() || !schema.computed.is_empty() {
            return Sparse::from(schema);
        }
        match wire {
            Some(ty) => schema.with = Some(types::read(&ty, &self.comments, self.base)),
            None => {
                let shown = serde_as::shown(&text);
                let error = Diagnostic::error(format!("`{shown}` is not known without compiling"))
                    .at(self.place(&text), "decides what is on the wire")
                    .help("write the type on the wire: `#[schemars(with = \"…\")]`");
                schema.findings.push(error);
            }
        }
        Sparse::from(schema)
    }

    pub(super) fn variants(&mut self, item: &syn::ItemEnum) -> Vec<Variant> {
        let mut from = item.brace_token.span.open().byte_range().end + self.base;
        let mut variants = Vec::with_capacity(item.variants.len());
        for variant in &item.variants {
            let name_range = self.range(&variant.ident);
            let end = match (&variant.discriminant, &variant.fields) {
                (Some((_, value)), _) => self.range(value).end,
                (None, syn::Fields::Named(named)) => {
                    self.range(&named.brace_token.span.close()).end
                }
                (None, syn::Fields::Unnamed(tuple)) => {
                    self.range(&tuple.paren_token.span.close()).end
                }
                (None, syn::Fields::Unit) => name_range.end,
            };
            if self.is_off(&variant.attrs) {
                self.comments.ignore(from..end);
                from = self.after_comma(end);
                continue;
            }
            let (docs, own) = self.lead(&variant.attrs, from, name_range.start);
            // Go has no markers on enum values; report each one as misplaced.
            self.markers(own, Target::Variant);
            let fields = self.fields(&variant.fields);
            variants.push(self.variant(variant, docs, fields));
            from = self.after_comma(end);
        }
        variants
    }

    /// Reads the variants of an enum without fields and comments.
    pub(super) fn plain_variants(&mut self, item: &syn::ItemEnum) -> Vec<Variant> {
        let mut variants = Vec::with_capacity(item.variants.len());
        for variant in &item.variants {
            if self.is_off(&variant.attrs) {
                continue;
            }
            let (docs, _) = self.docs(&variant.attrs);
            let fields = Fields {
                fields: Vec::new(),
                style: Style::Unit,
            };
            variants.push(self.variant(variant, docs, fields));
        }
        variants
    }

    fn variant(&mut self, variant: &syn::Variant, docs: String, fields: Fields) -> Variant {
        let attributes = Attributes::new(&variant.attrs);
        let mut all = attributes.all().iter();
        Variant {
            name: ident_text(&variant.ident),
            place: self.place(&variant.ident),
            docs,
            conditional: !cfg(&variant.attrs).is_empty(),
            serde: self.serde(&variant.attrs),
            schema: self.schema(&variant.attrs),
            default: all.any(|it| it.path().is_ident("default") || default_derives::chooses(it)),
            fields,
        }
    }

    fn lead(
        &mut self,
        attrs: &[Attribute],
        from: usize,
        name_at: usize,
    ) -> (String, Vec<RawMarker>) {
        let lead = self.comments.lead(from, name_at);
        self.free(lead.far);
        let (docs, hidden) = self.docs(attrs);
        let mut own = lead.apart;
        own.extend(lead.own);
        own.extend(hidden);
        (docs, own)
    }

    fn after_comma(&self, end: usize) -> usize {
        let next = self.comments.skip_trivia(end);
        if self.comments.text().as_bytes().get(next) == Some(&b',') {
            next + 1
        } else {
            end
        }
    }
}
