//! Parses and formats durations and timestamps, like Go and cel-go.

use jiff::Timestamp;

use super::eval::Stop;

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

/// Parses `1h30m` as nanoseconds; in the object also ISO 8601's `PT90M`, which the format permits
/// too.
pub(crate) fn parse_duration(text: &str) -> Result<i128, Stop> {
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
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
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

/// Parses RFC 3339, or a date only.
pub(crate) fn parse_timestamp(text: &str) -> Result<Timestamp, Stop> {
    let parsed = text
        .parse()
        .or_else(|_| format!("{text}T00:00:00Z").parse());
    parsed.map_err(|_| {
        let quoted = crate::field::go_quote(text);
        Stop::error(format!("parsing time {quoted} as \"2006-01-02T15:04:05Z07:00\": cannot parse {quoted} as \"2006\""))
    })
}

/// Formats a duration as CEL does: `90s`.
pub(crate) fn format_duration(nanoseconds: i128) -> String {
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

/// Whether a string is an RFC 3339 time accepted by Go's `time.Parse`: `2026-01-31T15:04:05.999Z`,
/// or with an offset such as `+01:00`.
pub(crate) fn is_timestamp(text: &str) -> bool {
    let Some((date, time)) = text.split_once('T') else {
        return false;
    };
    let clock_end = time.find(['Z', '+', '-']).unwrap_or(time.len());
    let (time, zone) = time.split_at(clock_end);
    let (clock, fraction) = time.split_once(['.', ',']).unwrap_or((time, "0"));
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    is_fraction && is_date(date) && is_clock(clock) && is_zone(zone)
}

fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut next = |digits| parts.next().and_then(|part| number(part, digits));
    let (Some(year), Some(month), Some(day), None) = (next(4), next(2), next(2), next(0)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    // CEL's times begin with the year 1.
    year > 0 && (1..=days).contains(&day)
}

fn is_clock(text: &str) -> bool {
    let parts: Vec<Option<u32>> = text.split(':').map(|part| number(part, 2)).collect();
    matches!(parts[..], [Some(0..24), Some(0..60), Some(0..60)])
}

fn is_zone(text: &str) -> bool {
    if text == "Z" {
        return true;
    }
    let parts = text
        .strip_prefix(['+', '-'])
        .and_then(|text| text.split_once(':'));
    let parts = parts.map(|(hours, minutes)| (number(hours, 2), number(minutes, 2)));
    matches!(parts, Some((Some(0..=24), Some(0..=60))))
}

/// Parses exactly `digits` digits.
fn number(text: &str, digits: usize) -> Option<u32> {
    let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_those_of_go() {
        for text in [
            "0",
            "-0",
            "1s",
            "+1h30m",
            "1.5h",
            ".5s",
            "1.s",
            "1h1h",
            "100µs",
            "2540400h",
            "1ns2us3ms",
        ] {
            assert!(parse_duration(text).is_ok(), "{text}");
        }
        for text in [
            "", "-", "1", "s", "1d", "1h30", "1 s", "1e3s", ".s", "1..5s", "2562048h", "1S",
        ] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_are_those_of_rfc_3339() {
        for text in [
            "2026-01-31T15:04:05Z",
            "2024-02-29T23:59:59.999999999Z",
            "0001-01-01T00:00:00+14:00",
            "9999-12-31T23:59:59-00:00",
        ] {
            assert!(is_timestamp(text), "{text}");
        }
        for text in [
            "",
            "2026-01-31",
            "2026-01-31 15:04:05Z",
            "2026-01-31T15:04:05",
            "2026-02-29T15:04:05Z",
            "2026-13-01T15:04:05Z",
            "2026-1-31T15:04:05Z",
            "2026-01-31T24:00:00Z",
            "2026-01-31T15:04Z",
            "2026-01-31T15:04:05.Z",
            "2026-01-31T15:04:05+0100",
            "0000-01-31T15:04:05Z",
        ] {
            assert!(!is_timestamp(text), "{text}");
        }
    }
}
