//! Underscores that Markdown would take for emphasis, as in `__name__`.

/// Whether underscores of the words would be emphasis: one opens it, and a later one closes it.
pub(super) fn has_emphasis(words: &[&str]) -> bool {
    // Text in code spans counts too: an escape too many does no harm.
    let runs = words.iter().flat_map(|word| {
        let starts = word.match_indices('_').map(|(at, _)| at);
        let starts = starts.filter(|at| !word[..*at].ends_with('_'));
        starts.map(|at| around(word, at))
    });
    let mut is_open = false;
    for (before, after) in runs {
        if is_open && before.is_some() && !is_text(after) {
            return true;
        }
        is_open |= after.is_some() && !is_text(before);
    }
    false
}

/// Whether a word is emphasised on purpose, as in `_before_`.
pub(super) fn is_emphasised(word: &str) -> bool {
    let word = word.trim_matches(|c: char| c.is_ascii_punctuation() && c != '_');
    let inner = word
        .strip_prefix('_')
        .and_then(|word| word.strip_suffix('_'));
    inner.is_some_and(|inner| !inner.is_empty() && inner.chars().all(char::is_alphabetic))
}

/// Whether the underscore at this byte stands between letters, where Markdown takes it for text.
pub(super) fn is_within_word(word: &str, at: usize) -> bool {
    let (before, after) = around(word, at);
    is_text(before) && is_text(after)
}

/// The characters around the underscores at this byte.
fn around(word: &str, at: usize) -> (Option<char>, Option<char>) {
    let (before, after) = word.split_at_checked(at).unwrap_or((word, ""));
    (
        before.trim_end_matches('_').chars().next_back(),
        after.trim_start_matches('_').chars().next(),
    )
}

fn is_text(c: Option<char>) -> bool {
    c.is_some_and(char::is_alphanumeric)
}
