//! Lines of a description that Markdown sets apart: headings, rules and quotes.

use super::width;

/// A longer line is a paragraph, since a heading cannot be wrapped.
const HEADING: usize = 100;

/// The level and the text of a heading (`## Text`).
pub(super) fn heading(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    let is_heading = (1..=6).contains(&level) && text.starts_with(' ') && width(line) <= HEADING;
    let text = text.trim_end_matches('#').trim();
    (is_heading && !text.is_empty() && !text.contains('#')).then_some((level, text))
}

/// The level of a heading that the next line underlines at about its length.
pub(super) fn underline(line: &str, next: &str) -> Option<usize> {
    let level = match next.chars().next()? {
        '=' => 1,
        '-' => 2,
        _ => return None,
    };
    // Three dashes are a rule.
    let is_underlined = next.len() > 3 && width(line).abs_diff(width(next)) <= 2;
    let is_text = line.starts_with(char::is_alphabetic) && !line.ends_with([':', '.', ',']);
    let is_heading = is_rule(next) && is_underlined && is_text && width(line) <= HEADING;
    is_heading.then_some(level)
}

/// Whether the line is drawn: at least three of one character.
pub(super) fn is_rule(line: &str) -> bool {
    line.len() >= 3
        && ['-', '=', '*', '_']
            .iter()
            .any(|rule| line.chars().all(|c| c == *rule))
}

/// The text of a quoted line.
pub(super) fn quoted(line: &str) -> Option<&str> {
    line.strip_prefix('>')
}

/// The number of spaces before a line.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}
