//! What a controller watches: informers with mappings to keys, their types erased.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use futures::future::BoxFuture;
use kube::Resource;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::adder::Route;
use super::enqueue::Enqueue;
use crate::informer::{HandlerRegistration, InformerError, ShareError, SharedInformer};
use crate::metrics::ControllerMetrics;
use crate::object::{Cacheable, is_namespaced};
use crate::shard::{ShardFilter, Sharding, SlotSet};
use crate::store::ObjectKey;
use crate::workqueue::PriorityQueue;

/// Returns the slot of a key of the reconciled kind, if it is known.
pub(super) type Locate = Arc<dyn Fn(&ObjectKey) -> Option<usize> + Send + Sync>;

/// The slots of objects that were deleted and not yet reconciled since.
pub(super) type Departed = Arc<Mutex<BTreeMap<ObjectKey, usize>>>;

/// What a source contributes to a sharded controller.
#[derive(Default)]
pub(super) struct Contribution {
    /// The slots whose objects are in its cache; `None` if all objects are.
    pub(super) listed: Option<watch::Receiver<SlotSet>>,
    /// The slots of keys, from the cache of the reconciled kind.
    pub(super) locate: Option<Locate>,
}

/// An informer and the mapping from its objects to keys, with the type erased.
pub(super) trait Source: Send + Sync {
    fn resource(&self) -> String;
    /// Adds keys to `queue` until the returned value is dropped.
    fn start(
        &self,
        queue: &PriorityQueue<ObjectKey>,
        metrics: &ControllerMetrics,
    ) -> Result<Box<dyn Send + Sync>, InformerError>;
    /// Runs the informer until `stop` is cancelled, unless it already runs elsewhere.
    fn run_unclaimed<'a>(&'a self, stop: &'a CancellationToken) -> Option<BoxFuture<'a, ()>>;
    fn is_started(&self) -> bool;
    fn has_synced(&self) -> bool;
    fn wait_for_sync(&self) -> BoxFuture<'_, bool>;
    /// Prepares the cache: for the objects of this process, or for all.
    fn share(
        &self,
        sharding: Option<&Sharding>,
        departed: &Departed,
    ) -> Result<Contribution, ShareError> {
        let _ = (sharding, departed);
        Ok(Contribution::default())
    }
    /// Returns the keys that the cached objects affect.
    fn keys(&self) -> Vec<ObjectKey> {
        Vec::new()
    }
}

/// What the objects of a source are to the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Reconciled,
    /// Objects that affect reconciled ones in their own namespace, or at cluster scope.
    Beside,
    /// Objects that may affect any.
    Watched,
}

pub(super) fn source<K: Cacheable>(
    informer: SharedInformer<K>,
    route: Route<K>,
    role: Role,
) -> Box<dyn Source> {
    Box::new(Informed {
        informer,
        route,
        role,
        departures: OnceLock::new(),
    })
}

struct Informed<K> {
    informer: SharedInformer<K>,
    route: Route<K>,
    role: Role,
    /// Where to note the slots of deleted objects, if only the objects tell them.
    departures: OnceLock<(ShardFilter<K>, Departed)>,
}

struct Registered<K: Cacheable> {
    informer: SharedInformer<K>,
    registration: HandlerRegistration,
}

impl<K: Cacheable> Drop for Registered<K> {
    fn drop(&mut self) {
        self.informer.remove_event_handler(&self.registration);
    }
}

impl<K: Cacheable + Resource> Source for Informed<K> {
    fn resource(&self) -> String {
        self.informer.resource().group_resource().to_string()
    }

    fn start(
        &self,
        queue: &PriorityQueue<ObjectKey>,
        metrics: &ControllerMetrics,
    ) -> Result<Box<dyn Send + Sync>, InformerError> {
        let mut handler = Enqueue::new(self.route.clone(), queue.clone(), metrics.clone());
        if let Some((filter, departed)) = self.departures.get().cloned() {
            handler = handler.noting(move |object| {
                let slot = filter.slot(object);
                departed.lock().insert(ObjectKey::of(object), slot);
            });
        }
        let registration = self.informer.add_event_handler(handler)?;
        Ok(Box::new(Registered {
            informer: self.informer.clone(),
            registration,
        }))
    }

    fn run_unclaimed<'a>(&'a self, stop: &'a CancellationToken) -> Option<BoxFuture<'a, ()>> {
        let claimed = self.informer.claim();
        claimed.then(|| Box::pin(self.informer.run(stop)) as BoxFuture<'_, ()>)
    }

    fn is_started(&self) -> bool {
        self.informer.is_started()
    }

    fn has_synced(&self) -> bool {
        self.informer.has_synced()
    }

    fn wait_for_sync(&self) -> BoxFuture<'_, bool> {
        Box::pin(self.informer.wait_for_sync())
    }

    fn share(
        &self,
        sharding: Option<&Sharding>,
        departed: &Departed,
    ) -> Result<Contribution, ShareError> {
        let own = sharding.filter(|sharding| match self.role {
            Role::Reconciled => true,
            // Of a scope that is known only at run time, the namespace may be missing.
            Role::Beside => sharding.is_by_namespace() && is_namespaced::<K>(),
            Role::Watched => false,
        });
        let Some(sharding) = own else {
            self.informer.hold_all()?;
            return Ok(Contribution::default());
        };
        let filter = sharding.filter::<K>().ok_or(ShareError::Key)?;
        let listed = Some(self.informer.hold_own(filter.clone())?);
        if self.role != Role::Reconciled || sharding.is_by_namespace() {
            return Ok(Contribution {
                listed,
                locate: None,
            });
        }
        let noted = (filter.clone(), Arc::clone(departed));
        // A source is shared once, when its controller is built.
        drop(self.departures.set(noted));
        let store = self.informer.store().clone();
        let locate: Locate = Arc::new(move |key| Some(filter.slot(&*store.get(key)?)));
        Ok(Contribution {
            listed,
            locate: Some(locate),
        })
    }

    fn keys(&self) -> Vec<ObjectKey> {
        let present = self.informer.store().snapshot();
        match &self.route.mapping {
            None => present.keys().collect(),
            // What panics now has been reported, and is mapped again elsewhere.
            Some(mapping) => present
                .iter()
                .filter_map(|object| catch_unwind(AssertUnwindSafe(|| mapping(&object))).ok())
                .flatten()
                .collect(),
        }
    }
}
