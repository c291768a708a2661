//! Admission: what the state of the cluster forbids ([`lifecycle`]), and what webhooks change ([`mutate`]) and refuse ([`validate`]).

pub(crate) mod lifecycle;
mod mutate;
mod request;
mod validate;

pub(crate) use request::{Admission, Kind};
