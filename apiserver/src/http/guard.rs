//! Rejects requests that web pages of other sites make through a browser.
//!
//! Since the listener has no authentication, any page that a developer visits could otherwise write
//! to it (cross-site requests) or read from it (DNS rebinding: a name of the attacker's that
//! resolves to loopback). Pages cannot forge `Host`, `Origin` and `Sec-Fetch-Site`; clients other
//! than browsers seldom send the last two.

use std::net::{Ipv4Addr, Ipv6Addr};

use http::header::{HOST, HeaderMap, ORIGIN};
use http::request::Parts;
use http::uri::Authority;

use crate::status::ApiError;

/// The host names that a listener accepts, besides `localhost` and IP addresses.
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
    // A value that is not ASCII matches nothing.
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}

fn forbidden(message: String) -> ApiError {
    ApiError::new(403, "Forbidden", message)
}

/// Rejects requests that a page of another site may have caused.
///
/// # Errors
/// 403 for a host name that is not allowed, for a foreign origin, and for cross-site fetches.
pub(crate) fn check(parts: &Parts, allowed: &AllowedHosts) -> Result<(), ApiError> {
    // HTTP/2 has the host in the URI instead of a header.
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
                "host name {host:?} is not allowed: use localhost or an IP address, or allow the name with --allow-host"
            )));
        }
    }
    if let Some(origin) = header(&parts.headers, ORIGIN)
        && !host.is_empty()
        && origin.split_once("://").map(|(_, rest)| rest) != Some(host)
    {
        return Err(forbidden(format!(
            "cross-origin requests are not allowed: Origin is {origin}"
        )));
    }
    match header(&parts.headers, "sec-fetch-site") {
        None | Some("same-origin" | "none") => Ok(()),
        Some(site) => Err(forbidden(format!(
            "cross-origin requests are not allowed: Sec-Fetch-Site is {site}"
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
