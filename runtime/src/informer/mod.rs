//! Shared informers: an up-to-date cache of a resource, with any number of handlers for its
//! changes.
//!
//! A [`SharedInformer`] is a handle: clone it, add handlers before or after it runs, read through
//! its [`Lister`]. A [`SharedInformerFactory`] holds one informer per type and starts them
//! together. Semantics are those of client-go's `SharedIndexInformer`, except where stated.
//!
//! # Memory with a slow handler
//!
//! Each handler has a queue without a bound: dropping events or blocking would break the promise
//! that a handler sees every change. A slow handler's queue takes 16 to 24 bytes per event, plus
//! every object version that the queue refers to and the cache has replaced.
//! [`HandlerRegistration::pending`] and [`InformerStats::max_pending`] report its length. Handlers
//! that only add keys to a work queue never fall behind.
//!
//! # Differences from client-go
//!
//! - The deletion of an object that was never seen is not passed on.
//! - A handler that requests a resync before start gets one even if the informer has no default
//!   period.
//! - An object that cannot be decoded is skipped; if it was known, its last valid state stays.

mod builder;
mod factory;
pub mod handler;
mod inlet;
mod listener;
#[cfg(feature = "prometheus")]
mod metrics;
mod processor;
pub mod queue;
mod registration;
mod run;
mod shard;
mod stats;
mod typed;
#[cfg(all(test, feature = "packed"))]
mod undecodable;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::lister::Lister;
use crate::metrics::Histogram;
use crate::object::{Cacheable, ResourceInfo};
use crate::reflector::{Counters, ErrorHandler, ListWatch, ReflectorError, ReflectorOptions};
use crate::shard::{ShardFilter, SlotSet};
use crate::store::{IndexFn, IndexerError, Store};
use crate::sync;

pub use builder::FactoryBuilder;
pub(crate) use factory::WeakFactory;
pub use factory::{CacheSyncError, NotStarted, SharedInformerFactory};
pub use handler::{Deleted, EventHandler, HandlerFuncs};
use processor::{Phase, Processor};
use queue::EventQueue;
pub use registration::HandlerRegistration;
use shard::Sharded;
pub use stats::InformerStats;
pub use typed::TypedInformer;

/// Why an informer refused a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InformerError {
    /// The informer has stopped and cannot be started again.
    #[error("the informer has stopped")]
    Stopped,
    /// The setting has an effect only before the informer starts.
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
    sources: Sources<K>,
    store: Store<K>,
    queue: Arc<EventQueue<K>>,
    processor: Mutex<Processor<K>>,
    options: Mutex<ReflectorOptions<K>>,
    /// How the objects are divided, if they are.
    share: Mutex<Share<K>>,
    synced: watch::Sender<bool>,
    stopped: watch::Sender<bool>,
    /// Cancelled to stop the informer for good.
    halt: CancellationToken,
    /// Whether the informer runs, or is about to.
    claimed: AtomicBool,
    counters: Arc<Counters>,
    /// Seconds from receiving a batch of events until the cache and the handlers' queues hold it.
    processing: Histogram,
}

/// Which of the objects an informer holds.
enum Share<K> {
    /// All, unless it is told otherwise.
    Undecided,
    /// All: somebody relies on it.
    Whole,
    /// Those of this process.
    Own(Arc<Sharded<K>>),
}

/// Why an informer cannot hold what a controller needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShareError {
    /// Another controller needs all objects, or other ones.
    Differs,
    /// It lists several namespaces one by one.
    Namespaces,
    /// It has started.
    Started,
    /// The key function takes another type.
    Key,
}

/// What an informer lists and watches.
enum Sources<K> {
    /// The whole resource, or one namespace of it.
    Whole(Arc<dyn ListWatch<K>>),
    /// Several namespaces.
    Namespaces(BTreeMap<String, Arc<dyn ListWatch<K>>>),
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
    /// Creates an informer over `source`. Handlers that specify no resync period get `resync`, at
    /// least one second; zero means none.
    ///
    /// Most callers take informers from a [`SharedInformerFactory`] instead.
    pub fn new(source: Arc<dyn ListWatch<K>>, info: ResourceInfo, resync: Duration) -> Self {
        Self::with_options(source, info, resync, ReflectorOptions::default())
    }

    /// Like [`Self::new`], with settings for its reflector.
    pub fn with_options(
        source: Arc<dyn ListWatch<K>>,
        info: ResourceInfo,
        resync: Duration,
        options: ReflectorOptions<K>,
    ) -> Self {
        let name = info.group_resource().to_string();
        Self::create(name, Sources::Whole(source), info, resync, options)
    }

    fn create(
        name: String,
        sources: Sources<K>,
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
                sources,
                queue: Arc::new(EventQueue::new(store.clone())),
                processor: Mutex::new(Processor::new(store.clone(), resync)),
                store,
                options: Mutex::new(options),
                share: Mutex::new(Share::Undecided),
                synced: watch::channel(false).0,
                stopped: watch::channel(false).0,
                halt: CancellationToken::new(),
                claimed: AtomicBool::new(false),
                counters: Arc::default(),
                processing: stats::processing_seconds(),
            }),
        }
    }

    /// Returns the names of the resource.
    pub fn resource(&self) -> &ResourceInfo {
        &self.inner.info
    }

    /// Adds a handler with the informer's default resync period. It receives an add for every
    /// object in the cache, then every change. Works before start and while the informer runs.
    ///
    /// # Errors
    ///
    /// [`InformerError::Stopped`].
    pub fn add_event_handler(
        &self,
        handler: impl EventHandler<K>,
    ) -> Result<HandlerRegistration, InformerError> {
        let resync = self.processor().default_resync();
        self.add_event_handler_with_resync(handler, resync)
    }

    /// Adds a handler that also receives every object every `resync`, through
    /// [`on_update`](EventHandler::on_update) with the same object twice. Zero means never.
    ///
    /// The minimum is one second. Before start, a period shorter than the informer's shortens the
    /// informer's check interval; after start, it is raised to that interval.
    ///
    /// # Errors
    ///
    /// [`InformerError::Stopped`].
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

    /// Removes a handler, without waiting for a call in progress; no further calls are made.
    /// Returns false if it is not, or no longer, registered with this informer.
    pub fn remove_event_handler(&self, registration: &HandlerRegistration) -> bool {
        registration.informer() == self.identity() && self.processor().remove(registration.id())
    }

    /// Whether the cache holds the whole first list.
    pub fn has_synced(&self) -> bool {
        *self.inner.synced.borrow()
    }

    /// Waits until the cache holds the whole first list; returns false if the informer stops
    /// before.
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

    /// Returns a lister, which reads the cache.
    pub fn lister(&self) -> Lister<K> {
        Lister::for_resource(self.inner.store.clone(), self.inner.info.group_resource())
    }

    /// Returns the cache itself. While the informer runs, only the informer may write to it.
    pub fn store(&self) -> &Store<K> {
        &self.inner.store
    }

    /// Adds indexers, before or while the informer runs. Adds either all or, if a name is taken,
    /// none.
    ///
    /// # Errors
    ///
    /// [`IndexerError`]: a name is taken, or the informer has stopped.
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

    /// Sets a function that changes every object once, when it is received and before anything else
    /// sees it. Only before start.
    ///
    /// # Errors
    ///
    /// [`InformerError`] once the informer has started.
    pub fn set_transform(
        &self,
        transform: impl Fn(&mut K) + Send + Sync + 'static,
    ) -> Result<(), InformerError> {
        self.configure(|options| options.transform = Some(Arc::new(transform)))
    }

    /// Keeps the objects compressed, and decodes them when they are read; see
    /// [`FactoryBuilder::packed`]. Only before start.
    ///
    /// # Errors
    ///
    /// [`InformerError`] once the informer has started.
    #[cfg(feature = "packed")]
    pub fn set_packed(&self) -> Result<(), InformerError>
    where
        K: serde::Serialize,
    {
        self.configure(|_| self.inner.store.pack())
    }

    /// Holds all objects, which a controller relies on.
    pub(crate) fn hold_all(&self) -> Result<(), ShareError> {
        let mut share = self.inner.share.lock();
        if let Share::Own(_) = *share {
            return Err(ShareError::Differs);
        }
        *share = Share::Whole;
        Ok(())
    }

    /// Holds only the objects of this process. Only before start. Returns the slots whose objects
    /// are in the cache, and their changes.
    pub(crate) fn hold_own(
        &self,
        filter: ShardFilter<K>,
    ) -> Result<watch::Receiver<SlotSet>, ShareError> {
        let mut share = self.inner.share.lock();
        match &*share {
            Share::Own(sharded) if sharded.filter.is_same(&filter) => {
                return Ok(sharded.listed());
            }
            Share::Whole | Share::Own(_) => return Err(ShareError::Differs),
            Share::Undecided => {}
        }
        if self.is_started() {
            return Err(ShareError::Started);
        }
        if let Sources::Namespaces(_) = self.inner.sources {
            return Err(ShareError::Namespaces);
        }
        let sharded = Arc::new(Sharded::new(filter));
        let listed = sharded.listed();
        *share = Share::Own(sharded);
        Ok(listed)
    }

    /// Calls `handler` with every error of listing and watching, instead of logging it. Only before
    /// start.
    ///
    /// # Errors
    ///
    /// [`InformerError`] once the informer has started.
    pub fn set_watch_error_handler(
        &self,
        handler: impl Fn(&ReflectorError) + Send + Sync + 'static,
    ) -> Result<(), InformerError> {
        self.configure(|options| options.on_error = Arc::new(handler) as ErrorHandler)
    }

    /// Claims the right to run the informer; returns false if it is already claimed.
    pub(crate) fn claim(&self) -> bool {
        !self.inner.claimed.swap(true, Ordering::AcqRel)
    }

    /// Whether the informer runs or is about to, for example because its factory was started.
    pub fn is_started(&self) -> bool {
        self.inner.claimed.load(Ordering::Acquire)
    }

    /// Whether the informer has been started and has stopped.
    pub fn is_stopped(&self) -> bool {
        matches!(self.processor().phase, Phase::Stopped)
    }

    /// Stops the informer for good, also if it has not been started: handlers get nothing more, and
    /// the cache stays as it is. Does not wait for calls of handlers in progress.
    /// [`SharedInformerFactory::remove`] also takes it out of its factory.
    pub fn stop(&self) {
        self.inner.halt.cancel();
        let mut processor = self.processor();
        if matches!(processor.phase, Phase::New) {
            processor.stop();
            self.inner.queue.close();
            self.inner.stopped.send_replace(true);
        }
    }

    /// Waits until the informer has stopped.
    pub async fn stopped(&self) {
        let mut stopped = self.inner.stopped.subscribe();
        // The sender lives in this informer.
        let _ = stopped.wait_for(|stopped| *stopped).await;
    }

    /// Returns the version of the cache; empty before the first list.
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
