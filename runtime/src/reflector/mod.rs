//! Keeps a copy of one resource up to date: lists, then watches, for as long as it runs.
//!
//! A [`Reflector`] reads from a [`ListWatch`] (usually [`ApiSource`], an API server) into a
//! [`Sink`] (a [`Store`](crate::store::Store), or the event queue of an informer). Its rules are
//! those of client-go 1.37's reflector: the resourceVersions of lists and watches, when it relists,
//! its back-off, and streamed initial lists with fallback to paged ones. Start reading at
//! [`Reflector::run`]; listing is in `list`, the streamed list in `watch_list`, watching in
//! `watch`.
//!
//! Differences from client-go:
//!
//! - An object that cannot be decoded is reported and skipped, and does not count as deleted.
//! - A 410 of a watch, whether HTTP status or event, relists immediately for the newest state (a
//!   second one without an event in between backs off).
//! - If watches repeatedly end at once, even with events, the next one is opened after a delay.
//! - A list whose pages repeat is an error.
//! - A server may request a delay of at most five minutes.
//! - An event, or a value of a list, has at most 16 MiB.
//! - A watch that the server does not end in time is ended here.
//! - If the server does not support streamed lists, that is remembered: it refuses one, sends no
//!   closing bookmark though it sends changes, or ends several before their bookmark.
//! - Every phase has a deadline ([`Deadlines`]).
//! - A server whose resourceVersions went back, which makes the API server send no events, is
//!   detected and relisted. Every object of that list is passed on as changed, since equal
//!   resourceVersions mean nothing then.
//!
//! Most users use a [`SharedInformer`](crate::informer::SharedInformer), which runs a reflector.
//! Settings:
//!
//! ```
//! # use codegen_runtime::reflector::{ApiSourceOptions, ReflectorOptions};
//! # use codegen_runtime::k8s_openapi::api::core::v1::ConfigMap;
//! let source = ApiSourceOptions::default().label_selector("app=web");
//! let mut options = ReflectorOptions::<ConfigMap>::default();
//! options.page_size = Some(100);
//! # let _ = (source, options);
//! ```

mod api;
mod backoff;
mod deadline;
mod error;
mod list;
mod partial;
mod sink;
mod source;
mod stats;
mod version;
mod watch;
mod watch_list;
mod wire;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use kube::Resource;
use rand::RngExt;
use tokio_util::sync::CancellationToken;

pub use api::{ApiSource, ApiSourceOptions};
pub use backoff::Backoff;
pub use deadline::{Deadlines, Stalled};
pub use error::{ReflectorError, Undecodable};
pub use sink::{Change, Replace, Sink};
pub use source::{ListEnd, ListRequest, ListWatch, Listed, WatchItem, WatchRequest, WatchStream};
pub(crate) use stats::Counters;
pub use stats::ReflectorStats;
#[cfg(feature = "prometheus")]
pub(crate) use stats::Spread;

use crate::client::retry_after;
use crate::error::chain;
use crate::store::{Held, ObjectKey};

/// Changes an object before anything else sees it, for example to drop unused fields. It must keep
/// name, namespace, uid and resourceVersion.
pub type Transform<K> = Arc<dyn Fn(&mut K) + Send + Sync>;

/// Called with every error of listing and watching.
pub type ErrorHandler = Arc<dyn Fn(&ReflectorError) + Send + Sync>;

/// The minimum timeout of a watch.
const MIN_WATCH: Duration = Duration::from_secs(300);
/// The maximum timeout of a watch is twice this.
const MAX_WATCH: Duration = Duration::from_secs(365 * 24 * 3600);

/// The options of a reflector. The defaults are client-go's.
#[derive(Clone)]
#[non_exhaustive]
pub struct ReflectorOptions<K> {
    /// Whether to try a streamed list first. On by default.
    pub watch_list: bool,
    /// The page size of all lists. By default, pages of 500 are requested where the server may have
    /// to read from etcd ("" or "0" as version), and no pages elsewhere.
    pub page_size: Option<u32>,
    /// The minimum timeout of a watch; the actual one is random, up to twice as long. Values below
    /// five minutes are ignored.
    pub min_watch_timeout: Duration,
    /// How long a watch that ends with an internal error (500) is restarted without a relist. Zero,
    /// the default, relists.
    pub internal_error_retry: Duration,
    /// The delays between failed attempts.
    pub backoff: Backoff,
    /// The deadlines for a silent server.
    pub deadlines: Deadlines,
    /// Applied once to every object received.
    pub transform: Option<Transform<K>>,
    /// Called with every error. By default they are logged.
    pub on_error: ErrorHandler,
}

impl<K> Default for ReflectorOptions<K> {
    fn default() -> Self {
        Self {
            watch_list: true,
            page_size: None,
            min_watch_timeout: MIN_WATCH,
            internal_error_retry: Duration::ZERO,
            backoff: Backoff::reflector(),
            deadlines: Deadlines::default(),
            transform: None,
            on_error: Arc::new(|error| tracing::warn!(error = %chain(error), "reflector")),
        }
    }
}

impl<K> std::fmt::Debug for ReflectorOptions<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReflectorOptions")
            .field("watch_list", &self.watch_list)
            .field("page_size", &self.page_size)
            .field("min_watch_timeout", &self.min_watch_timeout)
            .field("internal_error_retry", &self.internal_error_retry)
            .field("backoff", &self.backoff)
            .field("deadlines", &self.deadlines)
            .finish_non_exhaustive()
    }
}

/// Keeps a [`Sink`] up to date with a [`ListWatch`].
pub struct Reflector<K, S> {
    source: Arc<dyn ListWatch<K>>,
    sink: Arc<S>,
    resource: String,
    options: ReflectorOptions<K>,
    counters: Arc<Counters>,
    /// The version of the last list, event or bookmark; empty before the first list.
    last_version: String,
    /// Whether the server reported `last_version` as too old or too new.
    version_unavailable: bool,
    /// Whether the first list, at version "0", was paginated: then the server does not serve lists
    /// from its cache.
    paginated: bool,
    /// Whether the server does not support streamed lists.
    watch_list_refused: bool,
    /// The number of consecutive streamed lists that became silent before their closing bookmark.
    stalled_streams: u32,
    /// The bookmarks received from the server.
    bookmarks: deadline::Bookmarks,
    versions: version::Versions,
    /// Whether the last relist was due to an expired version and no event has arrived since.
    expired_in_a_row: bool,
    /// The number of consecutive watches that ended in under a second.
    quick_ends: u32,
}

/// A received object.
struct Admitted<K> {
    key: ObjectKey,
    object: Arc<K>,
    /// The known object, if uid and resourceVersion are the same.
    known: Option<Held<K>>,
}

impl<K> Admitted<K> {
    /// Returns the object as `sink` holds it.
    fn hold(self, sink: &impl Sink<K>) -> Held<K> {
        self.known.unwrap_or_else(|| sink.hold(self.object))
    }
}

/// A list or watch panicked.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("panicked while listing or watching")]
struct Panicked;

/// Counts an error and passes it to the handler. Not generic, so that it is compiled once and not
/// for every kind.
fn report(on_error: &ErrorHandler, counters: &Counters, resource: &str, error: &ReflectorError) {
    match error {
        ReflectorError::Undecodable { .. } => Counters::add(&counters.undecodable, 1),
        ReflectorError::InitialListSlow { .. } => {}
        _ => {
            Counters::add(&counters.errors, 1);
            counters.progress(resource).failed_and_told(error);
        }
    }
    if catch_unwind(AssertUnwindSafe(|| on_error(error))).is_err() {
        tracing::error!(resource = %resource, "the watch error handler panicked");
    }
}

/// The next step after a list and watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// List again immediately.
    Relist,
    /// Wait, at least for this long, then list again.
    BackOff(Duration),
}

impl Next {
    const BACK_OFF: Self = Self::BackOff(Duration::ZERO);

    /// Backs off for as long as the server asks to.
    fn back_off_after(error: &kube::Error) -> Self {
        Self::BackOff(retry_after(error).unwrap_or_default())
    }
}

impl<K, S> std::fmt::Debug for Reflector<K, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reflector")
            .field("resource", &self.resource)
            .field("last_version", &self.last_version)
            .finish_non_exhaustive()
    }
}

impl<K, S> Reflector<K, S>
where
    K: Resource + Clone + Send + Sync + 'static,
    S: Sink<K>,
{
    /// Creates a reflector from `source` to `sink`. Errors name `resource`.
    pub fn new(
        source: Arc<dyn ListWatch<K>>,
        sink: Arc<S>,
        resource: impl Into<String>,
        options: ReflectorOptions<K>,
    ) -> Self {
        Self {
            source,
            sink,
            resource: resource.into(),
            options,
            counters: Arc::default(),
            last_version: String::new(),
            version_unavailable: false,
            paginated: false,
            watch_list_refused: false,
            stalled_streams: 0,
            bookmarks: deadline::Bookmarks::default(),
            versions: version::Versions::default(),
            expired_in_a_row: false,
            quick_ends: 0,
        }
    }

    /// Returns the reflector's counters.
    pub fn stats(&self) -> ReflectorStats {
        self.counters.read()
    }

    pub(crate) fn with_counters(mut self, counters: Arc<Counters>) -> Self {
        self.counters = counters;
        self
    }

    /// Lists and watches until `stop` is cancelled. Errors are reported, never returned.
    pub async fn run(&mut self, stop: &CancellationToken) {
        let endless = async {
            loop {
                if let Next::BackOff(least) = self.attempt().await {
                    let wait = self.options.backoff.step().max(least);
                    tokio::time::sleep(wait).await;
                }
            }
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            () = endless => {}
        }
    }

    /// Runs one list and watch. A panic in it, such as one in a type's `Deserialize`, must not end
    /// the reflector: the cache would go stale unnoticed.
    async fn attempt(&mut self) -> Next {
        let attempt = AssertUnwindSafe(self.list_and_watch()).catch_unwind();
        if let Ok(next) = attempt.await {
            return next;
        }
        self.report(ReflectorError::List {
            resource: self.resource.clone(),
            source: kube::Error::Service(Box::new(Panicked)),
        });
        Next::BACK_OFF
    }

    async fn list_and_watch(&mut self) -> Next {
        let mut stream = None;
        if self.options.watch_list && !self.watch_list_refused {
            stream = self.watch_list().await;
        }
        if stream.is_none()
            && let Err(source) = self.list().await
        {
            let next = Next::back_off_after(&source);
            self.report(ReflectorError::List {
                resource: self.resource.clone(),
                source,
            });
            return next;
        }
        self.watch(stream).await
    }

    fn report(&self, error: ReflectorError) {
        report(
            &self.options.on_error,
            &self.counters,
            &self.resource,
            &error,
        );
    }

    fn report_undecodable(&self, object: Undecodable) {
        self.report(ReflectorError::Undecodable {
            resource: self.resource.clone(),
            source: object,
        });
    }

    /// Transforms an object and determines its key. An unchanged object comes with what is
    /// already known.
    fn admit(&self, mut object: K) -> Option<Admitted<K>> {
        if let Some(transform) = &self.options.transform
            && catch_unwind(AssertUnwindSafe(|| transform(&mut object))).is_err()
        {
            self.report_undecodable(Undecodable {
                key: Some(ObjectKey::of(&object)),
                resource_version: object.meta().resource_version.clone(),
                reason: "the transform panicked".to_owned(),
            });
            return None;
        }
        let (key, known) = match self.sink.recall(&object) {
            Some((key, known)) => (key, known.filter(|_| self.trusts_versions())),
            None => (ObjectKey::of(&object), None),
        };
        let whole = known.as_ref().and_then(Held::whole).cloned();
        Some(Admitted {
            key,
            object: whole.unwrap_or_else(|| Arc::new(object)),
            known,
        })
    }

    /// Returns the version that a relist requests: any at first, then at least the known one, and
    /// the newest after the server refused that.
    fn relist_version(&self) -> String {
        match (self.version_unavailable, self.last_version.is_empty()) {
            (true, _) => String::new(),
            (false, true) => "0".to_owned(),
            (false, false) => self.last_version.clone(),
        }
    }

    /// Returns a random timeout of a watch, so that the watches of a fleet do not all end together.
    fn watch_timeout_seconds(&self) -> u32 {
        let least = self.options.min_watch_timeout.clamp(MIN_WATCH, MAX_WATCH);
        let drawn = least.mul_f64(1.0 + rand::rng().random::<f64>());
        u32::try_from(drawn.as_secs()).unwrap_or(u32::MAX)
    }
}
