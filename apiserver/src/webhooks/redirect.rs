//! Redirects by a webhook's server, followed as Go's HTTP client does.
//!
//! Go's own router redirects a path with an empty segment to the clean one, and envtest builds such
//! paths.

use http::header::LOCATION;
use http::{HeaderMap, StatusCode};

/// The maximum number of redirects.
pub(super) const MOST: usize = 10;

/// Where a redirect leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Redirect {
    /// An absolute URL.
    pub(super) url: String,
    /// Whether the request is repeated as it was; otherwise the new URL is read, without a body.
    pub(super) repeats: bool,
}

/// Returns the redirect of an answer to a request for `url`; an answer without a location is none.
pub(super) fn of(status: StatusCode, headers: &HeaderMap, url: &str) -> Option<Redirect> {
    let repeats = match status.as_u16() {
        307 | 308 => true,
        301..=303 => false,
        _ => return None,
    };
    let location = headers.get(LOCATION)?.to_str().ok()?;
    (!location.is_empty()).then(|| Redirect {
        url: resolve(url, location),
        repeats,
    })
}

/// Resolves a reference against an absolute URL (RFC 3986, section 5.2).
fn resolve(base: &str, reference: &str) -> String {
    let reference = reference.split('#').next().unwrap_or_default();
    if reference.contains("://") {
        return reference.to_owned();
    }
    let (scheme, rest) = base.split_once("://").unwrap_or(("https", base));
    if reference.starts_with("//") {
        return format!("{scheme}:{reference}");
    }
    let (authority, path) = match rest.find(['/', '?']) {
        Some(at) => rest.split_at(at),
        None => (rest, "/"),
    };
    let path = path.split('?').next().unwrap_or_default();
    let (target, query) = match reference.split_once('?') {
        Some((target, query)) => (target, format!("?{query}")),
        None => (reference, String::new()),
    };
    let whole = match target {
        "" => path.to_owned(),
        target if target.starts_with('/') => target.to_owned(),
        target => {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            format!("{folder}/{target}")
        }
    };
    format!("{scheme}://{authority}{}{query}", without_dots(&whole))
}

/// Removes the segments `.` and `..` of a path.
fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match segment {
            "." => {}
            ".." => drop(kept.pop()),
            segment => kept.push(segment),
        }
        if is_last && matches!(segment, "." | "..") {
            kept.push("");
        }
    }
    format!("/{}", kept.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_against_the_url_of_the_request() {
        let check = |reference: &str, expected: &str| {
            assert_eq!(
                resolve("https://h:1/a//b?timeout=1s", reference),
                expected,
                "{reference}"
            );
        };
        check("/p?q=1", "https://h:1/p?q=1");
        check("c", "https://h:1/a//c");
        check("../c", "https://h:1/a/c");
        check("./", "https://h:1/a//");
        check("?q", "https://h:1/a//b?q");
        check("//other/p", "https://other/p");
        check("http://other:2/p#f", "http://other:2/p");
    }

    #[test]
    fn only_307_and_308_repeat_the_request() {
        let check = |status: u16, expected: Option<bool>| {
            let headers = HeaderMap::from_iter([(LOCATION, "/p".parse().unwrap())]);
            let found = of(
                StatusCode::from_u16(status).unwrap(),
                &headers,
                "https://h/",
            );
            assert_eq!(found.map(|it| it.repeats), expected, "{status}");
        };
        check(301, Some(false));
        check(303, Some(false));
        check(304, None);
        check(307, Some(true));
        check(308, Some(true));
        check(200, None);
    }
}
