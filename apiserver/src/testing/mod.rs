//! The server's interface for tests: injected failures, reactors, the record of requests, and roles held against it.

pub(crate) mod faults;
pub(crate) mod links;
pub(crate) mod rbac;
pub(crate) mod reactor;
pub(crate) mod recorder;
