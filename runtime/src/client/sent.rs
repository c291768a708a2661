//! What was requested: names verb, kind, object and server in the error of a request.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Method, Uri, request};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ListMeta;
use kube::Error;
use kube::core::Status;
use serde::Deserialize;
use serde::de::Error as _;

/// The server that answered: an extension of the responses of this crate's clients.
#[derive(Clone, Debug)]
pub(crate) struct Server(pub(crate) Arc<str>);

/// A request that was sent. Displayed as
/// `get machines.example.com "default/web" at https://10.0.0.1:6443`.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    method: Method,
    uri: Uri,
    /// The body, which names a new object.
    body: Bytes,
    is_apply: bool,
    pub(super) server: Option<Server>,
}

/// A request failed before its answer was complete.
#[derive(Debug, thiserror::Error)]
#[error("{sent}")]
struct Failed {
    sent: Box<Sent>,
    source: Error,
}

impl Sent {
    pub(super) fn new(parts: &request::Parts, body: &Bytes) -> Self {
        let media = parts.headers.get(CONTENT_TYPE);
        Self {
            method: parts.method.clone(),
            uri: parts.uri.clone(),
            body: body.clone(),
            is_apply: media.is_some_and(|media| media.as_bytes().starts_with(b"application/apply")),
            server: None,
        }
    }

    /// Adds the request to its error. The kind of the error stays, as far as callers distinguish
    /// kinds.
    pub(crate) fn blame(&self, error: Error) -> Error {
        match error {
            Error::Api(status) => Error::Api(self.named(*status).boxed()),
            Error::SerdeError(error) => {
                let text = format_args!("{self}: {error}");
                Error::SerdeError(serde_json::Error::custom(text))
            }
            error @ Error::BuildRequest(_) => error,
            source => Error::Service(Box::new(Failed {
                sent: Box::new(self.clone()),
                source,
            })),
        }
    }

    /// Adds the request to a status, where its own text and causes stay as the server wrote them:
    /// as its link.
    fn named(&self, mut status: Status) -> Status {
        let metadata = status.metadata.get_or_insert_with(ListMeta::default);
        metadata.self_link = Some(self.to_string());
        status
    }

    /// Returns what a server means that answers with `text` instead of a status.
    pub(super) fn meaning(&self, text: &str) -> Option<String> {
        // Of Go's router: no such group, version or resource.
        let path = Path::of(self.uri.path()).filter(|_| text.trim() == "404 page not found")?;
        Some(format!(
            "the server does not serve {} in {}: is its CRD installed?",
            path.plural,
            path.group_version()
        ))
    }

    fn verb(&self, has_name: bool) -> &'static str {
        let query = self.uri.query().unwrap_or_default();
        match (&self.method, has_name) {
            (&Method::GET, _) if query.split('&').any(|pair| pair == "watch=true") => "watch",
            (&Method::GET, true) => "get",
            (&Method::GET, false) => "list",
            (&Method::POST, _) => "create",
            (&Method::PUT, _) => "update",
            (&Method::PATCH, _) if self.is_apply => "apply",
            (&Method::PATCH, _) => "patch",
            (&Method::DELETE, true) => "delete",
            (&Method::DELETE, false) => "delete all",
            _ => "call",
        }
    }

    /// Returns the name of the object that the body contains.
    fn new_name(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct Object {
            metadata: Metadata,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Metadata {
            name: Option<String>,
            generate_name: Option<String>,
        }
        let Object { metadata } = serde_json::from_slice(&self.body).ok()?;
        let prefix = metadata.generate_name.map(|prefix| format!("{prefix}*"));
        metadata.name.or(prefix)
    }
}

impl fmt::Display for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Path::of(self.uri.path()) {
            None => write!(f, "{} {}", self.method, self.uri.path())?,
            Some(path) => {
                let name = match path.name {
                    Some(name) => Some(name.to_owned()),
                    None => self.new_name(),
                };
                write!(f, "{} {path}", self.verb(path.name.is_some()))?;
                match (path.namespace, name) {
                    (Some(namespace), Some(name)) => write!(f, " \"{namespace}/{name}\"")?,
                    (None, Some(name)) => write!(f, " \"{name}\"")?,
                    (Some(namespace), None) => write!(f, " in namespace \"{namespace}\"")?,
                    (None, None) => {}
                }
            }
        }
        match &self.server {
            Some(Server(server)) => write!(f, " at {server}"),
            None => Ok(()),
        }
    }
}

/// The parts of a resource's path. Displayed as `machines/status.example.com`.
struct Path<'a> {
    group: &'a str,
    version: &'a str,
    namespace: Option<&'a str>,
    plural: &'a str,
    name: Option<&'a str>,
    subresource: String,
}

impl<'a> Path<'a> {
    fn of(path: &'a str) -> Option<Self> {
        let mut parts = path.trim_matches('/').split('/');
        let (group, version) = match parts.next()? {
            "api" => ("", parts.next()?),
            "apis" => (parts.next()?, parts.next()?),
            _ => return None,
        };
        let rest: Vec<&str> = parts.collect();
        let (namespace, rest) = match rest.as_slice() {
            // The subresources of a namespace itself.
            ["namespaces", _, "status" | "finalize"] => (None, rest.as_slice()),
            ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some(*namespace), rest),
            rest => (None, rest),
        };
        let (plural, rest) = rest.split_first()?;
        Some(Self {
            group,
            version,
            namespace,
            plural,
            name: rest.first().copied(),
            subresource: rest.get(1..).unwrap_or_default().join("/"),
        })
    }

    fn group_version(&self) -> String {
        match self.group {
            "" => self.version.to_owned(),
            group => format!("{group}/{}", self.version),
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.plural)?;
        if !self.subresource.is_empty() {
            write!(f, "/{}", self.subresource)?;
        }
        match self.group {
            "" => Ok(()),
            group => write!(f, ".{group}"),
        }
    }
}

/// A complete answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(super) body: Bytes,
    /// Whether the request created an object.
    pub(crate) created: bool,
    pub(super) sent: Sent,
}

#[cfg(test)]
mod tests {
    use http::Request;
    use serde_json::json;

    use super::*;
    use crate::error::chain;

    fn sent(method: &str, uri: &str, body: &str) -> Sent {
        let request = Request::builder().method(method).uri(uri).body(()).unwrap();
        let body = Bytes::from(body.to_owned());
        let (parts, ()) = request.into_parts();
        Sent::new(&parts, &body)
    }

    #[test]
    fn a_request_is_named_by_verb_kind_and_object() {
        #[rustfmt::skip]
        let rows = [
            ("GET", "/api/v1/namespaces/apps/configmaps/a?x=1", "get configmaps \"apps/a\""),
            ("GET", "/apis/example.com/v1/machines", "list machines.example.com"),
            ("GET", "/apis/example.com/v1/namespaces/apps/machines?limit=5&watch=true",
                "watch machines.example.com in namespace \"apps\""),
            ("PUT", "/apis/example.com/v1/namespaces/apps/machines/m/status", "update machines/status.example.com \"apps/m\""),
            ("PATCH", "/api/v1/nodes/n", "patch nodes \"n\""),
            ("DELETE", "/api/v1/namespaces/apps", "delete namespaces \"apps\""),
            ("PUT", "/api/v1/namespaces/apps/finalize", "update namespaces/finalize \"apps\""),
            ("DELETE", "/api/v1/namespaces/apps/pods", "delete all pods in namespace \"apps\""),
            ("GET", "/version", "GET /version"),
            ("GET", "/apis/example.com", "GET /apis/example.com"),
        ];
        for (method, uri, expected) in rows {
            assert_eq!(sent(method, uri, "").to_string(), expected);
        }
        let pods = "/api/v1/namespaces/apps/pods";
        let body = |metadata| json!({ "metadata": metadata }).to_string();
        let named = sent("POST", pods, &body(json!({"name": "a"})));
        assert_eq!(named.to_string(), "create pods \"apps/a\"");
        let generated = sent("POST", pods, &body(json!({"generateName": "a-"})));
        assert_eq!(generated.to_string(), "create pods \"apps/a-*\"");
    }

    #[test]
    fn errors_are_one_line_with_the_request_and_the_cause() {
        let mut sent = sent("GET", "/api/v1/nodes/n", "");
        sent.server = Some(Server("https://10.0.0.1:6443".into()));
        let check = |error: Error, expected: &str| {
            assert_eq!(chain(&sent.blame(error)).to_string(), expected);
        };
        let missing = Status::failure("nodes \"n\" not found", "NotFound").with_code(404);
        check(
            Error::Api(missing.boxed()),
            "get nodes \"n\" at https://10.0.0.1:6443: nodes \"n\" not found (404 NotFound)",
        );
        check(
            Error::Service("broken pipe".into()),
            "get nodes \"n\" at https://10.0.0.1:6443: broken pipe",
        );
        let syntax = serde_json::from_str::<u8>("x").unwrap_err();
        check(
            Error::SerdeError(syntax),
            "get nodes \"n\" at https://10.0.0.1:6443: expected value at line 1 column 1",
        );
    }
}
