//! Names as path segments, by client-go's rules: names that would redirect a request are refused,
//! all others are escaped.
//!
//! A name often comes from another object, such as a reference in its spec. With the name
//! `../../kube-system/secrets/x`, a request for a Secret would leave its namespace; with `?`, the
//! delete of one object would delete the collection.

use std::borrow::Cow;
use std::fmt::Write;

use kube::core::request::Error;

/// Returns `name` as one path segment; `what` names it in the error.
pub(super) fn segment<'a>(what: &str, name: &'a str) -> Result<Cow<'a, str>, Error> {
    let refuse = |why: &str| Err(Error::Validation(format!("invalid {what} {name:?}: {why}")));
    match name {
        "" => return refuse("must not be empty"),
        "." | ".." => return refuse("must not be '.' or '..'"),
        _ => {}
    }
    match name.chars().find(|char| matches!(char, '/' | '%')) {
        Some(char) => refuse(&format!("must not contain '{char}'")),
        None => Ok(escape(name)),
    }
}

/// Returns the path of a subresource, which may have several segments: `proxy/metrics`.
pub(super) fn segments(what: &str, names: &str) -> Result<String, Error> {
    let names = names.split('/').map(|name| segment(what, name));
    Ok(names.collect::<Result<Vec<_>, _>>()?.join("/"))
}

/// Percent-encodes the characters that Go's `net/url` encodes in a path.
fn escape(name: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~$&+,:;=@".contains(&byte);
    if name.bytes().all(plain) {
        return Cow::Borrowed(name);
    }
    let mut escaped = String::with_capacity(name.len() * 3);
    for byte in name.bytes() {
        if plain(byte) {
            escaped.push(char::from(byte));
        } else {
            // Writing to a `String` cannot fail.
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: &str) {
        let found = segment("name", name).map_err(|error| error.to_string());
        let found = found.unwrap_or_else(|error| error.into());
        assert_eq!(
            found.trim_start_matches("failed to validate request: "),
            expected
        );
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        check("", "invalid name \"\": must not be empty");
        check(".", "invalid name \".\": must not be '.' or '..'");
        check("..", "invalid name \"..\": must not be '.' or '..'");
        check("../b", "invalid name \"../b\": must not contain '/'");
        check(
            "a/status",
            "invalid name \"a/status\": must not contain '/'",
        );
        check("a%2fb", "invalid name \"a%2fb\": must not contain '%'");
    }

    #[test]
    fn all_others_are_escaped() {
        check("a.b-c", "a.b-c");
        check("...", "...");
        check("system:node@a", "system:node@a");
        check("a?watch=true#b", "a%3Fwatch=true%23b");
        check("a b\\c\n", "a%20b%5Cc%0A");
        check("ü", "%C3%BC");
        assert_eq!(segments("name", "proxy/a b").unwrap(), "proxy/a%20b");
        assert!(segments("name", "proxy/../b").is_err());
        assert!(segments("name", "/b").is_err());
    }
}
