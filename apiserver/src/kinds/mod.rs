//! The built-in kinds: one file a family of kinds, with everything that only they do.
//!
//! [`table`] has a line for each kind. A kind with rules of its own has a [`Strategy`](crate::registry::Strategy) beside
//! the others of its family; any other kind is its line alone.

mod config;
mod cron;
mod defaults;
mod definitions;
mod events;
mod jobs;
mod leases;
pub(crate) mod namespaces;
mod networking;
mod nodes;
mod pods;
mod policy;
mod rbac;
mod services;
mod table;
mod volumes;
mod workloads;

pub(crate) use definitions::CLEANUP;
pub(crate) use table::install;
