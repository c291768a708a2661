//! Errors of decoding, registering and converting objects.

use std::error::Error;

/// An error of a [`Scheme`](super::Scheme).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemeError {
    /// Two types are registered for one kind.
    #[error("{kind} is registered for {registered}, it cannot be registered for {rejected} too")]
    Conflict {
        /// The kind, as `group/version, Kind=kind`.
        kind: String,
        /// The registered type.
        registered: &'static str,
        /// The rejected type.
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
    /// The input is neither JSON nor YAML.
    #[error("cannot parse the {syntax}: {source}")]
    Syntax {
        /// `JSON` or `YAML`.
        syntax: &'static str,
        /// The parser's error, with the position.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The object has no kind or no apiVersion.
    #[error("object {name:?} has no {field}")]
    MissingType {
        /// `kind` or `apiVersion`.
        field: &'static str,
        /// The object's name, empty if it has none.
        name: String,
    },
    /// The object does not decode as its type.
    #[error("cannot decode {kind} {name:?}: {source}")]
    Decode {
        /// The kind, as `group/version, Kind=kind`.
        kind: String,
        /// The object's name, empty if it has none.
        name: String,
        /// The decoder's error, with the path or position.
        source: serde_json::Error,
    },
    /// One object was expected, but there were several or none.
    #[error("expected one object, found {0}")]
    NotSingle(usize),
    /// An object of a stream or list is invalid; the first has index 0.
    #[error("object {index}: {source}")]
    At {
        /// The object's index among all objects of the stream, counting list items individually.
        index: usize,
        /// The object's error.
        source: Box<SchemeError>,
    },
    /// No chain of conversion functions leads from one kind to the other.
    #[error("no conversion from {from} to {to}")]
    NoConversion {
        /// The object's kind.
        from: String,
        /// The requested kind.
        to: String,
    },
    /// A conversion function failed.
    #[error("converting {from} to {to}: {source}")]
    Conversion {
        /// The object's kind.
        from: String,
        /// The requested kind.
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
