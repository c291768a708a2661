//! Items of lists in a description.

/// The number of levels that lists have; descriptions do not make sensible use of more.
pub(super) const MAX_DEPTH: usize = 3;

/// The number of an item, and the character after it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) value: u32,
    pub(super) end: char,
}

/// A line that starts a list item.
pub(super) struct Item<'a> {
    pub(super) number: Option<Number>,
    pub(super) text: &'a str,
}

impl<'a> Item<'a> {
    /// An item of a list without numbers.
    pub(super) const fn of(text: &'a str) -> Self {
        Self { number: None, text }
    }
}

/// Markers of items anywhere, and where an item is expected.
const BULLETS: [&str; 9] = ["-", "*", "+", "•", "◦", "▪", "●", "○", "‣"];
const DASHES: [&str; 3] = ["–", "—", "·"];

/// Reads a list item: the text after its marker or number, or including its letter. If an item is expected, in a list or after a colon,
/// no space is needed between marker and word (`-hostPID`).
pub(super) fn item(line: &str, expected: bool) -> Option<Item<'_>> {
    if let Some((marker, rest)) = line.split_once(char::is_whitespace) {
        let has_text = !rest.trim().is_empty();
        let is_marker = BULLETS.contains(&marker) || expected && DASHES.contains(&marker);
        if is_marker && has_text {
            return Some(Item::of(rest));
        }
        if let Some(number) = marker.strip_suffix(['.', ')']) {
            return numbered(number, marker, rest)
                .filter(|_| has_text)
                .or_else(|| is_letter(number, marker).then_some(Item::of(line)));
        }
    }
    if let Some(rest) = line.strip_prefix('•') {
        return (!rest.is_empty()).then_some(Item::of(rest));
    }
    let rest = line.strip_prefix('-')?;
    let is_word = expected && rest.starts_with(|c: char| c.is_ascii_alphabetic());
    is_word.then_some(Item::of(rest))
}

fn numbered<'a>(number: &str, marker: &str, text: &'a str) -> Option<Item<'a>> {
    let is_number = number.len() <= 3 && number.bytes().all(|b| b.is_ascii_digit());
    let value = number.parse().ok().filter(|_| is_number)?;
    let end = marker.chars().next_back()?;
    let number = Some(Number { value, end });
    Some(Item { number, text })
}

fn is_letter(letter: &str, marker: &str) -> bool {
    marker.ends_with(')') && letter.len() == 1 && letter.bytes().all(|b| b.is_ascii_lowercase())
}

/// The nesting depth of an item with this indentation, given those of enclosing items; the first item of a list has depth 0.
pub(super) fn nest(indents: &mut Vec<usize>, indent: usize) -> usize {
    indents.retain(|&outer| outer < indent);
    indents.push(indent);
    indents.len().min(MAX_DEPTH) - 1
}
