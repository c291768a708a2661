//! Continue tokens: where a list goes on, and as of which revision.

use crate::status::ApiError;
use crate::store::Key;

/// The message of a token that is too old.
pub(crate) const EXPIRED: &str = "The provided continue parameter is too old to display a consistent list result. You can start a new \
list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. \
Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between \
the time the first chunk was returned and now may show up in the list.";

/// A decoded token.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) revision: u64,
    pub(crate) after: Key,
}

/// Encodes a token. The text is opaque to clients, and safe in a URL.
pub(crate) fn encode(revision: u64, after: &Key) -> String {
    let plain = format!("{revision}/{}/{}", after.namespace, after.name);
    plain.bytes().map(|b| format!("{b:02x}")).collect()
}

/// Decodes a token.
///
/// # Errors
/// 400 when the server did not make it.
pub(crate) fn decode(token: &str) -> Result<Token, ApiError> {
    parse(token).ok_or_else(|| {
        ApiError::bad_request("continue key is not valid: illegal base64 data at input byte 0")
    })
}

fn parse(token: &str) -> Option<Token> {
    let digits: Vec<u8> = token
        .chars()
        .map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok()))
        .collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits
        .chunks(2)
        .map(|pair| pair.iter().fold(0, |n, d| n * 16 + d))
        .collect();
    let plain = String::from_utf8(bytes).ok()?;
    let mut parts = plain.splitn(3, '/');
    let revision = parts.next()?.parse().ok()?;
    let (namespace, name) = (parts.next()?, parts.next()?);
    Some(Token {
        revision,
        after: Key::new(namespace, name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_survive_the_round_trip_and_others_are_bad_requests() {
        let key = Key::new("ns", "a/b");
        let token = decode(&encode(7, &key)).unwrap();
        assert_eq!((token.revision, token.after), (7, key));
        for bad in ["", "zz", "ab", "é"] {
            assert_eq!(decode(bad).unwrap_err().code, 400, "{bad}");
        }
    }
}
