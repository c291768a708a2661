//! The control loops that ship with Kubernetes, and all controllers of this repository, in one
//! process.
//!
//! [`deployment`] and [`replicaset`] follow kube-controller-manager's semantics. [`simulator`]
//! stands in for kubelets on a server that has none. [`table`] lists every controller that the
//! binary knows; [`testing`] starts the loops beside an embedded server.

pub mod app;
pub mod caches;
#[cfg(feature = "demo")]
pub mod demo;
pub mod deployment;
pub mod own_writes;
pub mod pods;
pub mod replicaset;
pub mod settings;
pub mod simulator;
mod status_write;
pub mod supervised;
pub mod table;
pub mod testing;
