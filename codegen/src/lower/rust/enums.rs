//! Enums: strings with known values, and unions.

use super::{
    Cx,
    attributes::is_skipped,
    types::{Owner, report_same_names},
    wire_names::{report_not_read, wire_name},
};
use crate::{
    diag::Diagnostics,
    model::{
        DerivedSchema, EnumDef, Field, TypeKind, TypeRef, UnionDef, UnionVariant, Variant,
        names::Renamed,
    },
    read::rust::{self, Item, Layout, Renaming, Style},
};

impl Cx<'_> {
    pub(super) fn enum_kind(
        &self,
        item: &Item,
        variants: &[rust::Variant],
        diagnostics: &mut Diagnostics,
    ) -> TypeKind {
        let variants: Vec<&rust::Variant> = variants
            .iter()
            .filter(|variant| !is_skipped(item, variant))
            .collect();
        let serde = &item.serde;
        let case = serde.rename_all.as_deref();
        let tagged = serde.tag.is_some() || serde.untagged || serde.content.is_some();
        let open = variants
            .iter()
            .position(|variant| self.is_open(item, variant));
        let closed = |index: usize| Some(index) != open;
        let units = variants
            .iter()
            .enumerate()
            .filter(|(index, _)| closed(*index))
            .all(|(_, variant)| variant.fields.style == Style::Unit);
        if tagged || !units || variants.is_empty() {
            return self.union(item, &variants, diagnostics);
        }
        let mut def = EnumDef {
            open: open.map(|index| variants[index].name.clone()),
            ..EnumDef::default()
        };
        for (_, variant) in variants
            .iter()
            .enumerate()
            .filter(|(index, _)| closed(*index))
        {
            if variant.default {
                def.default = Some(def.variants.len());
            }
            let value = wire_name(
                &variant.name,
                &variant.serde,
                case,
                Renamed::Variant,
                &variant.place,
                diagnostics,
            );
            report_variant(item, variant, &value, diagnostics);
            def.variants.push(Variant {
                name: variant.name.clone(),
                value,
                docs: variant.docs.clone(),
            });
        }
        let places = variants
            .iter()
            .enumerate()
            .filter(|(index, _)| closed(*index))
            .map(|(_, variant)| &variant.place);
        let values = def.variants.iter().map(|variant| variant.value.as_str());
        report_same_names("variants", values.zip(places), diagnostics);
        TypeKind::Enum(def)
    }

    /// Whether it is `#[serde(untagged)] Other(String)`, which holds any value that the other
    /// variants do not.
    fn is_open(&self, item: &Item, variant: &rust::Variant) -> bool {
        variant.serde.untagged
            && variant.fields.style == Style::Tuple
            && matches!(variant.fields.fields.as_slice(), [only]
                if self.reference(item, &only.ty, &mut Diagnostics::new()) == TypeRef::String)
    }

    fn union(
        &self,
        item: &Item,
        variants: &[&rust::Variant],
        diagnostics: &mut Diagnostics,
    ) -> TypeKind {
        let serde = &item.serde;
        let variants = variants
            .iter()
            .map(|variant| {
                let case = variant
                    .serde
                    .rename_all
                    .as_deref()
                    .or(serde.rename_all_fields.as_deref());
                let reading = variant.serde.for_reading(Renaming::All);
                let owner = Owner {
                    item,
                    case,
                    reading: reading.or_else(|| serde.for_reading(Renaming::AllFields)),
                    defaults: false,
                };
                let json_name = wire_name(
                    &variant.name,
                    &variant.serde,
                    serde.rename_all.as_deref(),
                    Renamed::Variant,
                    &variant.place,
                    diagnostics,
                );
                if !serde.untagged && !variant.serde.untagged {
                    report_variant(item, variant, &json_name, diagnostics);
                }
                let (fields, named) = match self.replaced(item, variant, diagnostics) {
                    Some(data) => (vec![data], false),
                    None => {
                        let fields = self.fields(&owner, &variant.fields.fields, diagnostics);
                        (fields, variant.fields.style == Style::Named)
                    }
                };
                UnionVariant {
                    name: variant.name.clone(),
                    json_name,
                    docs: variant.docs.clone(),
                    fields,
                    named,
                    untagged: variant.serde.untagged,
                }
            })
            .collect();
        TypeKind::Union(UnionDef {
            variants,
            tag: serde.tag.clone(),
            content: serde.content.clone(),
            untagged: serde.untagged,
        })
    }
}

impl Cx<'_> {
    /// The data of a variant whose schema is that of another type, or that of a function.
    fn replaced(
        &self,
        item: &Item,
        variant: &rust::Variant,
        diagnostics: &mut Diagnostics,
    ) -> Option<Field> {
        if self.package.layout != Layout::Crate || variant.fields.style == Style::Unit {
            return None;
        }
        let schema = &variant.schema;
        let code = schema.code.clone();
        let ty = match (&schema.with, &code) {
            (Some(with), _) => self.reference(item, with, diagnostics),
            (None, Some(_)) => TypeRef::Any,
            (None, None) => return None,
        };
        Some(Field {
            derived: Some(Box::new(DerivedSchema {
                code,
                ..DerivedSchema::default()
            })),
            ..Field::required("0", ty)
        })
    }
}

/// Warns of a variant that serde reads under another name than it writes.
fn report_variant(
    item: &Item,
    variant: &rust::Variant,
    written: &str,
    diagnostics: &mut Diagnostics,
) {
    let case = item.serde.for_reading(Renaming::All);
    let (name, wire) = (&variant.name, (written, case, Renamed::Variant));
    report_not_read(
        item,
        (name, &variant.serde),
        wire,
        &variant.place,
        diagnostics,
    );
}
