//! Checks that the schema itself accepts its defaults (`apiserver/schema/defaulting/validation.go`,
//! without CEL rules).

use super::embedded::{check_embedded, decode_error};
use super::node::Schema;
use super::prune::{is_meta, prune_value};
use super::validate::check;
use crate::field::Path;
use crate::field::{FieldError, FieldErrorKind};
use crate::metadata::DecodeMetadata;

/// Reports every default that has unknown fields or is invalid.
pub(crate) fn check_defaults(
    decode: DecodeMetadata,
    root: &Schema,
    path: &Path<'_>,
) -> Vec<FieldError> {
    let mut errors = Vec::new();
    node(decode, root, path, Place::Resource, &mut errors);
    errors
}

/// The position of a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the root of a resource.
    Resource,
    /// In the metadata of a resource or an embedded one, whose unknown fields are not pruned.
    Metadata,
    Below,
}

fn node(
    decode: DecodeMetadata,
    schema: &Schema,
    path: &Path<'_>,
    place: Place,
    errors: &mut Vec<FieldError>,
) {
    let is_resource = place == Place::Resource || schema.embedded;
    let is_metadata = place == Place::Metadata && !schema.embedded;
    let below = if is_metadata {
        Place::Metadata
    } else {
        Place::Below
    };
    if let Some(default) = &schema.default {
        let here = path.child("default");
        if !is_metadata {
            let mut pruned = default.clone();
            if prune_value(decode, schema, &mut pruned) {
                let detail = "must not have unknown fields";
                errors.push(FieldError::with_value(
                    here.field(),
                    FieldErrorKind::Invalid,
                    default.clone(),
                    detail,
                ));
            }
        }
        let mut found: Vec<FieldError> = decode_error(decode, schema, &here, default)
            .into_iter()
            .collect();
        if found.is_empty() {
            check_embedded(decode, schema, &here, default, &mut found);
        }
        if found.is_empty() {
            found = check(schema, &Path::root(""), default, None).into_errors();
            found.iter_mut().for_each(|error| place_below(error, &here));
        }
        errors.append(&mut found);
    }
    if let Some(items) = schema.items.as_deref() {
        node(decode, items, &path.child("items"), below, errors);
    }
    let properties = path.child("properties");
    for (name, property) in &schema.properties {
        let place = if is_resource && is_meta(name) {
            Place::Metadata
        } else {
            below
        };
        node(decode, property, &properties.key(name), place, errors);
    }
}

/// Makes the path absolute: validation starts at the default, so that its errors have relative
/// paths.
fn place_below(error: &mut FieldError, path: &Path<'_>) {
    error.field = match error.field.as_str() {
        "<nil>" | "" => path.field(),
        field => format!("{}.{field}", path.render()),
    };
}
