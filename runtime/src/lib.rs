//! What generated Kubernetes clients and controllers link against.

pub mod metrics;
pub mod workqueue;

pub use {k8s_openapi, kube};
