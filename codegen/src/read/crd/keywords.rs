//! Keywords of schemas: those that the API server knows, those that say nothing, and words that are neither.

use super::fields::Reader;
use crate::{read::yaml::Node, suggest::closest};

/// Keywords of JSON Schema that a structural schema must not have, with what to do instead.
const FORBIDDEN: [(&str, &str); 5] = [
    (
        "$ref",
        "write the referenced schema in place: a CRD cannot refer",
    ),
    (
        "definitions",
        "write the definitions in place: a CRD cannot refer",
    ),
    ("dependencies", "use `x-kubernetes-validations` instead"),
    (
        "patternProperties",
        "use `additionalProperties` with `x-kubernetes-validations` instead",
    ),
    ("additionalItems", "use `items`"),
];

/// Keywords of JSON Schema, OpenAPI and Kubernetes' own types that demand nothing of a value; any `x-` keyword that is not
/// Kubernetes' is passed over as well. The API server drops most of them.
#[rustfmt::skip]
const SILENT: [&str; 16] = [
    "$comment", "$id", "$schema", "allowEmptyValue", "contentEncoding", "contentMediaType",
    "deprecated", "discriminator", "examples", "id", "readOnly", "writeOnly",
    "x-kubernetes-group-version-kind", "x-kubernetes-patch-merge-key",
    "x-kubernetes-patch-strategy", "xml",
];

/// Keywords of JSON Schema that would demand something, were they not dropped by the API server: no slips of the pen, however
/// near one of [`KEYWORDS`].
#[rustfmt::skip]
const DROPPED: [&str; 20] = [
    "$anchor", "$defs", "$dynamicAnchor", "$dynamicRef", "$vocabulary", "const", "contains",
    "contentSchema", "dependentRequired", "dependentSchemas", "else", "if", "maxContains",
    "minContains", "prefixItems", "propertyNames", "then", "unevaluatedItems",
    "unevaluatedProperties", "x-kubernetes-unions",
];

/// Suggestions for unknown words. Kubernetes' own stand without their prefix, [`KUBERNETES`].
#[rustfmt::skip]
const KEYWORDS: [&str; 35] = [
    "$ref", "additionalItems", "additionalProperties", "allOf", "anyOf", "default", "definitions",
    "dependencies", "description", "enum", "example", "exclusiveMaximum", "exclusiveMinimum",
    "externalDocs", "format", "items", "maxItems", "maxLength", "maxProperties", "maximum",
    "minItems", "minLength", "minProperties", "minimum", "multipleOf", "not", "nullable", "oneOf",
    "pattern", "patternProperties", "properties", "required", "title", "type", "uniqueItems",
];

const KUBERNETES: &str = "x-kubernetes-";

const EXTENSIONS: [&str; 7] = [
    "embedded-resource",
    "int-or-string",
    "list-map-keys",
    "list-type",
    "map-type",
    "preserve-unknown-fields",
    "validations",
];

/// Whether a keyword says nothing to us, and nothing is lost with it.
pub(super) fn is_silent(key: &str) -> bool {
    SILENT.contains(&key) || (key.starts_with("x-") && !key.starts_with(KUBERNETES))
}

/// The keyword that an unknown word was meant to be.
fn meant(key: &str) -> Option<String> {
    if DROPPED.contains(&key) {
        return None;
    }
    match key.strip_prefix(KUBERNETES) {
        Some(rest) => closest(rest, EXTENSIONS).map(|near| format!("{KUBERNETES}{near}")),
        None => closest(key, KEYWORDS).map(str::to_owned),
    }
}

impl Reader<'_> {
    /// An error for what is forbidden or a slip; a warning, the first time in a CRD, for what the API server drops.
    pub(super) fn unknown_keyword(&mut self, key: &str, at: &Node) {
        if let Some((_, help)) = FORBIDDEN.iter().find(|(name, _)| *name == key) {
            self.error(
                at,
                format!("`{key}` is not allowed in the schema of a CRD"),
                *help,
            );
        } else if let Some(near) = meant(key) {
            let help = format!("did you mean `{near}`?");
            self.error(at, format!("`{key}` is not a keyword of CRD schemas"), help);
        } else if self.dropped.insert(key.to_owned()) {
            self.warn(
                at,
                format!("`{key}` is not a keyword of CRD schemas, and ignored"),
                "leave it out: the API server drops it too",
            );
        }
    }
}
