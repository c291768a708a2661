//! Errors as logs and messages tell them: with their causes.
//!
//! The errors of HTTP clients name the cause in [`source`](Error::source) alone: `client error (Connect)` without it does not say
//! that the connection was refused.

use std::error::Error;
use std::fmt;

/// An error with its causes; see [`chain`].
pub struct Chain<'a> {
    error: &'a (dyn Error + 'static),
}

/// Displays `error` with its causes on one line, such as `client error (Connect): tcp connect error: Connection refused`. A cause
/// that the text before it contains already is left out.
pub fn chain<'a>(error: &'a (dyn Error + 'static)) -> Chain<'a> {
    Chain { error }
}

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.error.to_string();
        let mut next = self.error.source();
        while let Some(cause) = next {
            let cause_text = cause.to_string();
            if !text.contains(&cause_text) {
                text.push_str(": ");
                text.push_str(&cause_text);
            }
            next = cause.source();
        }
        f.write_str(&text)
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
