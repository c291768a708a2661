//! Formatting: from tokens to the contents of a file, with header and generated marker.
//!
//! The format is prettyplease's, with blank lines between items. Generated modules opt out of
//! rustfmt.

mod blank;
mod lines;

pub(crate) use lines::Lines;

use proc_macro2::TokenStream;

use crate::header::{self, MARKER};

/// The attribute that makes rustfmt skip a module. Stable rustc rejects an inner `rustfmt::skip`.
const SKIP_RUSTFMT: &str = "#![cfg_attr(rustfmt, rustfmt_skip)]";

/// The code of a file before formatting.
#[derive(Debug, Default)]
pub(crate) struct Code {
    /// The tokens at the start of the file; for most files, all of them.
    pub(crate) tokens: TokenStream,
    /// The formatted items after them.
    pub(crate) items: Items,
    /// The comments for both, each with a [marker](Comments::add) at its position.
    pub(crate) comments: Comments,
}

impl From<TokenStream> for Code {
    fn from(tokens: TokenStream) -> Self {
        Self {
            tokens,
            ..Self::default()
        }
    }
}

/// Items that are printed one by one: the tokens and syntax trees of thousands would not fit the
/// processor's caches.
#[derive(Debug, Default)]
pub(crate) struct Items {
    text: String,
    error: Option<String>,
}

impl Items {
    /// Prints and appends the tokens of an item.
    pub(crate) fn push(&mut self, tokens: TokenStream) {
        self.push_result(print(tokens));
    }

    /// Appends a type that is written line by line.
    pub(crate) fn push_lines(&mut self, lines: Lines) {
        self.push_result(lines.finish());
    }

    fn push_result(&mut self, text: Result<String, String>) {
        match text {
            Ok(text) => self.text.push_str(&text),
            Err(error) => drop(self.error.get_or_insert(error)),
        }
    }

    /// Appends items that are already formatted.
    pub(crate) fn push_text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Appends other items.
    pub(crate) fn append(&mut self, others: Self) {
        self.push_result(others.finish());
    }

    /// The formatted items, or the first error.
    fn finish(self) -> Result<String, String> {
        self.error.map_or(Ok(self.text), Err)
    }
}

/// Comments that are stored beside the tokens. Types from CRDs mostly consist of comments, which as
/// attributes would be escaped, parsed and printed needlessly.
#[derive(Debug, Default)]
pub(crate) struct Comments(Vec<Vec<String>>);

impl Comments {
    /// Starts the marker of a comment; documentation contains no control characters.
    const MARK: char = '\u{1f}';

    /// Stores the lines of a comment, without leading space. Returns the marker to use in a `doc`
    /// attribute.
    pub(crate) fn add(&mut self, lines: Vec<String>) -> String {
        self.0.push(lines);
        format!("{}{}", Self::MARK, self.0.len() - 1)
    }

    /// The comment that a line of code is a marker for, if any.
    fn of_line(&self, line: &str) -> Option<&[String]> {
        let (_, index) = line.split_once(Self::MARK)?;
        self.0.get(index.parse::<usize>().ok()?).map(Vec::as_slice)
    }
}

/// Renders the file of a Rust module: the license header unless it is blank, the marker, the
/// attribute that disables rustfmt, then the items.
///
/// # Errors
///
/// The parser's message if the tokens are not a valid Rust file, which is a bug in the emitter.
pub(crate) fn module_file(header: Option<&str>, code: impl Into<Code>) -> Result<String, String> {
    file(header, &[MARKER, SKIP_RUSTFMT], code.into())
}

/// Renders a Rust file for `include!`, which rejects inner attributes; otherwise like
/// [`module_file`].
///
/// # Errors
///
/// The parser's message if the tokens are not a valid Rust file.
pub(crate) fn included_file(header: Option<&str>, code: impl Into<Code>) -> Result<String, String> {
    file(header, &[MARKER], code.into())
}

fn file(header: Option<&str>, start: &[&str], code: Code) -> Result<String, String> {
    let Code {
        tokens,
        items,
        comments,
    } = code;
    let body = print(tokens)? + &items.finish()?;
    let mut text = String::with_capacity(body.len() * 2);
    if let Some(header) = header.and_then(header::comment) {
        text.push_str(&header);
        text.push_str("\n\n");
    }
    for line in start {
        text.push_str(line);
        text.push('\n');
    }
    // No blank line between the module's attributes.
    if !body.starts_with("#![") {
        text.push('\n');
    }
    blank::lay_out(&mut text, &body, &comments);
    Ok(text)
}

/// Formats tokens with prettyplease.
fn print(tokens: TokenStream) -> Result<String, String> {
    let file = syn::parse2::<syn::File>(tokens).map_err(|error| error.to_string())?;
    Ok(prettyplease::unparse(&file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(header: &str, expected: &str) {
        let text = module_file(Some(header), code());
        let start = format!("{expected}{MARKER}\n{SKIP_RUSTFMT}");
        assert_eq!(text, Ok(format!("{start}\n\nmod a;\n")));
    }

    fn code() -> TokenStream {
        quote::quote!(
            mod a;
        )
    }

    #[test]
    fn an_included_file_has_no_inner_attribute() {
        let text = included_file(None, code());
        assert_eq!(text, Ok(format!("{MARKER}\n\nmod a;\n")));
    }

    #[test]
    fn a_header_stands_above_the_marker() {
        check(
            "Copyright.\n\nAll of it.\n",
            "// Copyright.\n//\n// All of it.\n\n",
        );
        check("\n// Copyright.\n", "// Copyright.\n\n");
        check("/*\nCopyright.\n*/\n", "/*\nCopyright.\n*/\n\n");
    }

    /// Go projects without a header pass `/dev/null`.
    #[test]
    fn a_blank_header_is_none() {
        check("", "");
        check(" \n\n", "");
    }
}
