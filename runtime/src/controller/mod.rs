//! Controllers: informers that feed a queue of keys, and workers that reconcile one key at a time.
//!
//! There are two ways to write one. The *builder* ([`Controller::builder`]) wires informers,
//! predicates and mappings to a queue and runs a [`Reconciler`], as controller-runtime does. In the
//! *classic* way the caller owns each part, as in a hand-written client-go controller: event
//! handlers of an informer add keys to a [`WorkQueue`](crate::workqueue::WorkQueue), and
//! [`run_workers`] processes them.
//!
//! Both guarantee that a key is never reconciled concurrently with itself, that each change after
//! the start of a reconciliation leads to another one, and that a panic is caught, counted and
//! retried like an error. Start reading at [`Builder`] and [`Reconciler`].
//!
//! Differences from controller-runtime: a controller that is asked to stop finishes the
//! reconciliations in progress and leaves queued keys to the next leader, who starts from the full
//! list anyway; it may run again after it has stopped; its handlers are registered only while it
//! runs, so that no events accumulate in a process that waits for the Lease; and a panic is retried
//! by default.

mod action;
mod adder;
mod builder;
mod context;
mod enqueue;
mod gate;
mod kinds;
pub mod kube_runtime;
mod outcome;
mod predicate;
mod reconciler;
mod remap;
mod run;
mod source;
mod trigger;
mod worker;
mod workers;

pub use self::action::Action;
pub use self::builder::{BuildError, Builder};
pub use self::context::{Context, ContextReconciler, reconcile_with};
pub use self::gate::{Fence, ShardGate, Turn};
pub use self::predicate::{Change, Predicate, predicates};
pub use self::reconciler::{ErrorPolicy, FnReconciler, Reconciler, Request, reconcile_fn};
pub use self::run::{Controller, ControllerError};
pub use self::trigger::Trigger;
pub use self::workers::{run_priority_workers, run_workers};
