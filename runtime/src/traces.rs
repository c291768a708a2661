//! Spans for distributed tracing: of each reconciliation, and of each request to an API server.
//!
//! They are spans of the crate `tracing` with the target [`TARGET`] at the level DEBUG, under the
//! names that OpenTelemetry gives such fields. Log lines within a span belong to it.
//!
//! | Span | Parent | Fields |
//! |---|---|---|
//! | `reconcile` | none | `controller`, `key`, `retries`; at the end `result`, as in the metrics |
//! | `request` | the caller's span, such as that of the reconciliation | `http.request.method`, `url.path`, `server.address`; when the answer begins `http.response.status_code` |
//!
//! A span that failed has `otel.status_code` `ERROR`. A span that no subscriber asks for costs next
//! to nothing. `App::spans` sends them to a collector, with the crate `tracing-opentelemetry`.
//!
//! A collector names a trace by an id that only its layer knows. With [`identify`], the events that
//! a reconciliation records have it in the annotation [`TRACE_ID`], and the log's lines of `App` in
//! the field `trace_id`.

use std::future::Future;
use std::sync::{Arc, OnceLock};

use tracing::{Instrument, Span};

pub use crate::keys::TRACE_ID;

/// The target of all spans, for filters.
pub const TARGET: &str = "kube_traces";

/// Reads the id of a span's trace; `None` if the span is not collected.
pub type Identify = fn(&Span) -> Option<String>;

static IDENTIFY: OnceLock<Identify> = OnceLock::new();

tokio::task_local! {
    static CURRENT: Option<Arc<str>>;
}

/// Reads the ids of traces in this process. Returns whether this was the first call: later ones
/// change nothing.
pub fn identify(identify: Identify) -> bool {
    IDENTIFY.set(identify).is_ok()
}

/// The id of the trace of the reconciliation that this task runs.
#[must_use]
pub fn current() -> Option<Arc<str>> {
    CURRENT.try_with(Clone::clone).ok().flatten()
}

/// A trace, by the span that began it.
pub(crate) struct Trace {
    span: Span,
    id: Option<Arc<str>>,
}

impl Trace {
    pub(crate) fn new(span: Span) -> Self {
        let identify = IDENTIFY.get().filter(|_| !span.is_disabled());
        let id = identify.and_then(|identify| identify(&span));
        let id = id.map(Arc::from);
        Self { span, id }
    }

    pub(crate) const fn span(&self) -> &Span {
        &self.span
    }

    /// Runs a part of the trace.
    pub(crate) fn run<F: Future>(&self, part: F) -> impl Future<Output = F::Output> + use<F> {
        CURRENT.scope(self.id.clone(), part.instrument(self.span.clone()))
    }

    /// Does something after the trace's span, whose log lines belong to the trace all the same.
    pub(crate) fn after<T>(&self, act: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(self.id.clone(), act)
    }
}
