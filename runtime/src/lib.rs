//! The runtime of generated Kubernetes clients and of controllers.
//!
//! Behaviour lives here so that generated code stays thin: connections ([`connect`]), typed clients
//! ([`client`]), the registry of kinds ([`scheme`]) and caches ([`reflector`], [`store`],
//! [`lister`], [`informer`]). Controllers are built from queues ([`workqueue`]), the reconcile loop
//! ([`controller`]), leader election ([`leader`]), the process that runs them together
//! ([`manager`]) and the program around it (feature `app`). Helpers are [`condition`], [`event`],
//! [`finalizer`], [`owner`], [`apply`], [`retry`], [`quantity`] and [`metrics`], and, behind
//! features, `validation` and `webhook`.
//!
//! The transport, its configuration and the parameter types are kube's. This crate re-exports kube
//! and `k8s_openapi` so that generated code depends on one crate.
//!
//! A complete operator: a client, caches, a controller whose reconciler receives a context with
//! each request, and a manager. Kinds are generated types or, as here, built-in ones.
//!
//! ```no_run
//! use codegen_runtime::controller::{Action, Context, Controller, reconcile_with};
//! use codegen_runtime::event::{EventBroadcaster, Reporter};
//! use codegen_runtime::informer::SharedInformerFactory;
//! use codegen_runtime::k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
//! use codegen_runtime::leader::LeaderElectionConfig;
//! use codegen_runtime::manager::{Manager, shutdown_signal};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = codegen_runtime::connect::try_default().await?;
//! let election = LeaderElectionConfig::from_env("example-controller")?;
//! let factory: SharedInformerFactory = SharedInformerFactory::builder(client.clone()).build();
//! let events = EventBroadcaster::new(client.clone());
//! let recorder = events.recorder(Reporter::new("example.com/controller", &election.identity));
//! let context = Context::<Deployment>::new(&factory, recorder);
//! let controller = Controller::builder("deployments", &factory)
//!     .for_::<Deployment>()
//!     .owns::<ConfigMap>()
//!     .build(reconcile_with(context, |request, context| async move {
//!         let Some(deployment) = context.object(&request) else {
//!             return Ok(Action::done()); // it is gone
//!         };
//!         context.recorder().normal(&*deployment, "Seen", "Reconcile", "as it should be");
//!         Ok::<_, kube::Error>(Action::done())
//!     }))?;
//! let manager = Manager::builder(&factory)
//!     .controller(controller)
//!     .leader_election(client, election)
//!     .events(events)
//!     .build()?;
//! manager.run(&shutdown_signal()?).await?;
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "app")]
pub mod app;
pub mod apply;
#[cfg(any(feature = "webhooks", feature = "secure-metrics"))]
mod certificates;
pub mod client;
mod clock;
pub mod condition;
pub mod connect;
pub mod controller;
pub mod conversion;
#[cfg(feature = "defaults")]
pub mod defaults;
pub mod error;
pub mod event;
#[cfg(feature = "fake")]
pub mod fake;
pub mod finalizer;
mod generated;
pub mod informer;
mod json;
mod keys;
pub mod leader;
pub mod lister;
mod lru;
pub mod manager;
pub mod metrics;
pub mod object;
pub mod owner;
pub mod reflector;
pub mod retry;
pub mod scheme;
pub mod shard;
pub mod storage_version;
pub mod store;
mod sync;
mod tasks;
pub mod traces;
#[cfg(feature = "validate")]
pub mod validation;
#[cfg(feature = "webhooks")]
pub mod webhook;
pub mod workqueue;

pub use codegen_runtime_macros::ApiObject;
#[doc(inline)]
pub use kube_codec::codec;
#[doc(inline)]
pub use kube_resource_quantity as quantity;
pub use {k8s_openapi, kube};
