//! Base64 of icons.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes bytes, with padding.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let mut three = [0_u8; 3];
        for (to, from) in three.iter_mut().zip(chunk) {
            *to = *from;
        }
        let [a, b, c] = three.map(u32::from);
        let bits = a << 16 | b << 8 | c;
        for (index, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            let digit = DIGITS.get((bits >> shift & 63) as usize);
            match digit.filter(|_| index <= chunk.len()) {
                Some(digit) => text.push(char::from(*digit)),
                None => text.push('='),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_encoded_with_padding() {
        let check = |bytes: &str, expected: &str| assert_eq!(encode(bytes.as_bytes()), expected);
        rows![check: ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob?>", "Zm9vYj8+")];
    }
}
