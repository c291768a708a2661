//! Admission: checks against the state of the cluster ([`lifecycle`]), mutating ([`mutate`]) and validating ([`validate`])
//! webhooks.

pub(crate) mod lifecycle;
mod mutate;
mod request;
mod validate;

pub(crate) use request::{Admission, Kind};
