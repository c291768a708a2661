//! Typed clients: what a generated `VirtualMachines` or `Deployments` delegates to.
//!
//! [`TypedClient`] holds a [`kube::Api`] and gives the verbs in client-go's names and order with kube's parameter types
//! and [`kube::Error`]. Generated clients are newtypes over it that expose only the verbs a resource allows.
//! Custom and scale subresources take any input and any result: see [`TypedClient::get_subresource`].

mod exchange;
mod subresource;

use std::fmt::{self, Debug};

use futures::StreamExt;
use futures::stream::BoxStream;
use kube::api::{
    Api, DeleteParams, GetParams, ListParams, ObjectList, Patch, PatchParams, PostParams,
    WatchEvent, WatchParams,
};
use kube::core::{ClusterResourceScope, NamespaceResourceScope, Request, Status, request};
use kube::{Client, Error, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::object::Object;

pub use k8s_openapi::api::autoscaling::v1::Scale;
pub use kube::core::response::StatusSummary;

/// One object or the server's status, as a delete answers.
pub use either::Either;

pub(crate) use exchange::send;
pub use exchange::single_attempts;

/// A result of a client call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The events of a watch, as they come.
pub type WatchStream<K> = BoxStream<'static, Result<WatchEvent<K>>>;

/// A client for one resource, in one namespace, in all, or at cluster scope.
///
/// Cloning is cheap. All methods send exactly one request and never retry, also through a [`Client`] that holds kube's retry
/// layer (see [`single_attempts`]); [`api`](Self::api) and [`client`](Self::client) give that client as it is.
#[derive(Clone)]
pub struct TypedClient<K> {
    api: Api<K>,
    client: Client,
    namespace: String,
}

impl<K> Debug for TypedClient<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedClient")
            .field("api", &self.api)
            .finish_non_exhaustive()
    }
}

impl<K: Object> TypedClient<K> {
    /// A client for a namespaced resource in `namespace`.
    ///
    /// As in client-go an empty namespace means all namespaces: list, watch and delete_collection then span them, and
    /// the API server refuses what needs one.
    pub fn namespaced(client: Client, namespace: &str) -> Self
    where
        K: Resource<Scope = NamespaceResourceScope>,
    {
        if namespace.is_empty() {
            return Self::all_namespaces(client);
        }
        let api = Api::namespaced(client.clone(), namespace);
        Self {
            api,
            client,
            namespace: namespace.to_owned(),
        }
    }

    /// A client for a namespaced resource across all namespaces: list, watch and delete_collection only.
    pub fn all_namespaces(client: Client) -> Self
    where
        K: Resource<Scope = NamespaceResourceScope>,
    {
        Self {
            api: Api::all(client.clone()),
            client,
            namespace: String::new(),
        }
    }

    /// A client for a cluster-scoped resource.
    pub fn cluster(client: Client) -> Self
    where
        K: Resource<Scope = ClusterResourceScope>,
    {
        Self {
            api: Api::all(client.clone()),
            client,
            namespace: String::new(),
        }
    }

    /// The namespace of this client; empty for all namespaces and at cluster scope.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// kube's own API handle for the same resource and namespace, for what this type does not offer.
    pub fn api(&self) -> &Api<K> {
        &self.api
    }

    /// The client under this one.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Creates `object` and returns it as stored.
    pub async fn create(&self, object: &K, params: &PostParams) -> Result<K> {
        self.create_as(object, params).await
    }

    /// Replaces the object of the same name. A `resourceVersion` in `object` makes the server refuse with a conflict
    /// if the stored object has another.
    pub async fn update(&self, object: &K, params: &PostParams) -> Result<K> {
        let body = json(object)?;
        self.object(self.path().replace(name_of(object)?, params, body))
            .await
    }

    /// Replaces the status of the object of the same name; the server ignores everything else.
    pub async fn update_status(&self, object: &K, params: &PostParams) -> Result<K> {
        self.update_subresource(name_of(object)?, "status", object, params)
            .await
    }

    /// Reads one object; a missing one is `Error::Api` with reason NotFound.
    pub async fn get(&self, name: &str) -> Result<K> {
        self.object(self.path().get(name, &GetParams::default()))
            .await
    }

    /// Reads one object; a missing one is `None`.
    pub async fn get_opt(&self, name: &str) -> Result<Option<K>> {
        match self.get(name).await {
            Ok(object) => Ok(Some(object)),
            Err(Error::Api(status)) if status.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Lists objects: one page if `params` sets a limit, else everything.
    pub async fn list(&self, params: &ListParams) -> Result<ObjectList<K>> {
        self.object(self.path().list(params)).await
    }

    /// Watches for changes after `resource_version` ("0" for any recent state, sent first as ADDED events).
    ///
    /// The stream ends when the server ends the watch; resuming and relisting are the informer's work.
    pub async fn watch(
        &self,
        params: &WatchParams,
        resource_version: &str,
    ) -> Result<WatchStream<K>> {
        let request = self.path().watch(params, resource_version);
        let events = single_attempts(&self.client)
            .request_events(request.map_err(Error::BuildRequest)?)
            .await?;
        Ok(events.boxed())
    }

    /// Deletes one object. The answer is the object while finalizers or a grace period keep it, else a status.
    pub async fn delete(&self, name: &str, params: &DeleteParams) -> Result<Either<K, Status>> {
        let request = self.path().delete(name, params);
        exchange::object_or_status(&self.client, request.map_err(Error::BuildRequest)?).await
    }

    /// Deletes all objects that `list_params` selects.
    pub async fn delete_collection(
        &self,
        params: &DeleteParams,
        list_params: &ListParams,
    ) -> Result<Either<ObjectList<K>, Status>> {
        let request = self.path().delete_collection(params, list_params);
        exchange::object_or_status(&self.client, request.map_err(Error::BuildRequest)?).await
    }

    /// Patches one object: JSON patch, merge patch, strategic merge patch or server-side apply.
    pub async fn patch<P: Serialize + Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<K> {
        self.object(self.path().patch(name, params, patch)).await
    }

    /// Patches the status of one object.
    pub async fn patch_status<P: Serialize + Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<K> {
        self.patch_subresource(name, "status", params, patch).await
    }

    fn path(&self) -> Request {
        Request::new(self.api.resource_url())
    }

    async fn object<R: DeserializeOwned>(
        &self,
        request: Result<http::Request<Vec<u8>>, request::Error>,
    ) -> Result<R> {
        exchange::object(&self.client, request.map_err(Error::BuildRequest)?).await
    }
}

fn json(input: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(input).map_err(Error::SerdeError)
}

/// The name that a PUT addresses, or the error that a request without one deserves.
fn name_of<K: Resource>(object: &K) -> Result<&str> {
    match object.meta().name.as_deref() {
        Some(name) if !name.is_empty() => Ok(name),
        _ => Err(Error::BuildRequest(request::Error::Validation(
            "metadata.name is required for an update".into(),
        ))),
    }
}
