//! Formats ages and durations as kubectl does (`k8s.io/apimachinery/pkg/util/duration`).

use jiff::Timestamp;

/// Returns the age of an RFC 3339 timestamp; `<unknown>` if it is missing.
pub(crate) fn since(time: &str) -> String {
    match time.parse::<Timestamp>() {
        Ok(then) => human(
            (Timestamp::now() - then)
                .total(jiff::Unit::Second)
                .unwrap_or_default(),
        ),
        Err(_) if time.is_empty() => "<unknown>".to_owned(),
        Err(_) => "<invalid>".to_owned(),
    }
}

/// Returns the duration between two RFC 3339 timestamps. Empty if the first is missing; until now
/// if the second is.
pub(crate) fn between(start: &str, end: &str) -> String {
    let Ok(start) = start.parse::<Timestamp>() else {
        return String::new();
    };
    let end = end
        .parse::<Timestamp>()
        .unwrap_or_else(|_| Timestamp::now());
    human((end - start).total(jiff::Unit::Second).unwrap_or_default())
}

/// Formats a number of seconds.
#[allow(clippy::cast_possible_truncation, reason = "an age in seconds fits")]
pub(crate) fn human(seconds: f64) -> String {
    let seconds = seconds as i64;
    if seconds < -1 {
        return "<invalid>".to_owned();
    }
    let seconds = seconds.max(0);
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let two = |big: i64, unit: &str, small: i64, small_unit: &str| {
        if small == 0 {
            format!("{big}{unit}")
        } else {
            format!("{big}{unit}{small}{small_unit}")
        }
    };
    match () {
        () if seconds < 120 => format!("{seconds}s"),
        () if minutes < 10 => two(minutes, "m", seconds % 60, "s"),
        () if minutes < 180 => format!("{minutes}m"),
        () if hours < 8 => two(hours, "h", minutes % 60, "m"),
        () if hours < 48 => format!("{hours}h"),
        () if hours < 24 * 8 => two(hours / 24, "d", hours % 24, "h"),
        () if hours < 24 * 365 * 2 => format!("{}d", hours / 24),
        () if hours < 24 * 365 * 8 => two(hours / 24 / 365, "y", (hours / 24) % 365, "d"),
        () => format!("{}y", hours / 24 / 365),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_rounded_as_kubectl_rounds_them() {
        let check = |seconds: f64, expected: &str| assert_eq!(human(seconds), expected);
        check(-5.0, "<invalid>");
        check(-0.5, "0s");
        check(119.0, "119s");
        check(120.0, "2m");
        check(125.0, "2m5s");
        check(600.0, "10m");
        check(10_799.0, "179m");
        check(10_860.0, "3h1m");
        check(86_400.0, "24h");
        check(180_000.0, "2d2h");
        check(864_000.0, "10d");
        check(63_072_000.0, "2y");
    }

    #[test]
    fn a_missing_time_is_unknown() {
        assert_eq!(since(""), "<unknown>");
        assert_eq!(since("x"), "<invalid>");
    }
}
