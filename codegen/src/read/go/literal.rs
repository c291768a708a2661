//! Go's string literals.

use std::borrow::Cow;

/// Returns the value of a quoted or raw string literal, or `None` if it is invalid. Borrows unless
/// the literal contains escapes or carriage returns.
pub(super) fn unquote(literal: &str) -> Option<Cow<'_, str>> {
    if let Some(raw) = literal.strip_prefix('`') {
        let raw = raw.strip_suffix('`')?;
        // Carriage returns are discarded from raw strings.
        return Some(match raw.contains('\r') {
            true => raw.replace('\r', "").into(),
            false => raw.into(),
        });
    }
    let inner = literal.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains(['\\', '"', '\n']) {
        return Some(inner.into());
    }
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..)?;
        if c == '\\' {
            rest = escape(rest, &mut bytes)?;
        } else if c == '"' || c == '\n' {
            return None;
        } else {
            bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

/// Appends the bytes of an escape, which starts after its backslash; returns the rest of the text.
fn escape<'a>(text: &'a str, bytes: &mut Vec<u8>) -> Option<&'a str> {
    let kind = text.chars().next()?;
    let simple = match kind {
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        '\\' => b'\\',
        '"' => b'"',
        _ => 0,
    };
    if simple != 0 {
        bytes.push(simple);
        return text.get(1..);
    }
    let (start, length, radix) = match kind {
        'x' => (1, 2, 16),
        'u' => (1, 4, 16),
        'U' => (1, 8, 16),
        '0'..='7' => (0, 3, 8),
        _ => return None,
    };
    let digits = text.get(start..start + length)?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let code = u32::from_str_radix(digits, radix).ok()?;
    if matches!(kind, 'u' | 'U') {
        let c = char::from_u32(code)?;
        bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        bytes.push(u8::try_from(code).ok()?);
    }
    text.get(start + length..)
}

#[cfg(test)]
mod tests {
    use super::unquote;

    #[test]
    fn literals_have_the_value_that_go_gives_them() {
        for (literal, expected) in [
            (r#""""#, Some("")),
            (r#""a\"b\\""#, Some("a\"b\\")),
            (r#""\n\t\x41\101\u00e9\U0001F680""#, Some("\n\tAAé🚀")),
            (r#""\xc3\xa9""#, Some("é")),
            ("`a\\n\"`", Some("a\\n\"")),
            (r#""\xff""#, None),
            (r#""\q""#, None),
            (r#""\777""#, None),
            (r#""\u12""#, None),
            (r#""a"#, None),
            ("'a'", None),
        ] {
            assert_eq!(unquote(literal).as_deref(), expected, "{literal}");
        }
    }
}
