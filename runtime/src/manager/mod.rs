//! Several controllers in one process: one informer factory, one leader election, health and metrics endpoints, and an
//! orderly stop.
//!
//! Order of start: endpoints and webhooks, the writer of events, informers, runnables that need no leader, the election, then what the leader runs. Order of
//! stop: what the leader runs (nothing more is handed out, what is under way is finished), the Lease, the other runnables,
//! the writer of events, informers, endpoints and webhooks. Lost leadership stops the leader's work before anything else, and ends the manager with an error:
//! the process should exit and start afresh, as controller-runtime's does.
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

mod builder;
mod caches;
#[cfg(feature = "endpoints")]
mod endpoints;
mod group;
mod health;
mod run;
mod selection;
#[cfg(feature = "endpoints")]
mod serve;
mod signal;
mod work;

pub use self::builder::{Manager, ManagerBuildError, ManagerBuilder, OnStuckWork};
#[cfg(feature = "endpoints")]
pub use self::endpoints::Endpoints;
pub use self::group::{FnRunnable, RunContext, Runnable, runnable_fn};
pub use self::run::ManagerError;
pub use self::selection::{Selection, UnknownController};
pub use self::signal::shutdown_signal;
