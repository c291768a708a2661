//! Standard and URL-safe base64, with padding.

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes bytes.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk
            .iter()
            .fold(0_u32, |word, b| (word << 8) | u32::from(*b))
            << (8 * (3 - chunk.len()));
        for position in 0..4 {
            if position > chunk.len() {
                out.push('=');
            } else {
                let index = (word >> (18 - 6 * position)) & 63;
                out.push(char::from(STANDARD[index as usize]));
            }
        }
    }
    out
}

/// Decodes standard or URL-safe base64; padding is optional.
///
/// # Errors
/// The position of the first invalid byte.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, usize> {
    let body = text.trim_end_matches('=');
    let mut out = Vec::with_capacity(body.len() * 3 / 4);
    let (mut word, mut bits) = (0_u32, 0);
    for (at, byte) in body.bytes().enumerate() {
        let value = match byte {
            b'-' => 62,
            b'_' => 63,
            other => STANDARD.iter().position(|b| *b == other).ok_or(at)?,
        };
        word = (word << 6) | u32::try_from(value).map_err(|_| at)?;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push(u8::try_from((word >> bits) & 0xff).map_err(|_| at)?);
        }
    }
    if body.len() % 4 == 1 {
        return Err(body.len() - 1);
    }
    Ok(out)
}

/// Returns where Go's decoder rejects a string as padded standard base64; `None` if it is valid.
pub(crate) fn fault(text: &str) -> Option<usize> {
    let bytes: &[u8] = text.as_bytes();
    let is_break = |at: usize| matches!(bytes.get(at), Some(b'\n' | b'\r'));
    // `read` counts the digits in the current group of four.
    let (mut at, mut read) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'\n' | b'\r' => {}
            b'=' => {
                if read < 2 {
                    return Some(at - 1);
                }
                while is_break(at) {
                    at += 1;
                }
                if read == 2 {
                    if bytes.get(at) != Some(&b'=') {
                        return Some(at);
                    }
                    at += 1;
                }
                while is_break(at) {
                    at += 1;
                }
                return (at < bytes.len()).then_some(at);
            }
            digit if STANDARD.contains(digit) => read = (read + 1) % 4,
            _ => return Some(at - 1),
        }
    }
    (read > 0).then(|| at - read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive_the_round_trip() {
        let check = |plain: &str, encoded: &str| {
            assert_eq!(encode(plain.as_bytes()), encoded);
            assert_eq!(decode(encoded).unwrap(), plain.as_bytes());
        };
        check("", "");
        check("a", "YQ==");
        check("ab", "YWI=");
        check("abc", "YWJj");
        check("abcd", "YWJjZA==");
        assert_eq!(decode("a?c"), Err(1));
        assert_eq!(decode("-_-_"), Ok(vec![0xfb, 0xff, 0xbf]));
    }

    #[test]
    fn faults_stand_where_go_finds_them() {
        let check =
            |text: &str, expected: Option<usize>| assert_eq!(fault(text), expected, "{text}");
        for good in [
            "",
            "YQ==",
            "YWI=",
            "YWJj",
            "YWJjZA==",
            "YW\nJj\n",
            "YQ\n=\n=\n",
        ] {
            check(good, None);
        }
        check("%%", Some(0));
        check("YQ=", Some(3));
        check("YQ", Some(0));
        check("YWJjZA", Some(4));
        check("-_-_", Some(0));
        check("YQ==x", Some(4));
        check("Y===", Some(1));
    }
}
