//! An in-process Kubernetes API server for fakes, tests and demos.
//!
//! Build one with [`ApiServer::builder`]. [`ApiServer::client`] returns a `kube::Client` that needs
//! no socket, and [`ApiServer::serve`] exposes the same server over HTTP, for kubectl. The server
//! has the built-in kinds that controllers use and any CRD, with the semantics of kube-apiserver:
//! one event log, optimistic concurrency, watches, patches, server-side apply, finalizers and
//! garbage collection. Tests can inject failures ([`Faults`]), answer requests themselves
//! ([`ApiServer::prepend_reactor`]) and inspect what a client did ([`Recorder`]).
//!
//! ```
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use embedded_apiserver::ApiServer;
//! use k8s_openapi::api::core::v1::ConfigMap;
//!
//! let server = ApiServer::builder().build()?;
//! let maps = kube::Api::<ConfigMap>::default_namespaced(server.client());
//! assert!(maps.list(&Default::default()).await?.items.is_empty());
//! # Ok(())
//! # }
//! ```

/// Table of test cases: calls a check once per row. As a macro so that rustfmt keeps each row on
/// its own line.
#[cfg(test)]
macro_rules! rows {
    ($check:ident: $($row:tt),+ $(,)?) => {
        $($check $row;)+
    };
}

pub mod apply;
pub mod patch;
pub mod schema;

mod authorization;
mod backoff;
mod bootstrap;
mod controllers;
mod core;
mod crd;
mod depth;
mod heavy;
mod http;
mod kinds;
mod metadata;
mod metrics;
mod openapi;
mod rbac;
mod rbac_assertions;
mod registry;
mod rest;
mod seed;
mod selector;
mod server;
mod service;
mod serving;
mod status;
mod store;
mod table;
mod testing;
#[cfg(feature = "tls")]
mod tls;
mod types;
mod webhooks;
#[cfg(feature = "tls")]
mod x509;

pub use self::core::{AuthorizationMode, Controllers, FeatureGate};
pub use self::service::authentication::Authentication;
pub use http::body::Body;
pub use rbac::access::Access;
pub use rbac_assertions::{Forbidden, Grant, Roles, RolesError, assert_rbac};
pub use registry::{ResourceDescription, ScalePaths, Scope};
pub use server::{ApiServer, BuildError, Builder, Objects};
pub use service::ApiService;
pub use serving::{ServeOptions, Serving};
pub use status::{ApiError, GroupResource, StatusCause, StatusDetails};
pub use testing::faults::{Fault, FaultKind, Faults};
pub use testing::reactor::Reaction;
pub use testing::recorder::{Action, Recorder};
#[cfg(feature = "tls")]
pub use x509::pem::TlsError;

/// The Kubernetes version that the server reports and emulates.
pub const VERSION: &str = "v1.36.3";

pub(crate) use kube_schema::field;

pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;
