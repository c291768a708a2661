//! Formats errors for people: with their causes, each once, on one line and without debug output.
//!
//! [`chain`] is for logs, [`message`] for conditions and events. The errors of HTTP clients include the cause only in
//! [`source`](Error::source): `client error (Connect)` alone does not tell that the connection was refused. And kube's error for an answer
//! of the API server appends the debug form of all fields, which both leave out, also where another error includes it.
//!
//! ```
//! # use codegen_runtime::error::{chain, message};
//! let parsed = "x".parse::<u8>().unwrap_err();
//! assert_eq!(chain(&parsed).to_string(), "invalid digit found in string");
//! assert_eq!(message(&parsed), "invalid digit found in string");
//! ```

use std::error::Error;
use std::fmt;

use kube::core::Status;

/// An error with its causes; see [`chain`].
pub struct Chain<'a> {
    error: &'a (dyn Error + 'static),
}

/// Displays `error` with its causes on one line, such as `client error (Connect): tcp connect error: Connection refused`. A cause
/// that the preceding message already contains is left out.
pub fn chain<'a>(error: &'a (dyn Error + 'static)) -> Chain<'a> {
    Chain { error }
}

/// Formats `error` for a condition or an event: as [`chain`], but with the API server's message alone, without its code.
pub fn message(error: &(dyn Error + 'static)) -> String {
    format(error, Codes::Omitted)
}

/// Whether an answer of the API server is shown with its code and reason.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Codes {
    Shown,
    Omitted,
}

fn format(error: &(dyn Error + 'static), codes: Codes) -> String {
    let mut text = error.to_string();
    let mut next = Some(error);
    while let Some(error) = next {
        let written = match answer(error) {
            // Where this error, or one that includes it, wrote the debug form of the answer, the answer's own text takes its place.
            Some(status) => {
                let own = told(status, codes);
                let dump = format!("ApiError: {status} ({status:?})");
                text = text.replace(&dump, &own);
                next = None;
                own
            }
            None => {
                next = error.source();
                error.to_string()
            }
        };
        if !text.contains(&written) {
            text.push_str(": ");
            text.push_str(&written);
        }
    }
    on_one_line(&text)
}

/// Returns the answer of the API server that an error is.
fn answer<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a Status> {
    if let Some(kube::Error::Api(status)) = error.downcast_ref::<kube::Error>() {
        return Some(status);
    }
    let boxed = error.downcast_ref::<Box<Status>>().map(|it| &**it);
    boxed.or_else(|| error.downcast_ref::<Status>())
}

/// Returns the message of an answer, with its code and reason if it has none, or on request.
fn told(status: &Status, codes: Codes) -> String {
    let named = format!("{} {}", status.code, status.reason);
    match (status.message.trim(), codes) {
        ("", _) => named.trim().to_owned(),
        (message, Codes::Omitted) => message.to_owned(),
        (message, Codes::Shown) => format!("{message} ({})", named.trim()),
    }
}

fn on_one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.join(" ").trim().to_owned()
}

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format(self.error, Codes::Shown))
    }
}

impl fmt::Debug for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Layer {
        text: &'static str,
        source: Option<Box<Layer>>,
    }

    fn layers(texts: &[&'static str]) -> Option<Box<Layer>> {
        let (text, rest) = texts.split_first()?;
        let source = layers(rest);
        Some(Box::new(Layer { text, source }))
    }

    #[track_caller]
    fn check(texts: &[&'static str], expected: &str) {
        let error = layers(texts).expect("a layer");
        assert_eq!(chain(&*error).to_string(), expected);
    }

    #[test]
    fn an_answer_of_the_server_is_told_without_its_fields() {
        let refused = |message: &str, reason: &str| {
            kube::Error::Api(
                kube::core::Status::failure(message, reason)
                    .with_code(403)
                    .boxed(),
            )
        };
        let check = |error: &kube::Error, expected: &str| {
            assert_eq!(chain(error).to_string(), expected);
        };
        check(
            &refused("maps are forbidden", "Forbidden"),
            "maps are forbidden (403 Forbidden)",
        );
        check(&refused("no", ""), "no (403)");
        check(&refused("", "Forbidden"), "403 Forbidden");
    }

    #[test]
    fn causes_follow_once_each() {
        check(&["refused"], "refused");
        check(
            &["client error (Connect)", "tcp connect error", "refused"],
            "client error (Connect): tcp connect error: refused",
        );
        check(
            &["cannot write: conflict", "conflict", "version 7"],
            "cannot write: conflict: version 7",
        );
    }

    #[derive(Debug, thiserror::Error)]
    enum Wrapped {
        #[error(transparent)]
        Transparent(kube::Error),
        #[error("cannot write: {0}")]
        Included(#[source] kube::Error),
        #[error("cannot write")]
        Followed(#[source] kube::Error),
        #[error("cannot write: {0}")]
        Twice(#[source] Box<Wrapped>),
        #[error("outer")]
        Outer(#[source] Box<Wrapped>),
    }

    #[test]
    fn an_answer_that_other_errors_include_is_told_once_and_without_its_fields() {
        let refused = || {
            let status = kube::core::Status::failure("no:\n- a\n- b", "Forbidden");
            kube::Error::Api(status.with_code(403).boxed())
        };
        let check = |error: Wrapped, expected: &str| {
            assert_eq!(message(&error), expected, "{error:?}");
            let chained = format!("{expected} (403 Forbidden)");
            assert_eq!(chain(&error).to_string(), chained, "{error:?}");
        };
        check(Wrapped::Transparent(refused()), "no: - a - b");
        check(Wrapped::Included(refused()), "cannot write: no: - a - b");
        check(Wrapped::Followed(refused()), "cannot write: no: - a - b");
        let twice = Wrapped::Twice(Box::new(Wrapped::Included(refused())));
        check(twice, "cannot write: cannot write: no: - a - b");
        let outer = Wrapped::Outer(Box::new(Wrapped::Included(refused())));
        check(outer, "outer: cannot write: no: - a - b");
        assert_eq!(message(&refused()), "no: - a - b");
    }
}
