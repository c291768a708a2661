//! The methods of the verbs. Each serializes, sends through the [`Endpoint`](super::endpoint::Endpoint) and decodes;
//! everything in between is independent of the kind.

use std::fmt::Debug;

use kube::api::{
    DeleteParams, ListParams, ObjectList, Patch, PatchParams, PostParams, WatchParams,
};
use kube::core::Status;
use kube::{Error, Resource};
use serde::Serialize;

use super::answer::{Size, object, status};
use super::endpoint::{named, required};
use super::{Either, Result, TypedClient, WatchStream, events, json, verbs};
use crate::apply::{ApplyError, Part, prepare};
use crate::object::Object;

impl<K: Object, V> TypedClient<K, V> {
    /// Creates `new` and returns it as stored.
    ///
    /// # Errors
    ///
    /// The API server's: `AlreadyExists` if the name is taken, `Invalid` if the schema or an admission plugin rejects the object.
    pub async fn create(&self, new: &K, params: &PostParams) -> Result<K>
    where
        V: verbs::Create,
    {
        object(&self.endpoint.create(params, json(new)?).await?)
    }

    /// Replaces the object of the same name.
    ///
    /// # Errors
    ///
    /// `new` has no name; otherwise the API server's: `NotFound`, or `Conflict` if `new` has another `resourceVersion`
    /// than the stored object.
    pub async fn update(&self, new: &K, params: &PostParams) -> Result<K>
    where
        V: verbs::Update,
    {
        let (name, body) = (name_of(new)?, json(new)?);
        object(&self.endpoint.replace(name, params, body).await?)
    }

    /// Replaces the status of the object of the same name; the API server ignores all other fields.
    ///
    /// # Errors
    ///
    /// See [`update`](Self::update).
    pub async fn update_status(&self, new: &K, params: &PostParams) -> Result<K>
    where
        V: verbs::UpdateStatus,
    {
        let (name, body) = (name_of(new)?, json(new)?);
        let (path, name) = (self.endpoint.path()?, named(name)?);
        let request = path.replace_subresource("status", &name, params, body);
        object(&self.endpoint.send(request, Size::Object).await?)
    }

    /// Reads one object.
    ///
    /// # Errors
    ///
    /// The API server's: `NotFound` if the object does not exist.
    pub async fn get(&self, name: &str) -> Result<K>
    where
        V: verbs::Get,
    {
        object(&self.endpoint.get(name).await?)
    }

    /// Reads one object; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// The API server's, other than `NotFound`.
    pub async fn get_opt(&self, name: &str) -> Result<Option<K>>
    where
        V: verbs::Get,
    {
        let answer = self.endpoint.get_opt(name).await?;
        answer.map(|answer| object(&answer)).transpose()
    }

    /// Lists objects: one page if `params` sets a limit, otherwise all of them, in memory.
    ///
    /// # Errors
    ///
    /// The API server's: `Expired` for a continuation of a list that is too old.
    pub async fn list(&self, params: &ListParams) -> Result<ObjectList<K>>
    where
        V: verbs::List,
    {
        let request = self.endpoint.path()?.list(params);
        object(&self.endpoint.send(request, Size::Any).await?)
    }

    /// Watches for changes after `resource_version` ("0" for any recent state, sent first as ADDED events).
    ///
    /// The stream ends when the server ends the watch. Resuming and relisting are left to the informer.
    ///
    /// # Errors
    ///
    /// The API server's: `Expired` (410) for a version that is too old, either here or as an event.
    pub async fn watch(
        &self,
        params: &WatchParams,
        resource_version: &str,
    ) -> Result<WatchStream<K>>
    where
        V: verbs::Watch,
    {
        let request = self.endpoint.path()?.watch(params, resource_version);
        let request = request.map_err(Error::BuildRequest)?;
        events::watch(&self.endpoint.client, request).await
    }

    /// Deletes one object. Returns the object if finalizers or a grace period keep it, otherwise a status.
    ///
    /// # Errors
    ///
    /// The API server's: `NotFound`, or `Conflict` if a precondition fails.
    pub async fn delete(&self, name: &str, params: &DeleteParams) -> Result<Either<K, Status>>
    where
        V: verbs::Delete,
    {
        let request = self.endpoint.path()?.delete(&named(name)?, params);
        let answer = self.endpoint.send(request, Size::Object).await?;
        match status(&answer)? {
            Some(status) => Ok(Either::Right(status)),
            None => object(&answer).map(Either::Left),
        }
    }

    /// Deletes all objects that `list_params` selects; with a limit, at most one page of them.
    ///
    /// # Errors
    ///
    /// The API server's.
    pub async fn delete_collection(
        &self,
        params: &DeleteParams,
        list_params: &ListParams,
    ) -> Result<Either<ObjectList<K>, Status>>
    where
        V: verbs::DeleteCollection,
    {
        let answer = self.endpoint.delete_collection(params, list_params).await?;
        match status(&answer)? {
            Some(status) => Ok(Either::Right(status)),
            None => object(&answer).map(Either::Left),
        }
    }

    /// Patches one object: JSON patch, merge patch, strategic merge patch or server-side apply.
    ///
    /// # Errors
    ///
    /// The API server's: `NotFound`, `Invalid`, or `Conflict` for a `resourceVersion` or for fields of other managers.
    pub async fn patch<P: Serialize + Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<K>
    where
        V: verbs::Patch,
    {
        object(&self.endpoint.patch(name, params, patch).await?)
    }

    /// Patches the status of one object.
    ///
    /// # Errors
    ///
    /// See [`patch`](Self::patch).
    pub async fn patch_status<P: Serialize + Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<K>
    where
        V: verbs::Patch + verbs::UpdateStatus,
    {
        self.patch_subresource(name, "status", params, patch).await
    }

    /// Creates or changes the object that `configuration` describes, by server-side apply: exactly its fields become
    /// owned by the field manager of `params`. `configuration` is an
    /// [`ApplyConfiguration`](crate::apply::ApplyConfiguration), a `K` or any other value with a name; a missing
    /// `apiVersion` or `kind` is taken from `K`.
    ///
    /// The status and the fields that only the API server sets (`managedFields`, `creationTimestamp`, `generation`,
    /// `uid`) are not sent.
    ///
    /// # Errors
    ///
    /// `configuration` is not a JSON object with a name; otherwise the API server's: `Conflict` for fields of other
    /// managers, unless `params` force.
    pub async fn apply<A: Serialize>(&self, configuration: &A, params: &PatchParams) -> Result<K>
    where
        V: verbs::Apply,
    {
        let (name, patch) = applied::<K>(configuration, Part::Object)?;
        object(&self.endpoint.patch(&name, params, &patch).await?)
    }

    /// Applies only the status of `configuration`, through the status subresource.
    ///
    /// # Errors
    ///
    /// See [`apply`](Self::apply).
    pub async fn apply_status<A: Serialize>(
        &self,
        configuration: &A,
        params: &PatchParams,
    ) -> Result<K>
    where
        V: verbs::ApplyStatus,
    {
        let (name, patch) = applied::<K>(configuration, Part::Status)?;
        self.patch_subresource(&name, "status", params, &patch)
            .await
    }
}

fn name_of<K: Resource>(object: &K) -> Result<&str> {
    required(object.meta().name.as_deref(), "update")
}

fn applied<K: Object>(
    configuration: &impl Serialize,
    part: Part,
) -> Result<(String, Patch<serde_json::Value>)> {
    let (name, body) = prepare::<K>(configuration, part).map_err(|error| match error {
        ApplyError::Serialize(error) => Error::SerdeError(error),
        error => Error::BuildRequest(kube::core::request::Error::Validation(error.to_string())),
    })?;
    Ok((name, Patch::Apply(body)))
}
