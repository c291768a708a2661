//! Texts to amounts, by the rules of Go's `resource.ParseQuantity`.

use std::str::FromStr;

use num_bigint::BigInt;

use crate::ParseQuantityError;
use crate::amount::{Amount, Format};
use crate::number::{Number, count, saturated, ten_to};

/// The finest place that is kept.
const NANO: i32 = -9;

/// The number of digits that always fit 64 bits.
const SMALL_DIGITS: usize = 18;

/// A text in its parts.
struct Parts<'a> {
    negative: bool,
    /// Sign, digits and point.
    number: &'a str,
    /// The digits before the point without leading zeros; `0` without any.
    whole: &'a str,
    /// The digits after the point.
    fraction: &'a str,
    suffix: &'a str,
}

/// The factor of a suffix.
enum Unit {
    /// 10 to this.
    Ten(i32),
    /// 2 to this.
    Two(u32),
}

impl FromStr for Amount {
    type Err = ParseQuantityError;

    fn from_str(text: &str) -> Result<Self, ParseQuantityError> {
        parse(text).ok_or_else(|| ParseQuantityError(text.chars().take(64).collect()))
    }
}

fn parse(text: &str) -> Option<Amount> {
    if text.is_empty() {
        return None;
    }
    let parts = split(text)?;
    let (unit, format) = unit(parts.suffix)?;
    match small(&parts, &unit) {
        Some(number) => {
            let written = is_kept(&parts, &unit, &number).then(|| text.into());
            Some(Amount::new(number, format, written))
        }
        None => big(&parts, &unit, format),
    }
}

fn split(text: &str) -> Option<Parts<'_>> {
    let negative = text.starts_with('-');
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = unsigned.trim_start_matches('0');
    let is_digit = |c: char| c.is_ascii_digit();
    let rest = digits.trim_start_matches(is_digit);
    let whole = digits.get(..digits.len() - rest.len())?;
    let (fraction, suffix) = match rest.strip_prefix('.') {
        Some(tail) => {
            let suffix = tail.trim_start_matches(is_digit);
            (tail.get(..tail.len() - suffix.len())?, suffix)
        }
        None => ("", rest),
    };
    let letters = suffix.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
    let exponent = letters.strip_prefix(['+', '-']).unwrap_or(letters);
    exponent.bytes().all(|c| c.is_ascii_digit()).then_some(())?;
    Some(Parts {
        negative,
        number: text.get(..text.len() - suffix.len())?,
        whole: if whole.is_empty() { "0" } else { whole },
        fraction,
        suffix,
    })
}

fn unit(suffix: &str) -> Option<(Unit, Format)> {
    let decimal = |power| Some((Unit::Ten(power), Format::DecimalSi));
    let binary = |power| Some((Unit::Two(power), Format::BinarySi));
    match suffix {
        "n" => decimal(-9),
        "u" => decimal(-6),
        "m" => decimal(-3),
        "" => decimal(0),
        "k" => decimal(3),
        "M" => decimal(6),
        "G" => decimal(9),
        "T" => decimal(12),
        "P" => decimal(15),
        "E" => decimal(18),
        "Ki" => binary(10),
        "Mi" => binary(20),
        "Gi" => binary(30),
        "Ti" => binary(40),
        "Pi" => binary(50),
        "Ei" => binary(60),
        _ => {
            let exponent: i64 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
            // Go keeps the low 32 bits.
            #[expect(clippy::cast_possible_truncation, reason = "what Go does")]
            let exponent = exponent as i32;
            Some((Unit::Ten(exponent), Format::DecimalExponent))
        }
    }
}

/// The number, where 64 bits surely hold it.
fn small(parts: &Parts<'_>, unit: &Unit) -> Option<Number> {
    let (whole, fraction) = (parts.whole, parts.fraction);
    let (room, factor, power) = match *unit {
        Unit::Ten(power) => (SMALL_DIGITS, 1, power),
        // Three digits for ten bits.
        Unit::Two(bits) if fraction.is_empty() => {
            let room = (SMALL_DIGITS - 4).checked_sub(usize::try_from(bits).ok()? * 3 / 10)?;
            (room, 1_i64 << bits, 0)
        }
        Unit::Two(_) => return None,
    };
    if whole.len() + fraction.len() > room {
        return None;
    }
    let exponent = power.wrapping_sub(i32::try_from(fraction.len()).ok()?);
    if exponent < NANO {
        return None;
    }
    let digits = whole.bytes().chain(fraction.bytes());
    let value = digits.fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
    let value = value.checked_mul(factor)?;
    Some(Number::Small {
        value: if parts.negative { -value } else { value },
        exponent,
    })
}

/// Whether Go writes the amount as it was written: it takes it for canonical.
fn is_kept(parts: &Parts<'_>, unit: &Unit, number: &Number) -> bool {
    let digits = || parts.whole.bytes().chain(parts.fraction.bytes());
    match unit {
        Unit::Two(_) => {
            let low = digits().fold(0_i64, |value, digit| value * 10 + i64::from(digit - b'0'));
            low & 7 != 0
        }
        Unit::Ten(_) => {
            let zeros = digits().rev().take_while(|&digit| digit == b'0').count();
            let leading = digits().next() == Some(b'0');
            // Of all zeros only the text `0` is kept, which is canonical anyway.
            number.exponent() % 3 == 0 && zeros < 3 && !leading
        }
    }
}

fn big(parts: &Parts<'_>, unit: &Unit, format: Format) -> Option<Amount> {
    let digits: Vec<u8> = parts.number.bytes().filter(u8::is_ascii_digit).collect();
    // Fails without any digit.
    let mut value = BigInt::parse_bytes(&digits, 10)?;
    let mut exponent = -count(parts.fraction.len());
    match *unit {
        Unit::Ten(power) => exponent += i64::from(power),
        Unit::Two(bits) => value <<= bits,
    }
    // Go pads to billionths; what is far above them needs no padding to be exact.
    if value != BigInt::ZERO && (i64::from(NANO) + 1..=SMALL_DIGITS as i64).contains(&exponent) {
        value *= ten_to(exponent - i64::from(NANO));
        exponent = i64::from(NANO);
    }
    let number = Number::Big {
        value,
        exponent: saturated(exponent),
    };
    // A zero keeps its places in Go.
    let mut number = match number.is_zero() {
        true => number,
        false => number.rounded_up(NANO).0,
    };
    let mut format = format;
    if matches!(format, Format::BinarySi) {
        let most = Number::Small {
            value: i64::MAX,
            exponent: 0,
        };
        let one = Number::Small {
            value: 1,
            exponent: 0,
        };
        if number.cmp(&most).is_gt() {
            number = Number::Big {
                value: BigInt::from(i64::MAX),
                exponent: 0,
            };
        }
        if number.cmp(&one).is_lt() && !number.is_zero() {
            format = Format::DecimalSi;
        }
    }
    if parts.negative {
        number = number.neg();
    }
    Some(Amount::new(number, format, None))
}
