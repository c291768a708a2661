//! Admission: checks against the state of the cluster ([`lifecycle`]), mutating ([`mutate`]) and
//! validating ([`validate`]) webhooks. Validation includes the permissions that owner references
//! need ([`owners`]) and admission policies ([`policies`]).

pub(crate) mod lifecycle;
mod mutate;
mod owners;
mod policies;
mod request;
mod validate;

pub(crate) use request::{Admission, Kind};
