//! Classifies unknown schema keywords: harmless, dropped by the API server, or misspelled.

use kube_schema::KEYWORDS;

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

/// Keywords of JSON Schema, OpenAPI and Kubernetes that do not constrain a value; `x-` keywords
/// other than Kubernetes' are ignored as well. The API server drops most of them.
#[rustfmt::skip]
const SILENT: [&str; 16] = [
    "$comment", "$id", "$schema", "allowEmptyValue", "contentEncoding", "contentMediaType",
    "deprecated", "discriminator", "examples", "id", "readOnly", "writeOnly",
    "x-kubernetes-group-version-kind", "x-kubernetes-patch-merge-key",
    "x-kubernetes-patch-strategy", "xml",
];

/// JSON Schema keywords that would constrain a value but that the API server drops. They are never
/// typos, however similar to a keyword.
#[rustfmt::skip]
const DROPPED: [&str; 20] = [
    "$anchor", "$defs", "$dynamicAnchor", "$dynamicRef", "$vocabulary", "const", "contains",
    "contentSchema", "dependentRequired", "dependentSchemas", "else", "if", "maxContains",
    "minContains", "prefixItems", "propertyNames", "then", "unevaluatedItems",
    "unevaluatedProperties", "x-kubernetes-unions",
];

const KUBERNETES: &str = "x-kubernetes-";

/// Whether a keyword can be ignored without loss.
pub(super) fn is_silent(key: &str) -> bool {
    SILENT.contains(&key) || (key.starts_with("x-") && !key.starts_with(KUBERNETES))
}

/// Returns the known keyword that was probably meant.
fn meant(key: &str) -> Option<String> {
    if DROPPED.contains(&key) {
        return None;
    }
    // A misspelled extension is another one, and anything else is none.
    let is_extension = key.starts_with(KUBERNETES);
    let known = KEYWORDS.iter().map(|keyword| keyword.name);
    let known =
        known.filter(|known| known.starts_with(KUBERNETES) == is_extension && !is_silent(known));
    let mut known: Vec<&str> = known
        .map(|known| known.trim_start_matches(KUBERNETES))
        .collect();
    known.sort_unstable();
    let near = closest(key.trim_start_matches(KUBERNETES), known)?;
    Some(match is_extension {
        true => format!("{KUBERNETES}{near}"),
        false => near.to_owned(),
    })
}

impl Reader<'_> {
    /// Reports an error for a forbidden or misspelled keyword, and one warning per CRD for a
    /// keyword that the API server drops.
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
