//! Descriptions as documentation: any text as Markdown that rustdoc and clippy take.
//!
//! Descriptions in CRDs are written for `kubectl explain`: URLs stand bare, brackets and angles mean nothing, lists are half
//! Markdown, and any text may try to leave its comment. Here they become paragraphs, lists and code blocks of known shape,
//! wrapped to one width, with everything that Markdown would misread escaped.

use std::borrow::Cow;

/// Width of the text after `/// `.
const WIDTH: usize = 96;

/// The lines of a description, without leading space; none for an empty one.
pub(crate) fn lines(text: &str) -> Vec<String> {
    let is_clean = |b: u8| b == b'\n' || (b' '..0x7f).contains(&b);
    let clean: Cow<'_, str> = if text.bytes().all(is_clean) {
        text.into()
    } else {
        text.chars().filter_map(clean).collect()
    };
    let mut lines = Vec::new();
    let mut before: Option<Kind> = None;
    for block in blocks(&clean) {
        let kind = block.kind();
        // Items of one list stand together; anything else is set apart.
        if before.is_some_and(|before| !(before == Kind::Item && kind == Kind::Item)) {
            lines.push(String::new());
        }
        block.write(&mut lines);
        before = Some(kind);
    }
    lines
}

/// Control characters, and those that change the direction of text, have no place in source.
fn clean(c: char) -> Option<char> {
    match c {
        '\n' => Some('\n'),
        '\t' => Some(' '),
        '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}' => None,
        c if c.is_control() => None,
        c => Some(c),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Paragraph,
    Item,
    Code,
}

enum Block<'a> {
    /// Words that flow.
    Paragraph(Vec<&'a str>),
    /// A list item: how deep it is nested, its marker, its words.
    Item {
        depth: usize,
        marker: String,
        words: Vec<&'a str>,
    },
    /// Lines that stay unchanged.
    Code(Vec<&'a str>),
}

impl Block<'_> {
    const fn kind(&self) -> Kind {
        match self {
            Self::Paragraph(_) => Kind::Paragraph,
            Self::Item { .. } => Kind::Item,
            Self::Code(_) => Kind::Code,
        }
    }

    fn write(&self, lines: &mut Vec<String>) {
        match self {
            Self::Paragraph(words) => wrap(words, "", "", lines),
            Self::Item {
                depth,
                marker,
                words,
            } => {
                let indent = " ".repeat(depth * 2);
                let first = format!("{indent}{marker} ");
                wrap(words, &first, &" ".repeat(first.len()), lines);
            }
            Self::Code(code) => {
                lines.push("```text".to_owned());
                lines.extend(
                    code.iter()
                        .map(|line| line.trim_end().replace("```", "'''")),
                );
                lines.push("```".to_owned());
            }
        }
    }
}

/// Splits a description into blocks: blank lines, list markers and fences end one.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut open = false;
    let mut indents: Vec<usize> = Vec::new();
    let mut fence: Option<Vec<&str>> = None;
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(code) = &mut fence {
            if is_fence(trimmed) {
                blocks.extend(
                    fence
                        .take()
                        .filter(|code| !code.is_empty())
                        .map(Block::Code),
                );
            } else {
                code.push(line);
            }
            continue;
        }
        if is_fence(trimmed) {
            fence = Some(Vec::new());
            open = false;
        } else if trimmed.is_empty() {
            open = false;
        } else if let Some((marker, rest)) = list_marker(trimmed) {
            let indent = line.len() - line.trim_start().len();
            if !matches!(blocks.last(), Some(Block::Item { .. })) {
                indents.clear();
            }
            let depth = nest(&mut indents, indent);
            blocks.push(Block::Item {
                depth,
                marker,
                words: rest.split_whitespace().collect(),
            });
            open = true;
        } else {
            let words = trimmed.split_whitespace();
            match blocks.last_mut().filter(|_| open) {
                Some(Block::Paragraph(text) | Block::Item { words: text, .. }) => {
                    text.extend(words)
                }
                _ => blocks.push(Block::Paragraph(words.collect())),
            }
            open = true;
        }
    }
    blocks.extend(fence.filter(|code| !code.is_empty()).map(Block::Code));
    blocks
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// The depth of an item from its indent, given those of the items before; the first item of a list is at depth 0.
fn nest(indents: &mut Vec<usize>, indent: usize) -> usize {
    indents.retain(|&outer| outer < indent);
    indents.push(indent);
    // An ordered item would need three spaces; two levels are all that descriptions use sensibly.
    (indents.len() - 1).min(2)
}

/// `- rest`, `* rest` or `1. rest`. Ordered items become plain ones, with their number as text: numbers in descriptions skip.
fn list_marker(line: &str) -> Option<(String, &str)> {
    let (marker, rest) = line.split_once(char::is_whitespace)?;
    if matches!(marker, "-" | "*" | "+" | "•") && !rest.trim().is_empty() {
        return Some(("-".to_owned(), rest));
    }
    let digits = marker.strip_suffix(['.', ')'])?;
    let numbered =
        !digits.is_empty() && digits.len() <= 3 && digits.bytes().all(|b| b.is_ascii_digit());
    numbered.then_some(("-".to_owned(), line))
}

fn wrap(words: &[&str], first: &str, rest: &str, lines: &mut Vec<String>) {
    let mut line = first.to_owned();
    let mut length = line.len();
    let mut empty = true;
    for word in escape(words) {
        let word_length = width(&word);
        if !empty && length + 1 + word_length > WIDTH {
            lines.push(std::mem::replace(&mut line, rest.to_owned()));
            length = line.len();
            empty = true;
        }
        if empty {
            let word = at_line_start(&word);
            line.push_str(&word);
            length += width(&word);
        } else {
            line.push(' ');
            line.push_str(&word);
            length += 1 + word_length;
        }
        empty = false;
    }
    if !empty {
        lines.push(line);
    }
}

/// The number of characters.
fn width(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.chars().count()
    }
}

/// Escapes a word that would open a list, a heading, a quote, a table or a rule at the start of a line.
fn at_line_start(word: &str) -> Cow<'_, str> {
    let number = word
        .strip_suffix(['.', ')'])
        .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()) && !digits.is_empty());
    if let Some(digits) = number {
        return format!("{digits}\\{}", &word[digits.len()..]).into();
    }
    let marks = |c: char| word.chars().all(|other| other == c);
    let opens =
        marks('-') || marks('+') || marks('=') || marks('#') || marks('_') || word.starts_with('|');
    if opens {
        format!("\\{word}").into()
    } else {
        word.into()
    }
}

/// Characters with a Markdown meaning anywhere in a word.
const MARKUP: [char; 10] = ['[', ']', '<', '>', '*', '`', '\\', '~', '|', '&'];

/// Whether a word of a code span would open or change a block at the start of a line; there nothing can be escaped.
fn opens_in_code(word: &str) -> bool {
    let number = word.trim_start_matches(|c: char| c.is_ascii_digit());
    word.starts_with(['>', '<', '~', '#', '-', '+', '*', '=', '|', '_', ':', '['])
        || (number.len() < word.len() && number.starts_with(['.', ')']))
}

/// Escapes what Markdown would misread, word by word. Code spans stay as they are where their backticks pair up; a word of
/// one that must not start a line is joined to the word before it.
fn escape<'a>(words: &[&'a str]) -> Vec<Cow<'a, str>> {
    let ticks = words
        .iter()
        .map(|word| word.bytes().filter(|&b| b == b'`').count())
        .sum::<usize>();
    let runs = ticks > 1 && words.iter().any(|word| word.contains("``"));
    let mut code = (ticks.is_multiple_of(2) && !runs).then_some(false);
    let mut escaped: Vec<Cow<'a, str>> = Vec::with_capacity(words.len());
    for word in words {
        let joined = code == Some(true) && opens_in_code(word);
        let word = escape_word(word, &mut code);
        match escaped.last_mut().filter(|_| joined) {
            Some(before) => {
                let before = before.to_mut();
                before.push(' ');
                before.push_str(&word);
            }
            None => escaped.push(word),
        }
    }
    escaped
}

/// Escapes a word; `code` is whether it is in a code span, none where backticks pair up to no spans.
fn escape_word<'a>(word: &'a str, code: &mut Option<bool>) -> Cow<'a, str> {
    if !word.contains(MARKUP) && !word.contains("://") {
        return word.into();
    }
    let mut escaped = String::with_capacity(word.len() + 4);
    let mut rest = word;
    while let Some(c) = rest.chars().next() {
        match code {
            Some(in_code) if c == '`' => *in_code = !*in_code,
            Some(true) => {}
            _ => {
                if let Some(length) = url_length(rest) {
                    escaped.push('<');
                    escaped.push_str(&rest[..length]);
                    escaped.push('>');
                    rest = &rest[length..];
                    continue;
                }
                if MARKUP.contains(&c) || reads_as_url(&escaped, rest) {
                    escaped.push('\\');
                }
            }
        }
        escaped.push(c);
        rest = &rest[c.len_utf8()..];
    }
    escaped.into()
}

/// Whether rustdoc takes the text before, with `rest`, for a bare URL, though it is none: `https://%s.example.com`.
fn reads_as_url(before: &str, rest: &str) -> bool {
    const STARTS: [char; 9] = ['-', '@', ':', '%', '.', '_', '+', '#', '='];
    let host = rest.strip_prefix("://");
    host.is_some_and(|host| host.starts_with(STARTS))
        && (before.ends_with("http") || before.ends_with("https"))
}

/// The length of the URL at the start of `text`, without the punctuation that ends a sentence.
fn url_length(text: &str) -> Option<usize> {
    if !(text.starts_with("https://") || text.starts_with("http://")) {
        return None;
    }
    let end = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || "-._~:/?#@!$&'()+,;=%".contains(c)))
        .unwrap_or(text.len());
    let url = text[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', ')']);
    let host = url.split("//").nth(1).unwrap_or_default();
    host.starts_with(|c: char| c.is_ascii_alphanumeric())
        .then_some(url.len())
}

/// Text inside a code span on one line.
pub(crate) fn code(text: &str) -> String {
    text.chars()
        .map(|c| if c == '`' { '\'' } else { c })
        .filter(|c| !c.is_control() && !('\u{200b}'..='\u{206f}').contains(c))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::lines;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(lines(text), expected, "documentation of {text:?}");
    }

    #[test]
    fn paragraphs_flow_and_stay_apart() {
        check("One\ntwo.\n\n\nThree.", &["One two.", "", "Three."]);
        check("", &[]);
        check("    indented is no code", &["indented is no code"]);
    }

    #[test]
    fn markup_is_escaped_outside_code() {
        check(
            "a <b> [c] d*e `f[g]` | h",
            &[r"a \<b\> \[c\] d\*e `f[g]` \| h"],
        );
        check("an odd ` tick <", &[r"an odd \` tick \<"]);
    }

    #[test]
    fn urls_become_links() {
        check(
            "See https://k8s.io/a_b?c=d#e. Or (http://x.y).",
            &["See <https://k8s.io/a_b?c=d#e>. Or (<http://x.y>)."],
        );
        check(
            "http:// is none, nor is http://<host>",
            &[r"http:// is none, nor is http://\<host\>"],
        );
        check(
            "from https://%s.x.com/%s or http://-y.com",
            &[r"from https\://%s.x.com/%s or http\://-y.com"],
        );
    }

    #[test]
    fn lists_keep_their_items() {
        check(
            "Is:\n- one\n  more\n* two\n  - three\n1. four",
            &["Is:", "", "- one more", "- two", "  - three", r"- 1\. four"],
        );
    }

    #[test]
    fn line_starts_open_nothing() {
        check(
            "# no heading\n\n1. \n\n- \n\n---\n\n=",
            &[
                r"\# no heading",
                "",
                r"1\.",
                "",
                r"\-",
                "",
                r"\---",
                "",
                r"\=",
            ],
        );
        let long = format!("{} - b", "a".repeat(95));
        check(&long, &["a".repeat(95).as_str(), r"\- b"]);
    }

    #[test]
    fn no_block_opens_within_code() {
        let xs = "x".repeat(92);
        for opener in [
            ">", ">=", "*", "-", "+", "<div>", "<!--", "~~~", "#", "1.", "12)", "=", "---", "|",
        ] {
            let text = format!("{xs} `a {opener} b` tail");
            check(&text, &[xs.as_str(), &format!("`a {opener} b` tail")]);
        }
        check(&format!("{xs} `a def`"), &[&format!("{xs} `a"), "def`"]);
    }

    #[test]
    fn fences_are_text() {
        check(
            "Use:\n```yaml\na: [1]\n  b: <c>\n```\nend",
            &[
                "Use:", "", "```text", "a: [1]", "  b: <c>", "```", "", "end",
            ],
        );
        check("```\nopen", &["```text", "open", "```"]);
    }

    #[test]
    fn hostile_characters_are_dropped() {
        check("a\u{202e}b\0c\r\nd */ e", &[r"abc d \*/ e"]);
    }
}
