//! License headers: turned into comments at the top of every generated file.

use std::str::FromStr as _;

use proc_macro2::TokenStream;

use super::{MARKER, MARKER_WITHIN};

/// The header as comment lines; existing comments are kept. `None` for a blank header.
pub(super) fn comment(header: &str) -> Option<String> {
    let header = header.trim_start_matches('\u{feff}').trim();
    if header.is_empty() {
        return None;
    }
    let is_commented = is_commented(header);
    let lines = header.lines().map(|line| {
        if is_commented {
            line.trim_end().to_owned()
        } else {
            format!("// {line}").trim_end().to_owned()
        }
    });
    Some(lines.collect::<Vec<_>>().join("\n"))
}

fn is_commented(header: &str) -> bool {
    header.starts_with("//") || header.starts_with("/*")
}

/// The error of an invalid header: its byte offset and a message.
pub(crate) fn check(header: &str) -> Option<(usize, String)> {
    if header.lines().count() >= MARKER_WITHIN {
        let message = format!(
            "the header has {MARKER_WITHIN} lines or more: the marker of generated files would not be found"
        );
        return Some((0, message));
    }
    if let Some(at) = header.find(MARKER) {
        let message = "the header contains the marker of generated files, which is added after it";
        return Some((at, message.to_owned()));
    }
    let start = header.find(|c: char| !c.is_whitespace() && c != '\u{feff}')?;
    let commented = header.get(start..).filter(|header| is_commented(header))?;
    match TokenStream::from_str(commented) {
        Err(_) => Some((
            start,
            "the header has an unclosed comment, or text outside of comments".to_owned(),
        )),
        Ok(tokens) => {
            let first = tokens.into_iter().next()?;
            let at = start + first.span().byte_range().start;
            let is_docs = header.get(at..).is_some_and(|rest| rest.starts_with('/'));
            let message = if is_docs {
                "the header has a documentation comment: write `//` or `/*`"
            } else {
                "the header has text outside of comments: write all of it as comments, or none of it"
            };
            Some((at, message.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_refused(header: &str, at: usize, words: &str) {
        let (found, message) = check(header).expect(header);
        assert_eq!(found, at, "{message}");
        assert!(message.contains(words), "{message}");
    }

    #[test]
    fn headers_that_no_file_can_have_are_refused() {
        check_refused("\n/* Copyright.\n", 1, "unclosed");
        check_refused("// Copyright.\nAll of it.\n", 14, "text outside");
        check_refused("// Copyright.\n\"", 0, "text outside");
        check_refused("/// Copyright.\n", 0, "documentation");
        check_refused("//! Copyright.\n", 0, "documentation");
        check_refused("/** Copyright. */\n", 0, "documentation");
        check_refused(&format!("// A.\n{MARKER}\n"), 6, "marker");
        check_refused(&"//\n".repeat(MARKER_WITHIN), 0, "lines or more");
    }

    #[test]
    fn headers_are_comments_or_text() {
        let legal = [
            "",
            "\n \n",
            "Copyright (c)\nAll of it: /* this, too\n",
            "// Copyright.\n\n// All.\n",
            "/*\nCopyright.\n*/\n// More.",
            "\u{feff}// Copyright.\n",
            "//// Copyright.\n",
            "/*** Copyright. ***/\n",
        ];
        for header in legal {
            assert_eq!(check(header), None, "{header}");
        }
    }
}
