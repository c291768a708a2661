//! Numbers with underscores, as YAML 1.1 and Go's readers accept them: `1_000.5`, `1__0`.

use std::ops::Range;

use memchr::memchr_iter;

/// The longest word that is searched for a number.
const LONGEST: usize = 64;

/// Returns a plain scalar without its underscores, if it is a decimal number that has some.
pub(super) fn without(word: &str) -> Option<String> {
    is_spaced(word).then(|| word.replace('_', ""))
}

/// Whether a line may have a number with underscores: one that follows a digit, a sign or a point.
pub(super) fn may_have(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr_iter(b'_', bytes).any(|at| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        before.is_some_and(|byte| byte.is_ascii_digit() || b"+-.".contains(byte))
    })
}

/// Returns the range of a number with underscores that is the whole plain scalar at byte `at` of a
/// line.
pub(super) fn at(line: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = line.get(at..)?;
    let is_number = |byte: &&u8| byte.is_ascii_digit() || b"_.+-eE".contains(byte);
    let length = rest.iter().take(LONGEST).take_while(is_number).count();
    let (word, behind) = rest.split_at_checked(length)?;
    let blank = behind
        .iter()
        .take_while(|byte| b" \t\r".contains(byte))
        .count();
    let ends = match behind.get(blank) {
        None | Some(b'\n' | b',' | b']' | b'}' | b':') => true,
        Some(b'#') => blank > 0,
        Some(_) => false,
    };
    let word = std::str::from_utf8(word).ok()?;
    (ends && is_spaced(word)).then(|| at..at + length)
}

/// Whether a word is a decimal number with underscores. Go reads numbers that start with a point as
/// Go's literals, whose underscores are between digits.
fn is_spaced(word: &str) -> bool {
    let bytes = word.as_bytes();
    let is_digit = |at: Option<usize>| {
        let byte = at.and_then(|at| bytes.get(at));
        byte.is_some_and(u8::is_ascii_digit)
    };
    let between_digits = |at: usize| is_digit(at.checked_sub(1)) && is_digit(Some(at + 1));
    let has_start = word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    let mut underscores = memchr_iter(b'_', bytes);
    has_start
        && word.contains('_')
        && (!word.starts_with('.') || underscores.all(between_digits))
        && is_decimal(&word.replace('_', ""))
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
fn is_decimal(text: &str) -> bool {
    let unsigned = |text: &str| text.strip_prefix(['+', '-']).unwrap_or(text).to_owned();
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (unsigned(mantissa), Some(unsigned(exponent))),
        None => (unsigned(text), None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((&mantissa, ""));
    are_digits(whole)
        && are_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|digits| !digits.is_empty() && are_digits(&digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values are those of sigs.k8s.io/yaml.
    #[test]
    fn numbers_lose_their_underscores_and_other_words_do_not() {
        for (word, expected) in [
            ("1_0.5", Some("10.5")),
            ("1__0", Some("10")),
            ("1_", Some("1")),
            ("1_000.5_0", Some("1000.50")),
            ("-1_0", Some("-10")),
            ("-_1", Some("-1")),
            ("+1_0.5", Some("+10.5")),
            ("1_0e2", Some("10e2")),
            ("1e1_0", Some("1e10")),
            (".5_0", Some(".50")),
            ("._5", None),
            ("_1", None),
            ("10", None),
            ("1_0.5.1", None),
            ("1-_0", None),
            ("v1_0", None),
            ("_", None),
            ("-_", None),
        ] {
            assert_eq!(without(word).as_deref(), expected, "{word}");
        }
    }
}
