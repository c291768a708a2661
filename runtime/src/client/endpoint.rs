//! The request path of a typed client, without type parameters: this code is compiled once for all
//! kinds.

use std::borrow::Cow;
use std::fmt::Debug;

use kube::api::{DeleteParams, GetParams, ListParams, Patch, PatchParams, PostParams};
use kube::core::{Request, request};
use kube::{Api, Client, Error, Resource};
use serde::Serialize;

use super::answer::Size;
use super::sent::Answer;
use super::{Result, exchange, path};

/// A resource in one namespace, in all namespaces, or at cluster scope.
#[derive(Clone)]
pub(crate) struct Endpoint {
    pub(crate) client: Client,
    /// Builds requests relative to the resource's URL.
    path: Request,
    /// Empty for all namespaces and at cluster scope.
    pub(super) namespace: String,
}

impl Endpoint {
    /// Creates the endpoint of the resource at `url`, which already contains `namespace`.
    pub(crate) fn new(client: Client, url: &str, namespace: Option<&str>) -> Self {
        Self {
            client,
            path: Request::new(url),
            namespace: namespace.unwrap_or_default().to_owned(),
        }
    }

    /// Returns the endpoint that `api` addresses.
    pub(crate) fn of<K: Resource + Clone>(api: &Api<K>) -> Self {
        let client = api.clone().into_client();
        Self::new(client, api.resource_url(), api.namespace())
    }

    /// Returns the request builder, or an error if the namespace would redirect requests to another
    /// path.
    pub(super) fn path(&self) -> Result<&Request> {
        if !self.namespace.is_empty() {
            let segment =
                path::segment("namespace", &self.namespace).map_err(Error::BuildRequest)?;
            // The URL contains the namespace unescaped.
            if segment != self.namespace {
                let why = format!("invalid namespace {:?}", self.namespace);
                return Err(Error::BuildRequest(request::Error::Validation(why)));
            }
        }
        Ok(&self.path)
    }

    /// Returns the resource's URL, with the same check as `path`.
    pub(crate) fn url(&self) -> Result<&str> {
        Ok(&self.path()?.url_path)
    }

    /// Reads the object called `name`.
    pub(crate) async fn get(&self, name: &str) -> Result<Answer> {
        let request = self.path()?.get(&named(name)?, &GetParams::default());
        self.send(request, Size::Object).await
    }

    /// Like [`get`](Self::get), but returns `None` if the object does not exist.
    pub(crate) async fn get_opt(&self, name: &str) -> Result<Option<Answer>> {
        match self.get(name).await {
            Ok(answer) => Ok(Some(answer)),
            Err(Error::Api(status)) if status.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(crate) async fn create(&self, params: &PostParams, body: Vec<u8>) -> Result<Answer> {
        let request = self.path()?.create(params, body);
        self.send(request, Size::Object).await
    }

    pub(crate) async fn replace(
        &self,
        name: &str,
        params: &PostParams,
        body: Vec<u8>,
    ) -> Result<Answer> {
        let request = self.path()?.replace(&named(name)?, params, body);
        self.send(request, Size::Object).await
    }

    /// Deletes what a list with the same parameters returns. kube would send only the selectors,
    /// without the limit.
    pub(super) async fn delete_collection(
        &self,
        params: &DeleteParams,
        list_params: &ListParams,
    ) -> Result<Answer> {
        let path = self.path()?;
        let list = path.list(list_params).map_err(Error::BuildRequest)?;
        let request = path.delete_collection(params, list_params).map(|mut it| {
            *it.uri_mut() = list.uri().clone();
            it
        });
        self.send(request, Size::Any).await
    }

    pub(crate) async fn patch<P: Serialize + Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<Answer> {
        let request = self.patch_request(name, params, patch)?;
        self.send(Ok(request), Size::Object).await
    }

    pub(super) fn patch_request<P: Serialize + Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<http::Request<Vec<u8>>> {
        let request = self.path()?.patch(&named(name)?, params, patch);
        request.map_err(Error::BuildRequest)
    }

    pub(crate) async fn patch_subresource<P: Serialize + Debug>(
        &self,
        subresource: &str,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<Answer> {
        let request = self.patch_subresource_request(subresource, name, params, patch)?;
        self.send(Ok(request), Size::Any).await
    }

    pub(super) fn patch_subresource_request<P: Serialize + Debug>(
        &self,
        subresource: &str,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<http::Request<Vec<u8>>> {
        let (path, below, name) = (self.path()?, below(subresource)?, named(name)?);
        let request = path.patch_subresource(&below, &name, params, patch);
        request.map_err(Error::BuildRequest)
    }

    /// Sends the request once and reads the whole answer.
    pub(super) async fn send(
        &self,
        request: Result<http::Request<Vec<u8>>, request::Error>,
        size: Size,
    ) -> Result<Answer> {
        exchange::whole(&self.client, request.map_err(Error::BuildRequest)?, size).await
    }
}

/// Returns `name` as a path segment.
pub(super) fn named(name: &str) -> Result<Cow<'_, str>> {
    path::segment("name", name).map_err(Error::BuildRequest)
}

/// Returns a subresource's path relative to an object.
pub(super) fn below(subresource: &str) -> Result<String> {
    path::segments("subresource", subresource).map_err(Error::BuildRequest)
}

/// Returns the name that a request addresses, or an error if it has none.
pub(super) fn required<'a>(name: Option<&'a str>, verb: &str) -> Result<&'a str> {
    match name {
        Some(name) if !name.is_empty() => Ok(name),
        _ => Err(Error::BuildRequest(request::Error::Validation(format!(
            "metadata.name is required for an {verb}"
        )))),
    }
}
