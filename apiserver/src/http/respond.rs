//! Encodes answers as HTTP responses.

use http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER, WARNING};
use http::{Response, StatusCode};
use serde::Serialize;
use serde_json::Value;

use super::body::Body;
use super::negotiate::{self, Format};
use crate::metadata::Ordered;
use crate::status::ApiError;

/// The answer of a handler.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) content: Content,
    /// The `Warning` headers.
    pub(crate) warnings: Vec<String>,
}

/// The content of an answer.
#[derive(Debug)]
pub(crate) enum Content {
    /// A document, in the encoding that the client accepts.
    Document(Value, Format),
    /// A document in a custom resource's order of fields.
    Custom(Value, Format),
    /// An aggregated discovery document and its version.
    Discovery(Value, &'static str),
    /// JSON that is already encoded, or generated while it is read.
    Json(Body),
    /// The events of a watch, lines of JSON.
    Events(Body),
    /// Plain text.
    Text(String),
    /// An OpenAPI v2 document in protobuf.
    OpenApiV2(Vec<u8>),
}

impl Answer {
    /// Creates an answer with a JSON document and status 200.
    pub(crate) fn document(value: Value) -> Self {
        Self::new(200, Content::Document(value, Format::Json))
    }

    pub(crate) fn new(code: u16, content: Content) -> Self {
        Self {
            code,
            content,
            warnings: Vec::new(),
        }
    }

    pub(crate) fn with_warnings(mut self, warnings: Vec<String>) -> Self {
        self.warnings.extend(warnings);
        self
    }
}

/// The layout of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    Compact,
    /// Indented, for `?pretty=true`.
    Pretty,
}

/// Encodes an answer.
pub(crate) fn respond(answer: Answer, layout: Layout) -> Response<Body> {
    let (body, content_type) = match answer.content {
        Content::Document(value, Format::Json) => (
            Body::full(encode_json(&Ordered(&value), layout)),
            "application/json",
        ),
        Content::Custom(value, Format::Json) => {
            (Body::full(encode_json(&value, layout)), "application/json")
        }
        Content::Document(value, Format::Yaml) | Content::Custom(value, Format::Yaml) => {
            let text = serde_saphyr::to_string(&value).unwrap_or_default();
            (Body::full(text), "application/yaml")
        }
        Content::Discovery(value, "v2") => (
            Body::full(encode_json(&Ordered(&value), layout)),
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        ),
        Content::Discovery(value, _) => (
            Body::full(encode_json(&Ordered(&value), layout)),
            "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
        ),
        Content::Json(body) | Content::Events(body) => (body, "application/json"),
        Content::OpenApiV2(bytes) => (Body::full(bytes), negotiate::OPENAPI_V2_PROTOBUF),
        Content::Text(text) => (Body::full(text), "text/plain; charset=utf-8"),
    };
    let mut response = Response::new(body);
    *response.status_mut() =
        StatusCode::from_u16(answer.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(
        "cache-control",
        HeaderValue::from_static("no-cache, private"),
    );
    for warning in answer.warnings {
        let text = warning.replace('\\', "\\\\").replace('"', "\\\"");
        if let Ok(value) = HeaderValue::from_str(&format!("299 - \"{text}\"")) {
            headers.append(WARNING, value);
        }
    }
    response
}

fn encode_json(value: &impl Serialize, layout: Layout) -> Vec<u8> {
    let encoded = match layout {
        Layout::Compact => serde_json::to_vec(value),
        Layout::Pretty => serde_json::to_vec_pretty(value),
    };
    let mut bytes = encoded.unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// Encodes a failure.
pub(crate) fn respond_error(error: &ApiError, format: Format) -> Response<Body> {
    let answer = Answer::new(error.code, Content::Document(error.to_status(), format));
    let mut response = respond(answer, Layout::Compact);
    let seconds = error.details.as_ref().map_or(0, |d| d.retry_after_seconds);
    if seconds > 0
        && let Ok(value) = HeaderValue::from_str(&seconds.to_string())
    {
        response.headers_mut().insert(RETRY_AFTER, value);
    }
    response
}

/// Creates an answer with an aggregated discovery document.
pub(crate) fn discovery(document: Value, version: &'static str) -> Answer {
    Answer::new(200, Content::Discovery(document, version))
}
