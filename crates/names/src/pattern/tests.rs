//! Patterns of Go, and what its parser says of bad ones.

use regex::Regex;

use super::SyntaxError;

fn translate(pattern: &str) -> Result<String, SyntaxError> {
    super::translate(pattern, &|class| Regex::new(class).is_ok())
}

fn check_match(pattern: &str, text: &str, expected: bool) {
    let translated = translate(pattern).unwrap();
    let regex =
        Regex::new(&translated).unwrap_or_else(|e| panic!("{pattern} -> {translated}: {e}"));
    assert_eq!(
        regex.is_match(text),
        expected,
        "{pattern} -> {translated} on {text:?}"
    );
}

#[test]
fn go_syntax_matches_as_in_go() {
    check_match(r"^[^[]+$", "abc", true);
    check_match(r"^[^[]+$", "a[c", false);
    check_match(r"^[a&&b]$", "&", true);
    check_match(r"^[+--]$", ",", true);
    check_match(r"^[\w.-]+$", "a_b.c-d", true);
    check_match(r"^\d+$", "\u{663}", false);
    check_match(r"^[^\W]$", "a", true);
    check_match(r"^[^\W]$", "-", false);
    check_match(r"^a{,5}$", "a{,5}", true);
    check_match(r"^a{2,3}?b$", "aab", true);
    check_match(r"^\Qa.b\E$", "a.b", true);
    check_match(r"^\Qa.b\E$", "axb", false);
    check_match(r"^[]a]$", "]", true);
    check_match(r"^[[:alpha:]-]+$", "a-b", true);
    check_match(r"^(?P<n>a)(?<m>b)$", "ab", true);
    check_match(r"^\x41\x{42}\101$", "ABA", true);
    check_match(r"^(?i:ab)\/\_$", "AB/_", true);
    check_match(r"^\p{L}\PN\p{^N}$", "éxx", true);
    check_match(r"a$", "a\n", false);
    check_match(r"\bfoo\b", "a foo b", true);
    check_match(r"^.{1,3}$", "é漢𝄞", true);
}

#[test]
fn errors_are_worded_as_in_go() {
    let check = |pattern: &str, expected: &str| {
        let error = translate(pattern).unwrap_err().to_string();
        assert_eq!(error, format!("error parsing regexp: {expected}"));
    };
    check("(a", "missing closing ): `(a`");
    check("a)", "unexpected ): `a)`");
    check("x[a", "missing closing ]: `[a`");
    check("*a", "missing argument to repetition operator: `*`");
    check("a**", "invalid nested repetition operator: `**`");
    check("a{1001}", "invalid repeat count: `{1001}`");
    check("a{2}{3}", "invalid nested repetition operator: `{2}{3}`");
    check("^(?!a)", "invalid or unsupported Perl syntax: `(?!`");
    check("(?<=a)", "invalid named capture: `(?<=a)`");
    check(r"\y", r"invalid escape sequence: `\y`");
    check(r"a\p{Foo}", r"invalid character class range: `\p{Foo}`");
    check("[[:foo:]]", "invalid character class range: `[:foo:]`");
    check("(?i", "invalid or unsupported Perl syntax: `(?i`");
    check("[z-a]", "invalid character class range: `z-a`");
    check("a\\", "trailing backslash at end of expression: ``");
}
