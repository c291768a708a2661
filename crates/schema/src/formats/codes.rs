//! Identifiers, numbers with check digits, colours and encodings.

use std::sync::LazyLock;

use regex::Regex;

use super::regex;

static SSN: LazyLock<Regex> = LazyLock::new(|| regex(r"^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$"));
static RGB_COLOR: LazyLock<Regex> = LazyLock::new(|| {
    const PART: &str = r"[\t\n\f\r ]*(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])[\t\n\f\r ]*";
    regex(&format!(r"^rgb\({PART},{PART},{PART}\)$"))
});
static BASE64: LazyLock<Regex> = LazyLock::new(|| {
    regex("^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$")
});
static CREDIT_CARD: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        "^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|",
        "3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$"
    ))
});

pub(super) fn is_ssn(text: &str) -> bool {
    text.len() == 11 && SSN.is_match(text)
}

pub(super) fn is_rgb_color(text: &str) -> bool {
    RGB_COLOR.is_match(text)
}

pub(super) fn is_base64(text: &str) -> bool {
    BASE64.is_match(text)
}

pub(super) fn is_uuid(text: &str, version: Option<char>) -> bool {
    let mut rest = text;
    let mut digits = String::with_capacity(32);
    for (i, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if i > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let Some((part, after)) = rest.split_at_checked(length) else {
            return false;
        };
        digits.push_str(part);
        rest = after;
    }
    let at = |i: usize| digits.chars().nth(i).map(|c| c.to_ascii_lowercase());
    rest.is_empty()
        && digits.bytes().all(|b| b.is_ascii_hexdigit())
        && version.is_none_or(|v| at(12) == Some(v))
        && (!matches!(version, Some('4' | '5')) || matches!(at(16), Some('8' | '9' | 'a' | 'b')))
}

fn without_separators(text: &str) -> Vec<u8> {
    text.bytes()
        .filter(|b| !matches!(b, b' ' | b'\t' | b'\n' | b'\x0c' | b'\r' | b'-'))
        .collect()
}

pub(super) fn is_isbn10(text: &str) -> bool {
    let digits = without_separators(text);
    let Some((last, body)) = digits.split_last() else {
        return false;
    };
    if body.len() != 9
        || !body.iter().all(u8::is_ascii_digit)
        || !(last.is_ascii_digit() || *last == b'X')
    {
        return false;
    }
    let sum: u32 = body
        .iter()
        .zip(1u32..)
        .map(|(b, i)| i * u32::from(b - b'0'))
        .sum();
    let last = if *last == b'X' {
        10
    } else {
        u32::from(last - b'0')
    };
    (sum + 10 * last).is_multiple_of(11)
}

pub(super) fn is_isbn13(text: &str) -> bool {
    let digits = without_separators(text);
    let Some((last, body)) = digits.split_last() else {
        return false;
    };
    if body.len() != 12 || !digits.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let weights = [1u32, 3].into_iter().cycle();
    let sum: u32 = body
        .iter()
        .zip(weights)
        .map(|(b, w)| w * u32::from(b - b'0'))
        .sum();
    u32::from(last - b'0') == (10 - sum % 10) % 10
}

pub(super) fn is_credit_card(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let luhn: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(i, b)| match (i % 2, u32::from(b - b'0')) {
            (0, n) => n,
            (_, n) if n >= 5 => 2 * n - 9,
            (_, n) => 2 * n,
        })
        .sum();
    CREDIT_CARD.is_match(&digits) && luhn.is_multiple_of(10)
}

pub(super) fn is_hex_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or(text);
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|b| b.is_ascii_hexdigit())
}
