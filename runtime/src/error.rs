//! Formats errors for logs and messages: with their causes, and without debug output.
//!
//! The errors of HTTP clients include the cause only in [`source`](Error::source): `client error (Connect)` alone does not tell
//! that the connection was refused.
//!
//! ```
//! # use codegen_runtime::error::chain;
//! let parsed = "x".parse::<u8>().unwrap_err();
//! assert_eq!(chain(&parsed).to_string(), "invalid digit found in string");
//! ```

use std::error::Error;
use std::fmt;

/// An error with its causes; see [`chain`].
pub struct Chain<'a> {
    error: &'a (dyn Error + 'static),
}

/// Displays `error` with its causes on one line, such as `client error (Connect): tcp connect error: Connection refused`. A cause
/// that the preceding message already contains is left out.
pub fn chain<'a>(error: &'a (dyn Error + 'static)) -> Chain<'a> {
    Chain { error }
}

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut text, mut next) = own_text(self.error);
        while let Some(cause) = next {
            let (cause_text, its_cause) = own_text(cause);
            if !text.contains(&cause_text) {
                text.push_str(": ");
                text.push_str(&cause_text);
            }
            next = its_cause;
        }
        f.write_str(&text)
    }
}

/// Returns an error's own message and its cause. For an answer of the API server, the message and the code; kube appends the
/// debug form of all fields.
fn own_text<'a>(error: &'a (dyn Error + 'static)) -> (String, Option<&'a (dyn Error + 'static)>) {
    let Some(kube::Error::Api(status)) = error.downcast_ref::<kube::Error>() else {
        return (error.to_string(), error.source());
    };
    let named = format!("{} {}", status.code, status.reason);
    let text = match status.message.trim() {
        "" => named.trim().to_owned(),
        message => format!("{message} ({})", named.trim()),
    };
    (text, None)
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
}
