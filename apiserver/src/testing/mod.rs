//! What tests order and see of requests: injected failures, reactors, and the record.

pub(crate) mod faults;
pub(crate) mod interception;
pub(crate) mod links;
pub(crate) mod reactor;
pub(crate) mod recorder;
