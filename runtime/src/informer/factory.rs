//! One informer per type, started and stopped together.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Client;
use kube::api::{ApiResource, DynamicObject, ListParams, PartialObjectMeta};
use kube::discovery::Scope;
use parking_lot::{Mutex, MutexGuard};
use serde::Serialize;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::builder::{FactoryBuilder, Settings};
#[cfg(feature = "prometheus")]
use super::metrics::{Informers, Scrape};
use super::{InformerStats, SharedInformer, Sources};
use crate::lister::Lister;
use crate::metrics::Metrics;
use crate::object::{Cacheable, GroupResource, Object, ResourceInfo, scope_of};
use crate::reflector::{ApiSource, ApiSourceOptions, ListWatch, ReflectorOptions, Transform};

/// Some caches did not sync.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("caches did not sync before their informers stopped: {}", .0.join(", "))]
pub struct CacheSyncError(
    /// The names of the informers.
    pub Vec<String>,
);

/// The factory was started without the informer: its cache would stay empty.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the informer of {0} does not run: create it before its factory starts, or start the factory again before reading from it"
)]
pub struct NotStarted(
    /// The informer's resource.
    pub GroupResource,
);

/// The key of an informer: the type, and the resource for types that represent several.
type Key = (TypeId, String);

/// Informers by type, created on first use. Clones are handles of the same factory.
#[derive(Clone)]
pub struct SharedInformerFactory {
    shared: Arc<Shared>,
}

/// A factory that metrics or checks report, without keeping it alive.
#[derive(Clone)]
pub(crate) struct WeakFactory(Weak<Shared>);

impl WeakFactory {
    pub(crate) fn upgrade(&self) -> Option<SharedInformerFactory> {
        let shared = self.0.upgrade()?;
        Some(SharedInformerFactory { shared })
    }
}

impl std::fmt::Debug for WeakFactory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WeakFactory")
    }
}

struct Shared {
    client: Client,
    settings: Settings,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    informers: BTreeMap<Key, Held>,
    tasks: JoinSet<()>,
    /// Whether the factory was started.
    started: bool,
    shut_down: bool,
    stop: CancellationToken,
}

struct Held {
    informer: Arc<dyn Erased>,
    started: bool,
}

/// An informer with its type erased.
trait Erased: Send + Sync {
    fn claim(&self) -> bool;
    fn run(self: Arc<Self>, stop: CancellationToken) -> BoxFuture<'static, ()>;
    fn wait_for_sync(&self) -> BoxFuture<'_, bool>;
    fn stats(&self) -> InformerStats;
    /// Fails while lists or watches have been failing for long.
    fn check(&self) -> Result<(), String>;
    fn identity(&self) -> usize;
    #[cfg(feature = "prometheus")]
    fn scrape(&self) -> Scrape;
    fn as_any(&self) -> &dyn Any;
}

impl<K: Cacheable> Erased for SharedInformer<K> {
    fn claim(&self) -> bool {
        SharedInformer::claim(self)
    }

    fn run(self: Arc<Self>, stop: CancellationToken) -> BoxFuture<'static, ()> {
        async move { SharedInformer::run(&self, &stop).await }.boxed()
    }

    fn wait_for_sync(&self) -> BoxFuture<'_, bool> {
        SharedInformer::wait_for_sync(self).boxed()
    }

    fn stats(&self) -> InformerStats {
        SharedInformer::stats(self)
    }

    fn check(&self) -> Result<(), String> {
        SharedInformer::check(self)
    }

    fn identity(&self) -> usize {
        SharedInformer::identity(self)
    }

    #[cfg(feature = "prometheus")]
    fn scrape(&self) -> Scrape {
        SharedInformer::scrape(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl std::fmt::Debug for SharedInformerFactory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<String> = self.stats().into_iter().map(|stats| stats.name).collect();
        f.debug_struct("SharedInformerFactory")
            .field("informers", &names)
            .finish_non_exhaustive()
    }
}

impl SharedInformerFactory {
    /// Returns a builder of a factory over `client`.
    pub fn builder(client: Client) -> FactoryBuilder<SharedInformerFactory> {
        FactoryBuilder::new(client)
    }

    pub(super) fn new(client: Client, settings: Settings) -> Self {
        let shared = Shared {
            client,
            settings,
            state: Mutex::default(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Returns the informers' client.
    pub fn client(&self) -> &Client {
        &self.shared.client
    }

    /// Returns the informer of `K`, the same one at every call. It runs after the next
    /// [`Self::start`].
    pub fn informer_for<K: Object>(&self) -> SharedInformer<K> {
        self.informer(&(), scope_of::<K>())
    }

    /// Returns a lister of `K`, and creates its informer if the factory has not been started.
    ///
    /// # Errors
    ///
    /// [`NotStarted`]: the factory was started without this informer, so that the lister would stay
    /// empty.
    pub fn lister_for<K: Object>(&self) -> Result<Lister<K>, NotStarted> {
        let (key, info) = key_of::<K>(&());
        let state = self.state();
        let runs = state.informers.get(&key).is_some_and(|held| held.started);
        if state.started && !runs {
            return Err(NotStarted(info.group_resource()));
        }
        drop(state);
        Ok(self.informer_for::<K>().lister())
    }

    /// Returns the informer of the metadata of `K`: it requests `PartialObjectMetadata`, so that
    /// the server sends, and the cache holds, no other fields.
    pub fn metadata_informer<K: Object>(&self) -> SharedInformer<PartialObjectMeta<K>> {
        self.informer(&(), scope_of::<K>())
    }

    /// Returns the informer of a resource known only at run time.
    pub fn dynamic_informer(
        &self,
        resource: &ApiResource,
        scope: Scope,
    ) -> SharedInformer<DynamicObject> {
        self.informer(resource, scope)
    }

    /// Returns the informer of the metadata of a resource known only at run time.
    pub fn dynamic_metadata_informer(
        &self,
        resource: &ApiResource,
        scope: Scope,
    ) -> SharedInformer<PartialObjectMeta<DynamicObject>> {
        self.informer(resource, scope)
    }

    /// Starts every informer that has not been started, as tasks that run until `stop` is cancelled
    /// or the factory is shut down. Call it again after adding informers. Has no effect after
    /// [`Self::shutdown`], nor on informers that are run elsewhere.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub fn start(&self, stop: &CancellationToken) {
        let mut state = self.state();
        if state.shut_down {
            return;
        }
        state.started = true;
        let State {
            informers,
            tasks,
            stop: shutdown,
            ..
        } = &mut *state;
        // Discards the finished tasks of removed informers.
        while tasks.try_join_next().is_some() {}
        for held in informers.values_mut().filter(|held| !held.started) {
            held.started = true;
            if !held.informer.claim() {
                continue;
            }
            let (informer, stop, shutdown) =
                (held.informer.clone(), stop.child_token(), shutdown.clone());
            tasks.spawn(async move {
                let run = informer.run(stop.clone());
                tokio::pin!(run);
                tokio::select! {
                    () = &mut run => {}
                    () = shutdown.cancelled() => {
                        stop.cancel();
                        run.await;
                    }
                }
            });
        }
    }

    /// Waits until the cache of every started informer holds its first list. There is no timeout:
    /// an informer whose lists fail tries again.
    ///
    /// # Errors
    ///
    /// [`CacheSyncError`] with the names of the informers that stopped before that.
    pub async fn wait_for_cache_sync(&self) -> Result<(), CacheSyncError> {
        let started: Vec<Arc<dyn Erased>> = {
            let state = self.state();
            state
                .informers
                .values()
                .filter(|held| held.started)
                .map(|held| held.informer.clone())
                .collect()
        };
        let mut failed = Vec::new();
        for informer in started {
            if !informer.wait_for_sync().await && self.holds(&informer) {
                failed.push(informer.stats().name);
            }
        }
        if failed.is_empty() {
            Ok(())
        } else {
            Err(CacheSyncError(failed))
        }
    }

    /// Stops `informer` and takes it out of the factory, while the factory runs: for a kind whose
    /// CRD is deleted, say, which would otherwise be listed in vain for ever. Listers of the
    /// informer keep its last state. The next call for the kind creates a new informer, which runs
    /// after the next [`Self::start`]. Returns false if the informer is not, or no longer, of this
    /// factory.
    ///
    /// Does not wait; [`SharedInformer::stopped`] does.
    pub fn remove<K: Cacheable>(&self, informer: &SharedInformer<K>) -> bool {
        let mut state = self.state();
        let before = state.informers.len();
        state
            .informers
            .retain(|_, held| held.informer.identity() != informer.identity());
        let removed = state.informers.len() < before;
        drop(state);
        if removed {
            informer.stop();
        }
        removed
    }

    /// Stops every informer and waits until all have ended. (client-go only waits, and hangs if its
    /// stop channel stays open.)
    pub async fn shutdown(&self) {
        let mut tasks = {
            let mut state = self.state();
            state.shut_down = true;
            state.stop.cancel();
            std::mem::take(&mut state.tasks)
        };
        while tasks.join_next().await.is_some() {}
    }

    /// Returns the statistics of every informer.
    pub fn stats(&self) -> Vec<InformerStats> {
        self.informers()
            .iter()
            .map(|informer| informer.stats())
            .collect()
    }

    /// Adds the statistics of this factory's current and future informers to `metrics`, labelled
    /// `name`, `group`, `version` and `resource`, as long as the factory exists. A second call with
    /// the same metrics has no effect; a manager calls this for its factory. Give each of several
    /// factories a [name](FactoryBuilder::name): informers of one name are numbered.
    #[cfg(feature = "prometheus")]
    pub fn register_metrics(&self, metrics: &Metrics) {
        metrics.collector::<Informers>().add(self);
    }

    /// Has no effect: the feature `prometheus` is off.
    #[cfg(not(feature = "prometheus"))]
    pub fn register_metrics(&self, _metrics: &Metrics) {}

    /// Whether both are handles of the same factory.
    #[cfg(feature = "prometheus")]
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    pub(crate) fn downgrade(&self) -> WeakFactory {
        WeakFactory(Arc::downgrade(&self.shared))
    }

    /// Fails while lists or watches of any informer have been failing for long.
    pub(crate) fn check(&self) -> Result<(), String> {
        let informers = self.informers();
        let failing: Vec<String> = informers
            .iter()
            .filter_map(|informer| informer.check().err())
            .collect();
        if failing.is_empty() {
            Ok(())
        } else {
            Err(failing.join("; "))
        }
    }

    #[cfg(feature = "prometheus")]
    pub(super) fn scrape(&self) -> Vec<Scrape> {
        self.informers()
            .iter()
            .map(|informer| informer.scrape())
            .collect()
    }

    fn holds(&self, informer: &Arc<dyn Erased>) -> bool {
        let state = self.state();
        let mut held = state.informers.values();
        held.any(|held| held.informer.identity() == informer.identity())
    }

    fn informers(&self) -> Vec<Arc<dyn Erased>> {
        self.state()
            .informers
            .values()
            .map(|held| held.informer.clone())
            .collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock()
    }

    fn informer<K: Cacheable + Serialize>(
        &self,
        dynamic: &K::DynamicType,
        scope: Scope,
    ) -> SharedInformer<K> {
        let (key, info) = key_of::<K>(dynamic);
        let mut state = self.state();
        if let Some(held) = state.informers.get(&key)
            && let Some(informer) = held.informer.as_any().downcast_ref::<SharedInformer<K>>()
        {
            return informer.clone();
        }
        let informer = self.create(dynamic, info, scope);
        state.informers.insert(
            key,
            Held {
                informer: Arc::new(informer.clone()),
                started: false,
            },
        );
        informer
    }

    fn create<K: Cacheable + Serialize>(
        &self,
        dynamic: &K::DynamicType,
        info: ResourceInfo,
        scope: Scope,
    ) -> SharedInformer<K> {
        let settings = &self.shared.settings;
        let mut params = ListParams::default();
        let resource_key = (info.group.clone(), info.plural.clone());
        let tweaks = [
            settings.tweak.as_ref(),
            settings.tweak_for.get(&TypeId::of::<K>()),
            settings.tweak_of.get(&resource_key),
        ];
        for tweak in tweaks.into_iter().flatten() {
            tweak(&mut params);
        }
        let source_options = ApiSourceOptions {
            label_selector: params.label_selector,
            field_selector: params.field_selector,
            keep_managed_fields: settings.keep_managed_fields,
        };
        let source = |namespace: Option<&str>| -> Arc<dyn ListWatch<K>> {
            let (client, options) = (self.shared.client.clone(), source_options.clone());
            Arc::new(ApiSource::<K>::new(client, dynamic, namespace, options))
        };
        let mut namespaces = settings.namespaces.iter();
        let sources = match (scope, namespaces.len()) {
            (Scope::Namespaced, 2..) => Sources::Namespaces(
                namespaces
                    .map(|namespace| (namespace.clone(), source(Some(namespace))))
                    .collect(),
            ),
            (Scope::Namespaced, _) => Sources::Whole(source(namespaces.next().map(String::as_str))),
            (Scope::Cluster, _) => Sources::Whole(source(None)),
        };
        let transform = settings.transforms.get(&TypeId::of::<K>());
        let options = ReflectorOptions {
            page_size: params.limit,
            deadlines: settings.deadlines,
            transform: transform
                .and_then(|transform| transform.downcast_ref::<Transform<K>>())
                .cloned(),
            ..ReflectorOptions::default()
        };
        let resync = settings
            .resync_for
            .get(&TypeId::of::<K>())
            .copied()
            .unwrap_or(settings.resync);
        let resource = info.group_resource();
        let name = match settings.name.as_str() {
            "" => resource.to_string(),
            name => format!("{name}/{resource}"),
        };
        let informer = SharedInformer::create(name, sources, info, resync, options);
        #[cfg(feature = "packed")]
        if settings.packed.all || settings.packed.types.contains(&TypeId::of::<K>()) {
            informer.store().pack();
        }
        informer
    }
}

/// Returns the key of the informer of `K`, and the names of its resource.
fn key_of<K: Cacheable>(dynamic: &K::DynamicType) -> (Key, ResourceInfo) {
    let info = ResourceInfo::of::<K>(dynamic);
    let resource = format!("{}/{}", info.api_version(), info.plural);
    ((TypeId::of::<K>(), resource), info)
}
