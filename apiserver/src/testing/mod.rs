//! What tests do with a server besides asking it: inject failures, answer requests themselves, read what was asked.

pub(crate) mod faults;
pub(crate) mod reactor;
pub(crate) mod recorder;
