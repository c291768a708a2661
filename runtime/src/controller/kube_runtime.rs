//! Reconcilers written for kube-runtime, as they are: a first step of moving an operator to this
//! crate.
//!
//! The reconciler, its `error_policy` and its context stay; [`Action`] has kube-runtime's
//! constructors. What changes is the code around them: informers of a factory, a
//! [`Controller`](super::Controller) and a manager in place of `Controller::run`.
//!
//! ```no_run
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use codegen_runtime::controller::kube_runtime::{self, Action};
//! use codegen_runtime::controller::{BuildError, Controller};
//! use codegen_runtime::informer::SharedInformerFactory;
//! use codegen_runtime::kube::{self, Client};
//! use k8s_openapi::api::core::v1::ConfigMap;
//!
//! struct Data {
//!     client: Client,
//! }
//!
//! async fn reconcile(map: Arc<ConfigMap>, data: Arc<Data>) -> Result<Action, kube::Error> {
//!     let _ = (map, &data.client);
//!     Ok(Action::await_change())
//! }
//!
//! fn error_policy(_map: Arc<ConfigMap>, _error: &kube::Error, _data: Arc<Data>) -> Action {
//!     Action::requeue(Duration::from_secs(5))
//! }
//!
//! fn build(factory: &SharedInformerFactory) -> Result<Controller, BuildError> {
//!     let data = Arc::new(Data { client: factory.client().clone() });
//!     let lister = factory.informer_for::<ConfigMap>().lister();
//!     Controller::builder("maps", factory)
//!         .for_::<ConfigMap>()
//!         .build(kube_runtime::reconciler(lister, reconcile, error_policy, data))
//! }
//! ```

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use super::{ErrorPolicy, Reconciler, Request};
use crate::lister::Lister;
use crate::object::Cacheable;

/// kube-runtime's `Action`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Action(Option<Duration>);

impl Action {
    /// Reconciles again after `duration`, even without a change. [`super::Action::requeue_after`].
    pub const fn requeue(duration: Duration) -> Self {
        Self(Some(duration))
    }

    /// Reconciles again when something changes. [`super::Action::done`].
    pub const fn await_change() -> Self {
        Self(None)
    }
}

impl From<Action> for super::Action {
    fn from(action: Action) -> Self {
        match action.0 {
            Some(after) => Self::requeue_after(after),
            None => Self::done(),
        }
    }
}

impl From<Action> for ErrorPolicy {
    fn from(action: Action) -> Self {
        match action.0 {
            Some(after) => Self::RetryAfter(after),
            None => Self::Terminal,
        }
    }
}

/// A reconciler of kube-runtime's form; see [`reconciler`].
pub struct KubeRuntimeReconciler<K, Ctx, F, P> {
    lister: Lister<K>,
    reconcile: F,
    error_policy: P,
    context: Arc<Ctx>,
}

/// Returns a reconciler that calls `reconcile` with each object from the cache of `lister` and
/// `context`, and `error_policy` with the same object after an error. As in kube-runtime, an object
/// that no longer exists is not reconciled: use finalizers for its end.
pub fn reconciler<K, Ctx, F, P, W, E>(
    lister: Lister<K>,
    reconcile: F,
    error_policy: P,
    context: Arc<Ctx>,
) -> KubeRuntimeReconciler<K, Ctx, F, P>
where
    K: Cacheable,
    Ctx: Send + Sync + 'static,
    F: Fn(Arc<K>, Arc<Ctx>) -> W + Send + Sync + 'static,
    P: Fn(Arc<K>, &E, Arc<Ctx>) -> Action + Send + Sync + 'static,
    W: Future<Output = Result<Action, E>> + Send,
    E: Into<Box<dyn Error + Send + Sync>> + Send + 'static,
{
    KubeRuntimeReconciler {
        lister,
        reconcile,
        error_policy,
        context,
    }
}

/// An error, with the object that was reconciled.
pub struct Failed<K, E> {
    object: Arc<K>,
    error: E,
}

impl<K, E: Into<Box<dyn Error + Send + Sync>>> From<Failed<K, E>> for Box<dyn Error + Send + Sync> {
    fn from(failed: Failed<K, E>) -> Self {
        failed.error.into()
    }
}

impl<K, E: fmt::Debug> fmt::Debug for Failed<K, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<K, Ctx, F, P, W, E> Reconciler for KubeRuntimeReconciler<K, Ctx, F, P>
where
    K: Cacheable,
    Ctx: Send + Sync + 'static,
    F: Fn(Arc<K>, Arc<Ctx>) -> W + Send + Sync + 'static,
    P: Fn(Arc<K>, &E, Arc<Ctx>) -> Action + Send + Sync + 'static,
    W: Future<Output = Result<Action, E>> + Send,
    E: Into<Box<dyn Error + Send + Sync>> + Send + 'static,
{
    type Error = Failed<K, E>;

    async fn reconcile(&self, request: Request) -> Result<super::Action, Self::Error> {
        let Ok(object) = self.lister.get(&request.key) else {
            return Ok(super::Action::done());
        };
        let reconciled = (self.reconcile)(Arc::clone(&object), Arc::clone(&self.context)).await;
        match reconciled {
            Ok(action) => Ok(action.into()),
            Err(error) => Err(Failed { object, error }),
        }
    }

    fn error_policy(&self, _: &Request, failed: &Self::Error) -> ErrorPolicy {
        let (object, context) = (Arc::clone(&failed.object), Arc::clone(&self.context));
        (self.error_policy)(object, &failed.error, context).into()
    }
}

impl<K, Ctx, F, P> fmt::Debug for KubeRuntimeReconciler<K, Ctx, F, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KubeRuntimeReconciler")
    }
}
