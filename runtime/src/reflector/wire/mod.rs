//! From bytes to objects: lists item by item, watches line by line, both while they arrive.

mod event;
mod filter;
mod list;
#[cfg(test)]
mod tests;

pub(crate) use event::{decode_event, decode_listed};
pub(crate) use filter::Rules;
pub(crate) use list::ListReader;
