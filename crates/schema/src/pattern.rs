//! Regular expressions in the syntax of Go's `regexp` (RE2), matched by the `regex` crate.

use std::sync::OnceLock;

use kube_names::pattern::{self, SyntaxError};
use regex::{Regex, RegexBuilder};

/// The maximum memory of a compiled pattern, in bytes.
const SIZE_LIMIT: usize = 32 << 20;

/// A pattern of a schema, compiled on first use.
#[derive(Debug)]
pub(crate) struct Pattern {
    source: String,
    regex: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub(crate) fn new(source: &str) -> Self {
        Self {
            source: source.to_owned(),
            regex: OnceLock::new(),
        }
    }

    /// Returns the pattern's source.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// Whether the pattern matches anywhere in the string. A pattern that does not compile never
    /// matches.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    /// Returns the first matches in the string, at most `most`.
    #[cfg(feature = "cel")]
    pub(crate) fn find_all<'t>(&self, text: &'t str, most: usize) -> Vec<&'t str> {
        let found = self.regex().into_iter();
        let found = found.flat_map(|regex| regex.find_iter(text)).take(most);
        found.map(|part| part.as_str()).collect()
    }

    fn regex(&self) -> Option<&Regex> {
        let regex = self.regex.get_or_init(|| {
            let translated = translate(&self.source).ok()?;
            RegexBuilder::new(&translated)
                .size_limit(SIZE_LIMIT)
                .build()
                .ok()
        });
        regex.as_ref()
    }
}

/// Checks a pattern's syntax.
///
/// # Errors
/// Go's message (``error parsing regexp: missing closing ): `(a` ``).
pub(crate) fn check_pattern(source: &str) -> Result<(), String> {
    translate(source)
        .map(|_| ())
        .map_err(|error| error.to_string())
}

fn translate(source: &str) -> Result<String, SyntaxError> {
    pattern::translate(source, &|class| Regex::new(class).is_ok())
}
