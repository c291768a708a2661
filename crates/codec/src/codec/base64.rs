//! Bytes: base64 as Go reads it.

use k8s_openapi::ByteString;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::IntoDeserializer};

use super::Codec;

/// Reads base64 as Go does: ignores line breaks, and bits of the last character beyond the last byte.
impl Codec for ByteString {
    fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?.unwrap_or_default();
        Self::deserialize(canonical_base64(text).into_deserializer())
    }

    fn encode<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize(serializer)
    }
}

fn canonical_base64(mut text: String) -> String {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    text.retain(|c| !matches!(c, '\r' | '\n'));
    let bare = text.trim_end_matches('=');
    let padding = text.len() - bare.len();
    let digit = bare.chars().next_back().and_then(|last| DIGITS.find(last));
    let stray_bits = match padding {
        1 => 0b11,
        2 => 0b1111,
        _ => 0,
    };
    let canonical = digit.and_then(|digit| DIGITS.chars().nth(digit & !stray_bits));
    if let Some(canonical) = canonical {
        text.truncate(text.len() - padding - 1);
        text.push(canonical);
        text.extend(std::iter::repeat_n('=', padding));
    }
    text
}
