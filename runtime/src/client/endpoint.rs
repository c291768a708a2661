//! Where the requests of a typed client go, without its type: what is here is compiled once for all kinds.

use bytes::Bytes;
use kube::core::{Request, Status, request};
use kube::{Client, Error};
use serde::Deserialize;

use super::{Result, exchange};

/// A resource in one namespace, in all, or at cluster scope.
#[derive(Clone)]
pub(super) struct Endpoint {
    pub(super) client: Client,
    /// Builds requests below the resource's URL.
    pub(super) path: Request,
    /// Empty for all namespaces and at cluster scope.
    pub(super) namespace: String,
}

impl Endpoint {
    /// Sends the request once, and reads the whole answer.
    pub(super) async fn send(
        &self,
        request: Result<http::Request<Vec<u8>>, request::Error>,
    ) -> Result<Bytes> {
        exchange::bytes(&self.client, request.map_err(Error::BuildRequest)?).await
    }
}

/// The answer as a status, if it says that it is one.
pub(super) fn status(answer: &[u8]) -> Result<Option<Status>> {
    #[derive(Deserialize)]
    struct Kind {
        #[serde(default)]
        kind: String,
    }
    let kind: Kind = serde_json::from_slice(answer).map_err(Error::SerdeError)?;
    if kind.kind != "Status" {
        return Ok(None);
    }
    let status = serde_json::from_slice(answer).map_err(Error::SerdeError)?;
    Ok(Some(status))
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
