//! From bytes to objects: lists item by item, watches line by line, both while they arrive.

mod event;
mod filter;
mod lines;
mod list;
#[cfg(test)]
mod tests;

pub(crate) use event::{decode_event, decode_listed};
pub(crate) use filter::Rules;
pub(crate) use lines::Lines;
pub(crate) use list::ListReader;

/// The most bytes of an event, or of a value in a list: client-go's limit of an event, ten times that of an object in etcd.
pub(crate) const MOST_BYTES: usize = 16 * 1024 * 1024;
