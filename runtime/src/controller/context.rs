//! The context of a reconciler of one kind.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use kube::Client;
use tokio_util::sync::CancellationToken;

use super::{Action, ErrorPolicy, Reconciler, Request};
use crate::event::EventRecorder;
use crate::informer::{CacheSyncError, NotStarted, SharedInformer, SharedInformerFactory};
use crate::lister::Lister;
use crate::object::{Cacheable, Object};

/// What a reconciler needs besides the key: the client, listers and the recorder of events. Clones
/// are cheap.
pub struct Context<K> {
    factory: SharedInformerFactory,
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
            factory: factory.clone(),
            lister: informer.lister(),
            recorder,
        }
    }

    /// Starts the informers of the factory and waits for their first lists: for tests that call a
    /// reconciler directly, since a manager starts the factory itself. They stop when the factory
    /// and its contexts are dropped.
    ///
    /// # Errors
    ///
    /// [`CacheSyncError`]: an informer was stopped meanwhile.
    pub async fn started(self) -> Result<Self, CacheSyncError> {
        self.factory.start(&CancellationToken::new());
        self.factory.wait_for_cache_sync().await?;
        Ok(self)
    }

    /// Returns the factory's client.
    pub fn client(&self) -> &Client {
        self.factory.client()
    }

    /// Returns the lister of the kind.
    pub fn lister(&self) -> &Lister<K> {
        &self.lister
    }

    /// Registers the informer of another kind that the reconciler reads with
    /// [`lister_of`](Self::lister_of). Kinds that the controller owns or watches are registered by
    /// that.
    #[must_use]
    pub fn reads<O: Object>(self) -> Self {
        let _ = self.factory.informer_for::<O>();
        self
    }

    /// Returns the lister of another kind, from the factory's informer.
    ///
    /// # Errors
    ///
    /// [`NotStarted`]: the factory was started without an informer of this kind, so that the lister
    /// would stay empty. Register it with [`reads`](Self::reads).
    pub fn lister_of<O: Object>(&self) -> Result<Lister<O>, NotStarted> {
        self.factory.lister_for::<O>()
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
            factory: self.factory.clone(),
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

/// Decides how to handle an error.
type Policy<K, E> = Box<dyn Fn(&Request, &E, &Context<K>) -> ErrorPolicy + Send + Sync>;

/// A reconciler built from a context and a closure; see [`reconcile_with`].
pub struct ContextReconciler<K, F, E> {
    context: Context<K>,
    reconcile: F,
    policy: Policy<K, E>,
}

/// Returns a reconciler that calls `reconcile` with each request and `context`, and retries all
/// errors, unless an [`error_policy`](ContextReconciler::error_policy) decides otherwise.
///
/// ```no_run
/// # use codegen_runtime::controller::{Action, BuildError, Context, Controller, ErrorPolicy, reconcile_with};
/// # use codegen_runtime::event::EventRecorder;
/// # use codegen_runtime::informer::SharedInformerFactory;
/// # use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;
/// # fn build(factory: &SharedInformerFactory, recorder: EventRecorder) -> Result<Controller, BuildError> {
/// let context = Context::<Deployment>::new(factory, recorder);
/// let reconciler = reconcile_with(context, |request, context| async move {
///     let Some(deployment) = context.object(&request) else {
///         return Ok(Action::done());
///     };
///     let _ = (deployment, context.client());
///     Ok::<_, codegen_runtime::kube::Error>(Action::done())
/// });
/// let reconciler = reconciler.error_policy(|request, error, context| {
///     if let Some(deployment) = context.object(request) {
///         context.recorder().warning(&*deployment, "Failed", "Reconcile", error.to_string());
///     }
///     ErrorPolicy::Retry
/// });
/// Controller::builder("deployments", factory).for_::<Deployment>().build(reconciler)
/// # }
/// ```
pub fn reconcile_with<K, F, W, E>(context: Context<K>, reconcile: F) -> ContextReconciler<K, F, E>
where
    K: Cacheable,
    F: Fn(Request, Context<K>) -> W + Send + Sync + 'static,
    W: Future<Output = Result<Action, E>> + Send,
    E: Into<Box<dyn Error + Send + Sync>> + Send + 'static,
{
    ContextReconciler {
        context,
        reconcile,
        policy: Box::new(|_, _, _| ErrorPolicy::Retry),
    }
}

impl<K, F, E> ContextReconciler<K, F, E> {
    /// Decides with `policy` how to handle errors. [`Context::object`] returns the request's
    /// object.
    #[must_use]
    pub fn error_policy(
        mut self,
        policy: impl Fn(&Request, &E, &Context<K>) -> ErrorPolicy + Send + Sync + 'static,
    ) -> Self {
        self.policy = Box::new(policy);
        self
    }
}

impl<K, F, W, E> Reconciler for ContextReconciler<K, F, E>
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

    fn error_policy(&self, request: &Request, error: &E) -> ErrorPolicy {
        (self.policy)(request, error, &self.context)
    }
}

impl<K, F, E> fmt::Debug for ContextReconciler<K, F, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ContextReconciler")
    }
}
