//! Literals that functions parse: durations, times and patterns. The API server parses them when a CRD is created.

use super::{check::Checked, functions::Style};
use crate::cel::{
    Fault,
    tree::{Call, Id, Literal, Node, Tree},
};

/// The faults of the literals that an expression's calls parse.
pub(super) fn faults(tree: &Tree, checked: &Checked<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (node, resolved) in tree.nodes.iter().zip(&checked.calls) {
        let (Node::Call(call), Some(resolved)) = (node, resolved) else {
            continue;
        };
        let fault = match resolved.function.as_str() {
            "duration" => first_text(tree, call).and_then(duration_fault),
            "timestamp" => first_text(tree, call).and_then(timestamp_fault),
            "matches" | "find" | "findAll" => {
                pattern(tree, call, resolved.style).and_then(pattern_fault)
            }
            _ => None,
        };
        // Macros copy what they are called on.
        faults.extend(fault.filter(|fault| !faults.contains(fault)));
    }
    faults
}

/// The pattern of a call: the argument behind the text that it is for.
fn pattern<'t>(tree: &'t Tree, call: &Call, style: Style) -> Option<&'t str> {
    let before = match style {
        Style::Member => 0,
        Style::Global => 1,
    };
    call.args.get(before).and_then(|id| text(tree, *id))
}

fn first_text<'t>(tree: &'t Tree, call: &Call) -> Option<&'t str> {
    call.args.first().and_then(|id| text(tree, *id))
}

fn text(tree: &Tree, id: Id) -> Option<&str> {
    match tree.node(id) {
        Node::Literal(Literal::String(text)) => Some(text),
        _ => None,
    }
}

fn pattern_fault(pattern: &str) -> Option<Fault> {
    let error = kube_names::pattern::check(pattern).err()?;
    Some(Fault {
        message: format!("invalid pattern: {error}"),
        help: "patterns have the syntax of RE2: https://golang.org/s/re2syntax".to_owned(),
    })
}

fn duration_fault(text: &str) -> Option<Fault> {
    (!is_duration(text)).then(|| Fault {
        message: format!("invalid duration `{text}`"),
        help: "write numbers with units, such as `90s`, `1.5h` or `1h30m`".to_owned(),
    })
}

fn timestamp_fault(text: &str) -> Option<Fault> {
    (!is_timestamp(text)).then(|| Fault {
        message: format!("invalid time `{text}`"),
        help: "write a time of RFC 3339, such as `2026-01-31T15:04:05Z`".to_owned(),
    })
}

/// Nanoseconds of the units that Go's `time.ParseDuration` knows.
const UNITS: [(&str, f64); 8] = [
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("μs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 60e9),
    ("h", 3600e9),
];

/// Whether Go's `time.ParseDuration` takes a text: a sign, then numbers with units whose sum is below 2^63 ns; or 0.
fn is_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    let mut sum = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (number, after) = rest.split_at(end.unwrap_or(rest.len()));
        let end = after.find(|c: char| c.is_ascii_digit() || c == '.');
        let (unit, after) = after.split_at(end.unwrap_or(after.len()));
        let unit = UNITS.iter().find(|(name, _)| *name == unit);
        let (Ok(number), Some((_, unit))) = (number.parse::<f64>(), unit) else {
            return false;
        };
        sum += number * unit;
        rest = after;
    }
    text.ends_with(|c: char| c.is_alphabetic()) && sum < 9_223_372_036_854_775_808.0
}

/// Whether a text is a time of RFC 3339 as Go's `time.Parse` takes it: `2026-01-31T15:04:05.999Z`, or with `+01:00` behind it.
fn is_timestamp(text: &str) -> bool {
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

/// The number that so many digits are.
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
            assert!(is_duration(text), "{text}");
        }
        for text in [
            "", "-", "1", "s", "1d", "1h30", "1 s", "1e3s", ".s", "1..5s", "2562048h", "1S",
        ] {
            assert!(!is_duration(text), "{text}");
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
