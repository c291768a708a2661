//! Decodes bytes to objects as they arrive: lists item by item, watches line by line.

mod event;
mod filter;
mod list;
#[cfg(test)]
mod tests;

pub(crate) use event::{decode_event, decode_listed};
pub(crate) use filter::Rules;
pub(crate) use list::{ListReader, ListSyntaxError};
