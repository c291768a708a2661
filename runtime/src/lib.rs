//! What generated Kubernetes clients and controllers link against.
//!
//! Behaviour lives here so that generated code stays thin: connections ([`connect`]), typed clients ([`client`]), the
//! registry of kinds ([`scheme`]), caches ([`reflector`], [`store`], [`lister`], [`informer`]) and what controllers are
//! built of: queues ([`workqueue`]), the loop around a reconciler ([`controller`]), election ([`leader`]), and the process that holds them together ([`manager`]);
//! beside them [`event`], [`finalizer`], [`owner`], [`apply`], [`retry`], [`quantity`] and [`metrics`]. The transport, its
//! configuration and the parameter types are kube's, which is re-exported with `k8s_openapi` so that generated code names one
//! crate.

pub mod apply;
pub mod client;
pub mod codec;
pub mod connect;
pub mod controller;
pub mod error;
pub mod event;
#[cfg(feature = "fake")]
pub mod fake;
pub mod finalizer;
pub mod informer;
pub mod leader;
pub mod lister;
pub mod manager;
pub mod metrics;
pub mod object;
pub mod owner;
pub mod quantity;
pub mod reflector;
pub mod retry;
pub mod scheme;
pub mod store;
pub mod workqueue;

pub use codegen_runtime_macros::ApiObject;
pub use {k8s_openapi, kube};
