//! Dates, times and durations.

use std::sync::LazyLock;

use regex::Regex;

use super::regex;

static TIME: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$")
});
static DURATION_PART: LazyLock<Regex> =
    LazyLock::new(|| regex(r"([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)"));

pub(super) fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes.iter().enumerate().all(|(i, b)| {
            if matches!(i, 4 | 7) {
                *b == b'-'
            } else {
                b.is_ascii_digit()
            }
        })
        && text.parse::<jiff::civil::Date>().is_ok()
}

pub(super) fn is_date_time(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut parts = text.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else {
        return false;
    };
    is_date(date)
        && TIME.captures(time).is_some_and(|found| {
            let part = |i| found.get(i).map_or("", |m| m.as_str());
            part(1) <= "23" && part(2) <= "59" && part(3) <= "59"
        })
}

/// Go's duration syntax, or numbers with units anywhere in the string (Scala's).
pub(super) fn is_duration(text: &str) -> bool {
    const EXACT: [&str; 12] = [
        "ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk", "micro",
    ];
    const PREFIXES: [&str; 8] = [
        "nano", "micro", "milli", "sec", "min", "hour", "day", "week",
    ];
    is_go_duration(text)
        || DURATION_PART.captures_iter(text).any(|found| {
            let unit = found.get(2).map_or("", |m| m.as_str()).to_lowercase();
            EXACT.contains(&unit.as_str()) || PREFIXES.iter().any(|prefix| unit.starts_with(prefix))
        })
}

fn is_go_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    while !rest.is_empty() {
        let number = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let (digits, after) = rest.split_at(number);
        if digits.matches('.').count() > 1 || !digits.bytes().any(|b| b.is_ascii_digit()) {
            return false;
        }
        let unit = after
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(unit);
        if !matches!(unit, "ns" | "us" | "µs" | "μs" | "ms" | "s" | "m" | "h") {
            return false;
        }
        rest = after;
    }
    true
}
