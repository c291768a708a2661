//! The methods of the verbs. Each serializes, sends through the
//! [`Endpoint`](super::endpoint::Endpoint) and decodes; everything in between is independent of the
//! kind.

use std::fmt::Debug;

use kube::api::{
    DeleteParams, ListParams, ObjectList, Patch, PatchParams, PostParams, WatchParams,
};
use kube::core::Status;
use kube::{Error, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::answer::{Size, object, status};
use super::endpoint::{named, required};
use super::sent::Answer;
use super::{Either, Pending, Result, TypedClient, WatchStream, events, json, verbs};
use crate::object::Object;

impl<K: Object, V> TypedClient<K, V> {
    /// Creates `new` and returns it as stored.
    ///
    /// # Errors
    ///
    /// The API server's: `AlreadyExists` if the name is taken, `Invalid` if the schema or an
    /// admission plugin rejects the object.
    pub fn create<'a>(&'a self, new: &'a K, params: &'a PostParams) -> Pending<'a, K>
    where
        V: verbs::Create,
    {
        let endpoint = &self.endpoint;
        Box::pin(async move { object(&endpoint.create(params, json(new)?).await?) })
    }

    /// Replaces the object of the same name.
    ///
    /// # Errors
    ///
    /// `new` has no name; otherwise the API server's: `NotFound`, or `Conflict` if `new` has
    /// another `resourceVersion` than the stored object.
    pub fn update<'a>(&'a self, new: &'a K, params: &'a PostParams) -> Pending<'a, K>
    where
        V: verbs::Update,
    {
        let endpoint = &self.endpoint;
        Box::pin(async move {
            let (name, body) = (name_of(new)?, json(new)?);
            object(&endpoint.replace(name, params, body).await?)
        })
    }

    /// Replaces the status of the object of the same name; the API server ignores all other fields.
    ///
    /// # Errors
    ///
    /// See [`update`](Self::update).
    pub fn update_status<'a>(&'a self, new: &'a K, params: &'a PostParams) -> Pending<'a, K>
    where
        V: verbs::UpdateStatus,
    {
        let endpoint = &self.endpoint;
        Box::pin(async move {
            let (name, body) = (name_of(new)?, json(new)?);
            let (path, name) = (endpoint.path()?, named(name)?);
            let request = path.replace_subresource("status", &name, params, body);
            object(&endpoint.send(request, Size::Object).await?)
        })
    }

    /// Reads one object.
    ///
    /// # Errors
    ///
    /// The API server's: `NotFound` if the object does not exist.
    pub fn get<'a>(&'a self, name: &'a str) -> Pending<'a, K>
    where
        V: verbs::Get,
    {
        let endpoint = &self.endpoint;
        Box::pin(async move { object(&endpoint.get(name).await?) })
    }

    /// Reads one object; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// The API server's, other than `NotFound`.
    pub fn get_opt<'a>(&'a self, name: &'a str) -> Pending<'a, Option<K>>
    where
        V: verbs::Get,
    {
        let endpoint = &self.endpoint;
        Box::pin(async move {
            let answer = endpoint.get_opt(name).await?;
            answer.map(|answer| object(&answer)).transpose()
        })
    }

    /// Lists objects: one page if `params` sets a limit, otherwise all of them, in memory.
    ///
    /// # Errors
    ///
    /// The API server's: `Expired` for a continuation of a list that is too old.
    pub fn list<'a>(&'a self, params: &'a ListParams) -> Pending<'a, ObjectList<K>>
    where
        V: verbs::List,
    {
        let endpoint = &self.endpoint;
        Box::pin(async move {
            let request = endpoint.path()?.list(params);
            object(&endpoint.send(request, Size::Any).await?)
        })
    }

    /// Watches for changes after `resource_version` ("0" for any recent state, sent first as ADDED
    /// events).
    ///
    /// The stream ends when the server ends the watch. Resuming and relisting are left to the
    /// informer.
    ///
    /// # Errors
    ///
    /// The API server's: `Expired` (410) for a version that is too old, either here or as an event.
    pub fn watch<'a>(
        &'a self,
        params: &'a WatchParams,
        resource_version: &'a str,
    ) -> Pending<'a, WatchStream<K>>
    where
        V: verbs::Watch,
    {
        let endpoint = &self.endpoint;
        Box::pin(async move {
            let request = endpoint.path()?.watch(params, resource_version);
            let request = request.map_err(Error::BuildRequest)?;
            events::watch(&endpoint.client, request).await
        })
    }

    /// Deletes one object. Returns the object if finalizers or a grace period keep it, otherwise a
    /// status.
    ///
    /// # Errors
    ///
    /// The API server's: `NotFound`, or `Conflict` if a precondition fails.
    pub fn delete<'a>(
        &'a self,
        name: &'a str,
        params: &'a DeleteParams,
    ) -> Pending<'a, Either<K, Status>>
    where
        V: verbs::Delete,
    {
        let endpoint = &self.endpoint;
        Box::pin(async move {
            let request = endpoint.path()?.delete(&named(name)?, params);
            deleted(&endpoint.send(request, Size::Object).await?)
        })
    }

    /// Deletes all objects that `list_params` selects; with a limit, at most one page of them.
    ///
    /// # Errors
    ///
    /// The API server's.
    pub fn delete_collection<'a>(
        &'a self,
        params: &'a DeleteParams,
        list_params: &'a ListParams,
    ) -> Pending<'a, Either<ObjectList<K>, Status>>
    where
        V: verbs::DeleteCollection,
    {
        let endpoint = &self.endpoint;
        Box::pin(async move {
            let answer = endpoint.delete_collection(params, list_params).await?;
            deleted(&answer)
        })
    }

    /// Patches one object: JSON patch, merge patch, strategic merge patch or server-side apply.
    ///
    /// # Errors
    ///
    /// The API server's: `NotFound`, `Invalid`, or `Conflict` for a `resourceVersion` or for fields
    /// of other managers.
    pub fn patch<P: Serialize + Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Pending<'_, K>
    where
        V: verbs::Patch,
    {
        self.patch_object(name, params, patch)
    }

    /// Patches the status of one object.
    ///
    /// # Errors
    ///
    /// See [`patch`](Self::patch).
    pub fn patch_status<P: Serialize + Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Pending<'_, K>
    where
        V: verbs::Patch + verbs::UpdateStatus,
    {
        self.patch_part("status", name, params, patch)
    }

    /// Patches the object, whatever the verbs.
    pub(crate) fn patch_object<P: Serialize + Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Pending<'_, K> {
        let endpoint = &self.endpoint;
        let request = endpoint.patch_request(name, params, patch);
        Box::pin(async move { object(&endpoint.send(Ok(request?), Size::Object).await?) })
    }

    /// Patches a subresource, whatever the verbs.
    pub(crate) fn patch_part<P: Serialize + Debug, R: DeserializeOwned + Send>(
        &self,
        subresource: &str,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Pending<'_, R> {
        let endpoint = &self.endpoint;
        let request = endpoint.patch_subresource_request(subresource, name, params, patch);
        Box::pin(async move { object(&endpoint.send(Ok(request?), Size::Any).await?) })
    }
}

/// Reads the answer to a deletion: what was deleted, or a status.
fn deleted<R: DeserializeOwned>(answer: &Answer) -> Result<Either<R, Status>> {
    match status(answer)? {
        Some(status) => Ok(Either::Right(status)),
        None => object(answer).map(Either::Left),
    }
}

fn name_of<K: Resource>(object: &K) -> Result<&str> {
    required(object.meta().name.as_deref(), "update")
}
