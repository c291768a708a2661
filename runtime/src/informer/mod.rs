//! Shared informers: one cache of a resource, kept up to date, with any number of handlers told of its changes.
//!
//! A [`SharedInformer`] is a handle: clone it, add handlers before or after it runs, read through its
//! [`Lister`]. A [`SharedInformerFactory`] holds one informer a type and starts them together. Semantics are client-go's
//! `SharedIndexInformer`'s, and differ where that is said.
//!
//! # Memory under a slow handler
//!
//! Events wait for a slow handler in a queue of its own, which has no bound: dropping or blocking would break the promise
//! that a handler sees every change. What grows is 16 to 24 bytes an event and handler, plus every object version that the
//! queue refers to and the cache has replaced. [`HandlerRegistration::pending`] and [`InformerStats::max_pending`] show the
//! length. Handlers that only put keys into a work queue never fall behind.
//!
//! # Differences from client-go
//!
//! - A delete of an object that was never seen is not passed on.
//! - A handler that asks for a resync before start gets one even if the informer has no default period.
//! - An object that cannot be decoded is skipped; if it was known, its last good state stays.

mod builder;
mod factory;
pub mod handler;
mod listener;
#[cfg(feature = "prometheus")]
mod metrics;
mod processor;
pub mod queue;
mod registration;
mod run;
mod stats;
mod typed;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;

use crate::lister::Lister;
use crate::metrics::Histogram;
use crate::object::{Cacheable, ResourceInfo};
use crate::reflector::{Counters, ErrorHandler, ListWatch, ReflectorError, ReflectorOptions};
use crate::store::{IndexFn, IndexerError, Store};
use crate::sync;

pub use builder::FactoryBuilder;
pub use factory::{CacheSyncError, SharedInformerFactory};
pub use handler::{Deleted, EventHandler, HandlerFuncs};
use processor::{Phase, Processor};
use queue::EventQueue;
pub use registration::HandlerRegistration;
pub use stats::InformerStats;
pub use typed::TypedInformer;

/// Why an informer refused a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InformerError {
    /// The informer has stopped and is not started again.
    #[error("the informer has stopped")]
    Stopped,
    /// The setting only works before the informer starts.
    #[error("the informer has already started")]
    Started,
}

/// One cache of one resource, with its handlers. Clones are handles of the same informer.
pub struct SharedInformer<K> {
    inner: Arc<Inner<K>>,
}

struct Inner<K> {
    name: String,
    info: ResourceInfo,
    source: Arc<dyn ListWatch<K>>,
    store: Store<K>,
    queue: Arc<EventQueue<K>>,
    processor: Mutex<Processor<K>>,
    options: Mutex<ReflectorOptions<K>>,
    synced: watch::Sender<bool>,
    stopped: watch::Sender<bool>,
    /// Whether somebody runs it, or is about to.
    claimed: AtomicBool,
    counters: Arc<Counters>,
    /// Seconds from the hand-out of a batch of events until the cache has it and handlers' queues too.
    processing: Histogram,
}

impl<K> Clone for SharedInformer<K> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
        }
    }
}

impl<K> std::fmt::Debug for SharedInformer<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedInformer")
            .field("name", &self.inner.name)
            .field("store", &self.inner.store)
            .field("synced", &*self.inner.synced.borrow())
            .finish_non_exhaustive()
    }
}

impl<K: Cacheable> SharedInformer<K> {
    /// An informer over `source`. Handlers that name no resync period get `resync`; zero means none.
    ///
    /// Most callers take informers from a [`SharedInformerFactory`] instead.
    pub fn new(source: Arc<dyn ListWatch<K>>, info: ResourceInfo, resync: Duration) -> Self {
        Self::with_options(source, info, resync, ReflectorOptions::default())
    }

    /// As [`Self::new`], with settings for its reflector.
    pub fn with_options(
        source: Arc<dyn ListWatch<K>>,
        info: ResourceInfo,
        resync: Duration,
        options: ReflectorOptions<K>,
    ) -> Self {
        let name = info.group_resource().to_string();
        Self::create(name, source, info, resync, options)
    }

    fn create(
        name: String,
        source: Arc<dyn ListWatch<K>>,
        info: ResourceInfo,
        resync: Duration,
        options: ReflectorOptions<K>,
    ) -> Self {
        let store = Store::new();
        let resync = processor::resync_period(resync);
        Self {
            inner: Arc::new(Inner {
                name,
                info,
                source,
                queue: Arc::new(EventQueue::new(store.clone())),
                processor: Mutex::new(Processor::new(store.clone(), resync)),
                store,
                options: Mutex::new(options),
                synced: watch::channel(false).0,
                stopped: watch::channel(false).0,
                claimed: AtomicBool::new(false),
                counters: Arc::default(),
                processing: stats::processing_seconds(),
            }),
        }
    }

    /// The names of the resource.
    pub fn resource(&self) -> &ResourceInfo {
        &self.inner.info
    }

    /// Adds a handler with the informer's own resync period. It is told of everything in the cache first, then of every
    /// change; also while the informer runs.
    pub fn add_event_handler(
        &self,
        handler: impl EventHandler<K>,
    ) -> Result<HandlerRegistration, InformerError> {
        let resync = self.processor().default_resync();
        self.add_event_handler_with_resync(handler, resync)
    }

    /// Adds a handler that is also told of every object every `resync`, through
    /// [`on_update`](EventHandler::on_update) with the same object twice. Zero means never.
    ///
    /// The period is at least a second. Before start a shorter one than the informer's makes the informer look more often;
    /// after start it is raised to what the informer looks at.
    pub fn add_event_handler_with_resync(
        &self,
        handler: impl EventHandler<K>,
        resync: Duration,
    ) -> Result<HandlerRegistration, InformerError> {
        let listener = self.processor().add(Arc::new(handler), resync)?;
        Ok(HandlerRegistration::new(
            self.identity(),
            listener.shared.clone(),
            self.inner.synced.subscribe(),
            self.inner.stopped.subscribe(),
        ))
    }

    /// Removes a handler; it hears nothing more, but a call that is being made is not waited for. False if it is none of this
    /// informer's, or was removed before: then nothing happens.
    pub fn remove_event_handler(&self, registration: &HandlerRegistration) -> bool {
        registration.informer() == self.identity() && self.processor().remove(registration.id())
    }

    /// Whether the cache holds the whole first list.
    pub fn has_synced(&self) -> bool {
        *self.inner.synced.borrow()
    }

    /// Waits until the cache holds the whole first list; false if the informer stops before.
    pub async fn wait_for_sync(&self) -> bool {
        let (mut synced, mut stopped) = (
            self.inner.synced.subscribe(),
            self.inner.stopped.subscribe(),
        );
        tokio::select! {
            biased;
            reached = synced.wait_for(|synced| *synced) => reached.is_ok(),
            _ = stopped.wait_for(|stopped| *stopped) => false,
        }
    }

    /// Reads the cache.
    pub fn lister(&self) -> Lister<K> {
        Lister::for_resource(self.inner.store.clone(), self.inner.info.group_resource())
    }

    /// The cache itself. Only the informer writes to it while it runs.
    pub fn store(&self) -> &Store<K> {
        &self.inner.store
    }

    /// Adds indexers, before or while the informer runs. Either all are added or, if a name is taken, none.
    pub fn add_indexers(
        &self,
        indexers: impl IntoIterator<Item = (String, IndexFn<K>)>,
    ) -> Result<(), IndexerError> {
        let processor = self.processor();
        if matches!(processor.phase, Phase::Stopped) {
            return Err(IndexerError::Stopped);
        }
        self.inner.store.add_indexers(indexers)
    }

    /// Changes every object once, when it is received and before anything else sees it. Only before start.
    pub fn set_transform(
        &self,
        transform: impl Fn(&mut K) + Send + Sync + 'static,
    ) -> Result<(), InformerError> {
        self.configure(|options| options.transform = Some(Arc::new(transform)))
    }

    /// Calls `handler` with everything that goes wrong while listing and watching, in place of logging it. Only before start.
    pub fn set_watch_error_handler(
        &self,
        handler: impl Fn(&ReflectorError) + Send + Sync + 'static,
    ) -> Result<(), InformerError> {
        self.configure(|options| options.on_error = Arc::new(handler) as ErrorHandler)
    }

    /// Makes the caller the one who runs the informer; false if somebody is already.
    pub(crate) fn claim(&self) -> bool {
        !self.inner.claimed.swap(true, Ordering::AcqRel)
    }

    /// Whether somebody runs the informer, or is about to: the factory that was started, say.
    pub fn is_started(&self) -> bool {
        self.inner.claimed.load(Ordering::Acquire)
    }

    /// Whether the informer has been started and has stopped.
    pub fn is_stopped(&self) -> bool {
        matches!(self.processor().phase, Phase::Stopped)
    }

    /// The version that the cache reflects; empty before the first list.
    pub fn last_sync_resource_version(&self) -> String {
        self.inner.store.resource_version()
    }

    fn configure(
        &self,
        change: impl FnOnce(&mut ReflectorOptions<K>),
    ) -> Result<(), InformerError> {
        let processor = self.processor();
        match processor.phase {
            Phase::New => {
                change(&mut self.inner.options.lock());
                Ok(())
            }
            Phase::Running { .. } => Err(InformerError::Started),
            Phase::Stopped => Err(InformerError::Stopped),
        }
    }

    fn processor(&self) -> MutexGuard<'_, Processor<K>> {
        self.inner.processor.lock()
    }

    fn identity(&self) -> usize {
        Arc::as_ptr(&self.inner) as *const () as usize
    }
}
