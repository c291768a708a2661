//! Conversion between the versions of a kind by a table of rules, for the generator `conversion`.
//!
//! One version is the hub, every other one a [`Spoke`] with a table that says what differs from the
//! hub. Objects are converted as JSON: what no rule names has the same form in both versions.
//! Values that a version cannot hold are kept in an annotation; `kept` is the only
//! place that writes and reads it. docs/conversions.md is the guide.

mod check;
mod kept;
mod rules;
#[cfg(test)]
mod tests;

use kube::Resource;
use serde_json::{Map, Value, json};
use thiserror::Error as ThisError;

pub use self::check::check;
use self::kept::{Annotation, Kept};
pub use self::rules::{Rule, Side, call};
use crate::error::chain;
use crate::object::{Object, ResourceInfo};

/// An error of a function that the user wrote.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A version of a kind that is converted to and from the hub by rules.
pub trait Spoke: Object {
    /// The kind in the hub version.
    type Hub: Object;

    /// Returns what differs between the versions.
    fn rules() -> &'static [Rule];
}

/// Why an object was not converted.
#[derive(Debug, ThisError)]
pub enum Error {
    /// A function that the user wrote failed.
    #[error("`{field}` cannot be converted: {source}")]
    Field {
        /// The field, as it is called in the version of the object.
        field: String,
        /// What the function returned.
        source: BoxError,
    },
    /// A value that the mapping of a field does not have.
    #[error("`{field}` cannot be converted: the other version has nothing for {value}")]
    Value {
        /// The field, as it is called in the version of the object.
        field: String,
        /// The value.
        value: Value,
    },
    /// The converted object does not fit the type of its version.
    #[error("the object does not fit the type of {version}: {source}")]
    Decode {
        /// The version.
        version: String,
        /// What the type does not accept.
        source: serde_json::Error,
    },
    /// The type cannot be written as JSON.
    #[error("the object of {version} cannot be written as JSON: {source}")]
    Encode {
        /// The version.
        version: String,
        /// What cannot be written.
        source: serde_json::Error,
    },
    /// What the version cannot hold does not fit into an annotation.
    #[error(
        "{size} bytes of annotations, with what the other version cannot hold, exceed the {LARGEST} bytes that an object may have"
    )]
    TooLarge {
        /// The size of all annotations.
        size: usize,
    },
}

/// How large all annotations of an object may be together; the API server refuses more.
pub const LARGEST: usize = 256 * 1024;

/// Converts an object to the hub.
///
/// # Errors
/// A field cannot be converted, or what the hub cannot hold is too large for an annotation.
pub fn to_hub<S: Spoke>(spoke: &S) -> Result<S::Hub, Error> {
    convert(spoke, S::rules(), Side::Spoke)
}

/// Converts an object from the hub.
///
/// # Errors
/// A field cannot be converted, or what the version cannot hold is too large for an annotation.
pub fn from_hub<S: Spoke>(hub: &S::Hub) -> Result<S, Error> {
    convert(hub, S::rules(), Side::Hub)
}

/// The name of the annotation with what other versions cannot hold.
#[must_use]
pub fn annotation(group: &str) -> String {
    format!("{group}/conversion-data")
}

fn convert<A: Object, B: Object>(
    object: &A,
    rules: &'static [Rule],
    side: Side,
) -> Result<B, Error> {
    let (from, to) = (ResourceInfo::of::<A>(&()), ResourceInfo::of::<B>(&()));
    let before = encode(object)?;
    let plain: B = mapped(rules, side, before.clone())?;
    let mut converted = encode(&plain)?;
    let mut annotation = Annotation::take(&mut converted, &to.group);
    if let Some(kept) = annotation.remove(&to.version) {
        let mut restored = converted.clone();
        kept.restore(&mut restored);
        // Whoever writes the object can write anything into the annotation.
        match decode::<B>(restored.clone()) {
            Ok(_) => converted = restored,
            Err(error) => {
                tracing::warn!(error = %chain(&error), "what was kept of a conversion is not valid")
            }
        }
    }
    let back: A = mapped(rules, side.other(), converted.clone())?;
    let strip = |value: Value| contents(rules::without_dropped(rules, side, value));
    let (before, back) = (strip(before), strip(encode(&back)?));
    if let Some(lost) = Kept::difference(rules, side, Some(&before), Some(&back)) {
        annotation.insert(&from.version, lost);
    }
    annotation.put(&mut converted)?;
    decode(converted)
}

/// What a conversion is responsible for: an object without metadata and type.
fn contents(mut object: Value) -> Value {
    if let Value::Object(fields) = &mut object {
        for name in ["apiVersion", "kind", "metadata"] {
            fields.remove(name);
        }
    }
    object
}

/// Applies the rules alone.
fn mapped<B: Object>(rules: &'static [Rule], side: Side, object: Value) -> Result<B, Error> {
    let fields = match object {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    let mut fields = rules::apply(rules, side, fields)?;
    let info = ResourceInfo::of::<B>(&());
    fields.insert("apiVersion".to_owned(), json!(info.api_version()));
    fields.insert("kind".to_owned(), json!(info.kind));
    decode(Value::Object(fields))
}

fn decode<B: Object>(object: Value) -> Result<B, Error> {
    serde_json::from_value(object).map_err(|source| Error::Decode {
        version: version_of::<B>(),
        source,
    })
}

fn encode<A: Object>(object: &A) -> Result<Value, Error> {
    serde_json::to_value(object).map_err(|source| Error::Encode {
        version: version_of::<A>(),
        source,
    })
}

fn version_of<K: Resource<DynamicType = ()>>() -> String {
    K::version(&()).into_owned()
}
