//! The transport to a webhook: a function in this process, a service redirected to an address, or a
//! URL.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use parking_lot::{Mutex, RwLock};
use serde_json::Value;
use tokio::runtime::Handle;
use tower::ServiceExt;

use super::dial::{self, Route};
use super::redirect;
use crate::BoxError;
use crate::metadata::object::text;

/// The maximum size of an answer, in bytes.
const LONGEST_ANSWER: usize = 8 << 20;

/// A pending answer.
type Answering = Pin<Box<dyn Future<Output = Result<Response<Bytes>, BoxError>> + Send>>;

/// The webhook servers behind services of the cluster.
#[derive(Clone, Default)]
pub(crate) struct Backends(Arc<RwLock<BTreeMap<(String, String), Backend>>>);

/// The server behind a service.
#[derive(Clone)]
enum Backend {
    Function(Arc<dyn Fn(Request<Full<Bytes>>) -> Answering + Send + Sync>),
    /// `http://host:port` or, with TLS, `https://host:port`.
    Url(String),
}

impl Backends {
    /// Routes a service to a function in this process.
    pub(crate) fn serve<S, B>(&self, namespace: &str, name: &str, service: S)
    where
        S: tower::Service<Request<Full<Bytes>>, Response = Response<B>> + Clone + Send + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send,
        B: http_body::Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        let service = Mutex::new(service);
        let function = move |request: Request<Full<Bytes>>| -> Answering {
            let service = service.lock().clone();
            Box::pin(async move {
                let response = service.oneshot(request).await.map_err(Into::into)?;
                whole(response).await
            })
        };
        self.put(namespace, name, Backend::Function(Arc::new(function)));
    }

    /// Redirects the requests for a service to an address.
    pub(crate) fn redirect(&self, namespace: &str, name: &str, url: &str) {
        self.put(namespace, name, Backend::Url(url.to_owned()));
    }

    fn put(&self, namespace: &str, name: &str, backend: Backend) {
        let key = (namespace.to_owned(), name.to_owned());
        self.0.write().insert(key, backend);
    }

    fn find(&self, namespace: &str, name: &str) -> Option<Backend> {
        let key = (namespace.to_owned(), name.to_owned());
        self.0.read().get(&key).cloned()
    }

    /// Posts a review to a webhook and returns the document in the answer. `host` is the external
    /// host of a service without a backend.
    ///
    /// # Errors
    /// If the call fails, with client-go's messages where it has one.
    pub(crate) async fn post(
        &self,
        client: &Value,
        host: Option<&str>,
        timeout: Duration,
        review: &Value,
    ) -> Result<Value, String> {
        let address = Address::of(client);
        // The URL has the timeout in whole seconds.
        let mut url = format!("{}?timeout={}s", address.url, timeout.as_secs());
        let explain = |url: &str, why: String| format!("Post \"{url}\": {why}");
        // Tests may change objects directly outside of a runtime.
        if Handle::try_current().is_err() {
            return Err(explain(&url, "outside of a Tokio runtime".to_owned()));
        }
        let target = Target {
            host,
            roots: text(client, &["caBundle"]),
            address: &address,
        };
        let answer = AssertUnwindSafe(self.send(target, &mut url, review)).catch_unwind();
        let answer = match tokio::time::timeout(timeout, answer).await {
            Err(_) => Err("context deadline exceeded".to_owned()),
            Ok(Err(_)) => Err("the webhook panicked".to_owned()),
            Ok(Ok(answer)) => answer.map_err(|error| dial::reason(&*error)),
        };
        read_answer(&answer.map_err(|why| explain(&url, why))?)
    }

    /// Sends a review and follows redirects; `url` is the last one requested.
    async fn send(
        &self,
        target: Target<'_>,
        url: &mut String,
        review: &Value,
    ) -> Result<Response<Bytes>, BoxError> {
        let mut body = Some(Bytes::from(serde_json::to_vec(review)?));
        for _ in 0..redirect::MOST {
            let answer = self.send_once(target, url, body.clone()).await?;
            let Some(next) = redirect::of(answer.status(), answer.headers(), url) else {
                return Ok(answer);
            };
            body = body.filter(|_| next.repeats);
            *url = next.url;
        }
        Err(format!("stopped after {} redirects", redirect::MOST).into())
    }

    async fn send_once(
        &self,
        target: Target<'_>,
        url: &str,
        body: Option<Bytes>,
    ) -> Result<Response<Bytes>, BoxError> {
        let request = |url: &str| {
            let method = match &body {
                Some(_) => Method::POST,
                None => Method::GET,
            };
            let request = Request::builder()
                .method(method)
                .uri(url)
                .header(ACCEPT, "application/json, */*")
                .header(USER_AGENT, "kube-apiserver-admission");
            let request = match &body {
                Some(_) => request.header(CONTENT_TYPE, "application/json"),
                None => request,
            };
            request.body(Full::from(body.clone().unwrap_or_default()))
        };
        let mut route = Route {
            host: None,
            server_name: None,
            roots: target.roots,
        };
        let Some((namespace, name)) = &target.address.service else {
            return whole(dial::send(request(url)?, route).await?).await;
        };
        if authority(url) != authority(&target.address.url) {
            // A service's certificate is also expected where it redirects to.
            let own = authority(&target.address.url);
            let host = own.rsplit_once("://").map_or(own, |(_, host)| host);
            route.server_name = host.split(':').next();
            return whole(dial::send(request(url)?, route).await?).await;
        }
        match self.find(namespace, name) {
            Some(Backend::Function(function)) => function(request(url)?).await,
            Some(Backend::Url(base)) => {
                let path = url.splitn(4, '/').nth(3).unwrap_or_default();
                let url = format!("{}/{path}", base.trim_end_matches('/'));
                whole(dial::send(request(&url)?, route).await?).await
            }
            None if target.host.is_some() => {
                route.host = target.host;
                whole(dial::send(request(url)?, route).await?).await
            }
            None => Err(format!("service \"{name}\" not found").into()),
        }
    }
}

/// Whom a `clientConfig` names.
#[derive(Clone, Copy)]
struct Target<'a> {
    address: &'a Address,
    /// The external host of a service without a backend.
    host: Option<&'a str>,
    /// The `caBundle`.
    roots: &'a str,
}

/// Returns the scheme, host and port of a URL.
fn authority(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    let rest = url.get(start..).unwrap_or_default();
    let length = rest.find(['/', '?']).unwrap_or(rest.len());
    url.get(..start + length).unwrap_or(url)
}

impl std::fmt::Debug for Backends {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.read().keys()).finish()
    }
}

/// The address in a `clientConfig`.
struct Address {
    /// The URL, without a query.
    url: String,
    /// The namespace and name of the service.
    service: Option<(String, String)>,
}

impl Address {
    fn of(client: &Value) -> Self {
        let service = &client["service"];
        if !service.is_object() {
            let url = text(client, &["url"]);
            let base = authority(url);
            let path = url.get(base.len()..).unwrap_or_default();
            return Self {
                url: format!("{base}{}", clean(path)),
                service: None,
            };
        }
        let (namespace, name) = (text(service, &["namespace"]), text(service, &["name"]));
        let port = service["port"].as_i64().unwrap_or(443);
        let path = clean(text(service, &["path"]));
        Self {
            url: format!("https://{name}.{namespace}.svc:{port}{path}"),
            service: Some((namespace.to_owned(), name.to_owned())),
        }
    }
}

/// Returns the shortest path of the same meaning, as client-go sends it: Go's
/// `path.Join("/", path)`.
fn clean(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(kept.pop()),
            segment => kept.push(segment),
        }
    }
    format!("/{}", kept.join("/"))
}

/// Reads a whole answer, up to the limit.
async fn whole<B>(response: Response<B>) -> Result<Response<Bytes>, BoxError>
where
    B: http_body::Body,
    B::Error: Into<BoxError>,
{
    let (parts, body) = response.into_parts();
    let body = Limited::new(body, LONGEST_ANSWER)
        .collect()
        .await?
        .to_bytes();
    Ok(Response::from_parts(parts, body))
}

/// Returns the document of an answer, as `k8s.io/client-go/rest` does.
fn read_answer(answer: &Response<Bytes>) -> Result<Value, String> {
    let (status, body) = (answer.status(), answer.body());
    let document = serde_json::from_slice::<Value>(body);
    if status.is_success() {
        let document = document
            .map_err(|error| format!("couldn't get version/kind; json parse error: {error}"))?;
        return match text(&document, &["kind"]) {
            "" => Err(format!(
                "Object 'Kind' is missing in '{}'",
                String::from_utf8_lossy(body)
            )),
            _ => Ok(document),
        };
    }
    // A Status has its own message.
    if let Ok(document) = document
        && text(&document, &["kind"]) == "Status"
    {
        return Err(text(&document, &["message"]).to_owned());
    }
    let kind = answer.headers().get(CONTENT_TYPE);
    let is_text = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/"));
    let text = String::from_utf8_lossy(body);
    Err(refusal(
        status,
        if is_text { text.trim() } else { "unknown" },
    ))
}

/// Returns client-go's message for a status code (`NewGenericServerResponse`).
fn refusal(status: StatusCode, body: &str) -> String {
    let words = match status.as_u16() {
        400 => "the server rejected our request for an unknown reason",
        401 => "the server has asked for the client to provide credentials",
        403 => body,
        404 => "the server could not find the requested resource",
        405 => "the server does not allow this method on the requested resource",
        409 => "the server reported a conflict",
        413 => return format!("Request entity too large: {body}"),
        415 => body,
        422 => "the server rejected our request due to an error in our request",
        429 => "the server has received too many requests and has asked us to try again later",
        503 => "the server is currently unable to handle the request",
        504 => {
            "the server was unable to return a response in the time allotted, but may still be processing the request"
        }
        500.. => {
            return format!(
                "an error on the server ({body:?}) has prevented the request from succeeding"
            );
        }
        code => {
            return format!(
                "the server responded with the status code {code} but did not return more details"
            );
        }
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_client_config_leads_to_an_address() {
        let check = |client: Value, expected: &str| assert_eq!(Address::of(&client).url, expected);
        check(json!({"url": "https://h:1/a/b"}), "https://h:1/a/b");
        check(json!({"url": "https://h:1"}), "https://h:1/");
        check(json!({"url": "https://h:1//a/./b/"}), "https://h:1/a/b");
        let service = json!({"namespace": "n", "name": "s", "path": "/p", "port": 8443});
        check(json!({"service": service}), "https://s.n.svc:8443/p");
        let service = json!({"namespace": "n", "name": "s"});
        check(json!({"service": service}), "https://s.n.svc:443/");
        let service = json!({"namespace": "n", "name": "s", "path": "//a//b/../c/"});
        check(json!({"service": service}), "https://s.n.svc:443/a/c");
    }
}
