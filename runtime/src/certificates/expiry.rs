//! When a certificate expires, which rustls does not say: `notAfter` of X.509 (RFC 5280, 4.1.2.5).

use jiff::civil::{DateTime, date};

/// The tags of DER that matter here.
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const EXPLICIT_VERSION: u8 = 0xa0;

/// Returns the last second in which a certificate in DER is valid, in seconds since 1970, or `None`
/// if these bytes are no certificate.
pub(super) fn not_after(der: &[u8]) -> Option<i64> {
    let (certificate, _) = Element::read(der)?;
    let (signed, _) = Element::read(certificate.content)?;
    let (first, after) = Element::read(signed.content)?;
    let fields = match first.tag {
        EXPLICIT_VERSION => after,
        _ => signed.content,
    };
    let (_serial_number, fields) = Element::read(fields)?;
    let (_signature, fields) = Element::read(fields)?;
    let (_issuer, fields) = Element::read(fields)?;
    let (validity, _) = Element::read(fields)?;
    let (_not_before, rest) = Element::read(validity.content)?;
    let (not_after, _) = Element::read(rest)?;
    seconds(&not_after)
}

/// A time as seconds since 1970.
fn seconds(time: &Element<'_>) -> Option<i64> {
    let text = std::str::from_utf8(time.content).ok()?;
    let text = match time.tag {
        // Two digits of the year are of 1950 to 2049.
        UTC_TIME if text < "50" => format!("20{text}"),
        UTC_TIME => format!("19{text}"),
        GENERALIZED_TIME => text.to_owned(),
        _ => return None,
    };
    let time = DateTime::strptime("%Y%m%d%H%M%SZ", text).ok()?;
    // Not by a timestamp, whose range ends before the last second of the year 9999, which means
    // that a certificate never expires.
    let epoch = date(1970, 1, 1).at(0, 0, 0, 0);
    Some(time.duration_since(epoch).as_secs())
}

/// An element of DER: a tag, a length and so many bytes.
struct Element<'d> {
    tag: u8,
    content: &'d [u8],
}

impl<'d> Element<'d> {
    /// Reads the first element; returns it and what follows.
    fn read(der: &'d [u8]) -> Option<(Self, &'d [u8])> {
        let (&[tag, first], rest) = der.split_first_chunk::<2>()?;
        // The upper bit says that the others are the number of bytes with the length.
        let (length, rest) = if first & 0x80 == 0 {
            (usize::from(first), rest)
        } else {
            let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            let length = bytes.iter().try_fold(0_usize, |sum, byte| {
                sum.checked_mul(256)?.checked_add(usize::from(*byte))
            })?;
            (length, rest)
        };
        let (content, rest) = rest.split_at_checked(length)?;
        Some((Self { tag, content }, rest))
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    fn certificate(year: i32) -> Vec<u8> {
        // Long enough for lengths of more than one byte.
        let names = ["a".repeat(60), "b".repeat(60), "c".repeat(60)];
        let mut params = CertificateParams::new(names).unwrap();
        params.not_after = date_time_ymd(year, 2, 3);
        let key = KeyPair::generate().unwrap();
        params.self_signed(&key).unwrap().der().to_vec()
    }

    #[test]
    fn the_expiry_is_read_in_both_forms_of_time() {
        // The first is a UTCTime, the others have four digits of the year.
        for year in [1999, 2026, 2049, 2050, 4096] {
            let expected = date_time_ymd(year, 2, 3).unix_timestamp();
            assert_eq!(not_after(&certificate(year)), Some(expected), "{year}");
        }
    }

    #[test]
    fn the_time_that_means_never_is_read() {
        let never = Element {
            tag: GENERALIZED_TIME,
            content: b"99991231235959Z",
        };
        assert_eq!(seconds(&never), Some(253_402_300_799));
    }

    #[test]
    fn cut_or_altered_bytes_cause_no_panic() {
        let whole = certificate(2030);
        for end in 0..200 {
            assert_eq!(not_after(&whole[..end]), None, "{end}");
        }
        for at in 0..200 {
            for byte in [0, 0x7f, 0x80, 0x84, 0x89, 0xff] {
                let mut altered = whole.clone();
                altered[at] = byte;
                let _whatever_it_is = not_after(&altered);
            }
        }
    }
}
