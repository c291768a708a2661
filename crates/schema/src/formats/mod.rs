//! String formats that the API server checks (`k8s.io/kube-openapi/pkg/validation/strfmt`).

mod codes;
mod net;
mod time;

use regex::Regex;

use self::codes::{
    is_base64, is_credit_card, is_hex_color, is_isbn10, is_isbn13, is_rgb_color, is_ssn, is_uuid,
};
use self::net::{is_cidr, is_email, is_hostname, is_ipv4, is_ipv6, is_mac, is_request_uri};
use self::time::{is_date, is_date_time, is_duration};
use super::types::{Kind, Types};

/// Returns the format if the API server knows it for these types; others are accepted and ignored.
pub(crate) fn supported(types: Types, format: &str) -> Option<&str> {
    #[rustfmt::skip]
    const STRING: [&str; 26] = [
        "bsonobjectid", "uri", "email", "hostname", "ipv4", "ipv6", "cidr", "mac", "uuid", "uuid3",
        "uuid4", "uuid5", "isbn", "isbn10", "isbn13", "creditcard", "ssn", "hexcolor", "rgbcolor",
        "byte", "password", "date", "duration", "datetime", "k8sshortname", "k8slongname",
    ];
    let known = match types {
        Types::Any | Types::IntOrString | Types::One(Kind::String) => {
            STRING.contains(&normal(format).as_str())
        }
        Types::One(Kind::Integer) => matches!(format, "int32" | "int64"),
        Types::One(Kind::Number) => matches!(format, "float" | "double"),
        Types::One(_) => false,
    };
    known.then_some(format)
}

fn normal(format: &str) -> String {
    format.replace('-', "")
}

/// Whether a string matches a format; `None` if the format is not one of strings.
pub(crate) fn matches(format: &str, text: &str) -> Option<bool> {
    Some(match normal(format).as_str() {
        "bsonobjectid" => text.len() == 24 && text.bytes().all(|b| b.is_ascii_hexdigit()),
        "uri" => is_request_uri(text),
        "email" => is_email(text),
        "hostname" => is_hostname(text),
        "ipv4" => text.contains('.') && (is_ipv4(text) || is_ipv6(text)),
        "ipv6" => text.contains(':') && is_ipv6(text),
        "cidr" => is_cidr(text),
        "mac" => is_mac(text),
        "uuid" => is_uuid(text, None),
        "uuid3" => is_uuid(text, Some('3')),
        "uuid4" => is_uuid(text, Some('4')),
        "uuid5" => is_uuid(text, Some('5')),
        "isbn" => is_isbn10(text) || is_isbn13(text),
        "isbn10" => is_isbn10(text),
        "isbn13" => is_isbn13(text),
        "creditcard" => is_credit_card(text),
        "ssn" => is_ssn(text),
        "hexcolor" => is_hex_color(text),
        "rgbcolor" => is_rgb_color(text),
        "byte" => is_base64(text),
        "password" => true,
        "date" => is_date(text),
        "duration" => is_duration(text),
        "datetime" => is_date_time(text),
        "k8sshortname" => text.len() <= 63 && is_label(text),
        "k8slongname" => text.len() <= 253 && text.split('.').all(is_label),
        _ => return None,
    })
}

/// Decodes base64 up to the first invalid character.
#[cfg(feature = "cel")]
pub(crate) fn decode_base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text
        .bytes()
        .map_while(|byte| ALPHABET.iter().position(|known| *known == byte));
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_usize, 0);
    for digit in digits {
        bits = ((bits << 6) | digit) & 0xffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).unwrap_or_default());
        }
    }
    bytes
}

#[allow(
    clippy::expect_used,
    reason = "the pattern is a constant that a test compiles"
)]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("constant pattern")
}

fn is_label(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let bytes = text.as_bytes();
    bytes.iter().all(|b| inner(*b) || *b == b'-')
        && bytes.first().is_some_and(|b| inner(*b))
        && bytes.last().is_some_and(|b| inner(*b))
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn formats_accept_and_refuse_as_the_server_does() {
        for (format, good, bad) in [
            (
                "date-time",
                "2014-12-15T19:30:20.000Z",
                "2014-12-15 19:30:20Z",
            ),
            (
                "date-time",
                "2014-12-15t19:30:20+01:00",
                "2014-12-15T24:30:20Z",
            ),
            ("date", "2024-02-29", "2023-02-29"),
            ("ipv4", "010.0.0.1", "10.0.0"),
            ("ipv6", "fe80::1", "10.0.0.1"),
            ("cidr", "10.0.0.0/8", "10.0.0.0/33"),
            ("cidr", "fd00::/64", "fd00::"),
            ("mac", "01:23:45:67:89:ab", "01:23:45:67:89"),
            ("uuid", "123E4567-e89b12d3a456426614174000", "123e4567-e89b"),
            (
                "uuid4",
                "123e4567-e89b-42d3-a456-426614174000",
                "123e4567-e89b-12d3-a456-426614174000",
            ),
            ("isbn10", "0321751043", "0321751044"),
            ("isbn13", "978-0321751041", "978-0321751042"),
            ("creditcard", "4012-8888-8888-1881", "4012888888881882"),
            ("ssn", "111-11-1111", "111111111"),
            ("hexcolor", "#FFF", "#FFFF"),
            ("rgbcolor", "rgb(255, 1,0)", "rgb(256,0,0)"),
            ("byte", "YWJj", "YWJ"),
            ("duration", "1h30m", "xyz"),
            ("duration", "22 ns", "5"),
            ("uri", "https://a.example/b?c", "a.example/b"),
            ("uri", "/path", "ht tp://x"),
            ("email", "A B <a@b.example>", "a.b.example"),
            ("hostname", "a.example", "a..example"),
            ("bsonobjectid", "507f1f77bcf86cd799439011", "507f"),
            ("k8s-short-name", "a-b", "A"),
            ("k8s-long-name", "a.b-c", "a..b"),
        ] {
            assert_eq!(matches(format, good), Some(true), "{format} {good}");
            assert_eq!(matches(format, bad), Some(false), "{format} {bad}");
        }
        assert_eq!(matches("nonsense", "x"), None);
    }
}
