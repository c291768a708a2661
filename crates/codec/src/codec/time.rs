//! Times: RFC 3339 of the years 0 to 9999.

use k8s_openapi::{
    apimachinery::pkg::apis::meta::v1::Time,
    jiff::{SignedDuration, Timestamp, civil::DateTime},
};
use serde::{
    Deserialize, Deserializer, Serializer,
    de::{Error as _, Unexpected},
    ser::Error as _,
};

use super::Codec;

/// Parses a default value that is a time; the Unix epoch replaces an invalid one.
#[must_use]
pub fn time(text: &str) -> Time {
    parse_time(text).unwrap_or(Time(Timestamp::UNIX_EPOCH))
}

/// Reads RFC 3339 as Go and the API server do: a fraction of any length, cut to nanoseconds; `t` and `z` in either case. Writes
/// the same instant in UTC.
///
/// [`Timestamp::MAX`] is 26 hours before the end of the year 9999. Later times mean "never"; each is represented by one of the
/// last instants before `Timestamp::MAX`, in order, so that it is later than any other time.
impl Codec for Time {
    fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let invalid = || D::Error::invalid_value(Unexpected::Str(&text), &"an RFC 3339 time");
        parse_time(&text).ok_or_else(invalid)
    }

    fn encode<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let nanos = self.0.as_nanosecond();
        let meant = meaning(nanos);
        if meant == nanos {
            return serializer.collect_str(&self.0);
        }
        let since = SignedDuration::from_nanos_i128(meant);
        match EPOCH.checked_add(since) {
            Ok(date) => serializer.collect_str(&format_args!("{date}Z")),
            Err(error) => Err(S::Error::custom(error)),
        }
    }
}

pub(super) const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

const SECOND: i128 = 1_000_000_000;

/// The last nanosecond of a [`Timestamp`], since the epoch.
pub(super) const LAST: i128 = 253_402_207_201 * SECOND - 1;

/// The years 0 to 9999, in nanoseconds since the epoch.
const START: i128 = -62_167_219_200 * SECOND;
const END: i128 = 253_402_300_800 * SECOND - 1;
const FINAL_SECOND: i128 = END + 1 - SECOND;

/// 10,000 years of the Gregorian calendar.
const TEN_MILLENNIA: i128 = 3_652_425 * 86_400 * SECOND;

/// The first instant that represents a time after [`LAST`].
const RESERVED: i128 = LAST - 2 - TICKS - (FINAL_SECOND - LAST) / SECOND;

/// The ticks of 100 nanoseconds in a second.
const TICKS: i128 = SECOND / 100;

/// Returns the [`Timestamp`] instant that represents an instant of the years 0 to 9999, one-to-one; nearly all represent themselves.
///
/// After [`LAST`], whole seconds and the ticks of the final second, which programs write for "never", are represented by the ten
/// milliseconds before `LAST`, in order. The instants displaced by these, and any other fraction of a second after `LAST`, are
/// represented by instants before the year 0, which RFC 3339 cannot write.
const fn represent(nanos: i128) -> i128 {
    if nanos == END {
        LAST - 1
    } else if nanos >= FINAL_SECOND && nanos % 100 == 0 {
        LAST - 2 - (END - 99 - nanos) / 100
    } else if nanos > LAST && nanos % SECOND == 0 {
        LAST - 2 - TICKS - (FINAL_SECOND - nanos) / SECOND
    } else if nanos >= RESERVED && nanos != LAST {
        nanos - TEN_MILLENNIA
    } else {
        nanos
    }
}

/// The inverse of [`represent`].
const fn meaning(nanos: i128) -> i128 {
    let index = LAST - 2 - nanos;
    let candidate = if index == -1 {
        END
    } else if index >= 0 && index < TICKS {
        END - 99 - index * 100
    } else if index > TICKS && nanos >= RESERVED {
        FINAL_SECOND - (index - TICKS) * SECOND
    } else {
        nanos + TEN_MILLENNIA
    };
    if candidate <= END && represent(candidate) == nanos {
        candidate
    } else {
        nanos
    }
}

/// Parses an RFC 3339 time of the years 0 to 9999; returns `None` for any other string.
fn parse_time(text: &str) -> Option<Time> {
    let (date, rest) = text.split_at_checked(10)?;
    let clock = rest.strip_prefix(['T', 't'])?;
    let (clock, zone) = clock.split_at_checked(clock.find(['Z', 'z', '+', '-'])?)?;
    let (clock, fraction) = clock.split_once(['.', ',']).unwrap_or((clock, "0"));
    let is_date = date.get(4..5) == Some("-") && date.get(7..8) == Some("-");
    let [year, month, day] = is_date.then(|| numbers(date, '-'))??;
    let [hour, minute, second] = numbers(clock, ':')?;
    let small = |number: i16| i8::try_from(number).ok();
    let (month, day) = (small(month)?, small(day)?);
    let (hour, minute, second) = (small(hour)?, small(minute)?, small(second)?);
    let date = DateTime::new(
        year,
        month,
        day,
        hour,
        minute,
        second,
        nanoseconds(fraction)?,
    );
    let local = date.ok()?.duration_since(EPOCH).as_nanos();
    let nanos = local - offset(zone)? * SECOND;
    let in_range = (START..=END).contains(&nanos);
    let timestamp = in_range.then(|| Timestamp::from_nanosecond(represent(nanos)))?;
    timestamp.ok().map(Time)
}

/// Parses the digits of a fraction as nanoseconds; further digits are cut off.
fn nanoseconds(fraction: &str) -> Option<i32> {
    let digits = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
    is_number(fraction).then(|| digits.fold(0, |nanos, digit| nanos * 10 + i32::from(digit - b'0')))
}

/// Parses an offset as seconds east of UTC.
fn offset(zone: &str) -> Option<i128> {
    if matches!(zone, "Z" | "z") {
        return Some(0);
    }
    let (sign, clock) = zone.split_at_checked(1)?;
    let [hours, minutes] = numbers(clock, ':')?;
    let seconds = (i128::from(hours) * 60 + i128::from(minutes)) * 60;
    let valid = hours < 24 && minutes < 60;
    valid.then_some(if sign == "-" { -seconds } else { seconds })
}

/// Parses exactly `N` unsigned numbers with a separator between them.
fn numbers<const N: usize>(text: &str, separator: char) -> Option<[i16; N]> {
    let mut parts = text.split(separator);
    let mut numbers = [0; N];
    for number in &mut numbers {
        *number = parts.next().filter(|part| is_number(part))?.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit())
}
