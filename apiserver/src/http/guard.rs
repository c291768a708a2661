//! Refusal of requests that a page of another site causes in a browser.
//!
//! The listener has no authentication, so that any page which a developer visits could otherwise write to it (cross-site
//! requests) or read from it (DNS rebinding: a name of the attacker's that resolves to loopback). Browsers cannot forge
//! `Host`, `Origin` and `Sec-Fetch-Site`; other clients seldom send the last two.

use std::net::{Ipv4Addr, Ipv6Addr};

use http::header::{HOST, HeaderMap, ORIGIN};
use http::request::Parts;
use http::uri::Authority;

use crate::status::ApiError;

/// The host names that a listener answers to, beside `localhost` and addresses.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllowedHosts(Vec<String>);

impl AllowedHosts {
    pub(crate) fn new(names: impl IntoIterator<Item = String>) -> Self {
        Self(names.into_iter().map(|n| n.to_ascii_lowercase()).collect())
    }

    fn allows(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let host = host.trim_end_matches('.');
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost"
            || host.ends_with(".localhost")
            || bare.parse::<Ipv4Addr>().is_ok()
            || bare.parse::<Ipv6Addr>().is_ok()
            || self.0.iter().any(|name| name == host)
    }
}

fn header(headers: &HeaderMap, name: impl http::header::AsHeaderName) -> Option<&str> {
    // Text that is not ASCII matches nothing.
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}

fn forbidden(message: String) -> ApiError {
    ApiError::new(403, "Forbidden", message)
}

/// Refuses requests that a page of another site may have caused.
///
/// # Errors
/// 403 for a host name that is not allowed, an origin other than the server's own, and fetches across sites.
pub(crate) fn check(parts: &Parts, allowed: &AllowedHosts) -> Result<(), ApiError> {
    // HTTP/2 has the host in the URI.
    let host = match parts.uri.authority() {
        Some(authority) => authority.as_str(),
        None => header(&parts.headers, HOST).unwrap_or_default(),
    };
    if !host.is_empty() {
        let name = host
            .parse::<Authority>()
            .map(|authority| authority.host().to_owned())
            .unwrap_or_default();
        if !allowed.allows(&name) {
            return Err(forbidden(format!(
                "the host name {host:?} is not allowed: use an address or localhost, or allow the name (--allow-host)"
            )));
        }
    }
    if let Some(origin) = header(&parts.headers, ORIGIN)
        && !host.is_empty()
        && origin.split_once("://").map(|(_, rest)| rest) != Some(host)
    {
        return Err(forbidden(format!(
            "requests of pages from another origin are not allowed: {origin}"
        )));
    }
    match header(&parts.headers, "sec-fetch-site") {
        None | Some("same-origin" | "none") => Ok(()),
        Some(site) => Err(forbidden(format!(
            "requests of pages from another origin are not allowed: Sec-Fetch-Site is {site}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn code(headers: &[(&str, &str)]) -> u16 {
        let mut request = Request::get("/api");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let allowed = AllowedHosts::new(["Api.Example".to_owned()]);
        check(&parts, &allowed).map_or_else(|error| error.code, |()| 200)
    }

    #[test]
    fn addresses_localhost_and_allowed_names_are_answered() {
        for host in [
            "127.0.0.1:8080",
            "10.1.2.3",
            "[::1]:8080",
            "localhost",
            "LOCALHOST.:80",
            "a.localhost:1",
            "api.example:8080",
        ] {
            assert_eq!(code(&[("host", host)]), 200, "{host}");
        }
        assert_eq!(code(&[]), 200, "HTTP/1.0 has no host");
    }

    #[test]
    fn other_names_are_refused_against_dns_rebinding() {
        for host in [
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil.example:8080",
            "a b",
        ] {
            assert_eq!(code(&[("host", host)]), 403, "{host}");
        }
    }

    #[test]
    fn pages_of_other_origins_are_refused() {
        let own = ("host", "127.0.0.1:8080");
        assert_eq!(code(&[own, ("origin", "http://127.0.0.1:8080")]), 200);
        assert_eq!(code(&[own, ("origin", "http://127.0.0.1:3000")]), 403);
        assert_eq!(code(&[own, ("origin", "https://evil.example")]), 403);
        assert_eq!(code(&[own, ("origin", "null")]), 403);
        assert_eq!(code(&[own, ("sec-fetch-site", "same-origin")]), 200);
        assert_eq!(code(&[own, ("sec-fetch-site", "none")]), 200);
        assert_eq!(code(&[own, ("sec-fetch-site", "cross-site")]), 403);
        assert_eq!(code(&[own, ("sec-fetch-site", "same-site")]), 403);
    }
}
