//! The user's part: brings one object to its desired state.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Resource;

use super::Action;
use crate::error::{chain, is_passing_conflict};
use crate::leader::Leadership;
use crate::retry::retry_after;
use crate::store::ObjectKey;

/// A request to reconcile an object.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The object's key. The object may no longer exist; that is not an error.
    pub key: ObjectKey,
    /// The number of consecutive failures and requeues of this key.
    pub retries: u32,
    /// The leadership term of this run; `None` without leader election. Its epoch is a fencing
    /// token for writes to external systems.
    pub leadership: Option<Leadership>,
}

impl Request {
    /// Creates a first request for `key` without leader election, for tests of reconcilers.
    pub fn new(key: ObjectKey) -> Self {
        Self {
            key,
            retries: 0,
            leadership: None,
        }
    }

    /// Creates a first request for `object`, for tests that call [`Reconciler::reconcile`]
    /// directly.
    pub fn of<K: Resource>(object: &K) -> Self {
        Self::new(ObjectKey::of(object))
    }
}

impl Deref for Request {
    type Target = ObjectKey;

    fn deref(&self) -> &ObjectKey {
        &self.key
    }
}

/// How to handle an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ErrorPolicy {
    /// Retries after the key's back-off, or when the API server asked to (429 with `Retry-After`,
    /// for example) if that is later: if the error or one of its [sources](Error::source) is a
    /// [`kube::Error`] with that request.
    #[default]
    Retry,
    /// Retries after the specified delay, without growing the back-off: for "retry after" answers
    /// of a server.
    RetryAfter(Duration),
    /// Does not retry until something changes, because a retry cannot succeed.
    Terminal,
}

/// Brings the object of a key to the state that its spec declares: completely, from any state,
/// whatever changed.
///
/// Calls for one key are serial. The future may be dropped at any await point: when it exceeds the
/// time-out, when leadership is lost, or when the manager's graceful timeout is over.
pub trait Reconciler: Send + Sync + 'static {
    /// The error: an error type or a string. Logged with [its causes](crate::error::chain).
    type Error: Into<Box<dyn Error + Send + Sync>> + Send + 'static;

    /// Reconciles one key.
    fn reconcile(
        &self,
        request: Request,
    ) -> impl Future<Output = Result<Action, Self::Error>> + Send;

    /// Returns how to handle `error`, with which the reconciliation of `request` ended.
    fn error_policy(&self, request: &Request, error: &Self::Error) -> ErrorPolicy {
        let _ = (request, error);
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

    fn error_policy(&self, request: &Request, error: &Self::Error) -> ErrorPolicy {
        R::error_policy(self, request, error)
    }
}

/// A reconciler built from a closure; see [`reconcile_fn`].
pub struct FnReconciler<F>(F);

/// Returns a reconciler that calls `reconcile` and retries all errors. One with a policy for errors
/// implements [`Reconciler`], or is made by [`reconcile_with`](super::reconcile_with).
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

/// The outcome of a reconciler's call, with its types erased.
#[derive(Debug)]
pub(super) enum Ended {
    Ok(Action),
    Failed {
        message: String,
        policy: ErrorPolicy,
        /// Whether the cause is a conflict with another write, which is normal.
        conflict: bool,
        /// How long the API server asked to wait.
        least: Duration,
    },
    Panicked(String),
}

/// A reconciler with its types erased.
pub(super) trait ErasedReconciler: Send + Sync {
    /// Reconciles, and catches panics.
    fn call(&self, request: Request) -> BoxFuture<'_, Ended>;
}

impl<R: Reconciler> ErasedReconciler for R {
    fn call(&self, request: Request) -> BoxFuture<'_, Ended> {
        let call = AssertUnwindSafe(async move {
            match self.reconcile(request.clone()).await {
                Ok(action) => Ended::Ok(action),
                Err(error) => {
                    let policy = self.error_policy(&request, &error);
                    let error = error.into();
                    Ended::Failed {
                        policy,
                        conflict: is_passing_conflict(&*error),
                        least: retry_after(&*error).unwrap_or_default(),
                        message: chain(&*error).to_string(),
                    }
                }
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

/// Returns the message of a panic, if it has one.
pub(super) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}
