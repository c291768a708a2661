//! Responses of `/healthz`, `/readyz`, `/livez` and `/metrics`.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::Full;

use super::health::Checks;
#[cfg(feature = "prometheus")]
use crate::metrics::CONTENT_TYPE;
use crate::metrics::Metrics;
use crate::shard::Shards;

/// The responses of a manager's endpoints, also for use in other servers.
///
/// `/healthz` and `/livez` run the health checks, `/readyz` the readiness checks; each responds
/// with 200 `ok`, or with 500 and one line per check. `?verbose` adds the lines in either case,
/// `?exclude=NAME` leaves a check out, and `/healthz/NAME` runs one check. `/debug/shards` tells
/// who owns what, as JSON, if the process is a member of a group.
#[derive(Debug, Clone, Default)]
pub struct Endpoints {
    pub(super) health: Option<(Checks, Checks)>,
    pub(super) metrics: Option<Metrics>,
    pub(super) shards: Vec<Shards>,
}

impl Endpoints {
    /// Responds to `request`: 404 for other paths, 405 for methods other than GET and HEAD.
    pub fn respond<B>(&self, request: &Request<B>) -> Response<Full<Bytes>> {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return text(
                StatusCode::METHOD_NOT_ALLOWED,
                "only GET and HEAD\n".to_owned(),
            );
        }
        let path = request.uri().path().trim_start_matches('/');
        let query = request.uri().query().unwrap_or_default();
        let (endpoint, check) = match path.split_once('/') {
            Some((endpoint, check)) => (endpoint, Some(check).filter(|check| !check.is_empty())),
            None => (path, None),
        };
        match (endpoint, &self.health, &self.metrics) {
            ("healthz" | "livez", Some((health, _)), _) => probe(health, endpoint, check, query),
            ("readyz", Some((_, ready)), _) => probe(ready, endpoint, check, query),
            ("debug", _, _) if check == Some("shards") && !self.shards.is_empty() => {
                groups(&self.shards)
            }
            #[cfg(feature = "prometheus")]
            ("metrics", _, Some(metrics)) if check.is_none() => scrape(metrics),
            _ => text(StatusCode::NOT_FOUND, "not found\n".to_owned()),
        }
    }
}

fn probe(
    checks: &Checks,
    endpoint: &str,
    only: Option<&str>,
    query: &str,
) -> Response<Full<Bytes>> {
    let parameters = || form_urlencoded::parse(query.as_bytes());
    let verbose = parameters().any(|(name, _)| name == "verbose");
    let excluded = parameters().filter(|(name, _)| name == "exclude");
    let excluded = excluded.map(|(_, check)| check.into_owned()).collect();
    match checks.run(endpoint, only, &excluded) {
        None => text(StatusCode::NOT_FOUND, "no such check\n".to_owned()),
        Some((true, lines)) => text(
            StatusCode::OK,
            if verbose { lines } else { "ok".to_owned() },
        ),
        Some((false, lines)) => text(StatusCode::INTERNAL_SERVER_ERROR, lines),
    }
}

/// Returns the state of each group by its name.
fn groups(shards: &[Shards]) -> Response<Full<Bytes>> {
    let groups: BTreeMap<_, _> = shards.iter().map(|it| (it.name(), it.status())).collect();
    match serde_json::to_string_pretty(&groups) {
        Ok(body) => typed(StatusCode::OK, "application/json", body),
        Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")),
    }
}

#[cfg(feature = "prometheus")]
fn scrape(metrics: &Metrics) -> Response<Full<Bytes>> {
    match metrics.encode() {
        Ok(body) => typed(StatusCode::OK, CONTENT_TYPE, body),
        Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")),
    }
}

pub(super) fn text(status: StatusCode, body: String) -> Response<Full<Bytes>> {
    typed(status, "text/plain; charset=utf-8", body)
}

fn typed(status: StatusCode, media: &'static str, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        header::HeaderValue::from_static(media),
    );
    response.headers_mut().insert(
        header::X_CONTENT_TYPE_OPTIONS,
        header::HeaderValue::from_static("nosniff"),
    );
    response
}
