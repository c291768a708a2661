//! The order of keys: natural, so that `a2` comes before `a10`.

use std::cmp::Ordering;

use serde_json::{Map, Value};

/// The entries in the order in which they are written.
///
/// By insertion rather than with `sort_by`, which may panic: the rule for zeros is not always a total order.
pub(super) fn sorted(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut entries: Vec<(Vec<char>, &String, &Value)> = Vec::with_capacity(map.len());
    for (key, value) in map {
        let chars: Vec<char> = key.chars().collect();
        let at = entries.partition_point(|(other, ..)| less(other, &chars));
        entries.insert(at, (chars, key, value));
    }
    entries
        .into_iter()
        .map(|(_, key, value)| (key, value))
        .collect()
}

/// Whether a key stands before another: letters by their code and after all else, runs of digits as numbers.
fn less(a: &[char], b: &[char]) -> bool {
    let Some(at) = a.iter().zip(b).position(|(a, b)| a != b) else {
        return a.len() < b.len();
    };
    let (x, y) = (a[at], b[at]);
    match (x.is_alphabetic(), y.is_alphabetic()) {
        (true, true) => return x < y,
        (false, false) => {}
        (_, y_is_letter) => return y_is_letter,
    }
    // A zero within a number counts; a leading one does not.
    let within_number = (x == '0' || y == '0')
        && a[..at]
            .iter()
            .rev()
            .take_while(|c| is_digit(**c))
            .any(|c| *c != '0');
    let start = i64::from(within_number);
    let (a_number, a_end) = number(a, at, start);
    let (b_number, b_end) = number(b, at, start);
    let order = a_number
        .cmp(&b_number)
        .then(a_end.cmp(&b_end))
        .then(x.cmp(&y));
    order == Ordering::Less
}

/// The number that the digits from here on continue, wrapping as Go's does, and where they end.
fn number(key: &[char], at: usize, start: i64) -> (i64, usize) {
    let digits = key[at..].iter().take_while(|c| is_digit(**c));
    digits.fold((start, at), |(number, end), digit| {
        let value = i64::from(u32::from(*digit)) - i64::from(u32::from('0'));
        (number.wrapping_mul(10).wrapping_add(value), end + 1)
    })
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || (!c.is_ascii() && c.is_numeric())
}
