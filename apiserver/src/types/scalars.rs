//! Times, quantities and the Go names of types.

use jiff::{Timestamp, Unit};
use kube_resource_quantity::Quantity;

use super::{Kind, Special, TypeError};

/// Formats a time as `metav1.Time` does: RFC 3339, UTC, whole seconds.
pub(crate) fn rfc3339(time: Timestamp) -> String {
    let seconds = time.round(Unit::Second).map_or(time, |rounded| {
        if rounded > time {
            rounded - jiff::SignedDuration::from_secs(1)
        } else {
            rounded
        }
    });
    seconds.to_string()
}

pub(super) fn time(text: &str) -> Result<String, TypeError> {
    let parsed = text.parse::<Timestamp>();
    parsed.map(rfc3339).map_err(|_| {
        format!("parsing time \"{text}\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"{text}\" as \"2006\"")
    })
}

/// Formats a time with exactly six fractional digits.
pub(super) fn micro_time(text: &str) -> Result<String, TypeError> {
    const LAYOUT: &str = "2006-01-02T15:04:05.000000Z07:00";
    let wrong = |rest: &str, part: &str| {
        format!("parsing time \"{text}\" as \"{LAYOUT}\": cannot parse \"{rest}\" as \"{part}\"")
    };
    let parsed = text.parse::<Timestamp>().map_err(|_| wrong(text, "2006"))?;
    let rest = text.get(19..).unwrap_or_default();
    let digits = rest
        .strip_prefix('.')
        .map_or(0, |r| r.bytes().take_while(u8::is_ascii_digit).count());
    if digits != 6 {
        return Err(wrong(rest, ".000000"));
    }
    Ok(format!("{parsed:.6}"))
}

/// Returns a quantity as Go encodes it after decoding: `1` for `1000m`.
pub(super) fn canonical_quantity(text: &str) -> Option<String> {
    let canonical = Quantity::new(text).canonical().ok()?;
    // Go writes no plus sign.
    Some(canonical.as_str().trim_start_matches('+').to_owned())
}

pub(super) fn go_name(kind: &Kind) -> String {
    match kind {
        Kind::Bool => "bool".to_owned(),
        Kind::Int32 => "int32".to_owned(),
        Kind::Int64 => "int64".to_owned(),
        Kind::Double => "float64".to_owned(),
        Kind::Text(go_type) => (*go_type).to_owned(),
        Kind::Bytes => "[]uint8".to_owned(),
        Kind::Struct(name) => {
            let mut parts = name.rsplitn(3, '.');
            let (last, package) = (
                parts.next().unwrap_or_default(),
                parts.next().unwrap_or_default(),
            );
            format!("{package}.{last}")
        }
        Kind::Special(special) => match special {
            Special::Time => "v1.Time".to_owned(),
            Special::MicroTime => "v1.MicroTime".to_owned(),
            Special::Quantity => "resource.Quantity".to_owned(),
            Special::IntOrString => "intstr.IntOrString".to_owned(),
            Special::Raw | Special::Extension => "runtime.RawExtension".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_cut_to_whole_seconds() {
        let check = |input: &str, expected: &str| {
            let time: Timestamp = input.parse().unwrap();
            assert_eq!(rfc3339(time), expected);
        };
        check("2024-05-06T07:08:09.999Z", "2024-05-06T07:08:09Z");
        check("2024-05-06T07:08:09.001Z", "2024-05-06T07:08:09Z");
        check("2024-05-06T07:08:09Z", "2024-05-06T07:08:09Z");
    }

    #[test]
    fn quantities_are_encoded_in_canonical_form() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(canonical_quantity(text).as_deref(), expected, "{text}");
        };
        for (text, canonical) in [
            ("1", "1"),
            ("1000m", "1"),
            ("0.5", "500m"),
            ("1.5Gi", "1536Mi"),
            ("1024Mi", "1Gi"),
            ("1000Ki", "1000Ki"),
            ("-3", "-3"),
            ("1e3", "1e3"),
            ("+2k", "2k"),
            // Go reads a unit alone as none of it.
            ("m", "0"),
        ] {
            check(text, Some(canonical));
        }
        for bad in ["", "x", "1GB", "1.2.3"] {
            check(bad, None);
        }
    }

    #[test]
    fn micro_times_have_six_digits_of_fraction() {
        assert_eq!(
            micro_time("2024-01-01T00:00:00.123456Z").unwrap(),
            "2024-01-01T00:00:00.123456Z"
        );
        assert_eq!(
            micro_time("2024-01-01T00:00:00.1Z").unwrap_err(),
            "parsing time \"2024-01-01T00:00:00.1Z\" as \"2006-01-02T15:04:05.000000Z07:00\": cannot parse \".1Z\" as \".000000\""
        );
    }
}
