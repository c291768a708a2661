//! Classifies unknown schema keywords: harmless, dropped by the API server, or misspelled.

use super::fields::Reader;
use crate::{read::yaml::Node, suggest::closest};

/// JSON Schema keywords that are forbidden in a structural schema, with the remedy.
const FORBIDDEN: [(&str, &str); 5] = [
    (
        "$ref",
        "inline the referenced schema: CRD schemas do not support references",
    ),
    (
        "definitions",
        "inline the definitions: CRD schemas do not support references",
    ),
    ("dependencies", "use `x-kubernetes-validations` instead"),
    (
        "patternProperties",
        "use `additionalProperties` with `x-kubernetes-validations` instead",
    ),
    ("additionalItems", "use `items`"),
];

/// Keywords of JSON Schema, OpenAPI and Kubernetes that do not constrain a value; `x-` keywords other than Kubernetes' are ignored as well.
/// The API server drops most of them.
#[rustfmt::skip]
const SILENT: [&str; 16] = [
    "$comment", "$id", "$schema", "allowEmptyValue", "contentEncoding", "contentMediaType",
    "deprecated", "discriminator", "examples", "id", "readOnly", "writeOnly",
    "x-kubernetes-group-version-kind", "x-kubernetes-patch-merge-key",
    "x-kubernetes-patch-strategy", "xml",
];

/// JSON Schema keywords that would constrain a value but that the API server drops. They are never typos, however similar to one of
/// [`KEYWORDS`].
#[rustfmt::skip]
const DROPPED: [&str; 20] = [
    "$anchor", "$defs", "$dynamicAnchor", "$dynamicRef", "$vocabulary", "const", "contains",
    "contentSchema", "dependentRequired", "dependentSchemas", "else", "if", "maxContains",
    "minContains", "prefixItems", "propertyNames", "then", "unevaluatedItems",
    "unevaluatedProperties", "x-kubernetes-unions",
];

/// Suggestions for unknown keywords, without those that start with [`KUBERNETES`].
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

/// Whether a keyword can be ignored without loss.
pub(super) fn is_silent(key: &str) -> bool {
    SILENT.contains(&key) || (key.starts_with("x-") && !key.starts_with(KUBERNETES))
}

/// Returns the known keyword that was probably meant.
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
    /// Reports an error for a forbidden or misspelled keyword, and one warning per CRD for a keyword that the API server drops.
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
                format!("`{key}` is not a keyword of CRD schemas and is ignored"),
                "remove it: the API server drops it too",
            );
        }
    }
}
