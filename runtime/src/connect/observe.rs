//! The layer that sets a deadline for answers and measures them.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use tower::{BoxError, Service};
use tracing::{Instrument, field};

use crate::client::Server;
use crate::metrics::{RestCall, RestClientMetrics};
use crate::traces::TARGET;

/// The server did not begin to answer in time.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the server did not begin to answer within {} s", limit.as_secs_f32())]
pub struct ResponseTimeout {
    /// The deadline.
    pub limit: Duration,
}

/// A request was not answered.
#[derive(Debug, thiserror::Error)]
#[error("no answer from {server}")]
struct Unanswered {
    server: Arc<str>,
    source: BoxError,
}

/// The settings of the layer.
#[derive(Clone)]
pub(super) struct Rules {
    pub(super) server: Server,
    pub(super) metrics: Option<RestClientMetrics>,
    pub(super) response_timeout: Duration,
}

/// A service whose answers have a deadline and are measured.
#[derive(Clone)]
pub(super) struct Observe<S> {
    inner: S,
    rules: Rules,
}

impl<S> Observe<S> {
    pub(super) fn new(inner: S, rules: Rules) -> Self {
        Self { inner, rules }
    }
}

impl<S, B> Service<Request<kube::client::Body>> for Observe<S>
where
    S: Service<Request<kube::client::Body>, Response = Response<B>>,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
{
    type Response = Response<Measured<B>>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send + 'static>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, request: Request<kube::client::Body>) -> Self::Future {
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let (limit, started) = (self.rules.response_timeout, Instant::now());
        let server = self.rules.server.clone();
        let metrics = self.rules.metrics.as_ref();
        let mut call = metrics.map(|metrics| {
            metrics.call(
                method.as_str(),
                request.body().size_hint().exact(),
                is_watch(&uri),
            )
        });
        let span = tracing::debug_span!(
            target: TARGET,
            "request",
            otel.kind = "client",
            http.request.method = %method,
            url.path = uri.path(),
            server.address = &*server.0,
            http.response.status_code = field::Empty,
            otel.status_code = field::Empty,
        );
        let answer = span.in_scope(|| self.inner.call(request));
        let recorded = span.clone();
        let answered = async move {
            let answer = match tokio::time::timeout(limit, answer).await {
                Ok(answer) => answer.map_err(Into::into),
                Err(_) => Err(ResponseTimeout { limit }.into()),
            };
            let took = started.elapsed();
            match &answer {
                Ok(response) => {
                    let status = response.status().as_u16();
                    recorded.record("http.response.status_code", status);
                    if status >= 400 {
                        recorded.record("otel.status_code", "ERROR");
                    }
                    tracing::debug!(%method, %uri, status, ?took, "answered");
                }
                Err(error) => {
                    recorded.record("otel.status_code", "ERROR");
                    let error = crate::error::chain(&**error);
                    tracing::debug!(%method, %uri, %error, ?took, "not answered");
                }
            }
            if let Some(call) = &mut call {
                call.answered(answer.as_ref().ok().map(|response| response.status()));
            }
            let mut answer = answer.map_err(|source| Unanswered {
                server: server.0.clone(),
                source,
            })?;
            answer.extensions_mut().insert(server);
            Ok(answer.map(|body| Measured { body, call }))
        };
        Box::pin(answered.instrument(span))
    }
}

fn is_watch(uri: &http::Uri) -> bool {
    let pairs = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let on = |value: &str| matches!(value, "true" | "1");
    pairs
        .into_iter()
        .any(|(name, value)| name == "watch" && on(&value))
}

/// The body of an answer; its bytes are counted.
pub(super) struct Measured<B> {
    body: B,
    call: Option<RestCall>,
}

impl<B: Body<Data = Bytes> + Unpin> Body for Measured<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if let (Poll::Ready(Some(Ok(frame))), Some(call)) = (&frame, &mut self.call)
            && let Some(data) = frame.data_ref()
        {
            call.received(data.len());
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
