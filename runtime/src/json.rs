//! Typed objects as JSON values and back, by way of their bytes.
//!
//! The code of a type is compiled once more for each format that it is read from or written to. `serde_json::Value` is a format of its own;
//! the bytes are those that requests and responses have already.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Error, Value};

/// Returns an object as a value.
///
/// # Errors
///
/// The object has no JSON form.
pub(crate) fn to_value(object: &(impl Serialize + ?Sized)) -> Result<Value, Error> {
    from_bytes(&serde_json::to_vec(object)?)
}

/// Reads an object from a value.
///
/// # Errors
///
/// The value is no such object.
pub(crate) fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, Error> {
    serde_json::from_slice(&serde_json::to_vec(value)?)
}

// Not generic, so that it is compiled here.
fn from_bytes(json: &[u8]) -> Result<Value, Error> {
    serde_json::from_slice(json)
}
