//! Object metadata: access, decoding, server-owned fields, and validation.
//!
//! [`object`] reads and writes metadata in JSON objects, [`decode`] mirrors Go's decoding of
//! `ObjectMeta`, [`rules`] sets the server-owned fields and preserves the immutable ones,
//! [`validate`] validates the rest.

mod decode;
pub(crate) mod object;
mod ordered;
pub(crate) mod rules;
pub(crate) mod validate;

pub(crate) use decode::{clean, normalise};
pub(crate) use ordered::Ordered;
