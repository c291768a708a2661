//! Key order: natural, so that `a2` comes before `a10`.

use std::{cmp::Ordering, collections::BTreeMap};

/// The entries in output order.
///
/// Sorts by insertion, since `sort_by` may panic: the rule for zeros is not always a total order.
pub(super) fn sorted<'k, V>(map: &'k BTreeMap<&'k str, V>) -> Vec<(&'k str, &'k V)> {
    if map.keys().all(|key| is_in_byte_order(key)) {
        return map.iter().map(|(key, value)| (*key, value)).collect();
    }
    let mut entries: Vec<(&str, &V)> = Vec::with_capacity(map.len());
    for (key, value) in map {
        let at = entries.partition_point(|(other, _)| is_before(other, key));
        entries.insert(at, (key, value));
    }
    entries
}

/// Whether keys like this one sort by their bytes: it has no digits, and no characters that ASCII
/// puts after letters.
fn is_in_byte_order(key: &str) -> bool {
    let is_in_order = |b: u8| b.is_ascii_alphabetic() || (b < b'A' && !b.is_ascii_digit());
    key.bytes().all(is_in_order)
}

/// Whether key `a` comes before key `b`.
fn is_before(a: &str, b: &str) -> bool {
    if a.is_ascii() && b.is_ascii() {
        return less(a.as_bytes(), b.as_bytes());
    }
    let chars = |key: &str| key.chars().collect::<Vec<char>>();
    less(&chars(a), &chars(b))
}

/// Whether key `a` comes before key `b`: letters by code point and after everything else, runs of
/// digits as numbers. ASCII keys may be passed as bytes.
fn less<C: Copy + Into<char>>(a: &[C], b: &[C]) -> bool {
    let is_equal = |(a, b): (&C, &C)| (*a).into() == (*b).into();
    let Some(at) = a.iter().zip(b).position(|pair| !is_equal(pair)) else {
        return a.len() < b.len();
    };
    let (x, y): (char, char) = (a[at].into(), b[at].into());
    match (x.is_alphabetic(), y.is_alphabetic()) {
        (true, true) => return x < y,
        (false, false) => {}
        (_, y_is_letter) => return y_is_letter,
    }
    // A zero inside of a number counts; a leading one does not.
    let within_number = (x == '0' || y == '0')
        && a[..at]
            .iter()
            .rev()
            .map(|c| (*c).into())
            .take_while(|c| is_digit(*c))
            .any(|c| c != '0');
    let start = i64::from(within_number);
    let (a_number, a_end) = number(a, at, start);
    let (b_number, b_end) = number(b, at, start);
    let order = a_number
        .cmp(&b_number)
        .then(a_end.cmp(&b_end))
        .then(x.cmp(&y));
    order == Ordering::Less
}

/// The number that the digits from `at` on continue, wrapping as in Go, and where they end.
fn number<C: Copy + Into<char>>(key: &[C], at: usize, start: i64) -> (i64, usize) {
    let digits = key[at..].iter().map(|c| (*c).into());
    let digits = digits.take_while(|c| is_digit(*c));
    digits.fold((start, at), |(number, end), digit| {
        let value = i64::from(u32::from(digit)) - i64::from(u32::from('0'));
        (number.wrapping_mul(10).wrapping_add(value), end + 1)
    })
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || (!c.is_ascii() && c.is_numeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_in_order_are_in_natural_order() {
        let keys = [
            "", "$ref", "-", "A", "AB", "Ab", "B", "a", "a-b", "a.b", "aB", "ab", "b",
        ];
        assert!(keys.is_sorted() && keys.iter().all(|key| is_in_byte_order(key)));
        for (at, a) in keys.iter().enumerate() {
            for (other, b) in keys.iter().enumerate() {
                assert_eq!(is_before(a, b), at < other, "{a} {b}");
            }
        }
        for key in ["a1", "a_b", "{", "é"] {
            assert!(!is_in_byte_order(key), "{key}");
        }
    }
}
