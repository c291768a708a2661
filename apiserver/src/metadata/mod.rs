//! Object metadata: reading it, decoding it, the rules of writes, and what is valid.
//!
//! [`object`] reads and changes fields of objects in JSON, [`decode`] does what Go's decoder does to `ObjectMeta`,
//! [`rules`] says what the server sets and what a client cannot change, [`validate`] what is valid.

mod decode;
pub(crate) mod object;
pub(crate) mod rules;
pub(crate) mod validate;

pub(crate) use decode::{clean, normalise};
