//! Requests to an OpenStack service: retries, errors.

use std::path::PathBuf;
use std::time::Duration;

use codegen_runtime::connect::ClientOptions;
use codegen_runtime::error::chain;
use codegen_runtime::kube::client::Body;
use codegen_runtime::kube::{Client, Config};
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt, Limited};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::NeutronFlagsError;
use crate::backend::BackendError;

/// The maximum size of a response, in bytes.
const ANSWER: usize = 8 << 20;

/// The maximum length of a response quoted in a message, in characters.
const QUOTED: usize = 300;

/// How often a request is sent at most when the service asks to retry.
const ATTEMPTS: u32 = 4;

/// The first pause between attempts, unless the service specifies one.
const PAUSE: Duration = Duration::from_millis(500);

/// The maximum pause that a service may request.
const LONGEST: Duration = Duration::from_secs(10);

/// How services are reached.
#[derive(Clone, Debug, Default)]
pub(super) struct Transport {
    /// A file of trusted CA certificates, instead of the system's.
    pub(super) cacert: Option<PathBuf>,
    /// Whether `http://` is permitted, by which everybody on the way reads tokens and passwords.
    pub(super) allow_http: bool,
}

/// A client for a base URL.
#[derive(Clone)]
pub(super) struct Service(Client);

/// The response of a service.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    body: Vec<u8>,
}

impl Service {
    pub(super) fn new(
        flag: &'static str,
        url: &str,
        transport: &Transport,
    ) -> Result<Self, NeutronFlagsError> {
        let wrong = || NeutronFlagsError::Url {
            flag,
            given: url.to_owned(),
        };
        // Some catalogs include the version in the URL; the paths always include it.
        let base = url.trim_end_matches('/');
        let base = base.strip_suffix("/v2.0").unwrap_or(base);
        let base: http::Uri = base.parse().map_err(|_| wrong())?;
        if !matches!(base.scheme_str(), Some("http" | "https")) {
            return Err(wrong());
        }
        if base.scheme_str() == Some("http") && !transport.allow_http {
            return Err(NeutronFlagsError::Plain {
                flag,
                given: url.to_owned(),
            });
        }
        let mut config = Config::new(base);
        config.root_cert_file.clone_from(&transport.cacert);
        let options = ClientOptions::new()
            .user_agent(concat!("network-controller/", env!("CARGO_PKG_VERSION")))
            .response_timeout(Duration::from_secs(20));
        let client = options.connect(config).map_err(NeutronFlagsError::Client)?;
        Ok(Self(client))
    }

    /// Sends a request, and retries while the service asks to.
    pub(super) async fn send(
        &self,
        method: &Method,
        path: &str,
        token: Option<&str>,
        body: Option<&Value>,
    ) -> Result<Answer, BackendError> {
        let mut pause = PAUSE;
        let mut attempt = 1;
        loop {
            let answer = self.send_once(method, path, token, body).await?;
            let later = [
                StatusCode::TOO_MANY_REQUESTS,
                StatusCode::SERVICE_UNAVAILABLE,
            ];
            if attempt == ATTEMPTS || !later.contains(&answer.status) {
                return Ok(answer);
            }
            tokio::time::sleep(answer.retry_after().unwrap_or(pause)).await;
            pause *= 2;
            attempt += 1;
        }
    }

    async fn send_once(
        &self,
        method: &Method,
        path: &str,
        token: Option<&str>,
        body: Option<&Value>,
    ) -> Result<Answer, BackendError> {
        let lost = |error: &(dyn std::error::Error + 'static)| {
            BackendError::Unavailable(chain(error).to_string())
        };
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(ACCEPT, "application/json");
        if let Some(token) = token {
            let mut value = HeaderValue::from_str(token).map_err(|error| lost(&error))?;
            value.set_sensitive(true);
            request = request.header("X-Auth-Token", value);
        }
        if body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        let bytes = body.map(|body| body.to_string().into_bytes());
        let request = request
            .body(Body::from(bytes.unwrap_or_default()))
            .map_err(|error| lost(&error))?;
        let answer = self.0.send(request).await.map_err(|error| lost(&error))?;
        let (head, body) = answer.into_parts();
        let body = Limited::new(body, ANSWER).collect().await;
        let body = body.map_err(|error| BackendError::Unavailable(error.to_string()))?;
        Ok(Answer {
            status: head.status,
            headers: head.headers,
            body: body.to_bytes().to_vec(),
        })
    }
}

impl Answer {
    /// Decodes the body of a successful response.
    pub(super) fn read<T: DeserializeOwned>(self) -> Result<T, BackendError> {
        let answer = self.accepted()?;
        serde_json::from_slice(&answer.body)
            .map_err(|error| BackendError::Unavailable(format!("unexpected response: {error}")))
    }

    /// Checks for success and ignores the body.
    pub(super) fn accept(self) -> Result<(), BackendError> {
        self.accepted().map(drop)
    }

    fn accepted(self) -> Result<Self, BackendError> {
        if self.status.is_success() {
            return Ok(self);
        }
        let (type_, text) = self.error();
        Err(match self.status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => BackendError::Unauthorized(text),
            // NetworkInUse or SubnetInUse. The message does not always say so.
            StatusCode::CONFLICT if type_.ends_with("InUse") => BackendError::InUse(text),
            StatusCode::BAD_REQUEST | StatusCode::CONFLICT => BackendError::Refused(text),
            status => BackendError::Unavailable(format!("{}: {text}", status.as_u16())),
        })
    }

    /// Returns the type and the message of an error, in Neutron's or Keystone's format. The type is
    /// empty if there is none.
    fn error(&self) -> (String, String) {
        let value: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        let text = |path: &&str| Some(value.pointer(path)?.as_str()?.to_owned());
        let type_ = text(&"/NeutronError/type").unwrap_or_default();
        let message = ["/NeutronError/message", "/NeutronError", "/error/message"]
            .iter()
            .find_map(text)
            .unwrap_or_else(|| String::from_utf8_lossy(&self.body).into_owned());
        (type_, message.chars().take(QUOTED).collect())
    }

    /// Returns how long to wait, if the service specifies it in seconds.
    fn retry_after(&self) -> Option<Duration> {
        let seconds = self.headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
        Some(Duration::from_secs(seconds).min(LONGEST))
    }
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Omits headers and body: Keystone's have the token.
        f.debug_struct("Answer")
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use http::Response;
    use tokio::time::Instant;

    use super::*;

    /// Returns how long a request is retried if every response is 503 with this header.
    async fn tried(retry_after: Option<&'static str>) -> Duration {
        let answer = move |_: Request<Body>| async move {
            let answer = Response::builder().status(StatusCode::SERVICE_UNAVAILABLE);
            let answer = match retry_after {
                Some(value) => answer.header(RETRY_AFTER, value),
                None => answer,
            };
            answer.body(Body::empty())
        };
        let service = Service(Client::new(tower::service_fn(answer), "default"));
        let started = Instant::now();
        let answer = service.send(&Method::GET, "/", None, None).await;
        assert_eq!(answer.unwrap().status, StatusCode::SERVICE_UNAVAILABLE);
        started.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_service_says_how_long_to_wait_up_to_ten_seconds() {
        let (own, longest) = (PAUSE * 7, LONGEST * 3);
        for (header, expected) in [
            (None, own),
            (Some("0"), Duration::ZERO),
            (Some("2"), Duration::from_secs(6)),
            (Some("10"), longest),
            (Some("3600"), longest),
            (Some("18446744073709551615"), longest),
            (Some("-1"), own),
            (Some("soon"), own),
            (Some("Wed, 21 Oct 2026 07:28:00 GMT"), own),
        ] {
            let tried = tried(header).await;
            let late = tried.saturating_sub(expected);
            let is_expected = tried >= expected && late < Duration::from_millis(50);
            assert!(is_expected, "{header:?}: {tried:?}, not {expected:?}");
        }
    }
}
