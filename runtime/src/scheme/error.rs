//! Errors between bytes and a registered object.

use std::error::Error;

/// An error of a [`Scheme`](super::Scheme).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemeError {
    /// Two types claim one kind.
    #[error("{kind} is registered for {registered}, it cannot be registered for {rejected} too")]
    Conflict {
        /// The kind, as `group/version, Kind=kind`.
        kind: String,
        /// The type that has it.
        registered: &'static str,
        /// The type that was refused.
        rejected: &'static str,
    },
    /// No type is registered for a kind.
    #[error(
        "no kind {kind:?} is registered for version {api_version:?}{}",
        hint(other_versions)
    )]
    NotRegistered {
        /// The kind.
        kind: String,
        /// Its apiVersion.
        api_version: String,
        /// The versions of the same group for which the kind is registered.
        other_versions: Vec<String>,
    },
    /// The text is neither JSON nor YAML.
    #[error("cannot parse the {syntax}: {source}")]
    Syntax {
        /// `JSON` or `YAML`.
        syntax: &'static str,
        /// Where and why.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The object says no kind or no apiVersion.
    #[error("object {name:?} has no {field}")]
    MissingType {
        /// `kind` or `apiVersion`.
        field: &'static str,
        /// The object's name, empty if it has none.
        name: String,
    },
    /// The object does not fit its type.
    #[error("cannot decode {kind} {name:?}: {source}")]
    Decode {
        /// The kind, as `group/version, Kind=kind`.
        kind: String,
        /// The object's name, empty if it has none.
        name: String,
        /// Where and why.
        source: serde_json::Error,
    },
    /// One object was expected and there were several, or none.
    #[error("expected one object, found {0}")]
    NotSingle(usize),
    /// An object of a stream or list is bad; the first is number 0.
    #[error("object {index}: {source}")]
    At {
        /// Its place among all objects of the stream, lists counted item by item.
        index: usize,
        /// The defect.
        source: Box<SchemeError>,
    },
    /// No chain of conversion functions leads from one kind to the other.
    #[error("no conversion from {from} to {to}")]
    NoConversion {
        /// The kind at hand.
        from: String,
        /// The kind asked for.
        to: String,
    },
    /// A conversion function failed.
    #[error("converting {from} to {to}: {source}")]
    Conversion {
        /// The kind at hand.
        from: String,
        /// The kind asked for.
        to: String,
        /// The function's error.
        source: Box<dyn Error + Send + Sync>,
    },
}

fn hint(other_versions: &[String]) -> String {
    if other_versions.is_empty() {
        String::new()
    } else {
        format!(" (only for {})", other_versions.join(", "))
    }
}
