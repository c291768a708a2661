//! Where the requests of a typed client go, without its type: what is here is compiled once for all kinds.

use std::borrow::Cow;
use std::fmt::Debug;

use bytes::Bytes;
use kube::api::{DeleteParams, GetParams, ListParams, Patch, PatchParams, PostParams};
use kube::core::{Request, request};
use kube::{Api, Client, Error, Resource};
use serde::Serialize;

use super::answer::Size;
use super::{Result, exchange, path};

/// A resource in one namespace, in all, or at cluster scope.
#[derive(Clone)]
pub(crate) struct Endpoint {
    pub(crate) client: Client,
    /// Builds requests below the resource's URL.
    path: Request,
    /// Empty for all namespaces and at cluster scope.
    pub(super) namespace: String,
}

impl Endpoint {
    /// The resource of `url`, which `namespace` is a part of.
    pub(crate) fn new(client: Client, url: &str, namespace: Option<&str>) -> Self {
        Self {
            client,
            path: Request::new(url),
            namespace: namespace.unwrap_or_default().to_owned(),
        }
    }

    /// What `api` addresses.
    pub(crate) fn of<K: Resource + Clone>(api: &Api<K>) -> Self {
        let client = api.clone().into_client();
        Self::new(client, api.resource_url(), api.namespace())
    }

    /// The builder of requests, unless the namespace would lead them elsewhere.
    pub(super) fn path(&self) -> Result<&Request> {
        if !self.namespace.is_empty() {
            let segment =
                path::segment("namespace", &self.namespace).map_err(Error::BuildRequest)?;
            // The path has it as it is.
            if segment != self.namespace {
                let why = format!("invalid namespace {:?}", self.namespace);
                return Err(Error::BuildRequest(request::Error::Validation(why)));
            }
        }
        Ok(&self.path)
    }

    /// The resource's URL, with the same reservation.
    pub(crate) fn url(&self) -> Result<&str> {
        Ok(&self.path()?.url_path)
    }

    /// Reads the object called `name`.
    pub(crate) async fn get(&self, name: &str) -> Result<Bytes> {
        let request = self.path()?.get(&named(name)?, &GetParams::default());
        self.send(request, Size::Object).await
    }

    /// As [`get`](Self::get), `None` if the object is missing.
    pub(crate) async fn get_opt(&self, name: &str) -> Result<Option<Bytes>> {
        match self.get(name).await {
            Ok(answer) => Ok(Some(answer)),
            Err(Error::Api(status)) if status.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(crate) async fn create(&self, params: &PostParams, body: Vec<u8>) -> Result<Bytes> {
        let request = self.path()?.create(params, body);
        self.send(request, Size::Object).await
    }

    pub(crate) async fn replace(
        &self,
        name: &str,
        params: &PostParams,
        body: Vec<u8>,
    ) -> Result<Bytes> {
        let request = self.path()?.replace(&named(name)?, params, body);
        self.send(request, Size::Object).await
    }

    /// Deletes what a list of the same parameters gives. kube sends the selectors alone, and of a limit nothing.
    pub(super) async fn delete_collection(
        &self,
        params: &DeleteParams,
        list_params: &ListParams,
    ) -> Result<Bytes> {
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
    ) -> Result<Bytes> {
        let request = self.path()?.patch(&named(name)?, params, patch);
        self.send(request, Size::Object).await
    }

    pub(crate) async fn patch_subresource<P: Serialize + Debug>(
        &self,
        subresource: &str,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<Bytes> {
        let (path, below, name) = (self.path()?, below(subresource)?, named(name)?);
        let request = path.patch_subresource(&below, &name, params, patch);
        self.send(request, Size::Any).await
    }

    /// Sends the request once, and reads the whole answer.
    pub(super) async fn send(
        &self,
        request: Result<http::Request<Vec<u8>>, request::Error>,
        size: Size,
    ) -> Result<Bytes> {
        exchange::bytes(&self.client, request.map_err(Error::BuildRequest)?, size).await
    }
}

/// `name` as a segment of a path.
pub(super) fn named(name: &str) -> Result<Cow<'_, str>> {
    path::segment("name", name).map_err(Error::BuildRequest)
}

/// The name of a subresource below an object.
pub(super) fn below(subresource: &str) -> Result<String> {
    path::segments("subresource", subresource).map_err(Error::BuildRequest)
}

/// The name that a request addresses, or the error that one without deserves.
pub(super) fn required<'a>(name: Option<&'a str>, verb: &str) -> Result<&'a str> {
    match name {
        Some(name) if !name.is_empty() => Ok(name),
        _ => Err(Error::BuildRequest(request::Error::Validation(format!(
            "metadata.name is required for an {verb}"
        )))),
    }
}
