//! Several controllers in one process: one informer factory, one leader election, health and
//! metrics endpoints, and an orderly shutdown.
//!
//! Components start in this order: endpoints and webhooks, the event broadcaster, informers,
//! runnables without leader election, the election, then the leader's runnables. They stop in this
//! order: the leader's runnables (no more keys are handed out, and reconciliations in progress are
//! finished), the Lease, the other runnables, webhooks, the event broadcaster, informers,
//! endpoints. Readiness fails from the beginning. Lost leadership first stops the leader's
//! runnables, then ends the manager with an error: the process should exit and be restarted, as
//! with controller-runtime.
//!
//! Start reading at [`ManagerBuilder`] and [`Manager::run`].
//!
//! ```no_run
//! # use codegen_runtime::controller::Controller;
//! # use codegen_runtime::informer::SharedInformerFactory;
//! # use codegen_runtime::kube::Client;
//! # use codegen_runtime::leader::LeaderElectionConfig;
//! # use codegen_runtime::manager::{Manager, shutdown_signal};
//! # async fn example(client: Client, factory: SharedInformerFactory, controller: Controller)
//! # -> Result<(), Box<dyn std::error::Error>> {
//! let election = LeaderElectionConfig::from_env("machine-controller")?;
//! let manager = Manager::builder(&factory)
//!     .controller(controller)
//!     .leader_election(client, election)
//!     .build()?;
//! manager.run(&shutdown_signal()?).await?;
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "secure-metrics")]
mod access;
mod builder;
mod caches;
pub mod clusters;
#[cfg(feature = "endpoints")]
mod endpoints;
mod error;
mod group;
mod health;
mod run;
mod runnable;
#[cfg(feature = "secure-metrics")]
mod secure;
mod selection;
#[cfg(feature = "endpoints")]
mod serve;
mod signal;
mod work;

pub use self::builder::{Manager, ManagerBuildError, ManagerBuilder};
#[cfg(feature = "endpoints")]
pub use self::endpoints::Endpoints;
pub use self::error::ManagerError;
pub use self::runnable::{AnyRunnable, FnRunnable, RunContext, Runnable, runnable_fn};
#[cfg(feature = "secure-metrics")]
pub use self::secure::SecureMetrics;
pub use self::selection::{Selection, UnknownController};
pub use self::signal::shutdown_signal;
pub use self::work::OnStuckWork;
#[cfg(feature = "secure-metrics")]
pub use crate::certificates::{CertificateError, Certificates};
