//! Backticks of code spans.

/// Writes runs of backticks that form pairs, such as those of reStructuredText and of fences within a line, as one each. Returns `None`
/// if nothing changes.
pub(super) fn single(words: &[&str]) -> Option<Vec<String>> {
    if !words.iter().any(|word| word.contains("``")) {
        return None;
    }
    let runs: Vec<usize> = words.iter().flat_map(|word| runs(word)).collect();
    // A span may start with one backtick and end with two, by mistake.
    let are_paired = runs
        .chunks(2)
        .all(|pair| matches!(pair, [a, b] if a == b || a + b == 3));
    are_paired.then(|| words.iter().map(|word| with_single(word)).collect())
}

/// The lengths of the runs of backticks.
fn runs(word: &str) -> impl Iterator<Item = usize> + '_ {
    let parts = word.split(|c| c != '`');
    parts.map(str::len).filter(|length| *length > 0)
}

fn with_single(word: &str) -> String {
    let mut text = String::with_capacity(word.len());
    for c in word.chars() {
        if c != '`' || !text.ends_with('`') {
            text.push(c);
        }
    }
    text
}
