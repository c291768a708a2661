//! Durations and timestamps, as Go and cel-go read and write them.

use jiff::Timestamp;

use super::Stop;

const SECOND: i128 = 1_000_000_000;

/// The units of Go's durations, in nanoseconds.
const UNITS: [(&str, i128); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3600 * SECOND),
];

/// Reads `1h30m`, in nanoseconds; of the object also ISO 8601's `PT90M`, which the format permits too.
pub(super) fn parse_duration(text: &str) -> Result<i128, Stop> {
    let fault = || {
        Stop::error(format!(
            "time: invalid duration {}",
            crate::field::go_quote(text)
        ))
    };
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(fault());
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .ok_or_else(fault)?;
        let (number, tail) = rest.split_at(end);
        let end = tail
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(end);
        let (_, unit) = UNITS
            .iter()
            .find(|(name, _)| *name == unit)
            .ok_or_else(fault)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() {
            return Err(fault());
        }
        let whole: i128 = if whole.is_empty() {
            0
        } else {
            whole.parse().map_err(|_| fault())?
        };
        total = whole
            .checked_mul(*unit)
            .and_then(|part| total.checked_add(part))
            .ok_or_else(fault)?;
        let mut scale = *unit;
        for digit in fraction.bytes() {
            scale /= 10;
            total += i128::from(digit.saturating_sub(b'0')) * scale;
        }
        if i64::try_from(total).is_err() {
            return Err(fault());
        }
        rest = tail;
    }
    Ok(if negative { -total } else { total })
}

/// Reads RFC 3339, and a date alone.
pub(super) fn parse_timestamp(text: &str) -> Result<Timestamp, Stop> {
    let parsed = text
        .parse()
        .or_else(|_| format!("{text}T00:00:00Z").parse());
    parsed.map_err(|_| {
        let quoted = crate::field::go_quote(text);
        Stop::error(format!("parsing time {quoted} as \"2006-01-02T15:04:05Z07:00\": cannot parse {quoted} as \"2006\""))
    })
}

/// `90s` as CEL writes a duration.
pub(super) fn format_duration(nanoseconds: i128) -> String {
    let (whole, fraction) = (nanoseconds / SECOND, (nanoseconds % SECOND).abs());
    let sign = if nanoseconds < 0 && whole == 0 {
        "-"
    } else {
        ""
    };
    let fraction = format!("{fraction:09}");
    match fraction.trim_end_matches('0') {
        "" => format!("{sign}{whole}s"),
        digits => format!("{sign}{whole}.{digits}s"),
    }
}
