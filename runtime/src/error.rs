//! Formats errors for people: with their causes, each once, on one line and without debug output.
//!
//! [`chain`] is for logs, [`message`] for conditions and events. The errors of HTTP clients include
//! the cause only in [`source`](Error::source): `client error (Connect)` alone does not tell that
//! the connection was refused.
//!
//! ```
//! # use codegen_runtime::error::chain;
//! let parsed = "x".parse::<u8>().unwrap_err();
//! assert_eq!(chain(&parsed).to_string(), "invalid digit found in string");
//! ```

use std::error::Error;
use std::{fmt, iter};

use kube::core::Status;

/// An error with its causes; see [`chain`].
pub struct Chain<'a> {
    error: &'a (dyn Error + 'static),
}

/// Displays `error` with its causes on one line, such as
/// `client error (Connect): tcp connect error: Connection refused`. A cause that the preceding
/// message already contains is left out.
pub fn chain<'a>(error: &'a (dyn Error + 'static)) -> Chain<'a> {
    Chain { error }
}

/// Formats `error` for a condition or an event: as [`chain`], but with the API server's message
/// alone, without request and code.
pub fn message(error: &(dyn Error + 'static)) -> String {
    format(error, Answers::MessageAlone)
}

/// What is shown of an answer of the API server.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answers {
    /// The request, the message and the code.
    Whole,
    /// The message, or the code if there is none.
    MessageAlone,
}

fn format(error: &(dyn Error + 'static), answers: Answers) -> String {
    let (mut text, mut next) = own_text(error, answers);
    while let Some(cause) = next {
        let (cause_text, its_cause) = own_text(cause, answers);
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        next = its_cause;
    }
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.join(" ").trim().to_owned()
}

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format(self.error, Answers::Whole))
    }
}

/// Returns an error's own message and its cause. For an answer of the API server, the request, the
/// message and the code; kube appends the debug form of all fields.
fn own_text<'a>(
    error: &'a (dyn Error + 'static),
    answers: Answers,
) -> (String, Option<&'a (dyn Error + 'static)>) {
    if let Some(status) = status_in(error) {
        return (answer_text(status, answers), None);
    }
    match error.downcast_ref::<kube::Error>() {
        Some(kube::Error::Api(status)) => (answer_text(status, answers), None),
        // kube adds "ServiceError".
        Some(kube::Error::Service(inner)) => own_text(&**inner, answers),
        // kube adds "Error deserializing response".
        Some(kube::Error::SerdeError(inner)) => (inner.to_string(), inner.source()),
        _ => match status_below(error) {
            Some(status) => {
                let dump = kube::Error::Api(Box::new(status.clone())).to_string();
                (
                    error
                        .to_string()
                        .replace(&dump, &answer_text(status, answers)),
                    error.source(),
                )
            }
            None => (error.to_string(), error.source()),
        },
    }
}

/// Returns the status that caused `error`. A transparent wrapper hides kube's error itself, but not
/// the status, which is its source.
fn status_below<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a Status> {
    let mut causes = iter::successors(error.source(), |error| Error::source(*error));
    causes.find_map(|cause| match cause.downcast_ref::<kube::Error>() {
        Some(kube::Error::Api(status)) => Some(&**status),
        _ => status_in(cause),
    })
}

fn status_in<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a Status> {
    let boxed = error.downcast_ref::<Box<Status>>().map(|status| &**status);
    boxed.or_else(|| error.downcast_ref::<Status>())
}

/// Whether `error` is, or was caused by, a conflict with another write of the same object.
/// Conflicts are normal: the object is read again. A conflict with the fields of another manager is
/// not, since it would happen again.
pub(crate) fn is_passing_conflict(error: &(dyn Error + 'static)) -> bool {
    let status = match error.downcast_ref::<kube::Error>() {
        Some(kube::Error::Api(status)) => Some(&**status),
        _ => status_in(error).or_else(|| status_below(error)),
    };
    status.is_some_and(|status| {
        let mut causes = status.details.iter().flat_map(|details| &details.causes);
        status.reason == "Conflict" && !causes.any(|cause| cause.reason == "FieldManagerConflict")
    })
}

/// Returns the message of an answer, with the code.
fn answer_text(status: &Status, answers: Answers) -> String {
    let named = format!("{} {}", status.code, status.reason);
    let text = match status.message.trim() {
        "" => named.trim().to_owned(),
        message if answers == Answers::MessageAlone => return message.to_owned(),
        message => format!("{message} ({})", named.trim()),
    };
    // This crate's clients add the request.
    let request = status.metadata.as_ref();
    match request.and_then(|metadata| metadata.self_link.as_deref()) {
        Some(request) if !request.is_empty() => format!("{request}: {text}"),
        _ => text,
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
    fn an_answer_within_another_error_is_told_without_its_fields_too() {
        #[derive(Debug, thiserror::Error)]
        enum Wrapped {
            #[error(transparent)]
            Transparent(kube::Error),
            #[error("cannot write the map: {0}")]
            Text(#[source] kube::Error),
            #[error("cannot write the map")]
            Cause(#[source] kube::Error),
        }
        let refused = || {
            let status = Status::failure("it changed", "Conflict").with_code(409);
            kube::Error::Api(status.boxed())
        };
        let check = |error: Wrapped, expected: &str| {
            assert_eq!(chain(&error).to_string(), expected);
            assert!(is_passing_conflict(&error));
        };
        check(Wrapped::Transparent(refused()), "it changed (409 Conflict)");
        let whole = "cannot write the map: it changed (409 Conflict)";
        check(Wrapped::Text(refused()), whole);
        check(Wrapped::Cause(refused()), whole);
    }

    #[test]
    fn a_conflict_of_fields_does_not_pass() {
        let mut status = Status::failure("fields are taken", "Conflict").with_code(409);
        let mut causes = kube::core::response::StatusDetails {
            name: String::new(),
            group: String::new(),
            kind: String::new(),
            uid: String::new(),
            causes: Vec::new(),
            retry_after_seconds: 0,
        };
        causes.causes.push(kube::core::response::StatusCause {
            reason: "FieldManagerConflict".to_owned(),
            message: String::new(),
            field: ".spec".to_owned(),
        });
        status.details = Some(causes);
        assert!(!is_passing_conflict(&kube::Error::Api(status.boxed())));
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
