//! Underscores that Markdown would take for emphasis.

/// Whether a word is a name that starts and ends with underscores (`__name__`), as opposed to a word that is emphasised (`_before_`).
pub(super) fn is_name(word: &str) -> bool {
    let word = word.trim_matches(|c: char| c.is_ascii_punctuation() && c != '_');
    let inner = word
        .strip_prefix('_')
        .and_then(|word| word.strip_suffix('_'));
    inner.is_some_and(|inner| inner.chars().any(|c| !c.is_alphabetic()))
}

/// Whether the underscore at this byte stands between letters, where Markdown takes it for text.
pub(super) fn is_within_word(word: &str, at: usize) -> bool {
    let (before, after) = word.split_at_checked(at).unwrap_or((word, ""));
    let before = before.trim_end_matches('_').chars().next_back();
    let after = after.trim_start_matches('_').chars().next();
    let is_text = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    is_text(before) && is_text(after)
}
