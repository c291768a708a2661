//! When a certificate expires, which rustls does not say.

use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer as _;

/// Returns the last second in which a certificate in DER is valid (`notAfter` of RFC 5280), in
/// seconds since 1970, or `None` if these bytes are no certificate.
pub(super) fn not_after(der: &[u8]) -> Option<i64> {
    let (_, certificate) = X509Certificate::from_der(der).ok()?;
    Some(certificate.validity().not_after.timestamp())
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
        for year in [1999, 2026, 2049, 2050, 4096, 9999] {
            let expected = date_time_ymd(year, 2, 3).unix_timestamp();
            assert_eq!(not_after(&certificate(year)), Some(expected), "{year}");
        }
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
