//! The schedules of cron jobs: five fields, or a descriptor (`@daily`, `@every 1h`); and their time
//! zones.

use jiff::tz;

/// The fields of a schedule, with their bounds and named values.
const FIELDS: [(u32, u32, &[&str]); 5] = [
    (0, 59, &[]),
    (0, 23, &[]),
    (1, 31, &[]),
    (
        1,
        12,
        &[
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ],
    ),
    (0, 6, &["sun", "mon", "tue", "wed", "thu", "fri", "sat"]),
];

/// Returns why a schedule does not parse, or `None` if it does.
pub(super) fn schedule_fault(schedule: &str) -> Option<String> {
    if schedule.starts_with('@') {
        let known = matches!(
            schedule,
            "@yearly" | "@annually" | "@monthly" | "@weekly" | "@daily" | "@midnight" | "@hourly"
        );
        let every = schedule.strip_prefix("@every ").is_some_and(is_duration);
        return (!(known || every)).then(|| format!("unrecognized descriptor: {schedule}"));
    }
    let fields: Vec<&str> = schedule.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        let shown = fields.join(" ");
        return Some(format!(
            "expected exactly 5 fields, found {}: [{shown}]",
            fields.len()
        ));
    }
    fields
        .iter()
        .zip(FIELDS)
        .find_map(|(field, (low, high, names))| {
            field
                .split(',')
                .find_map(|range| range_fault(range, low, high, names))
        })
}

/// Returns why a time zone is unknown, or `None` if it is not.
///
/// Names are those of the machine's database, with the case that they have there. Without a
/// database, all are taken.
pub(super) fn time_zone_fault(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("timeZone must be nil or non-empty string".to_owned());
    }
    let unknown = || Some(format!("unknown time zone {name}"));
    if !name.split('/').all(is_zone_part) {
        return unknown();
    }
    if name.eq_ignore_ascii_case("Local") {
        let why =
            "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
        return Some(why.to_owned());
    }
    let database = tz::db();
    if name == "UTC" || database.is_definitively_empty() {
        return None;
    }
    match database.get(name) {
        Ok(zone) if zone.iana_name() == Some(name) => None,
        _ => unknown(),
    }
}

fn is_zone_part(part: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b".-_+".contains(&byte);
    let is_name = matches!(part.len(), 1..=14) && part.bytes().all(is_known);
    is_name && !matches!(part, "." | "..") && !part.starts_with('-')
}

fn is_duration(text: &str) -> bool {
    let units = text.trim_matches(|c: char| c.is_ascii_digit() || c == '.');
    text.starts_with(|c: char| c.is_ascii_digit())
        && units.starts_with(|c: char| c.is_ascii_lowercase())
}

fn range_fault(range: &str, low: u32, high: u32, names: &[&str]) -> Option<String> {
    let (bounds, step) = match range.split_once('/') {
        Some((bounds, step)) => (bounds, Some(step)),
        None => (range, None),
    };
    let number = |text: &str| -> Result<u32, String> {
        let named = names.iter().position(|name| *name == text.to_lowercase());
        if let Some(index) = named.and_then(|i| u32::try_from(i).ok()) {
            return Ok(low + index);
        }
        text.parse().map_err(|_| {
            format!(
                "failed to parse int from {text}: strconv.Atoi: parsing \"{text}\": invalid syntax"
            )
        })
    };
    let (start, end) = match (bounds, bounds.split_once('-')) {
        ("*" | "?", _) => (Ok(low), Ok(high)),
        (_, Some((start, end))) => (number(start), number(end)),
        (one, None) => (number(one), number(one)),
    };
    let (start, end) = match (start, end) {
        (Ok(start), Ok(end)) => (start, end),
        (Err(fault), _) | (_, Err(fault)) => return Some(fault),
    };
    if start < low {
        return Some(format!(
            "beginning of range ({start}) below minimum ({low}): {range}"
        ));
    }
    if end > high {
        return Some(format!(
            "end of range ({end}) above maximum ({high}): {range}"
        ));
    }
    if start > end {
        return Some(format!(
            "beginning of range ({start}) beyond end of range ({end}): {range}"
        ));
    }
    match step.map(|step| (step, number(step))) {
        Some((_, Ok(0))) => Some(format!(
            "step of range should be a positive number: {range}"
        )),
        Some((_, Err(fault))) => Some(fault),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_zones_are_known_or_said_to_be_unknown() {
        let known = |name: &str| assert_eq!(time_zone_fault(name), None, "{name}");
        rows![known: ("UTC"), ("Europe/Zurich"), ("Etc/GMT+5")];
        let check = |name: &str, expected: &str| {
            assert_eq!(time_zone_fault(name).as_deref(), Some(expected));
        };
        rows![check:
            ("", "timeZone must be nil or non-empty string"),
            ("Nowhere", "unknown time zone Nowhere"),
            ("europe/zurich", "unknown time zone europe/zurich"),
            ("../etc", "unknown time zone ../etc"),
            ("local", "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"),
        ];
    }

    #[test]
    fn schedules_parse_or_say_why_not() {
        for good in [
            "* * * * *",
            "*/5 0-6 1,15 jan-mar MON",
            "@daily",
            "@every 1h30m",
            "0 0 1 1 ?",
        ] {
            assert_eq!(schedule_fault(good), None, "{good}");
        }
        let check = |schedule: &str, expected: &str| {
            assert_eq!(schedule_fault(schedule).as_deref(), Some(expected));
        };
        rows![check:
            ("sometimes", "expected exactly 5 fields, found 1: [sometimes]"),
            ("61 * * * *", "end of range (61) above maximum (59): 61"),
            ("*/0 * * * *", "step of range should be a positive number: */0"),
            ("@foo", "unrecognized descriptor: @foo"),
            ("a * * * *", "failed to parse int from a: strconv.Atoi: parsing \"a\": invalid syntax"),
        ];
    }
}
