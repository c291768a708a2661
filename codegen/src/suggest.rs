//! Suggestions: the known name closest to a mistyped one.

/// The longest word to compare, in bytes.
const LONGEST: usize = 128;

/// Returns the candidate nearest to `word` if it is a plausible correction: at most one edit for
/// every three characters of the longer word, rounded up. Case is ignored. Ties go to the first
/// candidate. Very long words are not typos, and measuring them would take long, so they get no
/// suggestion.
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
        // Cheap lower bounds first: computing a distance is expensive, and most candidates are too
        // far away.
        let most = best.map_or(limit, |(nearest, _)| limit.min(nearest.saturating_sub(1)));
        let candidate_lower = candidate.to_lowercase();
        if least_distance(&lower, &candidate_lower) > most {
            continue;
        }
        let (a, b) = without_common_ends(&lower, &candidate_lower);
        let distance = strsim::damerau_levenshtein(a, b);
        if distance <= limit && best.is_none_or(|(nearest, _)| distance < nearest) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// What to write in place of an unknown name, as help: the nearest of the known names, or all of
/// them if they are few.
pub(crate) fn correction<'a>(
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Option<String> {
    /// Longer lists do not help.
    const MOST: usize = 8;
    if let Some(near) = closest(name, known.clone()) {
        return Some(format!("did you mean `{near}`?"));
    }
    let names: Vec<String> = known
        .take(MOST + 1)
        .map(|name| format!("`{name}`"))
        .collect();
    match names.as_slice() {
        [] => None,
        [only] => Some(format!("the only {what} is {only}")),
        names if names.len() <= MOST => Some(format!("the {what}s are {}", names.join(", "))),
        _ => None,
    }
}

/// Strips the common prefix and suffix of two words, which do not affect the distance.
fn without_common_ends<'a>(a: &'a str, b: &'a str) -> (&'a str, &'a str) {
    let length = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        let same = pairs.take_while(|(a, b)| a == b);
        same.map(|(a, _)| a.len_utf8()).sum()
    };
    let start = length(&mut a.chars().zip(b.chars()));
    let rest = |word: &'a str| word.get(start..).unwrap_or_default();
    let (a, b) = (rest(a), rest(b));
    let end = length(&mut a.chars().rev().zip(b.chars().rev()));
    let middle = |word: &'a str| word.get(..word.len() - end).unwrap_or_default();
    (middle(a), middle(b))
}

/// A lower bound of the edit distance: for ASCII words, one edit for each character that the other
/// word lacks.
fn least_distance(a: &str, b: &str) -> usize {
    if !(a.is_ascii() && b.is_ascii()) {
        return a.chars().count().abs_diff(b.chars().count());
    }
    let mut surplus = [0_i32; 128];
    a.bytes().for_each(|byte| surplus[usize::from(byte)] += 1);
    b.bytes().for_each(|byte| surplus[usize::from(byte)] -= 1);
    let sum = |sign: i32| {
        surplus
            .iter()
            .map(|count| (count * sign).max(0))
            .sum::<i32>()
    };
    sum(1).max(sum(-1)).unsigned_abs() as usize
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
    fn no_distance_is_less_than_the_least() {
        let words = [
            "", "a", "ab", "ba", "abc", "acb", "aab", "aba", "abba", "clinet", "client", "clients",
            "é", "éa", "aé", "aéa",
        ];
        for a in words {
            for b in words {
                let distance = strsim::damerau_levenshtein(a, b);
                assert!(least_distance(a, b) <= distance, "{a} {b}");
                let (rest, other) = without_common_ends(a, b);
                let without = strsim::damerau_levenshtein(rest, other);
                assert_eq!(without, distance, "{a} {b}");
            }
        }
        assert_eq!(least_distance("client", "lister"), 2);
    }

    #[test]
    fn another_word_finds_nothing() {
        check("openapi", None);
        check("", None);
    }
}
