//! Wires informers, predicates and mappings to a reconciler.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;
use kube::discovery::Scope;

use super::enqueue::{Mapping, Route};
use super::reconciler::ErasedReconciler;
use super::run::{Parts, Source, source};
use super::{Controller, Predicate, Reconciler, Trigger};
use crate::informer::{SharedInformer, SharedInformerFactory};
use crate::metrics::Metrics;
use crate::object::{Cacheable, Object, ResourceInfo, scope_of};
use crate::store::ObjectKey;
use crate::workqueue::{RateLimiter, default_controller_rate_limiter};

/// Why a controller could not be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Neither `for_` nor `watches` was called.
    #[error("controller {0:?} watches nothing: call for_ or watches")]
    NothingToWatch(String),
    /// `owns` was called before `for_`, so the kind of the owner is unknown.
    #[error("controller {0:?} calls owns before for_: there is no owner to map to")]
    NoOwner(String),
    /// `for_` was called twice.
    #[error("controller {0:?} calls for_ more than once")]
    TwoKinds(String),
}

/// Wires informers to a reconciler; see [`Controller::builder`].
///
/// ```no_run
/// # use codegen_runtime::controller::{Action, Controller, reconcile_fn};
/// # use codegen_runtime::informer::SharedInformerFactory;
/// # use codegen_runtime::k8s_openapi::api::{apps::v1::{Deployment, ReplicaSet}, core::v1::ConfigMap};
/// # fn build(factory: &SharedInformerFactory) -> Result<Controller, codegen_runtime::controller::BuildError> {
/// Controller::builder("deployments", factory)
///     .for_::<Deployment>()
///     .owns::<ReplicaSet>()
///     .workers(4)
///     .build(reconcile_fn(|request| async move {
///         let _ = request.key;
///         Ok::<_, String>(Action::done())
///     }))
/// # }
/// ```
#[must_use]
pub struct Builder {
    factory: SharedInformerFactory,
    name: String,
    owner: Option<Owner>,
    owners: Owners,
    sources: Vec<Box<dyn Source>>,
    error: Option<BuildError>,
    parts: Parts,
}

impl Builder {
    pub(super) fn new(name: String, factory: &SharedInformerFactory) -> Self {
        let parts = Parts {
            workers: 1,
            limiter: Arc::new(default_controller_rate_limiter()),
            reconcile_timeout: None,
            sync_timeout: Duration::from_secs(120),
            metrics: None,
            needs_leader_election: true,
        };
        Self {
            factory: factory.clone(),
            name,
            owner: None,
            owners: Owners::Controlling,
            sources: Vec::new(),
            error: None,
            parts,
        }
    }

    /// Reconciles objects of `K`; the reconciler receives their keys.
    pub fn for_<K: Object>(self) -> Self {
        self.for_when::<K>(Predicate::all())
    }

    /// Like [`for_`](Self::for_), for changes that pass `predicate`.
    pub fn for_when<K: Object>(self, predicate: Predicate<K>) -> Self {
        let informer = self.factory.informer_for::<K>();
        self.for_informer(&informer, predicate)
    }

    /// Like [`for_when`](Self::for_when), for an informer of the caller's: see [`watches_informer`](Self::watches_informer). A
    /// dynamic resource is assumed to be namespaced; [`for_dynamic`](Self::for_dynamic) takes its scope.
    pub fn for_informer<K: Cacheable>(
        self,
        informer: &SharedInformer<K>,
        predicate: Predicate<K>,
    ) -> Self {
        self.reconciles(informer, predicate, scope_of::<K>())
    }

    pub(super) fn reconciles<K: Cacheable>(
        mut self,
        informer: &SharedInformer<K>,
        predicate: Predicate<K>,
        scope: Scope,
    ) -> Self {
        let resource = informer.resource().clone();
        let owner = Owner { resource, scope };
        if self.owner.replace(owner).is_some() {
            self.error
                .get_or_insert(BuildError::TwoKinds(self.name.clone()));
        }
        self.add(informer, predicate, None)
    }

    /// Reconciles the controlling owner of each changed `K`, if the owner is of the kind passed to [`for_`](Self::for_). After
    /// [`match_every_owner`](Self::match_every_owner), reconciles all owners of that kind.
    pub fn owns<K: Object>(self) -> Self {
        self.owns_when::<K>(Predicate::all())
    }

    /// Lets the calls of `owns` and its variants after this one reconcile every owner of the kind passed to [`for_`](Self::for_),
    /// not only the one that controls the object: for objects with several owners, or owners set by
    /// [`set_owner_reference`](crate::owner::set_owner_reference). controller-runtime's `MatchEveryOwner`.
    pub fn match_every_owner(mut self) -> Self {
        self.owners = Owners::Every;
        self
    }

    /// Like [`owns`](Self::owns), for changes that pass `predicate`.
    pub fn owns_when<K: Object>(self, predicate: Predicate<K>) -> Self {
        let informer = self.factory.informer_for::<K>();
        self.owns_informer(&informer, predicate)
    }

    /// Like [`owns_when`](Self::owns_when), for an informer of the caller's: see [`watches_informer`](Self::watches_informer).
    pub fn owns_informer<K: Cacheable>(
        mut self,
        informer: &SharedInformer<K>,
        predicate: Predicate<K>,
    ) -> Self {
        let Some(owner) = self.owner.clone() else {
            self.error
                .get_or_insert(BuildError::NoOwner(self.name.clone()));
            return self;
        };
        let owners = self.owners;
        let mapping = move |object: &Arc<K>| owner.keys(&**object, owners);
        self.add(informer, predicate, Some(Arc::new(mapping)))
    }

    /// Reconciles the keys that `mapping` returns for each changed `K`; for an update, for both the old and the new state.
    pub fn watches<K: Object>(
        self,
        mapping: impl Fn(&Arc<K>) -> Vec<ObjectKey> + Send + Sync + 'static,
    ) -> Self {
        self.watches_when::<K>(Predicate::all(), mapping)
    }

    /// Like [`watches`](Self::watches), for changes that pass `predicate`.
    pub fn watches_when<K: Object>(
        self,
        predicate: Predicate<K>,
        mapping: impl Fn(&Arc<K>) -> Vec<ObjectKey> + Send + Sync + 'static,
    ) -> Self {
        let informer = self.factory.informer_for::<K>();
        self.add(&informer, predicate, Some(Arc::new(mapping)))
    }

    /// Like [`watches_when`](Self::watches_when), for an informer of the caller's: dynamic, metadata only, or of another factory.
    /// A manager runs the informer unless it is run elsewhere; without a manager the caller must run it.
    pub fn watches_informer<K: Cacheable>(
        self,
        informer: &SharedInformer<K>,
        predicate: Predicate<K>,
        mapping: impl Fn(&Arc<K>) -> Vec<ObjectKey> + Send + Sync + 'static,
    ) -> Self {
        self.add(informer, predicate, Some(Arc::new(mapping)))
    }

    /// Reconciles the keys added to `trigger` while the controller runs.
    pub fn triggered_by(mut self, trigger: &Trigger) -> Self {
        self.sources.push(trigger.source());
        self
    }

    pub(super) fn factory(&self) -> &SharedInformerFactory {
        &self.factory
    }

    fn add<K: Cacheable>(
        mut self,
        informer: &SharedInformer<K>,
        predicate: Predicate<K>,
        mapping: Option<Mapping<K>>,
    ) -> Self {
        self.sources
            .push(source(informer.clone(), Route { predicate, mapping }));
        self
    }

    /// Reconciles up to `workers` keys concurrently; defaults to 1, the minimum.
    pub fn workers(mut self, workers: usize) -> Self {
        self.parts.workers = workers.max(1);
        self
    }

    /// Same as [`workers`](Self::workers), under controller-runtime's name.
    pub fn max_concurrent_reconciles(self, workers: usize) -> Self {
        self.workers(workers)
    }

    /// Replaces the [default limiter](default_controller_rate_limiter), which determines the back-off of failing keys.
    pub fn rate_limiter(mut self, limiter: impl RateLimiter<ObjectKey> + 'static) -> Self {
        self.parts.limiter = Arc::new(limiter);
        self
    }

    /// Aborts a reconciliation that takes longer and counts it as failed. Without this there is no limit.
    pub fn reconcile_timeout(mut self, timeout: Duration) -> Self {
        self.parts.reconcile_timeout = Some(timeout);
        self
    }

    /// Sets how long the first lists may take when the controller, or its manager, starts; defaults to 2 minutes.
    pub fn cache_sync_timeout(mut self, timeout: Duration) -> Self {
        self.parts.sync_timeout = timeout;
        self
    }

    /// Sets whether a manager with leader election runs this controller only on the leader; on by default. Without it, every
    /// replica runs the controller: for work on what each process holds for itself, or that is safe to do concurrently.
    /// controller-runtime's `NeedLeaderElection`.
    pub fn needs_leader_election(mut self, needs: bool) -> Self {
        self.parts.needs_leader_election = needs;
        self
    }

    /// Reports `controller_runtime_*` and `workqueue_*` to `metrics`.
    pub fn metrics(mut self, metrics: &Metrics) -> Self {
        self.parts.metrics = Some(metrics.clone());
        self
    }

    /// Builds the controller and registers its informers with the factory; they start with the factory.
    ///
    /// # Errors
    ///
    /// The controller watches nothing, or calls of `for_` and `owns` are inconsistent.
    pub fn build(self, reconciler: impl Reconciler) -> Result<Controller, BuildError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        if self.sources.is_empty() {
            return Err(BuildError::NothingToWatch(self.name));
        }
        let reconciler: Arc<dyn ErasedReconciler> = Arc::new(reconciler);
        Ok(Controller::new(
            self.name,
            self.sources,
            reconciler,
            self.parts,
        ))
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("name", &self.name)
            .field("sources", &self.sources.len())
            .finish_non_exhaustive()
    }
}

/// The reconciled kind, as an owner of other objects.
#[derive(Clone)]
struct Owner {
    resource: ResourceInfo,
    scope: Scope,
}

/// Which owners of an object are reconciled.
#[derive(Clone, Copy)]
enum Owners {
    Controlling,
    Every,
}

impl Owner {
    /// Returns the keys of those `owners` of `object` that are of this kind, in any version.
    fn keys<K: Resource>(&self, object: &K, owners: Owners) -> Vec<ObjectKey> {
        let meta = object.meta();
        let namespace = meta
            .namespace
            .as_deref()
            .filter(|_| self.scope == Scope::Namespaced);
        let references = meta.owner_references.iter().flatten();
        references
            .filter(|reference| match owners {
                Owners::Controlling => reference.controller == Some(true),
                Owners::Every => true,
            })
            .filter(|reference| self.is_kind_of(reference))
            .map(|reference| ObjectKey::new(namespace, &reference.name))
            .collect()
    }

    fn is_kind_of(&self, reference: &OwnerReference) -> bool {
        let group = reference
            .api_version
            .split_once('/')
            .map_or("", |(group, _)| group);
        reference.kind == self.resource.kind && group == self.resource.group
    }
}
