//! Detects attributes that make the schema differ from what serde writes, so that the API server
//! would reject or drop what the program sends.

use super::{super::Cx, derives_schema};
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    lower::rust::wire_names::wire_name,
    model::{DerivedSchema, TypeRef, names::Renamed},
    read::rust::{Body, Field, Item, SchemaAttrs, SerdeAttrs, Variant},
};

/// serde attributes that determine the wire format; a schema that unsets them describes a different
/// format.
#[rustfmt::skip]
const ON_THE_WIRE: [&str; 10] = [
    "content", "flatten", "from", "rename", "rename_all", "rename_all_fields", "tag", "transparent",
    "try_from", "untagged",
];

impl Cx<'_> {
    /// Returns what schemars attributes declare for a field's schema.
    pub(in crate::lower::rust) fn derived_field(
        &self,
        item: &Item,
        field: &Field,
        (json_name, schema_type, required): (&str, &TypeRef, bool),
    ) -> Option<Box<DerivedSchema>> {
        if !derives_schema(item) {
            return None;
        }
        let mut findings = field.schema.findings.clone();
        check_names(&field.schema, &field.serde, Some(json_name), &mut findings);
        if is_undeclared(field) {
            let place = skip_place(&field.schema).unwrap_or(&field.place);
            let message =
                format!("the schema does not declare `{json_name}`, which the program sends");
            findings.push(
                Diagnostic::warning(message)
                    .at(place.clone(), "the API server drops it")
                    .help("write `#[serde(skip)]` if it is not part of the API"),
            );
        }
        let is_option = matches!(schema_type, TypeRef::Optional(_));
        Some(Box::new(DerivedSchema {
            code: field.schema.code.clone(),
            ty: field.schema.with.is_some().then(|| match schema_type {
                TypeRef::Optional(inner) => TypeRef::clone(inner),
                other => other.clone(),
            }),
            // A flattened field is not a value itself.
            nullable: is_option
                && field.schema.schema_with.is_none()
                && !required
                && !field.serde.flatten
                && field.schema.required.is_none(),
            findings,
        }))
    }

    /// Returns what schemars attributes, or a handwritten implementation, declare for a type's
    /// schema.
    pub(in crate::lower::rust) fn derived_type(&self, item: &Item) -> Option<Box<DerivedSchema>> {
        let mut findings = item.schema.findings.clone();
        findings.extend(undeclared_tag(item));
        if !derives_schema(item) {
            let derived = DerivedSchema {
                code: item.schema.code.clone(),
                findings,
                ..DerivedSchema::default()
            };
            return (derived != DerivedSchema::default()).then(|| Box::new(derived));
        }
        check_names(&item.schema, &item.serde, None, &mut findings);
        if let Body::Enum(variants) = &item.body {
            for variant in variants {
                check_variant(item, variant, &mut findings);
            }
        }
        let with = item.schema.with.as_ref();
        let ty = with.map(|ty| self.reference(item, ty, &mut Diagnostics::new()));
        let derived = DerivedSchema {
            ty,
            code: item.schema.code.clone(),
            nullable: false,
            findings,
        };
        (derived != DerivedSchema::default()).then(|| Box::new(derived))
    }
}

/// Warns of the tag that serde writes into a struct, which is not among its fields.
fn undeclared_tag(item: &Item) -> Option<Diagnostic> {
    let tag = item.serde.tag.as_ref()?;
    if !matches!(item.body, Body::Struct(_)) {
        return None;
    }
    let message = format!(
        "the schema does not declare `{tag}`, which serde writes with the name of `{}`",
        item.name
    );
    Some(
        Diagnostic::warning(message)
            .at(item.place.clone(), "the API server drops it")
            .help("remove `tag` from the struct, and declare a field if the API needs it"),
    )
}

/// Whether the schema omits a field that serde writes.
pub(in crate::lower::rust) fn is_undeclared(field: &Field) -> bool {
    !field.serde.skip && skip_place(&field.schema).is_some()
}

/// Whether a variant is excluded from the API.
pub(in crate::lower::rust) fn is_skipped(item: &Item, variant: &Variant) -> bool {
    variant.serde.skip || (derives_schema(item) && skip_place(&variant.schema).is_some())
}

fn skip_place(schema: &SchemaAttrs) -> Option<&Place> {
    schema
        .flag("skip")
        .or_else(|| schema.flag("skip_deserializing"))
}

fn check_variant(item: &Item, variant: &Variant, findings: &mut Vec<Diagnostic>) {
    findings.extend(variant.schema.findings.iter().cloned());
    let case = item.serde.rename_all.as_deref();
    let (place, silent) = (&variant.place, &mut Diagnostics::new());
    let name = wire_name(
        &variant.name,
        &variant.serde,
        case,
        Renamed::Variant,
        place,
        silent,
    );
    check_names(&variant.schema, &variant.serde, Some(&name), findings);
    if let Some(place) = skip_place(&variant.schema).filter(|_| !variant.serde.skip) {
        let message = format!("the schema does not permit `{name}`, which the program may send");
        findings.push(
            Diagnostic::warning(message)
                .at(place.clone(), "the API server refuses it")
                .help("write `#[serde(skip)]` if it is not part of the API"),
        );
    }
}

/// Reports names and forms that differ from serde's; `name` is the JSON name of a field or variant.
fn check_names(
    schema: &SchemaAttrs,
    serde: &SerdeAttrs,
    name: Option<&str>,
    findings: &mut Vec<Diagnostic>,
) {
    for (word, given) in &schema.names {
        let on_the_wire = match *word {
            // For a type, this is only the name of its schema.
            "rename" if name.is_none() => continue,
            "rename" => name,
            "rename_all" => serde.rename_all.as_deref(),
            "rename_all_fields" => serde.rename_all_fields.as_deref(),
            "tag" => serde.tag.as_deref(),
            _ => serde.content.as_deref(),
        };
        if on_the_wire != Some(&given.value) {
            let found = on_the_wire.map_or_else(
                || "nothing equivalent".to_owned(),
                |name| format!("`{name}`"),
            );
            let message = format!(
                "schemars and serde disagree: `{word}` is `{}` in the schema",
                given.value
            );
            findings.push(differs(
                message,
                &given.place,
                &format!("serde has {found}"),
            ));
        }
    }
    for (word, has) in [("flatten", serde.flatten), ("untagged", serde.untagged)] {
        if let Some(place) = schema.flag(word).filter(|_| !has) {
            let message = format!("schemars and serde disagree: only the schema is `{word}`");
            findings.push(differs(message, place, "not set for serde"));
        }
    }
    for unset in &schema.unset {
        if ON_THE_WIRE.contains(&unset.value.as_str()) {
            let message = format!(
                "schemars and serde disagree: the schema unsets `{}`",
                unset.value
            );
            findings.push(differs(message, &unset.place, "still set for serde"));
        }
    }
}

fn differs(message: String, place: &Place, label: &str) -> Diagnostic {
    Diagnostic::error(message)
        .at(place.clone(), label)
        .help("the API server refuses or drops what the program sends: write it as `#[serde(…)]`, which schemars reads too")
}
