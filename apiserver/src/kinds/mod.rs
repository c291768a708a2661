//! The built-in kinds: one file per family of kinds.
//!
//! [`table`] has a row for each kind. A kind with specific rules has a
//! [`Strategy`](crate::registry::Strategy) in the file of its family; all other kinds only have
//! their row.

mod admission;
mod autoscaling;
mod check;
mod claims;
mod cluster;
mod config;
mod cron;
mod defaults;
mod definitions;
mod endpoints;
mod events;
mod jobs;
mod leases;
pub(crate) mod namespaces;
mod net;
mod network_policy;
mod networking;
mod nodes;
mod pods;
mod policy;
mod rbac;
mod reviews;
mod row;
mod services;
mod storage;
mod table;
pub(crate) mod tokens;
mod volumes;
mod webhooks;
mod workloads;

pub(crate) use definitions::CLEANUP;
pub(crate) use pods::is_gated;
pub(crate) use services::kubernetes_service;
pub(crate) use table::install;
