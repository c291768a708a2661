//! Tokens and comments of small texts.

use super::*;

/// Returns the tokens of a text, with `;` for a line end that counts as a semicolon, and its
/// comments.
fn scan(text: &str) -> Result<(String, Vec<&str>), ScanError> {
    let mut scanner = Scanner::new(text, 0);
    let mut tokens = Vec::new();
    loop {
        let token = scanner.next()?;
        match token.kind {
            Kind::End => break,
            Kind::Semicolon { written: false } => tokens.push(";"),
            _ => tokens.push(&text[token.range()]),
        }
    }
    let comments = scanner.comments.iter();
    let comments = comments.map(|comment| &text[comment.range()]);
    Ok((tokens.join(" "), comments.collect()))
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(
        scan(text).map(|(tokens, _)| tokens).as_deref(),
        Ok(expected)
    );
}

#[test]
fn line_ends_are_semicolons_where_a_statement_can_end() {
    check("a\nb", "a ; b ;");
    check("a /* x\n */ b", "a ; b ;");
    check("a /* x */ b // c\n", "a b ;");
    check("f(a,\n b)\n", "f ( a , b ) ;");
    check("return\nx++\ny +\n1", "return ; x ++ ; y + 1 ;");
    check("type\nA = 'x'\n", "type A = 'x' ;");
}

#[test]
fn numbers_and_strings_are_whole() {
    check(
        "1e+5 0x1p-2 0xE+1 1_000 .5 3i",
        "1e+5 0x1p-2 0xE + 1 1_000 .5 3i ;",
    );
    check("\"a\\\"b\" `a\n\"` '\\''", "\"a\\\"b\" `a\n\"` '\\'' ;");
    check("größe ... <-x", "größe ... <- x ;");
}

#[test]
fn what_does_not_end_is_an_error() {
    for (text, message) in [
        ("\"a\nb\"", "the string is not terminated on its line"),
        ("\"a\\", "the string is not terminated on its line"),
        ("`a\n", "the string is not terminated"),
        ("'a", "the rune is not terminated on its line"),
        ("/* a", "the comment is not terminated"),
        ("a # b", "invalid character"),
        ("\u{a0}", "invalid character"),
    ] {
        let error = scan(text).map_err(|error| error.message);
        assert_eq!(error, Err(message), "{text}");
    }
}

#[test]
fn keywords_are_sorted() {
    for word in ["break", "chan", "interface", "type", "var", "package"] {
        assert!(is_keyword(word), "{word}");
    }
    assert!(!is_keyword("string") && !is_keyword("é"));
}
