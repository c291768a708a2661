//! Helpers of this suite: secrets to observe, informers that run for one case, and a source that
//! records its requests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use codegen_runtime::informer::{HandlerRegistration, SharedInformer, handler};
use codegen_runtime::object::{Cacheable, ResourceInfo};
use codegen_runtime::reflector::{
    ApiSource, ApiSourceOptions, ListEnd, ListRequest, ListWatch, Listed, ReflectorOptions,
    WatchRequest, WatchStream,
};
use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::{Api, Client, ResourceExt};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::support::expect::{PATIENCE, eventually};

pub(crate) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Waits until a condition holds; panics after [`PATIENCE`].
pub(crate) async fn until(what: &str, holds: impl Fn() -> bool) {
    eventually(what, || async { holds().then_some(()) }).await;
}

/// Creates a secret with these labels.
pub(crate) fn secret(name: &str, labels: &[(&str, &str)]) -> Secret {
    let mut secret = Secret::default();
    secret.metadata.name = Some(name.to_owned());
    let labels = labels
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    secret.metadata.labels = Some(labels.collect());
    secret
}

/// The secrets of one namespace.
#[derive(Clone)]
pub(crate) struct Secrets(pub(crate) Api<Secret>);

impl Secrets {
    pub(crate) fn new(client: &Client, namespace: &str) -> Self {
        Self(Api::namespaced(client.clone(), namespace))
    }

    pub(crate) async fn create(&self, name: &str, labels: &[(&str, &str)]) -> Secret {
        let created = self
            .0
            .create(&PostParams::default(), &secret(name, labels))
            .await;
        created.unwrap()
    }

    pub(crate) async fn label(&self, name: &str, key: &str, value: Option<&str>) -> Secret {
        let patch = Patch::Merge(json!({"metadata": {"labels": {key: value}}}));
        let patched = self.0.patch(name, &PatchParams::default(), &patch).await;
        patched.unwrap()
    }

    pub(crate) async fn delete(&self, name: &str) {
        self.0.delete(name, &DeleteParams::default()).await.unwrap();
    }
}

/// Returns an object's version as a number.
pub(crate) fn version<K: ResourceExt>(object: &K) -> u64 {
    object.resource_version().unwrap().parse().unwrap()
}

/// The recorded calls of a handler: `+name` (`*name` in the initial list), `~name`, `-name`
/// (`?name` if the deletion was missed).
#[derive(Clone, Default)]
pub(crate) struct Told(Arc<Mutex<Vec<String>>>);

impl Told {
    /// Adds a handler that records its calls.
    pub(crate) fn add_to<K: Cacheable>(&self, informer: &SharedInformer<K>) -> HandlerRegistration {
        let note = |told: &Self| {
            let told = told.clone();
            move |sign: &str, name: String| told.0.lock().unwrap().push(format!("{sign}{name}"))
        };
        let (add, update, delete) = (note(self), note(self), note(self));
        let handler = handler::funcs::<K>()
            .on_add(move |object, initial| add(if initial { "*" } else { "+" }, object.name_any()))
            .on_update(move |_, object| update("~", object.name_any()))
            .on_delete(move |deleted| {
                let missed = deleted.is_final_state_unknown();
                delete(if missed { "?" } else { "-" }, deleted.object().name_any());
            });
        informer.add_event_handler(handler).unwrap()
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// Like [`Self::all`], in alphabetical order.
    pub(crate) fn sorted(&self) -> Vec<String> {
        let mut all = self.all();
        all.sort();
        all
    }

    /// Waits until exactly these calls have been recorded.
    pub(crate) async fn becomes(&self, expected: &[&str]) {
        for _ in 0..600 {
            if self.all() == expected {
                return;
            }
            tokio::time::sleep(ms(50)).await;
        }
        assert_eq!(self.all(), expected);
    }
}

/// Changes the nth watch's request (from 0) before it is sent.
type Tweak = Box<dyn Fn(usize, &mut WatchRequest) + Send + Sync>;

/// A source that records its requests, and may change them.
pub(crate) struct Spy<K> {
    source: ApiSource<K>,
    log: Mutex<Vec<String>>,
    watches: Mutex<usize>,
    tweak: Tweak,
    /// A watch other than a streamed list takes a permit before it is sent.
    gate: Semaphore,
}

impl<K: Cacheable> Spy<K> {
    pub(crate) fn new(
        client: &Client,
        dynamic: &K::DynamicType,
        namespace: &str,
        options: ApiSourceOptions,
    ) -> Self {
        Self {
            source: ApiSource::new(client.clone(), dynamic, Some(namespace), options),
            log: Mutex::default(),
            watches: Mutex::default(),
            tweak: Box::new(|_, _| {}),
            gate: Semaphore::new(Semaphore::MAX_PERMITS),
        }
    }

    /// Changes requests for watches before they are sent.
    pub(crate) fn tweak(
        mut self,
        tweak: impl Fn(usize, &mut WatchRequest) + Send + Sync + 'static,
    ) -> Self {
        self.tweak = Box::new(tweak);
        self
    }

    /// Holds back watches other than streamed lists until [`Self::open`].
    pub(crate) fn closed(mut self) -> Self {
        self.gate = Semaphore::new(0);
        self
    }

    pub(crate) fn open(&self) {
        self.gate.add_permits(Semaphore::MAX_PERMITS);
    }

    /// Returns the requests: `list "0" limit 3`, `list "0" limit 3 continued`, `watch "12"`,
    /// `watch "" streamed`; numeric versions are written `N`.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    fn note(&self, entry: String) {
        self.log.lock().unwrap().push(entry);
    }
}

/// Formats a version for the log: values other than "" and "0" differ from run to run.
fn shown(version: &str) -> &str {
    match version {
        "" | "0" => version,
        _ => "N",
    }
}

impl<K: Cacheable> ListWatch<K> for Spy<K> {
    fn list<'a>(
        &'a self,
        request: ListRequest,
        each: &'a mut (dyn FnMut(Listed<K>) + Send),
    ) -> BoxFuture<'a, Result<ListEnd, kube::Error>> {
        let limit = request.limit.map(|limit| format!(" limit {limit}"));
        let continued = request.continue_token.as_ref().map(|_| " continued");
        self.note(format!(
            "list {:?}{}{}",
            shown(&request.resource_version),
            limit.unwrap_or_default(),
            continued.unwrap_or_default()
        ));
        self.source.list(request, each)
    }

    fn watch(
        &self,
        mut request: WatchRequest,
    ) -> BoxFuture<'_, Result<WatchStream<K>, kube::Error>> {
        let streamed = request.send_initial_events;
        let suffix = if streamed { " streamed" } else { "" };
        let version = shown(&request.resource_version);
        self.note(format!("watch {version:?}{suffix}"));
        let mut watches = self.watches.lock().unwrap();
        (self.tweak)(*watches, &mut request);
        *watches += 1;
        Box::pin(async move {
            if !streamed {
                self.gate.acquire().await.unwrap().forget();
            }
            self.source.watch(request).await
        })
    }
}

/// An informer that runs until this is dropped.
pub(crate) struct Running<K> {
    pub(crate) informer: SharedInformer<K>,
    stop: CancellationToken,
    _task: JoinHandle<()>,
}

impl<K> Drop for Running<K> {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl<K: Cacheable> Running<K> {
    /// Starts an informer over `source`, with the handler of `told`.
    pub(crate) fn start(
        source: Arc<dyn ListWatch<K>>,
        dynamic: &K::DynamicType,
        options: ReflectorOptions<K>,
        told: &Told,
    ) -> Self {
        let info = ResourceInfo::of::<K>(dynamic);
        let informer = SharedInformer::with_options(source, info, Duration::ZERO, options);
        told.add_to(&informer);
        Self::run(informer)
    }

    pub(crate) fn run(informer: SharedInformer<K>) -> Self {
        let stop = CancellationToken::new();
        let task = tokio::spawn({
            let (informer, stop) = (informer.clone(), stop.clone());
            async move { informer.run(&stop).await }
        });
        Self {
            informer,
            stop,
            _task: task,
        }
    }

    /// Waits for the first list; panics after [`PATIENCE`].
    pub(crate) async fn synced(&self) {
        let synced = tokio::time::timeout(PATIENCE, self.informer.wait_for_sync());
        assert_eq!(synced.await, Ok(true), "no first list in {PATIENCE:?}");
    }

    /// Returns the names in the cache, with their versions.
    pub(crate) fn cached(&self) -> BTreeMap<String, u64> {
        let objects = self.informer.store().list();
        objects
            .iter()
            .map(|object| (object.name_any(), version(&**object)))
            .collect()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.cached().into_keys().collect()
    }
}
