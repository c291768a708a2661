//! Inline markup of a description: escapes what Markdown would misread, and keeps code spans, links and bold text.

use std::{borrow::Cow, collections::BTreeSet};

use super::{
    WIDTH,
    emphasis::{is_name, is_within_word},
    ticks, width,
};

/// Whether a paragraph is too long to be a summary.
pub(super) fn is_long(words: &[&str]) -> bool {
    let length: usize = words.iter().map(|word| width(word) + 1).sum();
    length > 3 * WIDTH
}

/// The number of words in the first sentence of a paragraph that has several; `None` if it has only one.
pub(super) fn first_sentence(words: &[&str]) -> Option<usize> {
    let (mut ticks, mut open) = (0, 0);
    let end = words.windows(2).position(|pair| {
        let [word, next] = pair else {
            return false;
        };
        ticks += word.matches('`').count();
        open += word.matches(['(', '[', '"']).count();
        open -= word.matches([')', ']']).count().min(open);
        let whole = ticks % 2 == 0 && (open == 0 || word.contains('"'));
        let starts = next.starts_with(|c: char| c.is_uppercase() || c == '`' || c == '"');
        whole && starts && ends_sentence(word)
    })?;
    (end > 0).then_some(end + 1)
}

/// Whether a word ends a sentence, as opposed to an abbreviation.
fn ends_sentence(word: &str) -> bool {
    const SHORT: [&str; 8] = ["e.g", "i.e", "etc", "vs", "cf", "approx", "no", "incl"];
    let Some(word) = word.strip_suffix(['.', '!']) else {
        return false;
    };
    let word = word.trim_start_matches(['(', '"']).to_lowercase();
    word.len() > 1 && !word.ends_with('.') && !SHORT.contains(&word.as_str())
}

/// Characters that are Markdown syntax anywhere in a word.
const MARKUP: [char; 10] = ['[', ']', '<', '>', '*', '`', '\\', '~', '|', '&'];

/// Whether a word of a code span would start or change a block at the beginning of a line, where escaping is impossible.
fn opens_in_code(word: &str) -> bool {
    let number = word.trim_start_matches(|c: char| c.is_ascii_digit());
    word.starts_with(['>', '<', '~', '#', '-', '+', '*', '=', '|', '_', ':', '['])
        || (number.len() < word.len() && number.starts_with(['.', ')']))
}

/// Positions of Markdown syntax to keep, by word and byte.
type Marks = BTreeSet<(usize, usize)>;

/// The brackets of links (`[text](https://…)`, where the text may have several words) and the stars of bold text (`**text**`).
fn marks(words: &[&str]) -> Marks {
    let mut marks = Marks::new();
    let mut bracket = None;
    let mut stars = None;
    for (index, word) in words.iter().enumerate() {
        for (at, c) in word.char_indices() {
            let rest = word.get(at..).unwrap_or_default();
            match c {
                '[' => bracket = Some((index, at)),
                ']' => {
                    if let Some(open) = bracket.take().filter(|_| link_length(rest).is_some()) {
                        marks.extend([open, (index, at)]);
                    }
                }
                _ => {}
            }
        }
        let inner = word.trim_matches(|c: char| c.is_ascii_punctuation() && c != '*');
        if inner.matches('*').count() == 0 {
            continue;
        }
        let start = word.find(inner).unwrap_or_default();
        let is_plain = |text: &str| !text.is_empty() && !text.contains('*');
        if let Some(text) = inner.strip_prefix("**") {
            let alone = text.strip_suffix("**");
            if alone.is_some_and(is_plain) {
                let end = start + inner.len() - 2;
                marks.extend([start, start + 1, end, end + 1].map(|at| (index, at)));
            } else if is_plain(text) {
                stars = Some((index, start));
            }
        } else if let Some(text) = inner.strip_suffix("**").filter(|text| is_plain(text))
            && let Some((from, open)) = stars.take()
        {
            let end = start + text.len();
            marks.extend([
                (from, open),
                (from, open + 1),
                (index, end),
                (index, end + 1),
            ]);
        }
    }
    marks
}

/// The length of a link's target after its text, `](https://…)`.
fn link_length(rest: &str) -> Option<usize> {
    let target = rest.strip_prefix("](")?;
    let end = target.find(')')?;
    (url_length(target.get(..end)?)? == end).then_some(end + 3)
}

/// Escapes what Markdown would misread, word by word. Code spans are kept if their backticks are balanced. A word in a code span
/// that must not start a line is joined to the previous word.
pub(super) fn escape<'a>(words: &[&'a str]) -> Vec<Cow<'a, str>> {
    let Some(words) = ticks::single(words) else {
        return escape_words(words);
    };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let escaped = escape_words(&words).into_iter();
    escaped.map(|word| word.into_owned().into()).collect()
}

fn escape_words<'a>(words: &[&'a str]) -> Vec<Cow<'a, str>> {
    let ticks = words
        .iter()
        .map(|word| word.bytes().filter(|&b| b == b'`').count())
        .sum::<usize>();
    let runs = ticks > 1 && words.iter().any(|word| word.contains("``"));
    let mut code = (ticks.is_multiple_of(2) && !runs).then_some(false);
    // Code spans take precedence over other markup.
    let marks = if ticks == 0 {
        marks(words)
    } else {
        Marks::new()
    };
    let mut escaped: Vec<Cow<'a, str>> = Vec::with_capacity(words.len());
    for (index, word) in words.iter().enumerate() {
        let joined = code == Some(true) && opens_in_code(word);
        let is_syntax = |at, c| {
            let is_name = c == '_' && is_name(word) && !is_within_word(word, at);
            is_name || MARKUP.contains(&c) && !marks.contains(&(index, at))
        };
        let is_mark = |at| marks.contains(&(index, at));
        let word = escape_word(word, &mut code, &is_mark, &is_syntax);
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

/// Escapes a word. `code` is whether the word is in a code span, and `None` if the backticks are not balanced; `is_mark` is
/// whether syntax at a byte is kept, `is_syntax` whether a character there is to be escaped.
fn escape_word<'a>(
    word: &'a str,
    code: &mut Option<bool>,
    is_mark: &dyn Fn(usize) -> bool,
    is_syntax: &dyn Fn(usize, char) -> bool,
) -> Cow<'a, str> {
    if !word.contains(MARKUP) && !word.contains('_') && !word.contains("://") {
        return word.into();
    }
    let mut escaped = String::with_capacity(word.len() + 4);
    let mut rest = word;
    while let Some(c) = rest.chars().next() {
        let at = word.len() - rest.len();
        match code {
            Some(in_code) if c == '`' => *in_code = !*in_code,
            Some(true) => {}
            _ => {
                let link = link_length(rest).filter(|_| is_mark(at));
                if let Some((url, after)) = link.and_then(|length| rest.split_at_checked(length)) {
                    let url = url.trim_start_matches("](").trim_end_matches(')');
                    escaped.push_str(&format!("](<{url}>)"));
                    rest = after;
                    continue;
                }
                if let Some(length) = autolink_length(rest) {
                    escaped.push_str(&rest[..length]);
                    rest = &rest[length..];
                    continue;
                }
                if let Some(length) = url_length(rest) {
                    escaped.push('<');
                    escaped.push_str(&rest[..length]);
                    escaped.push('>');
                    rest = &rest[length..];
                    continue;
                }
                if is_syntax(at, c) || reads_as_url(&escaped, rest) {
                    escaped.push('\\');
                }
            }
        }
        escaped.push(c);
        rest = &rest[c.len_utf8()..];
    }
    escaped.into()
}

/// The length of a URL in angle brackets at the start of `text`.
fn autolink_length(text: &str) -> Option<usize> {
    let url = text.strip_prefix('<')?;
    let length = url_length(url)?;
    url.get(length..)?.starts_with('>').then_some(length + 2)
}

/// Whether rustdoc would take `before` followed by `rest` for a bare URL although it is not a valid one:
/// `https://%s.example.com`.
fn reads_as_url(before: &str, rest: &str) -> bool {
    const STARTS: [char; 9] = ['-', '@', ':', '%', '.', '_', '+', '#', '='];
    let host = rest.strip_prefix("://");
    host.is_some_and(|host| host.starts_with(STARTS))
        && (before.ends_with("http") || before.ends_with("https"))
}

/// The length of the URL at the start of `text`, without punctuation that ends a sentence.
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

/// Makes a string fit for a code span on one line.
pub(crate) fn code(text: &str) -> String {
    text.chars()
        .map(|c| if c == '`' { '\'' } else { c })
        .filter(|c| !c.is_control() && !('\u{200b}'..='\u{206f}').contains(c))
        .collect()
}
