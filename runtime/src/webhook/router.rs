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
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use kube::core::CustomResourceExt;
use serde_json::json;
use tokio::time::{Instant, timeout_at};

use super::admission::{Handler, defaulting, validating};
use super::conversion::{Converter, KindConverter, respond};
use super::declared::Schemas;
use super::envelope::ADMISSION;
use super::fault::{self, Fault};
use super::reading::{Limit, Text, read};
use super::review::{Cost, Subject};
use super::room::{self, Room, memory_of};
use super::work;
use super::{AdmissionRequest, AdmissionResponse, Defaulter, Validator, path_of};
use crate::object::{Object, ResourceInfo};

/// The maximum length of an admission review: two objects of 3 MiB, the most that kube-apiserver
/// takes in a request, and 1 MiB for the rest. controller-runtime's.
const LONGEST_ADMISSION: usize = 7 << 20;

/// The maximum length of a conversion review, which may contain all objects of a list, such as a
/// page of 500 of 64 KiB each. kube-apiserver has no limit of its own.
const LONGEST_CONVERSION: usize = 32 << 20;

/// How many texts of its length an admission review takes: its body.
const ADMISSION_TEXTS: usize = 1;

/// How many texts of its length a conversion review takes: its body, and the response.
const CONVERSION_TEXTS: usize = 2;

/// How much memory a defaulter's review takes in terms of its values: as sent, as the type encodes
/// it, the same as changed, and the result.
const DEFAULTER_COPIES: usize = 4;

/// How much memory another review takes in terms of its values: these, and the typed object.
const OTHER_COPIES: usize = 2;

/// The maximum time of a handler, whatever timeout the caller requests: the API server waits no
/// longer.
const LONGEST: Duration = Duration::from_secs(30);

/// The handlers of a program by path. Clones share them.
#[derive(Clone)]
pub struct Webhooks {
    routes: Arc<BTreeMap<String, Route>>,
    schemas: Arc<Schemas>,
    longest_review: Option<usize>,
    room: Room,
}

#[derive(Clone)]
enum Route {
    /// A handler, and how often the values of a review are in memory meanwhile.
    Admission(Handler, usize),
    Conversion(Arc<Vec<KindConverter>>),
}

/// Collects handlers; see [`Webhooks::builder`].
#[must_use]
pub struct WebhooksBuilder {
    routes: BTreeMap<String, Route>,
    schemas: Schemas,
    converters: Vec<KindConverter>,
    conversion_path: String,
    longest_review: Option<usize>,
    memory: usize,
}

impl Webhooks {
    /// Starts with no handlers.
    pub fn builder() -> WebhooksBuilder {
        WebhooksBuilder {
            routes: BTreeMap::new(),
            schemas: Schemas::default(),
            converters: Vec::new(),
            conversion_path: "/convert".to_owned(),
            longest_review: None,
            memory: room::MEMORY,
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
            Route::Admission(..) => &[],
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

    /// Responds to a request. Only a valid review gets a review as response; other requests get a
    /// status code and a line of text, which the API server counts as a failure of the webhook.
    pub async fn respond<B>(&self, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: http_body::Body + Send,
        B::Data: Send,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let path = request.uri().path().to_owned();
        let limit = time_limit(request.uri().query().unwrap_or_default());
        let deadline = Instant::now() + limit;
        let answer = timeout_at(deadline, self.answer(&path, request, deadline));
        let fault = match AssertUnwindSafe(answer).catch_unwind().await {
            Ok(Ok(Ok(body))) => return fault::review(body),
            Ok(Ok(Err(fault))) => {
                let Fault { status, why } = &fault;
                tracing::warn!(path, %status, why, "webhook request refused");
                fault
            }
            Ok(Err(_)) => {
                tracing::warn!(path, "a webhook took too long");
                Fault::new(StatusCode::GATEWAY_TIMEOUT, "the handler took too long")
            }
            // The panic's message has been logged.
            Err(_) => {
                tracing::error!(path, "a webhook panicked");
                Fault::new(StatusCode::INTERNAL_SERVER_ERROR, "the handler panicked")
            }
        };
        fault.response()
    }

    async fn answer<B>(
        &self,
        path: &str,
        request: Request<B>,
        deadline: Instant,
    ) -> Result<Vec<u8>, Fault>
    where
        B: http_body::Body + Send,
        B::Data: Send,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let route = self.routes.get(path).ok_or_else(|| {
            let paths = self.paths().join(", ");
            let why = format!("no webhook at this path: expected one of {paths}");
            Fault::new(StatusCode::NOT_FOUND, why)
        })?;
        let (longest, copies) = match route {
            Route::Admission(..) => (LONGEST_ADMISSION, ADMISSION_TEXTS),
            Route::Conversion(_) => (LONGEST_CONVERSION, CONVERSION_TEXTS),
        };
        let bytes = self.longest_review.unwrap_or(longest);
        let text = read(request, Limit { bytes, copies }, &self.room, deadline).await?;
        match route {
            Route::Admission(handler, copies) => {
                let (version, request) = admission(text, *copies, &self.room, deadline).await?;
                Ok(review(handler, &self.schemas, version, request).await)
            }
            Route::Conversion(kinds) => respond(kinds.clone(), text, &self.room, deadline).await,
        }
    }
}

/// Decodes the request of an AdmissionReview, and returns the review's version, too.
async fn admission(
    text: Text,
    copies: usize,
    room: &Room,
    deadline: Instant,
) -> Result<(&'static str, AdmissionRequest), Fault> {
    let length = text.bytes.len();
    let opened = work::run(length, move || {
        let envelope = ADMISSION.open(&text.bytes)?;
        let memory = memory_of(&envelope.request);
        Ok((envelope, memory, text.held))
    });
    let (envelope, memory, text_held) = opened.await?;
    let held = room
        .for_values(memory.saturating_mul(copies), deadline)
        .await?;
    let version = envelope.version;
    let decode = move || {
        let _held = text_held;
        let mut request: AdmissionRequest = crate::json::read(&envelope.request)
            .map_err(|error| Fault::bad(format!("the review has no valid request: {error}")))?;
        request.cost = Cost {
            bytes: length,
            held: Some(Arc::new(held)),
        };
        Ok(request)
    };
    Ok((version, work::run(length, decode).await?))
}

/// Returns the AdmissionReview with a handler's response.
async fn review(
    handler: &Handler,
    schemas: &Arc<Schemas>,
    version: &'static str,
    request: AdmissionRequest,
) -> Vec<u8> {
    let subject = Subject::of(&request);
    let response = handler(request, schemas).await;
    work::run(response.bytes(), move || {
        let response = response.into_json(&subject);
        let review = json!({"apiVersion": version, "kind": ADMISSION.kind, "response": response});
        serde_json::to_vec(&review).unwrap_or_default()
    })
    .await
}

/// Returns the API server's timeout (`timeout=10s`), within bounds.
fn time_limit(query: &str) -> Duration {
    let mut parameters = form_urlencoded::parse(query.as_bytes());
    let given = parameters.find(|(name, _)| name == "timeout");
    let seconds = given.and_then(|(_, text)| text.strip_suffix('s')?.parse().ok());
    seconds.map_or(LONGEST, Duration::from_secs).min(LONGEST)
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
    /// Tells which keys the lists of a custom resource have, from its CRD. A [`Defaulter`] of the
    /// kind that changes a list then keeps unknown fields with their items by these; without, by
    /// the names of fields that are keys elsewhere.
    pub fn custom_resource<K: CustomResourceExt>(mut self) -> Self {
        self.schemas.add(&K::crd());
        self
    }

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
        self.route(
            path.into(),
            Route::Admission(defaulting(defaulter), DEFAULTER_COPIES),
        )
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
        self.route(
            path.into(),
            Route::Admission(validating(validator), OTHER_COPIES),
        )
    }

    /// Serves an untyped handler: for several kinds, subresources, or kinds without a type.
    pub fn raw<F, W>(self, path: impl Into<String>, handler: F) -> Self
    where
        F: Fn(AdmissionRequest) -> W + Send + Sync + 'static,
        W: Future<Output = AdmissionResponse> + Send + 'static,
    {
        let handler: Handler = Arc::new(move |request, _| Box::pin(handler(request)));
        self.route(path.into(), Route::Admission(handler, OTHER_COPIES))
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

    /// Sets the maximum length of a review in bytes. By default, 7 MiB for admission, which is the
    /// longest that kube-apiserver sends, and 32 MiB for conversion, which may be of a whole list.
    /// More may need more [memory](Self::memory).
    pub fn longest_review(mut self, bytes: usize) -> Self {
        self.longest_review = Some(bytes);
        self
    }

    /// Sets how many bytes of memory all reviews together may take; defaults to 384 MiB. A sixth is
    /// for bodies, a sixth for the values of short reviews, and the rest for those of long ones. A
    /// review waits while others have the memory, and is refused if it would take more than all.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
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
            schemas: Arc::new(self.schemas),
            longest_review: self.longest_review,
            room: Room::new(self.memory),
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
