//! The context of a reconciler of one kind.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use kube::Client;

use super::{Action, Reconciler, Request};
use crate::event::EventRecorder;
use crate::informer::{SharedInformer, SharedInformerFactory};
use crate::lister::Lister;
use crate::object::{Cacheable, Object};

/// What a reconciler needs besides the key: the client, the lister of its kind and the recorder of events. Clones are cheap.
pub struct Context<K> {
    client: Client,
    lister: Lister<K>,
    recorder: EventRecorder,
}

impl<K: Object> Context<K> {
    /// Creates the context of the kind `K`, with the informer of `factory`.
    pub fn new(factory: &SharedInformerFactory, recorder: EventRecorder) -> Self {
        Self::over(factory, &factory.informer_for::<K>(), recorder)
    }
}

impl<K: Cacheable> Context<K> {
    /// Creates the context of the kind of `informer`, which may be dynamic or metadata only.
    pub fn over(
        factory: &SharedInformerFactory,
        informer: &SharedInformer<K>,
        recorder: EventRecorder,
    ) -> Self {
        Self {
            client: factory.client().clone(),
            lister: informer.lister(),
            recorder,
        }
    }

    /// Returns the factory's client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the lister of the kind.
    pub fn lister(&self) -> &Lister<K> {
        &self.lister
    }

    /// Returns the recorder of events.
    pub fn recorder(&self) -> &EventRecorder {
        &self.recorder
    }

    /// Returns the object of `request` from the cache; `None` if it does not exist (any more).
    pub fn object(&self, request: &Request) -> Option<Arc<K>> {
        self.lister.get(request.key.as_str()).ok()
    }
}

impl<K> Clone for Context<K> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            lister: self.lister.clone(),
            recorder: self.recorder.clone(),
        }
    }
}

impl<K> fmt::Debug for Context<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").finish_non_exhaustive()
    }
}

/// A reconciler built from a context and a closure; see [`reconcile_with`].
pub struct ContextReconciler<K, F> {
    context: Context<K>,
    reconcile: F,
}

/// Returns a reconciler that calls `reconcile` with each request and `context`, and retries all errors.
///
/// ```no_run
/// # use codegen_runtime::controller::{Action, BuildError, Context, Controller, reconcile_with};
/// # use codegen_runtime::event::EventRecorder;
/// # use codegen_runtime::informer::SharedInformerFactory;
/// # use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;
/// # fn build(factory: &SharedInformerFactory, recorder: EventRecorder) -> Result<Controller, BuildError> {
/// let context = Context::<Deployment>::new(factory, recorder);
/// Controller::builder("deployments", factory)
///     .for_::<Deployment>()
///     .build(reconcile_with(context, |request, context| async move {
///         let Some(deployment) = context.object(&request) else {
///             return Ok(Action::done());
///         };
///         let _ = (deployment, context.client());
///         Ok::<_, codegen_runtime::kube::Error>(Action::done())
///     }))
/// # }
/// ```
pub fn reconcile_with<K, F, W, E>(context: Context<K>, reconcile: F) -> ContextReconciler<K, F>
where
    K: Cacheable,
    F: Fn(Request, Context<K>) -> W + Send + Sync + 'static,
    W: Future<Output = Result<Action, E>> + Send,
    E: Into<Box<dyn Error + Send + Sync>> + Send + 'static,
{
    ContextReconciler { context, reconcile }
}

impl<K, F, W, E> Reconciler for ContextReconciler<K, F>
where
    K: Cacheable,
    F: Fn(Request, Context<K>) -> W + Send + Sync + 'static,
    W: Future<Output = Result<Action, E>> + Send,
    E: Into<Box<dyn Error + Send + Sync>> + Send + 'static,
{
    type Error = E;

    fn reconcile(&self, request: Request) -> impl Future<Output = Result<Action, E>> + Send {
        (self.reconcile)(request, self.context.clone())
    }
}

impl<K, F> fmt::Debug for ContextReconciler<K, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ContextReconciler")
    }
}
