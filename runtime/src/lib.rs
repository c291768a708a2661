//! What generated Kubernetes clients and controllers link against.
//!
//! Behaviour lives here so that generated code stays thin: typed clients ([`client`]), the registry of kinds ([`scheme`]),
//! caches ([`reflector`], [`store`], [`lister`], [`informer`]) and what controllers are built of. The transport, its
//! configuration and the parameter types are kube's, which is re-exported with `k8s_openapi` so that generated code names one
//! crate.

pub mod client;
pub mod informer;
pub mod lister;
pub mod leader;
pub mod metrics;
pub mod object;
pub mod reflector;
pub mod scheme;
pub mod store;
pub mod workqueue;

pub use {k8s_openapi, kube};
