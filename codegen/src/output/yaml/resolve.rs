//! Plain strings that a YAML 1.1 reader takes for another type.

/// Whether the string must be quoted to remain a string.
pub(super) fn is_ambiguous(text: &str) -> bool {
    let Some(first) = text.chars().next() else {
        return true;
    };
    match first {
        '.' => is_special_float(text) || is_spaced_float(text),
        '+' | '-' | '0'..='9' => {
            is_special_float(text)
                || is_timestamp(text)
                || is_number(&text.replace('_', ""))
                || is_base_60(text)
        }
        _ => is_word(text),
    }
}

/// The length of the longest word, in bytes.
const LONGEST_WORD: usize = "false".len();

/// The words for true, false and null.
fn is_word(text: &str) -> bool {
    const WORDS: [&str; 10] = [
        "y", "yes", "true", "on", "n", "no", "false", "off", "null", "~",
    ];
    // Most strings are descriptions, which need not be copied for this check.
    if text.len() > LONGEST_WORD {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    let mut rest = text.chars();
    rest.next();
    let rest = rest.as_str();
    let is_cased =
        text == lower || text == text.to_ascii_uppercase() || rest == rest.to_ascii_lowercase();
    is_cased && WORDS.contains(&lower.as_str())
}

/// Infinity and not-a-number.
fn is_special_float(text: &str) -> bool {
    let nan = [".nan", ".NaN", ".NAN"];
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    nan.contains(&text) || [".inf", ".Inf", ".INF"].contains(&unsigned)
}

/// An integer in Go's syntax, including prefixes, or a decimal float; without underscores.
fn is_number(text: &str) -> bool {
    let (sign, unsigned) = match text.strip_prefix(['+', '-']) {
        Some(rest) => (text.chars().next(), rest),
        None => (None, text),
    };
    let (radix, digits) = match unsigned.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => (16, &unsigned[2..]),
        Some("0b") => (2, &unsigned[2..]),
        Some("0o") => (8, &unsigned[2..]),
        _ if unsigned.len() > 1 && unsigned.starts_with('0') => (8, &unsigned[1..]),
        _ => (10, unsigned),
    };
    let is_integer = digits.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && u64::from_str_radix(digits, radix).is_ok_and(|value| match sign {
            Some('-') => value <= i64::MIN.unsigned_abs(),
            Some(_) => i64::try_from(value).is_ok(),
            None => true,
        });
    is_integer || is_finite(text) || is_signed_binary(text)
}

/// A sign after the prefix `0b`, which the reader accepts.
fn is_signed_binary(text: &str) -> bool {
    let digits = match text.strip_prefix("0b") {
        Some(digits) => digits.strip_prefix(['+', '-']),
        None => None,
    };
    digits.is_some_and(|digits| {
        !digits.starts_with(['+', '-']) && i64::from_str_radix(digits, 2).is_ok()
    })
}

/// A decimal float, with underscores between digits.
fn is_spaced_float(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_digit = |at: Option<usize>| {
        let byte = at.and_then(|at| bytes.get(at));
        byte.is_some_and(u8::is_ascii_digit)
    };
    let between_digits = |at: usize| is_digit(at.checked_sub(1)) && is_digit(Some(at + 1));
    let underscores = text.match_indices('_').map(|(at, _)| at);
    underscores.into_iter().all(between_digits) && is_finite(&text.replace('_', ""))
}

/// A decimal float that does not overflow.
fn is_finite(text: &str) -> bool {
    is_decimal(text) && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
fn is_decimal(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let has_digits = !whole.is_empty() || fraction.is_some_and(|fraction| !fraction.is_empty());
    let is_exponent = |text: &str| {
        let text = text.strip_prefix(['+', '-']).unwrap_or(text);
        !text.is_empty() && are_digits(text)
    };
    has_digits
        && are_digits(whole)
        && fraction.is_none_or(are_digits)
        && exponent.is_none_or(is_exponent)
}

fn are_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`, a base-60 number such as `1:30`.
fn is_base_60(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut parts = text.split(':');
    let is_loose = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'_')
    };
    let first = parts.next().unwrap_or_default();
    if !first.starts_with(|c: char| c.is_ascii_digit()) || !is_loose(first) {
        return false;
    }
    let mut rest: Vec<&str> = parts.collect();
    let Some(last) = rest.last_mut() else {
        return false;
    };
    if let Some((digits, fraction)) = last.split_once('.') {
        if !is_loose(fraction) {
            return false;
        }
        *last = digits;
    }
    rest.iter().all(|part| match part.as_bytes() {
        [one] => one.is_ascii_digit(),
        [ten, one] => (b'0'..=b'5').contains(ten) && one.is_ascii_digit(),
        _ => false,
    })
}

/// A date, or a date and a time, as the reader parses them.
fn is_timestamp(text: &str) -> bool {
    let mut cursor = Cursor(text);
    let Some(year) = cursor.year() else {
        return false;
    };
    let date = (
        cursor.eat('-'),
        cursor.number(1..=12),
        cursor.eat('-'),
        cursor.number(1..=31),
    );
    let (Some(()), Some(month), Some(()), Some(day)) = date else {
        return false;
    };
    if day > days(year, month) {
        return false;
    }
    if cursor.0.is_empty() {
        return true;
    }
    let zoned = cursor.0.starts_with(['T', 't']);
    if zoned {
        cursor.0 = &cursor.0[1..];
    } else if cursor.0.starts_with(' ') {
        cursor.0 = cursor.0.trim_start_matches(' ');
    } else {
        return false;
    }
    cursor.time().is_some() && (!zoned || cursor.zone().is_some()) && cursor.0.is_empty()
}

fn days(year: u32, month: u32) -> u32 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The unparsed rest of a timestamp.
struct Cursor<'a>(&'a str);

impl Cursor<'_> {
    fn eat(&mut self, c: char) -> Option<()> {
        self.0 = self.0.strip_prefix(c)?;
        Some(())
    }

    /// Four digits, before a hyphen.
    fn year(&mut self) -> Option<u32> {
        let (year, _) = self.0.split_once('-')?;
        if year.len() != 4 || !are_digits(year) {
            return None;
        }
        self.0 = &self.0[4..];
        year.parse().ok()
    }

    /// A number of one or two digits.
    fn number(&mut self, range: std::ops::RangeInclusive<u32>) -> Option<u32> {
        let digits = self
            .0
            .bytes()
            .take(2)
            .take_while(u8::is_ascii_digit)
            .count();
        let (number, rest) = self.0.split_at(digits);
        self.0 = rest;
        number.parse().ok().filter(|number| range.contains(number))
    }

    /// Hours, minutes and seconds, with a fraction of any length.
    fn time(&mut self) -> Option<()> {
        self.number(0..=23)?;
        self.eat(':')?;
        self.number(0..=59)?;
        self.eat(':')?;
        self.number(0..=59)?;
        if let Some(fraction) = self.0.strip_prefix(['.', ',']) {
            let rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            if rest.len() < fraction.len() {
                self.0 = rest;
            }
        }
        Some(())
    }

    /// `Z`, or an offset such as `+01:00`.
    fn zone(&mut self) -> Option<()> {
        if self.eat('Z').is_some() {
            return Some(());
        }
        self.0 = self.0.strip_prefix(['+', '-'])?;
        let (offset, rest) = self.0.split_at_checked(5)?;
        let (hours, minutes) = offset.split_once(':')?;
        let is_within = |text: &str, most: u32| {
            text.len() == 2 && are_digits(text) && text.parse::<u32>().is_ok_and(|n| n <= most)
        };
        self.0 = rest;
        (is_within(hours, 24) && is_within(minutes, 60)).then_some(())
    }
}
