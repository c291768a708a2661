//! Lines of a text: their ends, and where they start and end around a position.

/// The line ending that the file uses.
pub(super) fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Lines with the line ending that the file uses.
pub(super) fn with_newlines(lines: &str, text: &str) -> String {
    lines.replace('\n', newline(text))
}

/// The start of the line, if only white space precedes `at` on it.
pub(super) fn line_start(text: &str, at: usize) -> Option<usize> {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[start..at].trim().is_empty().then_some(start)
}

/// The end of the line including its newline, if only white space follows `at` on it.
pub(super) fn line_end(text: &str, at: usize) -> Option<usize> {
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
    text[at..end].trim().is_empty().then_some(end)
}

/// Like [`line_end`], but also skips a comment.
pub(super) fn line_end_past_comment(text: &str, at: usize) -> Option<usize> {
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
    let rest = text[at..end].trim_start();
    (rest.is_empty() || rest.starts_with("//")).then_some(end)
}
