//! Converts a field of a Go struct to a [`Field`].

use super::{
    json_tag::JsonTag,
    markers::{docs, rules},
    merge,
    refs::{Ref, Refs},
    well_known,
};
use crate::{
    diag::Diagnostic,
    lower::{
        conversion,
        presence::{Requirement, default, marked_requirement},
        validation::immutable_once_set,
    },
    model::{
        CelRule, DeclaredAt, Field, GoField, GoValue, KnownType, Omission, TypeRef, Validation,
    },
    read::{
        go::{self, Package, Type},
        markers::{
            MarkerSet,
            field::{Nullable, Schemaless, ValidationOptional},
        },
    },
};

/// The struct that contains the fields.
pub(super) struct Owner<'a> {
    pub(super) package: &'a Package,
    /// Whether it is an API object, whose TypeMeta is implied and whose metadata is always present.
    pub(super) root: bool,
}

/// Whether the schema omits the value of the field, or the fields of the struct that it embeds.
pub(super) fn is_undeclared(source: &go::Field) -> bool {
    source.markers.has::<Schemaless>()
}

/// Converts the field to a property.
pub(super) fn field(
    refs: &mut Refs<'_, '_>,
    owner: &Owner<'_>,
    source: &go::Field,
    tag: &JsonTag<'_>,
) -> Field {
    let markers = &source.markers;
    let mut found = refs.resolve(&source.ty, &source.place);
    if tag.quoted && refs.is_number(&source.ty, &found.ty) {
        quote(refs, source, &mut found);
    }
    if is_undeclared(source) {
        // The constraints of its type are omitted from the schema as well.
        found.validation = Validation::default();
        found.docs.clear();
    }
    let pointer = matches!(source.ty, Type::Pointer(_));
    let json_name = tag.name.unwrap_or(&source.name).to_owned();
    let is_meta = owner.root && json_name == "metadata";
    // Go's encoder never considers a struct empty.
    let omits = match tag.omits {
        Omission::Empty if !pointer && refs.is_struct(&source.ty) => Omission::Never,
        omits => omits,
    };
    let strict = refs.cx.options.compat.is_strict();
    let marked = is_required(owner.package, markers, may_omit(strict, tag));
    let required = is_meta || marked;
    let mut validation = rules(refs.cx, markers, &found.ty, refs.home, refs.diagnostics);
    merge::fill(&mut validation, &found.validation);
    let docs = docs(&source.docs, markers);
    Field {
        docs: if docs.is_empty() { found.docs } else { docs },
        option: !is_meta && is_option(&found.ty, pointer, required, omits),
        required,
        nullable: markers.has::<Nullable>(),
        default: default(markers, &found.ty),
        validation,
        conversion: conversion::of_field(markers),
        go: Some(GoField {
            name: source.name.clone(),
            omits: tag.omits,
            pointer,
            required: marked,
            value: value(&source.ty),
        }),
        declared: DeclaredAt::marked(&source.place, source.markers.places()),
        json_name,
        ..Field::required("", found.ty)
    }
}

/// What the type says of the values beyond their schema.
fn value(ty: &Type) -> GoValue {
    match ty {
        Type::Pointer(inner) | Type::Slice(inner) | Type::Array(_, inner) | Type::Map(_, inner) => {
            value(inner)
        }
        Type::Basic("uint" | "uint8" | "uint16" | "uint32" | "uint64") => GoValue::Unsigned,
        Type::Imported(package, name, _) if well_known::is_duration(package, name) => {
            GoValue::Duration
        }
        _ => GoValue::Plain,
    }
}

/// Handles the option `,string`, with which Go writes numbers and booleans as strings, including
/// those of named types.
fn quote(refs: &mut Refs<'_, '_>, source: &go::Field, found: &mut Ref) {
    let strict = refs.cx.options.compat.is_strict();
    let consequence = match strict {
        true => "its schema and type are string",
        false => "its schema is number, as in controller-gen, and rejects what Go writes",
    };
    refs.diagnostics.push(
        Diagnostic::warning(format!(
            "`{}` is a string in JSON: its tag has the option `string`",
            source.name
        ))
        .at(source.place.clone(), consequence)
        .help("declare a string, or remove the option from the tag"),
    );
    if strict {
        found.ty = TypeRef::String;
        found.validation = Validation::default();
    }
}

/// Whether the field is required: markers decide, then the package's default, which makes fields
/// optional that the encoder may omit.
fn is_required(package: &Package, markers: &MarkerSet, may_omit: bool) -> bool {
    match marked_requirement(markers) {
        Some(marked) => marked == Requirement::Required,
        None => !may_omit && !package.markers.has::<ValidationOptional>(),
    }
}

/// Whether the Rust field is an `Option`: if the encoder may omit it or write null, and if the
/// schema does not require the property. A required string, list or map that is omitted when empty
/// does not need one.
fn is_option(ty: &TypeRef, pointer: bool, required: bool, omits: Omission) -> bool {
    let has_empty = matches!(ty, TypeRef::String | TypeRef::List(_) | TypeRef::Map(_));
    let zero_is_null = matches!(
        ty,
        TypeRef::Known(KnownType::Time | KnownType::MicroTime | KnownType::ByteString)
    );
    // A `Value` can hold null itself.
    if *ty == TypeRef::Any {
        return !required || omits != Omission::Never;
    }
    pointer || !required || zero_is_null || (omits != Omission::Never && !has_empty)
}

/// Returns the rules that keep optional immutable fields of a struct from being removed; the target
/// of a pointer may be absent altogether.
pub(super) fn immutable_rules(
    refs: &Refs<'_, '_>,
    owner: &Owner<'_>,
    sources: &[go::Field],
    through_pointer: bool,
) -> Vec<CelRule> {
    let strict = refs.cx.options.compat.is_strict();
    let rules = sources.iter().filter_map(|source| {
        let tag = JsonTag::of(source);
        let rule = immutable_once_set(tag.name.unwrap_or(&source.name), &source.markers)?;
        let required = is_required(owner.package, &source.markers, may_omit(strict, &tag));
        let stays = required && !(strict && through_pointer);
        (!stays && !tag.skip).then_some(rule)
    });
    rules.collect()
}

/// Whether the encoder may omit the field; controller-gen knows only `omitempty`.
const fn may_omit(strict: bool, tag: &JsonTag<'_>) -> bool {
    if strict {
        !matches!(tag.omits, Omission::Never)
    } else {
        tag.omits_empty
    }
}
