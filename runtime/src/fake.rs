//! Fakes: a generated clientset over an embedded API server that records requests.
//!
//! client-go's fakes answer from a tracker of objects. These answer from [`embedded_apiserver`],
//! with real lists, watches, patches and conflicts, and through the same client as production code.
//! Generated code declares its resources as [`Resource`]s and calls [`serve`]; tests use the
//! [`Tracker`].
//!
//! ```
//! use codegen_runtime::{client::TypedClient, fake};
//! use k8s_openapi::api::core::v1::ConfigMap;
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), kube::Error> {
//! let mut map = ConfigMap::default();
//! map.metadata.name = Some("settings".to_owned());
//! map.metadata.namespace = Some("default".to_owned());
//!
//! let (client, tracker) = fake::serve(&[], [map]);
//! let maps = TypedClient::<ConfigMap>::namespaced(client, "default");
//! assert!(maps.get_opt("settings").await?.is_some());
//! assert_eq!(tracker.actions()[0].verb, "get");
//! # Ok(())
//! # }
//! ```

pub mod crash;
mod events;
#[cfg(feature = "webhooks")]
mod reviews;
mod running;

use std::fmt;
use std::time::Duration;

use kube::Client;
use serde_json::Value;

use crate::controller::Context;
use crate::informer::SharedInformerFactory;
use crate::json::{from_value, to_value};
use crate::object;

pub use self::events::{Events, recorder};
#[cfg(feature = "webhooks")]
pub use self::reviews::Reviews;
pub use self::running::Running;
pub use embedded_apiserver::{
    Action, ApiError, ApiServer, Fault, FaultKind, Reaction, Scope, assert_rbac,
};

/// A resource that a fake serves, as generated code declares it. It has no schema: objects are
/// stored unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The API group; empty for the core group.
    pub group: &'static str,
    /// The version.
    pub version: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// The plural name, as in URLs.
    pub plural: &'static str,
    /// The singular name.
    pub singular: &'static str,
    /// Whether objects live in namespaces.
    pub scope: Scope,
    /// Short names.
    pub short_names: &'static [&'static str],
    /// Whether the status subresource exists.
    pub status: bool,
    /// The scale subresource, if there is one.
    pub scale: Option<Scale>,
}

/// The JSON paths of a scale subresource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// The desired number of replicas, within `.spec`.
    pub spec_replicas: &'static str,
    /// The observed number of replicas, within `.status`.
    pub status_replicas: &'static str,
    /// The label selector in its string form, if there is one.
    pub label_selector: Option<&'static str>,
}

impl From<&Resource> for embedded_apiserver::ResourceDescription {
    fn from(resource: &Resource) -> Self {
        Self {
            group: resource.group.to_owned(),
            version: resource.version.to_owned(),
            kind: resource.kind.to_owned(),
            plural: resource.plural.to_owned(),
            singular: resource.singular.to_owned(),
            scope: resource.scope,
            short_names: resource
                .short_names
                .iter()
                .map(|&name| name.to_owned())
                .collect(),
            status: resource.status,
            scale: resource.scale.map(|scale| embedded_apiserver::ScalePaths {
                spec_replicas: scale.spec_replicas.to_owned(),
                status_replicas: scale.status_replicas.to_owned(),
                label_selector: scale.label_selector.map(str::to_owned),
            }),
        }
    }
}

/// An object of any kind for a fake: `vm.into()` where objects have different types.
#[derive(Clone, Debug, PartialEq)]
pub struct Object(Value);

impl Object {
    /// Creates an object from its JSON, with apiVersion and kind.
    pub fn from_value(value: Value) -> Self {
        Self(value)
    }
}

impl<K: object::Object> From<K> for Object {
    /// # Panics
    ///
    /// The object cannot be serialized as JSON.
    fn from(object: K) -> Self {
        let mut value = match to_value(&object) {
            Ok(value) => value,
            Err(error) => panic!("a fake cannot hold this {}: {error}", K::kind(&())),
        };
        if let Some(fields) = value.as_object_mut() {
            fields
                .entry("apiVersion")
                .or_insert_with(|| K::api_version(&()).into());
            fields.entry("kind").or_insert_with(|| K::kind(&()).into());
        }
        Self(value)
    }
}

/// Creates a client of a new embedded API server that serves `resources` and the built-in kinds and
/// contains `objects`.
///
/// As in client-go's fakes, namespaces need not exist, and dependents of a deleted owner are not
/// deleted.
///
/// # Panics
///
/// Called outside of a Tokio runtime, or an object has no name or a kind that is not served.
pub fn serve(
    resources: &[Resource],
    objects: impl IntoIterator<Item = impl Into<Object>>,
) -> (Client, Tracker) {
    let server = ApiServer::builder()
        .resources(resources.iter().map(Into::into))
        .objects(objects.into_iter().map(|object| object.into().0))
        .garbage_collector(false)
        .namespace_lifecycle(false)
        .build();
    match server {
        Ok(server) => (server.client(), Tracker { server }),
        Err(error) => panic!("a fake cannot hold these objects: {error}"),
    }
}

/// Creates the context of a reconciler of `K` over `client`, and its events: for tests that call
/// [`reconcile`](crate::controller::Reconciler::reconcile) directly. [`Context::started`] fills its
/// caches.
///
/// ```
/// use codegen_runtime::controller::{Action, Reconciler, Request, reconcile_with};
/// use codegen_runtime::fake;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut map = ConfigMap::default();
/// map.metadata.name = Some("settings".to_owned());
/// map.metadata.namespace = Some("default".to_owned());
///
/// let (client, _tracker) = fake::serve(&[], [map.clone()]);
/// let (context, mut events) = fake::context::<ConfigMap>(client);
/// let reconciler = reconcile_with(context.started().await?, |request, context| async move {
///     if let Some(map) = context.object(&request) {
///         context.recorder().normal(&*map, "Seen", "Reconcile", "as it should be");
///     }
///     Ok::<_, kube::Error>(Action::done())
/// });
/// assert_eq!(reconciler.reconcile(Request::of(&map)).await?, Action::done());
/// assert!(events.of_reason("Seen").await.is_some());
/// # Ok(())
/// # }
/// ```
pub fn context<K: object::Object>(client: Client) -> (Context<K>, Events) {
    let factory: SharedInformerFactory = SharedInformerFactory::builder(client).build();
    let (recorder, events) = recorder();
    (Context::new(&factory, recorder), events)
}

/// The interval at which the newest resourceVersion is polled.
const POLL: Duration = Duration::from_millis(2);

/// A test's access to a fake: its recorded requests, reactors, faults and objects.
///
/// Clones share one fake.
#[derive(Clone)]
pub struct Tracker {
    server: ApiServer,
}

impl fmt::Debug for Tracker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tracker").finish_non_exhaustive()
    }
}

impl Tracker {
    /// Returns the requests so far, in order; a watch is one request.
    pub fn actions(&self) -> Vec<Action> {
        self.server.recorder().actions()
    }

    /// Forgets the requests so far.
    pub fn clear_actions(&self) {
        self.server.recorder().clear();
    }

    /// Lets `react` answer the requests of a verb for a resource, ahead of earlier reactors and the
    /// store. `*` matches any verb or resource; a subresource is written `virtualmachines/status`.
    pub fn prepend_reactor(
        &self,
        verb: &str,
        resource: &str,
        react: impl Fn(&Action) -> Reaction + Send + Sync + 'static,
    ) {
        self.server.prepend_reactor(verb, resource, react);
    }

    /// Injects a fault, such as an expired watch or a lost connection.
    pub fn fault(&self, fault: Fault) {
        self.server.faults().add(fault);
    }

    /// Ends all faults.
    pub fn clear_faults(&self) {
        self.server.faults().clear();
    }

    /// Stores an object unchanged, bypassing reactors and faults; watches see it. Replaces an
    /// object of the same name.
    ///
    /// # Errors
    ///
    /// The object has no name, or its kind is not served.
    pub fn add(&self, object: impl Into<Object>) -> Result<(), ApiError> {
        self.server.objects().put(&object.into().0).map(drop)
    }

    /// Returns the stored object with that name; the namespace is empty at cluster scope.
    ///
    /// # Panics
    ///
    /// The stored object does not decode as a `K`.
    pub fn get<K: object::Object>(&self, namespace: &str, name: &str) -> Option<K> {
        let (group, plural) = (K::group(&()), K::plural(&()));
        let value = self
            .server
            .objects()
            .get(&group, &plural, namespace, name)?;
        Some(decode(&value))
    }

    /// Returns the stored objects of a namespace; an empty one means all namespaces.
    ///
    /// # Panics
    ///
    /// One of them does not decode as a `K`.
    pub fn list<K: object::Object>(&self, namespace: &str) -> Vec<K> {
        let (group, plural) = (K::group(&()), K::plural(&()));
        let values = self.server.objects().list(&group, &plural, namespace);
        values.iter().map(decode).collect()
    }

    /// Removes an object at once, regardless of finalizers; returns whether it existed.
    pub fn remove<K: object::Object>(&self, namespace: &str, name: &str) -> bool {
        let (group, plural) = (K::group(&()), K::plural(&()));
        self.server
            .objects()
            .remove(&group, &plural, namespace, name)
    }

    /// Waits until `is` returns true; calls it immediately and after each write to an object.
    ///
    /// There is no deadline: use `tokio::time::timeout`.
    pub async fn until(&self, is: impl Fn() -> bool) {
        loop {
            let version = self.server.resource_version();
            if is() {
                return;
            }
            while self.server.resource_version() == version {
                tokio::time::sleep(POLL).await;
            }
        }
    }

    /// Returns the fake's API server.
    pub fn server(&self) -> &ApiServer {
        &self.server
    }
}

fn decode<K: object::Object>(value: &Value) -> K {
    match from_value(value) {
        Ok(object) => object,
        Err(error) => panic!("the stored object is not a {}: {error}", K::kind(&())),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;

    fn map(name: &str) -> ConfigMap {
        let mut map = ConfigMap::default();
        map.metadata.name = Some(name.to_owned());
        map.metadata.namespace = Some("default".to_owned());
        map
    }

    #[tokio::test(start_paused = true)]
    async fn until_asks_at_once_and_after_each_write_alone() {
        let (_client, tracker) = serve(&[], [map("first")]);
        let asked = Cell::new(0);
        let is = || {
            asked.set(asked.get() + 1);
            tracker.list::<ConfigMap>("default").len() == 2
        };
        let wait = tokio::time::timeout(Duration::from_secs(1), tracker.until(is));
        assert!(wait.await.is_err());
        assert_eq!(asked.get(), 1);
        tokio::join!(tracker.until(is), async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            tracker.add(map("second")).unwrap();
        });
        assert_eq!(asked.get(), 3);
    }
}
