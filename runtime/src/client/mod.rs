//! Typed clients, the base of generated types such as `VirtualMachines` or `Deployments`.
//!
//! [`TypedClient`] has client-go's verbs, with the same names and argument order, kube's parameter
//! types and [`kube::Error`]. Its second type parameter is the set of verbs that a resource allows
//! ([`verbs`]). Subresources take any input and return any result: see
//! [`TypedClient::get_subresource`].

mod answer;
mod defaults;
mod endpoint;
mod events;
mod exchange;
mod lines;
mod methods;
mod path;
mod sent;
mod subresource;
pub mod verbs;

use std::fmt::{self, Debug};
use std::marker::PhantomData;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use kube::api::{Api, WatchEvent};
use kube::core::{ClusterResourceScope, NamespaceResourceScope};
use kube::{Client, Error, Resource};
use serde::Serialize;

pub use defaults::Defaults;

pub use k8s_openapi::api::autoscaling::v1::Scale;
pub use kube::core::response::StatusSummary;

/// The answer to a delete: the object or a status.
pub use either::Either;

pub(crate) use answer::{object, retry_after, retry_after_in_chain};
pub(crate) use endpoint::Endpoint;
pub(crate) use events::{no_event, split_event};
pub(crate) use exchange::send;
pub use exchange::single_attempts;
pub(crate) use lines::{Lines, MOST_BYTES, TooLarge};
pub(crate) use sent::{Sent, Server};

/// The namespace that means all namespaces, like client-go's `metav1.NamespaceAll`.
pub const NAMESPACE_ALL: &str = "";

/// The result of a client call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A request that is sent once it is awaited. The type has a name, since the compiler repeats the
/// error of a forbidden verb wherever an `impl Future` is used.
pub type Pending<'a, T> = BoxFuture<'a, Result<T>>;

/// The events of a watch, as they arrive.
pub type WatchStream<K> = BoxStream<'static, Result<WatchEvent<K>>>;

/// A client for one resource: in one namespace, in all namespaces, or at cluster scope.
///
/// `V` is the set of verbs that the resource allows; calls of other methods do not compile. Cloning
/// is cheap. Every method sends exactly one request and never retries, even through a [`Client`]
/// with kube's retry layer (see [`single_attempts`]); [`api`](Self::api) and
/// [`client`](Self::client) return that client unchanged.
///
/// As in client-go, the names `.` and `..` and names with `/` or `%` are refused before anything is
/// sent, and all others are escaped: no name directs a request to another object. A status with
/// `Failure` is an error, whatever its HTTP code. Redirects are not followed. An object has at most
/// 16 MiB, and an answer that stalls is given up after 65 s. The deadline for the start of an
/// answer is set by the [`Client`]: see [`connect`](crate::connect).
///
/// ```
/// # async fn example(client: kube::Client) -> Result<(), kube::Error> {
/// use codegen_runtime::client::TypedClient;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::api::{ListParams, PostParams};
///
/// let maps = TypedClient::<ConfigMap>::namespaced(client, "default");
/// for mut map in maps.list(&ListParams::default()).await? {
///     map.data.get_or_insert_default().insert("seen".to_owned(), "true".to_owned());
///     maps.update(&map, &PostParams::default()).await?;
/// }
/// # Ok(())
/// # }
/// ```
///
/// A verb outside the set does not compile:
///
/// ```compile_fail
/// # async fn example(client: kube::Client) -> Result<(), kube::Error> {
/// use codegen_runtime::client::{TypedClient, verbs};
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// let maps = TypedClient::<ConfigMap, verbs::ReadOnly>::namespaced(client, "default");
/// maps.delete("settings", &Default::default()).await?; // the markers of this kind forbid `delete`
/// # Ok(())
/// # }
/// ```
pub struct TypedClient<K, V = verbs::All> {
    api: Api<K>,
    endpoint: Endpoint,
    verbs: PhantomData<fn() -> V>,
}

impl<K: Clone, V> Clone for TypedClient<K, V> {
    fn clone(&self) -> Self {
        self.with_verbs()
    }
}

impl<K, V> Debug for TypedClient<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedClient")
            .field("api", &self.api)
            .finish_non_exhaustive()
    }
}

impl<K, V> TypedClient<K, V> {
    /// Returns the same client with every verb, regardless of what the resource allows: for helpers
    /// that serve many kinds.
    #[must_use]
    pub fn unrestricted(&self) -> TypedClient<K>
    where
        K: Clone,
    {
        self.with_verbs()
    }

    fn with_verbs<W>(&self) -> TypedClient<K, W>
    where
        K: Clone,
    {
        TypedClient {
            api: self.api.clone(),
            endpoint: self.endpoint.clone(),
            verbs: PhantomData,
        }
    }

    /// Returns the namespace of this client; empty for all namespaces and at cluster scope.
    pub fn namespace(&self) -> &str {
        &self.endpoint.namespace
    }

    /// Returns kube's own API handle for the same resource and namespace, for features that this
    /// type does not offer.
    pub fn api(&self) -> &Api<K> {
        &self.api
    }

    /// Returns the underlying client.
    pub fn client(&self) -> &Client {
        &self.endpoint.client
    }
}

impl<K: Resource<DynamicType = ()>, V> TypedClient<K, V> {
    fn new(api: Api<K>, client: Client) -> Self {
        let endpoint = Endpoint::new(client, api.resource_url(), api.namespace());
        Self {
            api,
            endpoint,
            verbs: PhantomData,
        }
    }

    /// Creates a client for a namespaced resource in `namespace`.
    ///
    /// As in client-go, an empty namespace means all namespaces: list, watch and delete_collection
    /// then span them, and the API server refuses requests that need a namespace.
    pub fn namespaced(client: Client, namespace: &str) -> Self
    where
        K: Resource<Scope = NamespaceResourceScope>,
    {
        if namespace.is_empty() {
            return Self::all_namespaces(client);
        }
        Self::new(Api::namespaced(client.clone(), namespace), client)
    }

    /// Creates a client for a namespaced resource across all namespaces: list, watch and
    /// delete_collection only.
    pub fn all_namespaces(client: Client) -> Self
    where
        K: Resource<Scope = NamespaceResourceScope>,
    {
        Self::new(Api::all(client.clone()), client)
    }

    /// Creates a client for a cluster-scoped resource.
    pub fn cluster(client: Client) -> Self
    where
        K: Resource<Scope = ClusterResourceScope>,
    {
        Self::new(Api::all(client.clone()), client)
    }
}

fn json(input: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(input).map_err(Error::SerdeError)
}
