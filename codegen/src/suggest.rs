//! Suggestions: the known name that a mistyped one is closest to.

/// Bytes of the longest word that is compared.
const LONGEST: usize = 128;

/// The candidate nearest to `word`, if it is near enough to be what was meant: one edit for each three characters of the
/// longer word, rounded up. Case does not count. Ties go to the first candidate. A word that is longer than any name is
/// not a typing error, and measuring it would take long.
pub(crate) fn closest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    let lower = word.to_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let limit = word
            .chars()
            .count()
            .max(candidate.chars().count())
            .div_ceil(3);
        let distance = strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
        if distance <= limit && best.is_none_or(|(nearest, _)| distance < nearest) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, expected: Option<&str>) {
        let known = ["deepcopy", "register", "client", "lister", "informer"];
        assert_eq!(closest(word, known), expected);
    }

    #[test]
    fn a_slip_finds_the_name_that_was_meant() {
        check("clinet", Some("client"));
        check("Listers", Some("lister"));
        check("deep-copy", Some("deepcopy"));
    }

    #[test]
    fn another_word_finds_nothing() {
        check("openapi", None);
        check("", None);
    }
}
