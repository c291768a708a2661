//! HTTP responses of the router.

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use http_body_util::Full;

/// A response to a request that gets no review: status code and reason.
#[derive(Debug, PartialEq)]
pub(super) struct Fault {
    pub(super) status: StatusCode,
    pub(super) why: String,
}

impl Fault {
    pub(super) fn new(status: StatusCode, why: impl Into<String>) -> Self {
        Self {
            status,
            why: why.into(),
        }
    }

    /// 400: the body is not a review that the path takes.
    pub(super) fn bad(why: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, why)
    }

    /// 413: the review is longer, or takes more memory, than one may.
    pub(super) fn too_large(why: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, why)
    }

    pub(super) fn response(&self) -> Response<Full<Bytes>> {
        let body = format!("{}\n", self.why);
        typed(self.status, "text/plain; charset=utf-8", body.into())
    }
}

/// The response with a review.
pub(super) fn review(body: Vec<u8>) -> Response<Full<Bytes>> {
    typed(StatusCode::OK, "application/json", body)
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
