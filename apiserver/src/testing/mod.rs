//! The server's interface for tests: injected failures, reactors, and the record of requests.

pub(crate) mod faults;
pub(crate) mod reactor;
pub(crate) mod recorder;
