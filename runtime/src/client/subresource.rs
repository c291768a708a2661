//! Verbs with any input and result, for `+genclient:method=` and `scale`: on subresources, and for
//! kinds that are requests.

use std::fmt::Debug;

use kube::api::{Patch, PatchParams, PostParams};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::answer::{Size, object};
use super::endpoint::{below, named};
use super::{Pending, Result, Scale, TypedClient, json, verbs};
use crate::object::Object;

impl<K: Object, V> TypedClient<K, V> {
    /// Posts `input` to the collection and decodes the answer as an `R`, for kinds that are
    /// requests, such as reviews, and may return another type than they take.
    ///
    /// # Errors
    ///
    /// The API server's, or the answer does not decode as an `R`.
    pub async fn create_as<I: Serialize, R: DeserializeOwned>(
        &self,
        input: &I,
        params: &PostParams,
    ) -> Result<R> {
        object(&self.endpoint.create(params, json(input)?).await?)
    }

    /// Reads `subresource` of the named object as an `R`.
    ///
    /// # Errors
    ///
    /// The API server's, or the answer does not decode as an `R`.
    pub async fn get_subresource<R: DeserializeOwned>(
        &self,
        name: &str,
        subresource: &str,
    ) -> Result<R> {
        let (path, name) = (self.endpoint.path()?, named(name)?);
        let request = path.get_subresource(&below(subresource)?, &name);
        object(&self.endpoint.send(request, Size::Any).await?)
    }

    /// Posts `input` to `subresource` of the named object (`pods/eviction`,
    /// `serviceaccounts/token`).
    ///
    /// # Errors
    ///
    /// The API server's, or the answer does not decode as an `R`.
    pub async fn create_subresource<I: Serialize, R: DeserializeOwned>(
        &self,
        name: &str,
        subresource: &str,
        input: &I,
        params: &PostParams,
    ) -> Result<R> {
        let (path, name, body) = (self.endpoint.path()?, named(name)?, json(input)?);
        let request = path.create_subresource(&below(subresource)?, &name, params, body);
        object(&self.endpoint.send(request, Size::Any).await?)
    }

    /// Replaces `subresource` of the named object with `input`.
    ///
    /// # Errors
    ///
    /// The API server's, or the answer does not decode as an `R`.
    pub async fn update_subresource<I: Serialize, R: DeserializeOwned>(
        &self,
        name: &str,
        subresource: &str,
        input: &I,
        params: &PostParams,
    ) -> Result<R> {
        let (path, name, body) = (self.endpoint.path()?, named(name)?, json(input)?);
        let request = path.replace_subresource(&below(subresource)?, &name, params, body);
        object(&self.endpoint.send(request, Size::Any).await?)
    }

    /// Patches `subresource` of the named object.
    ///
    /// # Errors
    ///
    /// The API server's, or the answer does not decode as an `R`.
    pub async fn patch_subresource<P: Serialize + Debug, R: DeserializeOwned>(
        &self,
        name: &str,
        subresource: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<R> {
        let endpoint = &self.endpoint;
        let answer = endpoint.patch_subresource(subresource, name, params, patch);
        object(&answer.await?)
    }

    /// Reads the scale of the named object.
    ///
    /// # Errors
    ///
    /// The API server's: `NotFound`.
    pub fn get_scale<'a>(&'a self, name: &'a str) -> Pending<'a, Scale>
    where
        V: verbs::Scale,
    {
        let endpoint = &self.endpoint;
        Box::pin(async move {
            let request = endpoint.path()?.get_subresource("scale", &named(name)?);
            object(&endpoint.send(request, Size::Any).await?)
        })
    }

    /// Replaces the scale of the named object.
    ///
    /// # Errors
    ///
    /// The API server's: `NotFound`, or `Conflict` if the `resourceVersion` is not the stored one.
    pub fn update_scale<'a>(
        &'a self,
        name: &'a str,
        scale: &'a Scale,
        params: &'a PostParams,
    ) -> Pending<'a, Scale>
    where
        V: verbs::Scale,
    {
        let endpoint = &self.endpoint;
        Box::pin(async move {
            let (path, name, body) = (endpoint.path()?, named(name)?, json(scale)?);
            let request = path.replace_subresource("scale", &name, params, body);
            object(&endpoint.send(request, Size::Any).await?)
        })
    }

    /// Patches the scale of the named object.
    ///
    /// # Errors
    ///
    /// See [`update_scale`](Self::update_scale).
    pub fn patch_scale<P: Serialize + Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Pending<'_, Scale>
    where
        V: verbs::Scale,
    {
        self.patch_part("scale", name, params, patch)
    }
}
