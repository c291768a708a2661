//! The built-in kinds: one file a family of kinds, with everything that only they do.
//!
//! [`table`] has a line for each kind. A kind with rules of its own has a [`Strategy`](crate::registry::Strategy) beside
//! the others of its family; any other kind is its line alone.

mod admission;
mod autoscaling;
mod check;
mod cluster;
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
mod reviews;
mod row;
mod services;
mod table;
pub(crate) mod tokens;
mod volumes;
mod webhooks;
mod workloads;

pub(crate) use definitions::CLEANUP;
pub(crate) use services::kubernetes_service;
pub(crate) use table::install;
