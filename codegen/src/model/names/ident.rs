//! Converts arbitrary names to legal Rust identifiers.

use std::fmt::Write as _;

/// Whether the name is reserved in any Rust edition, so that an identifier needs `r#` or another
/// spelling.
#[must_use]
pub fn is_keyword(name: &str) -> bool {
    KEYWORDS.binary_search(&name).is_ok() || cannot_be_raw(name)
}

/// Converts a name to a legal Rust identifier, with `r#` before a keyword.
///
/// A legal name is returned unchanged, also one with letters beyond ASCII, as authors of Rust types
/// may write. `self`, `Self`, `super`, `crate` and `_`, which cannot be raw identifiers, get the
/// suffix `_`. Other characters become `_`, and non-ASCII letters their code point, so that names
/// that differ only in them stay distinct.
#[must_use]
pub fn ident(name: &str) -> String {
    // The parser also accepts spaces and comments around an identifier.
    let is_whole = |ident: syn::Ident| ident == name;
    if !name.is_ascii() && syn::parse_str(name).is_ok_and(is_whole) {
        return name.to_owned();
    }
    let plain = plain_ident(name);
    if is_keyword(&plain) {
        format!("r#{plain}")
    } else {
        plain
    }
}

/// Converts a name like [`ident`] but without `r#` before keywords: the form of
/// [`Field::rust_name`](crate::model::Field).
#[must_use]
pub fn plain_ident(name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let is_word = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    let starts = name.starts_with(|c: char| !c.is_ascii_digit());
    if starts && name.bytes().all(is_word) && !cannot_be_raw(name) {
        return name.to_owned();
    }
    let mut text = String::with_capacity(name.len() + 1);
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            text.push(c);
        } else if c.is_alphanumeric() {
            if !text.is_empty() && !text.ends_with('_') {
                text.push('_');
            }
            // Writing into a String cannot fail.
            let _ = write!(text, "u{:x}", u32::from(c));
        } else {
            text.push('_');
        }
    }
    if text.is_empty() {
        text.push_str("empty");
    }
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        text.insert(0, '_');
    }
    if cannot_be_raw(&text) {
        text.push('_');
    }
    text
}

/// Whether the name is reserved even with `r#`.
fn cannot_be_raw(name: &str) -> bool {
    matches!(name, "self" | "Self" | "super" | "crate" | "_")
}

/// Strict and reserved keywords of all editions, sorted.
const KEYWORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(name: &str, expected: &str) {
        assert_eq!(ident(name), expected, "identifier of {name:?}");
    }

    #[test]
    fn a_legal_name_stays() {
        check("virtual_machine", "virtual_machine");
        check("_private", "_private");
        check("type_", "type_");
        check("größe", "größe");
        check("r#größe", "r#größe");
    }

    #[test]
    fn keywords_become_raw() {
        check("type", "r#type");
        check("gen", "r#gen");
        check("r#type", "r#type");
        assert!(KEYWORDS.is_sorted());
        assert!(is_keyword("self") && !is_keyword("selfish"));
    }

    #[test]
    fn names_that_cannot_be_raw_get_a_suffix() {
        check("self", "self_");
        check("Self", "Self_");
        check("super", "super_");
        check("crate", "crate_");
        check("_", "__");
    }

    #[test]
    fn hostile_names_become_legal() {
        check("../../etc", "______etc");
        check("*/ evil", "___evil");
        check("\0", "_".repeat(2).as_str());
        check("2fast", "_2fast");
        check("", "empty");
        check("größe ", "gr_uf6_udfe_");
        assert_eq!(plain_ident("größe"), "gr_uf6_udfe");
    }

    proptest! {
        #[test]
        fn every_identifier_is_legal(name in "\\PC{0,12}") {
            let text = ident(&name);
            prop_assert!(syn::parse_str::<syn::Ident>(&text).is_ok(), "{text}");
        }
    }
}
