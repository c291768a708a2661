//! Routes reviews to handlers by path.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::error::Error;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use serde::Deserialize;
use serde_json::{Value, json};

use super::admission::{Handler, defaulting, validating};
use super::conversion::{Converter, KindConverter, respond};
use super::{AdmissionRequest, AdmissionResponse, Defaulter, Validator, path_of};
use crate::error::chain;
use crate::object::{Object, ResourceInfo};

/// The default maximum size of a review: an object of the maximum size, twice, or a page of objects to convert.
const LONGEST_REVIEW: usize = 64 << 20;

/// The maximum time of a handler, whatever timeout the caller requests: the API server waits no longer.
const LONGEST: Duration = Duration::from_secs(30);

/// The handlers of a program by path. Clones share them.
#[derive(Clone)]
pub struct Webhooks {
    routes: Arc<BTreeMap<String, Route>>,
    longest_review: usize,
}

#[derive(Clone)]
enum Route {
    Admission(Handler),
    Conversion(Arc<Vec<KindConverter>>),
}

/// Collects handlers; see [`Webhooks::builder`].
#[must_use]
pub struct WebhooksBuilder {
    routes: BTreeMap<String, Route>,
    converters: Vec<KindConverter>,
    conversion_path: String,
    longest_review: usize,
}

impl Webhooks {
    /// Starts with no handlers.
    pub fn builder() -> WebhooksBuilder {
        WebhooksBuilder {
            routes: BTreeMap::new(),
            converters: Vec::new(),
            conversion_path: "/convert".to_owned(),
            longest_review: LONGEST_REVIEW,
        }
    }

    /// Returns the served paths, in alphabetical order.
    pub fn paths(&self) -> Vec<&str> {
        self.routes.keys().map(String::as_str).collect()
    }

    /// Whether there are converters.
    pub(super) fn converts(&self) -> bool {
        let mut routes = self.routes.values();
        routes.any(|route| matches!(route, Route::Conversion(_)))
    }

    /// Returns the CRD names of the converted kinds.
    #[cfg(feature = "self-signed")]
    pub(super) fn definitions(&self) -> impl Iterator<Item = String> {
        let routes = self.routes.values();
        let kinds = routes.flat_map(|route| match route {
            Route::Conversion(kinds) => kinds.as_slice(),
            Route::Admission(_) => &[],
        });
        kinds.map(|kind| format!("{}.{}", kind.plural, kind.group))
    }

    /// Returns the path as a metrics label; all unknown paths share one.
    pub(super) fn label<'p>(&self, path: &'p str) -> &'p str {
        match self.routes.contains_key(path) {
            true => path,
            false => "other",
        }
    }

    /// Responds to a request. Only a valid review gets a review as response; other requests get a status code and a line of text,
    /// which the API server counts as a failure of the webhook.
    pub async fn respond<B>(&self, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: http_body::Body + Send,
        B::Data: Send,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let path = request.uri().path().to_owned();
        let limit = time_limit(request.uri().query().unwrap_or_default());
        let answer = tokio::time::timeout(limit, self.answer(&path, request));
        match AssertUnwindSafe(answer).catch_unwind().await {
            Ok(Ok(Ok(review))) => json_response(&review),
            Ok(Ok(Err((status, why)))) => {
                tracing::warn!(path, %status, why, "webhook request refused");
                text(status, &why)
            }
            Ok(Err(_)) => {
                tracing::warn!(path, "a webhook took too long");
                text(StatusCode::GATEWAY_TIMEOUT, "the handler took too long")
            }
            // The panic's message has been logged.
            Err(_) => {
                tracing::error!(path, "a webhook panicked");
                text(StatusCode::INTERNAL_SERVER_ERROR, "the handler panicked")
            }
        }
    }

    async fn answer<B>(&self, path: &str, request: Request<B>) -> Result<Value, Fault>
    where
        B: http_body::Body + Send,
        B::Data: Send,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let route = self.routes.get(path).ok_or_else(|| {
            let paths = self.paths().join(", ");
            let why = format!("no webhook at this path: expected one of {paths}");
            (StatusCode::NOT_FOUND, why)
        })?;
        let review = self.read(request).await?;
        route.answer(review).await
    }

    /// Reads the review in a request.
    async fn read<B>(&self, request: Request<B>) -> Result<Value, Fault>
    where
        B: http_body::Body + Send,
        B::Data: Send,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        if request.method() != Method::POST {
            let why = "method not allowed: expected POST".to_owned();
            return Err((StatusCode::METHOD_NOT_ALLOWED, why));
        }
        let content_type = request.headers().get(header::CONTENT_TYPE);
        let content_type = content_type
            .and_then(|it| it.to_str().ok())
            .unwrap_or_default();
        let media = content_type.split(';').next().unwrap_or_default().trim();
        if !media.eq_ignore_ascii_case("application/json") {
            let why = format!("invalid content type {content_type:?}: expected application/json");
            return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
        }
        let body = Limited::new(request.into_body(), self.longest_review)
            .collect()
            .await;
        let body = body.map_err(|error| match error.downcast_ref::<LengthLimitError>() {
            Some(_) => {
                let why = "the review is too large".to_owned();
                (StatusCode::PAYLOAD_TOO_LARGE, why)
            }
            None => bad(chain(&*error).to_string()),
        })?;
        serde_json::from_slice(&body.to_bytes())
            .map_err(|error| bad(format!("the body is not valid JSON: {error}")))
    }
}

impl Route {
    /// Answers a review with one of the same version.
    async fn answer(&self, mut review: Value) -> Result<Value, Fault> {
        let request = review
            .get_mut("request")
            .map(Value::take)
            .unwrap_or_default();
        let kind = (review["apiVersion"].as_str(), review["kind"].as_str());
        let (response, kind) = match (self, kind) {
            (
                Route::Admission(handler),
                (
                    Some(version @ ("admission.k8s.io/v1" | "admission.k8s.io/v1beta1")),
                    Some("AdmissionReview"),
                ),
            ) => {
                let request = AdmissionRequest::deserialize(request)
                    .map_err(|error| bad(format!("the review has no valid request: {error}")))?;
                let response = handler(request.clone()).await;
                (
                    response.to_json(&request),
                    (version.to_owned(), "AdmissionReview"),
                )
            }
            (
                Route::Conversion(converters),
                (Some(version @ "apiextensions.k8s.io/v1"), Some("ConversionReview")),
            ) if request.is_object() => (
                respond(converters, &request).await,
                (version.to_owned(), "ConversionReview"),
            ),
            (route, (version, kind)) => {
                let wanted = match route {
                    Route::Admission(_) => "an AdmissionReview of admission.k8s.io/v1",
                    Route::Conversion(_) => {
                        "a ConversionReview of apiextensions.k8s.io/v1 with a request"
                    }
                };
                let (version, kind) = (version.unwrap_or_default(), kind.unwrap_or_default());
                return Err(bad(format!(
                    "expected {wanted}, not {kind:?} of {version:?}"
                )));
            }
        };
        Ok(json!({"apiVersion": kind.0, "kind": kind.1, "response": response}))
    }
}

/// A response to a request that is not a review: status code and reason.
type Fault = (StatusCode, String);

fn bad(why: String) -> Fault {
    (StatusCode::BAD_REQUEST, why)
}

/// Returns the API server's timeout (`timeout=10s`), within bounds.
fn time_limit(query: &str) -> Duration {
    let mut parameters = form_urlencoded::parse(query.as_bytes());
    let given = parameters.find(|(name, _)| name == "timeout");
    let seconds = given.and_then(|(_, text)| text.strip_suffix('s')?.parse().ok());
    seconds.map_or(LONGEST, Duration::from_secs).min(LONGEST)
}

fn json_response(review: &Value) -> Response<Full<Bytes>> {
    let body = serde_json::to_vec(review).unwrap_or_default();
    typed(StatusCode::OK, "application/json", body)
}

fn text(status: StatusCode, why: &str) -> Response<Full<Bytes>> {
    typed(
        status,
        "text/plain; charset=utf-8",
        format!("{why}\n").into(),
    )
}

fn typed(status: StatusCode, media: &'static str, body: Vec<u8>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    response
}

impl<B> tower::Service<Request<B>> for Webhooks
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let webhooks = self.clone();
        Box::pin(async move { Ok(webhooks.respond(request).await) })
    }
}

impl WebhooksBuilder {
    /// Serves a defaulter at the path of its kind: `/mutate-GROUP-VERSION-KIND`.
    pub fn defaulter<K: Object>(self, defaulter: impl Defaulter<K>) -> Self {
        let path = path_of("mutate", &ResourceInfo::of::<K>(&()));
        self.defaulter_at(path, defaulter)
    }

    /// Like [`defaulter`](Self::defaulter), at another path.
    pub fn defaulter_at<K: Object>(
        self,
        path: impl Into<String>,
        defaulter: impl Defaulter<K>,
    ) -> Self {
        self.route(path.into(), Route::Admission(defaulting(defaulter)))
    }

    /// Serves a validator at the path of its kind: `/validate-GROUP-VERSION-KIND`.
    pub fn validator<K: Object>(self, validator: impl Validator<K>) -> Self {
        let path = path_of("validate", &ResourceInfo::of::<K>(&()));
        self.validator_at(path, validator)
    }

    /// Like [`validator`](Self::validator), at another path.
    pub fn validator_at<K: Object>(
        self,
        path: impl Into<String>,
        validator: impl Validator<K>,
    ) -> Self {
        self.route(path.into(), Route::Admission(validating(validator)))
    }

    /// Serves an untyped handler: for several kinds, subresources, or kinds without a type.
    pub fn raw<F, W>(self, path: impl Into<String>, handler: F) -> Self
    where
        F: Fn(AdmissionRequest) -> W + Send + Sync + 'static,
        W: Future<Output = AdmissionResponse> + Send + 'static,
    {
        let handler: Handler = Arc::new(move |request| Box::pin(handler(request)));
        self.route(path.into(), Route::Admission(handler))
    }

    /// Serves a converter at `/convert`, which all converters share.
    pub fn converter<H: Object>(mut self, converter: Converter<H>) -> Self {
        self.converters.push(converter.into_erased());
        self
    }

    /// Sets the path of all converters, instead of `/convert`.
    pub fn conversion_path(mut self, path: impl Into<String>) -> Self {
        self.conversion_path = path.into();
        self
    }

    /// Sets the maximum size of a review in bytes; defaults to 64 MiB.
    pub fn longest_review(mut self, bytes: usize) -> Self {
        self.longest_review = bytes;
        self
    }

    fn route(mut self, path: String, route: Route) -> Self {
        self.routes.insert(path, route);
        self
    }

    /// Builds the router. Of two handlers at one path the later one is used.
    #[must_use]
    pub fn build(mut self) -> Webhooks {
        if !self.converters.is_empty() {
            let route = Route::Conversion(Arc::new(self.converters));
            self.routes.insert(self.conversion_path, route);
        }
        Webhooks {
            routes: Arc::new(self.routes),
            longest_review: self.longest_review,
        }
    }
}

impl std::fmt::Debug for Webhooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.routes.keys()).finish()
    }
}

impl std::fmt::Debug for WebhooksBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.routes.keys()).finish()
    }
}
