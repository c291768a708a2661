//! The interface for tests: injected failures, reactors, the record of requests, and RBAC
//! assertions.

pub(crate) mod faults;
pub(crate) mod interception;
pub(crate) mod links;
pub(crate) mod rbac;
pub(crate) mod reactor;
pub(crate) mod recorder;
