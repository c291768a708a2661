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

/// The target of all spans, for filters.
pub const TARGET: &str = "kube_traces";
