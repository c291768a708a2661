//! Controllers: informers that feed a queue of keys, and workers that reconcile one key at a time.
//!
//! Two ways lead here. The *builder* ([`Controller::builder`]) wires informers, predicates and mappings to a queue and runs
//! a [`Reconciler`], as controller-runtime's does. The *classic* way keeps each part in the caller's hands, as a hand-written
//! client-go controller does: event handlers of an informer add keys to a
//! [`WorkQueue`](crate::workqueue::WorkQueue), and [`run_workers`] takes them out.
//!
//! Guarantees of both: one key is never reconciled twice at a time, each change after the start of a reconciliation leads to
//! another one, and a panic is caught, counted and retried like an error. Start reading at [`Builder`] and [`Reconciler`].
//!
//! Differences from controller-runtime: a controller that is asked to stop finishes what is under way and leaves what is
//! queued to the next leader, who starts from the whole list anyway; it may run again after it has stopped; its handlers are
//! registered while it runs only, so that nothing piles up in a process that waits for the Lease; and a panic is retried
//! by default.

mod action;
mod builder;
mod context;
mod enqueue;
mod kinds;
mod outcome;
mod predicate;
mod reconciler;
mod remap;
mod run;
mod trigger;
mod worker;
mod workers;

pub use self::action::Action;
pub use self::builder::{BuildError, Builder};
pub use self::context::{Context, ContextReconciler, reconcile_with};
pub use self::predicate::{Change, Predicate, predicates};
pub use self::reconciler::{ErrorPolicy, FnReconciler, Reconciler, Request, reconcile_fn};
pub use self::run::{Controller, ControllerError};
pub use self::trigger::Trigger;
pub use self::workers::{run_priority_workers, run_workers};
