//! Compares two versions of a CRD: who is hurt by a change, with a witness where there is one.
//!
//! The structure of both schemas is walked, and every keyword that differs is one [`Finding`]. A
//! comparison proposes values that only one of the schemas accepts; each is put into a small
//! object, and both schemas are run over it as kube-apiserver does (pruning, defaults, validation,
//! CEL rules, ratcheting). Nothing counts as a witness that was not run. Start reading at
//! [`compare`]; [`RULES`] lists the findings, `keywords` has one comparison a keyword.
//!
//! # Limits
//! What an OpenAPI schema cannot tell is not compared: webhooks, controllers, and the meaning of
//! descriptions. Whether a rule in CEL, or a combination of schemas (`not`, `oneOf`), refuses what
//! the other accepts is searched for among [`Options::budget`] objects.

mod change;
mod columns;
mod conversion;
mod decode;
mod definition;
mod finding;
mod judge;
mod keywords;
mod language;
mod place;
mod reach;
mod rules;
mod run;
mod sample;
mod suggest;
#[cfg(test)]
mod tests;
mod variants;
mod version;
mod versions;
mod walk;
mod witness;

use serde_json::Value;

pub use finding::{Finding, Harm, Severity, Who, Witness};
pub use place::{Pointer, pointer_text};
pub use rules::{RULES, Rule};
pub use suggest::{Step, suggest};

/// What a comparison may do.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many objects are tried for one change before it counts as one without a witness.
    pub budget: usize,
    /// Objects of the kinds that are compared, from which the search starts too.
    pub samples: Vec<Value>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            budget: 2_000,
            samples: Vec::new(),
        }
    }
}

/// Compares two CRDs in the form of `apiextensions.k8s.io/v1`, of the same group and kind. Findings
/// are in the order of the new CRD: the definition, then version by version, each by path.
#[must_use]
pub fn compare(old: &Value, new: &Value, options: &Options) -> Vec<Finding> {
    if old == new {
        return Vec::new();
    }
    let mut found = definition::compare(old, new);
    found.extend(versions::compare(old, new, options));
    found.extend(conversion::compare(old, new, options));
    found
}

/// The finding of a CRD that is gone.
#[must_use]
pub fn removed(old: &Value) -> Finding {
    definition::removed(old)
}

/// The finding of a CRD that is new.
#[must_use]
pub fn added(new: &Value) -> Finding {
    definition::added(new)
}
