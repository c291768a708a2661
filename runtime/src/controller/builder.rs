//! Wires informers, predicates and mappings to a reconciler.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;
use kube::discovery::Scope;

use super::adder::{Mapping, Route};
use super::gate::{Gate, ShardGate};
use super::reconciler::ErasedReconciler;
use super::run::Parts;
use super::source::{Departed, Role, Source, source};
use super::{Controller, Predicate, Reconciler, Trigger};
use crate::informer::{ShareError, SharedInformer, SharedInformerFactory};
use crate::metrics::Metrics;
use crate::object::{Cacheable, Object, ResourceInfo, scope_of};
use crate::shard::Sharding;
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
    /// A sharded controller reconciles no kind whose objects could be divided.
    #[error(
        "controller {0:?} is sharded by objects, but reconciles no kind: call for_, or shard it by namespace"
    )]
    NothingToDivide(String),
    /// The reconciled kind has no namespaces.
    #[error(
        "controller {controller:?} is sharded by namespace, but {resource} are cluster-scoped, so that one member would have all: shard it by uid"
    )]
    NoNamespaces {
        /// The controller.
        controller: String,
        /// The reconciled resource.
        resource: String,
    },
    /// The key function of a sharding takes objects of another type.
    #[error(
        "controller {controller:?} is sharded by a function of another type than {resource} have in its cache"
    )]
    OtherType {
        /// The controller.
        controller: String,
        /// The reconciled resource.
        resource: String,
    },
    /// Controllers that share a factory need different objects of a kind.
    #[error(
        "controller {controller:?}: the cache of {resource} is shared with a controller that needs other objects of it, and would miss events: give one of them a factory of its own"
    )]
    OtherObjects {
        /// The controller.
        controller: String,
        /// The resource.
        resource: String,
    },
    /// The factory is restricted to several namespaces, each of which is listed on its own.
    #[error(
        "controller {controller:?} is sharded, but its factory lists several namespaces of {resource} one by one: use a factory of all namespaces, or of one"
    )]
    SeveralNamespaces {
        /// The controller.
        controller: String,
        /// The resource.
        resource: String,
    },
    /// The informer was started before the controller was built.
    #[error(
        "controller {controller:?} is sharded, but the informer of {resource} has started: build the controller first"
    )]
    Started {
        /// The controller.
        controller: String,
        /// The resource.
        resource: String,
    },
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
    watched: Role,
    sources: Vec<Box<dyn Source>>,
    error: Option<BuildError>,
    sharding: Option<Sharding>,
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
            gate: None,
        };
        Self {
            factory: factory.clone(),
            name,
            owner: None,
            owners: Owners::Controlling,
            watched: Role::Watched,
            sources: Vec::new(),
            error: None,
            sharding: None,
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

    /// Like [`for_when`](Self::for_when), for an informer of the caller's: see
    /// [`watches_informer`](Self::watches_informer). A dynamic resource is assumed to be
    /// namespaced; [`for_dynamic`](Self::for_dynamic) takes its scope.
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
        self.add(informer, predicate, None, Role::Reconciled)
    }

    /// Reconciles the controlling owner of each changed `K`, if the owner is of the kind passed to
    /// [`for_`](Self::for_). After [`match_every_owner`](Self::match_every_owner), reconciles all
    /// owners of that kind.
    pub fn owns<K: Object>(self) -> Self {
        self.owns_when::<K>(Predicate::all())
    }

    /// Lets the calls of `owns` and its variants after this one reconcile every owner of the kind
    /// passed to [`for_`](Self::for_), not only the one that controls the object: for objects with
    /// several owners, or owners set by [`set_owner_reference`](crate::owner::set_owner_reference).
    /// controller-runtime's `MatchEveryOwner`.
    pub fn match_every_owner(mut self) -> Self {
        self.owners = Owners::Every;
        self
    }

    /// Like [`owns`](Self::owns), for changes that pass `predicate`.
    pub fn owns_when<K: Object>(self, predicate: Predicate<K>) -> Self {
        let informer = self.factory.informer_for::<K>();
        self.owns_informer(&informer, predicate)
    }

    /// Like [`owns_when`](Self::owns_when), for an informer of the caller's: see
    /// [`watches_informer`](Self::watches_informer).
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
        self.add(informer, predicate, Some(Arc::new(mapping)), Role::Beside)
    }

    /// Reconciles the keys that `mapping` returns for each changed `K`; for an update, for both the
    /// old and the new state.
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
        let role = self.watched;
        self.add(&informer, predicate, Some(Arc::new(mapping)), role)
    }

    /// Like [`watches_when`](Self::watches_when), for an informer of the caller's: dynamic,
    /// metadata only, or of another factory. A manager runs the informer unless it is run
    /// elsewhere; without a manager the caller must run it.
    pub fn watches_informer<K: Cacheable>(
        self,
        informer: &SharedInformer<K>,
        predicate: Predicate<K>,
        mapping: impl Fn(&Arc<K>) -> Vec<ObjectKey> + Send + Sync + 'static,
    ) -> Self {
        let role = self.watched;
        self.add(informer, predicate, Some(Arc::new(mapping)), role)
    }

    /// Declares that the mappings of `watches` and its variants after this call return only keys in
    /// the namespace of the object. When [sharded](Self::sharded) by namespace, each replica then
    /// caches its part of those kinds, too; a mapping to another namespace would lose events.
    pub fn maps_within_namespaces(mut self) -> Self {
        self.watched = Role::Beside;
        self
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
        role: Role,
    ) -> Self {
        let route = Route { predicate, mapping };
        self.sources.push(source(informer.clone(), route, role));
        self
    }

    /// Lets every replica work, each on its part of the objects: see [`shard`](crate::shard).
    /// Requests then carry the term of the object's part as their
    /// [leadership](super::Request::leadership). The controller needs no leader.
    ///
    /// - The cache of the reconciled kind, and with [`Sharding::by_namespace`] also the caches of
    ///   the namespaced kinds that it owns, hold only the objects of this process; so do their
    ///   listers. Other caches are whole.
    /// - Keys of other members' objects, from mappings and triggers, are dropped. A process that
    ///   becomes the owner of a part reconciles all of its objects, and whatever the watched
    ///   objects map to.
    /// - The informers must not be used by controllers that need other objects:
    ///   [`build`](Self::build) refuses that.
    /// - `None` has no effect, so that a flag can decide.
    pub fn sharded(mut self, sharding: impl Into<Option<Sharding>>) -> Self {
        self.sharding = sharding.into();
        if self.sharding.is_some() {
            self.parts.needs_leader_election = false;
        }
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

    /// Replaces the [default limiter](default_controller_rate_limiter), which determines the
    /// back-off of failing keys.
    pub fn rate_limiter(mut self, limiter: impl RateLimiter<ObjectKey> + 'static) -> Self {
        self.parts.limiter = Arc::new(limiter);
        self
    }

    /// Aborts a reconciliation that takes longer and counts it as failed. Without this there is no
    /// limit.
    pub fn reconcile_timeout(mut self, timeout: Duration) -> Self {
        self.parts.reconcile_timeout = Some(timeout);
        self
    }

    /// Sets how long the first lists may take when the controller, or its manager, starts; defaults
    /// to 2 minutes.
    pub fn cache_sync_timeout(mut self, timeout: Duration) -> Self {
        self.parts.sync_timeout = timeout;
        self
    }

    /// Sets whether a manager with leader election runs this controller only on the leader; on by
    /// default. Without it, every replica runs the controller: for work on what each process holds
    /// for itself, or that is safe to do concurrently. controller-runtime's `NeedLeaderElection`.
    pub fn needs_leader_election(mut self, needs: bool) -> Self {
        self.parts.needs_leader_election = needs;
        self
    }

    /// Reports `controller_runtime_*` and `workqueue_*` to `metrics`.
    pub fn metrics(mut self, metrics: &Metrics) -> Self {
        self.parts.metrics = Some(metrics.clone());
        self
    }

    /// Builds the controller and registers its informers with the factory; they start with the
    /// factory.
    ///
    /// # Errors
    ///
    /// The controller watches nothing, calls of `for_` and `owns` are inconsistent, or a sharded
    /// controller would miss events.
    pub fn build(mut self, reconciler: impl Reconciler) -> Result<Controller, BuildError> {
        self.parts.gate = self.gate()?;
        let reconciler: Arc<dyn ErasedReconciler> = Arc::new(reconciler);
        Ok(Controller::new(
            self.name,
            self.sources,
            reconciler,
            self.parts,
        ))
    }

    /// Prepares the caches and builds only the [gate](ShardGate), for a sharded controller in the
    /// classic shape. `None` if it is not sharded.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    pub fn build_gate(self) -> Result<Option<ShardGate>, BuildError> {
        let gate = self.gate()?;
        Ok(gate.map(|gate| ShardGate::new(gate, self.sources)))
    }
}

impl Builder {
    /// Prepares the caches, and builds the gate of a sharded controller.
    fn gate(&self) -> Result<Option<Arc<Gate>>, BuildError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        if self.sources.is_empty() {
            return Err(BuildError::NothingToWatch(self.name.clone()));
        }
        let sharding = self.sharding.as_ref();
        if let Some(sharding) = sharding {
            self.check_sharding(sharding)?;
        }
        let (departed, mut contributions) = (Departed::default(), Vec::new());
        for source in &self.sources {
            let shared = source.share(sharding, &departed);
            contributions.push(shared.map_err(|error| self.refuse(error, source.resource()))?);
        }
        let gate = sharding.map(|it| Gate::new(it.clone(), contributions, departed));
        Ok(gate.map(Arc::new))
    }

    fn check_sharding(&self, sharding: &Sharding) -> Result<(), BuildError> {
        let controller = self.name.clone();
        match &self.owner {
            None if !sharding.is_by_namespace() => Err(BuildError::NothingToDivide(controller)),
            Some(owner) if sharding.is_by_namespace() && owner.scope == Scope::Cluster => {
                Err(BuildError::NoNamespaces {
                    controller,
                    resource: owner.resource.group_resource().to_string(),
                })
            }
            _ => Ok(()),
        }
    }

    fn refuse(&self, error: ShareError, resource: String) -> BuildError {
        let controller = self.name.clone();
        match error {
            ShareError::Key => BuildError::OtherType {
                controller,
                resource,
            },
            ShareError::Differs => BuildError::OtherObjects {
                controller,
                resource,
            },
            ShareError::Namespaces => BuildError::SeveralNamespaces {
                controller,
                resource,
            },
            ShareError::Started => BuildError::Started {
                controller,
                resource,
            },
        }
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
