//! The user's part: bring one object to what it should be.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::Action;
use crate::error::chain;
use crate::leader::Leadership;
use crate::store::ObjectKey;

/// Which object to reconcile.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The object's key. The object may not exist any more; that is not an error.
    pub key: ObjectKey,
    /// How often this key failed in a row, or asked to be requeued.
    pub retries: u32,
    /// The term under which this runs; `None` without leader election. Its epoch fences writes to systems outside.
    pub leadership: Option<Leadership>,
}

impl Request {
    /// A first try of `key` without leader election, for tests of reconcilers.
    pub fn new(key: ObjectKey) -> Self {
        Self {
            key,
            retries: 0,
            leadership: None,
        }
    }
}

impl Deref for Request {
    type Target = ObjectKey;

    fn deref(&self) -> &ObjectKey {
        &self.key
    }
}

/// The reaction to an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ErrorPolicy {
    /// Try again after the key's back-off.
    #[default]
    Retry,
    /// Try again after a time of the caller's, without growing the back-off: for "not before" answers of a server.
    RetryAfter(Duration),
    /// Don't try again until something changes: trying can't help.
    Terminal,
}

/// Brings the object of a key to the state that its spec declares: completely, from any state, whatever changed.
///
/// Calls for one key are serial. A future may be dropped at any await point: when it takes longer than the time-out, when
/// leadership is lost, or when the manager's deadline for stopping is over.
pub trait Reconciler: Send + Sync + 'static {
    /// A failure: an error or a text. Logged with [its causes](crate::error::chain).
    type Error: Into<Box<dyn Error + Send + Sync>> + Send + 'static;

    /// Reconciles one key.
    fn reconcile(
        &self,
        request: Request,
    ) -> impl Future<Output = Result<Action, Self::Error>> + Send;

    /// Whether `error` is worth another try.
    fn error_policy(&self, error: &Self::Error) -> ErrorPolicy {
        let _ = error;
        ErrorPolicy::Retry
    }
}

impl<R: Reconciler> Reconciler for Arc<R> {
    type Error = R::Error;

    fn reconcile(
        &self,
        request: Request,
    ) -> impl Future<Output = Result<Action, Self::Error>> + Send {
        R::reconcile(self, request)
    }

    fn error_policy(&self, error: &Self::Error) -> ErrorPolicy {
        R::error_policy(self, error)
    }
}

/// A reconciler made of a closure; see [`reconcile_fn`].
pub struct FnReconciler<F>(F);

/// A reconciler that calls `reconcile`, and retries all errors.
pub fn reconcile_fn<F, W, E>(reconcile: F) -> FnReconciler<F>
where
    F: Fn(Request) -> W + Send + Sync + 'static,
    W: Future<Output = Result<Action, E>> + Send,
    E: Into<Box<dyn Error + Send + Sync>> + Send + 'static,
{
    FnReconciler(reconcile)
}

impl<F, W, E> Reconciler for FnReconciler<F>
where
    F: Fn(Request) -> W + Send + Sync + 'static,
    W: Future<Output = Result<Action, E>> + Send,
    E: Into<Box<dyn Error + Send + Sync>> + Send + 'static,
{
    type Error = E;

    fn reconcile(&self, request: Request) -> impl Future<Output = Result<Action, E>> + Send {
        (self.0)(request)
    }
}

impl<F> fmt::Debug for FnReconciler<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FnReconciler")
    }
}

/// How a call of a reconciler ended, without its types.
#[derive(Debug)]
pub(super) enum Ended {
    Ok(Action),
    Failed {
        message: String,
        policy: ErrorPolicy,
    },
    Panicked(String),
}

/// A reconciler without its types.
pub(super) trait ErasedReconciler: Send + Sync {
    /// Reconciles, and catches panics.
    fn call(&self, request: Request) -> BoxFuture<'_, Ended>;
}

impl<R: Reconciler> ErasedReconciler for R {
    fn call(&self, request: Request) -> BoxFuture<'_, Ended> {
        let call = AssertUnwindSafe(async move {
            match self.reconcile(request).await {
                Ok(action) => Ended::Ok(action),
                Err(error) => Ended::Failed {
                    policy: self.error_policy(&error),
                    message: chain(&*error.into()).to_string(),
                },
            }
        });
        async move {
            call.catch_unwind()
                .await
                .unwrap_or_else(|panic| Ended::Panicked(panic_message(&*panic)))
        }
        .boxed()
    }
}

/// The text of a panic, if it has one.
pub(super) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}
