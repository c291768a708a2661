//! The rules that make a schema structural
//! (`apiextensions-apiserver/pkg/apiserver/schema/validation.go`).

use super::check_complete::complete;
use super::pattern::check_pattern;
use super::props::{Props, RawAdditional};
use crate::field::Path;
use crate::field::{FieldError, FieldErrorKind};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// Returns every violation, sorted by message.
pub(crate) fn check_structural(root: Props<'_>, path: &Path<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    invariants(root, Level::Root, path, &mut errors);
    complete(root, Some(root), path, path, &mut errors);
    errors.sort_by_cached_key(ToString::to_string);
    errors
}

/// Returns why the schema cannot be interpreted as structural at all, if so.
pub(crate) fn unsupported(props: Props<'_>) -> Option<String> {
    #[rustfmt::skip]
    let own = [
        ("id", !props.text("id").is_empty()),
        ("schema", !props.text("$schema").is_empty()),
        ("$ref", !props.text("$ref").is_empty()),
        ("patternProperties",
            props.get("patternProperties").is_some_and(|v| v.as_object().is_none_or(|m| !m.is_empty()))),
        ("dependencies", props.get("dependencies").is_some_and(|v| v.as_object().is_none_or(|m| !m.is_empty()))),
        ("additionalItems", props.has("additionalItems")),
        ("definitions", props.get("definitions").is_some_and(|v| v.as_object().is_none_or(|m| !m.is_empty()))),
    ];
    if let Some((name, _)) = own.into_iter().find(|(_, present)| *present) {
        return Some(format!("OpenAPIV3Schema '{name}' is not supported"));
    }
    if props
        .get("x-kubernetes-preserve-unknown-fields")
        .is_some_and(|value| value == false)
    {
        return Some(
            "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
                .to_owned(),
        );
    }
    if !props.list("items").is_empty() {
        return Some("OpenAPIV3Schema 'items' must be a schema, but is an array".to_owned());
    }
    let branches = ["allOf", "anyOf", "oneOf"]
        .into_iter()
        .flat_map(|key| props.branches(key));
    props
        .not()
        .into_iter()
        .chain(branches)
        .chain(props.items())
        .chain(props.properties().map(|(_, below)| below))
        .chain(props.additional_schema())
        .find_map(unsupported)
}

fn push(errors: &mut Vec<FieldError>, kind: FieldErrorKind, field: String, detail: &str) {
    errors.push(FieldError::new(field, kind, detail));
}

fn forbid(errors: &mut Vec<FieldError>, path: &Path<'_>, key: &str, detail: &str) {
    push(
        errors,
        FieldErrorKind::Forbidden,
        path.field_of(key),
        detail,
    );
}

fn require(errors: &mut Vec<FieldError>, path: &Path<'_>, key: &str, detail: &str) {
    push(errors, FieldErrorKind::Required, path.field_of(key), detail);
}

fn refuse(
    errors: &mut Vec<FieldError>,
    path: &Path<'_>,
    key: &str,
    value: impl Into<serde_json::Value>,
    detail: &str,
) {
    errors.push(FieldError::with_value(
        path.field_of(key),
        FieldErrorKind::Invalid,
        value.into(),
        detail,
    ));
}

fn invariants(props: Props<'_>, level: Level, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if props.type_name() == "array" && props.items().is_none() {
        require(errors, path, "items", "must be specified");
    }
    if let Some(items) = props.items() {
        invariants(items, Level::Item, &path.child("items"), errors);
    }
    let properties = path.child("properties");
    for (name, property) in props.properties() {
        invariants(property, Level::Field, &properties.key(name), errors);
    }
    if let Some(additional) = props.additional() {
        if level == Level::Root {
            forbid(
                errors,
                path,
                "additionalProperties",
                "must not be used at the root",
            );
        }
        if let RawAdditional::Schema(below) = additional {
            invariants(
                below,
                Level::Field,
                &path.child("additionalProperties"),
                errors,
            );
        }
    }
    extensions(props, path, errors);
    let skip = Skip {
        any_of: is_int_or_string(props, "anyOf"),
        first_all_of: props
            .branches("allOf")
            .next()
            .is_some_and(|first| is_int_or_string(first, "anyOf")),
    };
    value_validation(props, skip, path, errors);
    types(props, level, path, errors);
    metadata(props, level, path, errors);
}

fn extensions(props: Props<'_>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if props.flag("x-kubernetes-int-or-string") {
        for key in [
            "x-kubernetes-preserve-unknown-fields",
            "x-kubernetes-embedded-resource",
        ] {
            if props.flag(key) {
                refuse(
                    errors,
                    path,
                    key,
                    true,
                    "must be false if x-kubernetes-int-or-string is true",
                );
            }
        }
    }
}

fn types(props: Props<'_>, level: Level, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let type_name = props.type_name();
    let embedded = props.flag("x-kubernetes-embedded-resource");
    if embedded && type_name != "object" {
        let detail = "must be object if x-kubernetes-embedded-resource is true";
        if type_name.is_empty() {
            require(errors, path, "type", detail);
        } else {
            refuse(errors, path, "type", type_name, detail);
        }
    } else if type_name.is_empty()
        && !props.flag("x-kubernetes-int-or-string")
        && !props.flag("x-kubernetes-preserve-unknown-fields")
    {
        let detail = match level {
            Level::Root => "must not be empty at the root",
            Level::Item => "must not be empty for specified array items",
            Level::Field => "must not be empty for specified object fields",
        };
        require(errors, path, "type", detail);
    }
    if embedded && props.additional().is_some() {
        let detail = "must not be used if x-kubernetes-embedded-resource is set";
        forbid(errors, path, "additionalProperties", detail);
    }
    if level == Level::Root && !type_name.is_empty() && type_name != "object" {
        refuse(
            errors,
            path,
            "type",
            type_name,
            "must be object at the root",
        );
    }
}

fn metadata(props: Props<'_>, level: Level, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let embedded = props.flag("x-kubernetes-embedded-resource");
    let implicit = level == Level::Root || embedded;
    let properties = path.child("properties");
    for name in ["kind", "apiVersion"] {
        if let Some(property) = props
            .property(name)
            .filter(|p| implicit && p.type_name() != "string")
        {
            refuse(
                errors,
                &properties.key(name),
                "type",
                property.type_name(),
                "must be string",
            );
        }
    }
    if let Some(property) = props.property("metadata") {
        let here = properties.key("metadata");
        if implicit && property.type_name() != "object" {
            refuse(
                errors,
                &here,
                "type",
                property.type_name(),
                "must be object",
            );
        }
        if level == Level::Root && restricts_more_than_names(property) {
            let detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
            push(errors, FieldErrorKind::Forbidden, here.field(), detail);
        }
    }
    if embedded
        && !props.flag("x-kubernetes-preserve-unknown-fields")
        && props.properties().next().is_none()
    {
        let detail = "must not be empty if x-kubernetes-embedded-resource is true without \
                      x-kubernetes-preserve-unknown-fields";
        require(errors, path, "properties", detail);
    }
}

fn restricts_more_than_names(metadata: Props<'_>) -> bool {
    let properties: Vec<&str> = metadata.properties().map(|(name, _)| name).collect();
    let only_names = properties
        .iter()
        .all(|name| matches!(*name, "name" | "generateName"));
    !only_names || metadata.restricts_beyond(&["type", "properties", "default"])
}

/// Whether a list of branches is exactly integer or string.
fn is_int_or_string(props: Props<'_>, key: &str) -> bool {
    let mut branches = props.branches(key);
    let mut plain = |name| {
        branches
            .next()
            .is_some_and(|branch| branch.type_name() == name && !branch.restricts_beyond(&["type"]))
    };
    plain("integer") && plain("string") && branches.next().is_none()
}

#[derive(Clone, Copy, Default)]
struct Skip {
    any_of: bool,
    first_all_of: bool,
}

fn value_validation(props: Props<'_>, skip: Skip, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for key in ["anyOf", "allOf", "oneOf"] {
        let list = path.child(key);
        for (i, branch) in props.branches(key).enumerate() {
            if key == "anyOf" && skip.any_of {
                continue;
            }
            let below = Skip {
                any_of: key == "allOf" && i == 0 && skip.first_all_of,
                first_all_of: false,
            };
            nested(branch, below, &list.index(i), errors);
        }
    }
    if let Some(not) = props.not() {
        nested(not, Skip::default(), &path.child("not"), errors);
    }
    let pattern = props.text("pattern");
    if let Err(error) = check_pattern(pattern) {
        let detail = format!("must be a valid regular expression, but isn't: {error}");
        refuse(errors, path, "pattern", pattern, &detail);
    }
}

fn nested(props: Props<'_>, skip: Skip, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    value_validation(props, skip, path, errors);
    if let Some(items) = props.items() {
        nested(items, Skip::default(), &path.child("items"), errors);
    }
    let properties = path.child("properties");
    for (name, property) in props.properties() {
        nested(property, Skip::default(), &properties.key(name), errors);
    }
    if !props.type_name().is_empty() {
        forbid(errors, path, "type", "must be empty to be structural");
    }
    if props
        .additional()
        .is_some_and(|additional| !matches!(additional, RawAdditional::Bool(false)))
    {
        forbid(
            errors,
            path,
            "additionalProperties",
            "must be undefined to be structural",
        );
    }
    if props.has("default") {
        forbid(
            errors,
            path,
            "default",
            "must be undefined to be structural",
        );
    }
    forbidden_keys(props, path, errors);
    if props.property("metadata").is_some() {
        let detail = "must not be specified in a nested context";
        push(
            errors,
            FieldErrorKind::Forbidden,
            properties.key("metadata").field(),
            detail,
        );
    }
}

/// Reports keys that only a structural node may have.
fn forbidden_keys(props: Props<'_>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for key in ["title", "description"] {
        if !props.text(key).is_empty() {
            forbid(errors, path, key, "must be empty to be structural");
        }
    }
    for key in [
        "nullable",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
    ] {
        if props.flag(key) {
            forbid(errors, path, key, "must be false to be structural");
        }
    }
    for key in ["x-kubernetes-list-map-keys", "x-kubernetes-validations"] {
        if !props.list(key).is_empty() {
            forbid(errors, path, key, "must be empty to be structural");
        }
    }
    for key in ["x-kubernetes-list-type", "x-kubernetes-map-type"] {
        if props.has(key) {
            forbid(errors, path, key, "must be undefined to be structural");
        }
    }
}
