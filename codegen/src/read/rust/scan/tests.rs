use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let found: Vec<_> = scan(text)
        .comments
        .into_iter()
        .map(|comment| text[comment.range].to_owned())
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn comments_are_found() {
    check(
        "// a\nfn f() {} // b\n/* c /* d */ */",
        &["// a", "// b", "/* c /* d */ */"],
    );
    check("// a\r\n/// b\r\n", &["// a", "/// b"]);
}

#[test]
fn texts_hold_no_comments() {
    check(r##"const A: &str = "// a\" // b"; // c"##, &["// c"]);
    check("const A: &str = r#\"// a \" // b\"#; // c", &["// c"]);
    check("const A: &[u8] = br\"\\\"; // c", &["// c"]);
    check("const A: char = '\"'; // c", &["// c"]);
    check("const A: char = '\\''; // c", &["// c"]);
    check("const A: char = 'é'; // c", &["// c"]);
    check("fn f<'a>(x: &'a str) {} // c", &["// c"]);
    check("let r#type = 1; // c", &["// c"]);
    check("let rb = b'\"'; // c", &["// c"]);
}

#[test]
fn a_comment_after_code_is_not_alone() {
    let scan = scan("a: u8, // x\n  // y\n/* z */ b");
    let alone: Vec<_> = scan.comments.iter().map(|comment| comment.alone).collect();
    assert_eq!(alone, [false, true, true]);
}

#[test]
fn kinds_and_lines_are_told() {
    let scan = scan("//! a\n/// b\n//// c\n// d\n/* e\n*/");
    let kinds: Vec<_> = scan
        .comments
        .iter()
        .map(|c| (c.kind, c.lines.clone()))
        .collect();
    assert_eq!(
        kinds,
        [
            (CommentKind::InnerDoc, 0..1),
            (CommentKind::Doc, 1..2),
            (CommentKind::Line, 2..3),
            (CommentKind::Line, 3..4),
            (CommentKind::Block, 4..6),
        ]
    );
}

#[test]
fn deep_nesting_is_told() {
    assert_eq!(scan(&"(".repeat(40)).too_deep, None);
    assert!(scan(&"(".repeat(100)).too_deep.is_some());
    assert!(
        scan(&format!("type A = {}u8;", "&".repeat(5000)))
            .too_deep
            .is_some()
    );
    assert!(
        scan(&format!("type A = {}u8;", "fn() -> ".repeat(5000)))
            .too_deep
            .is_some()
    );
    assert!(scan(&"A<u8, ".repeat(20_000)).too_deep.is_some());
    let fields = format!(
        "struct A {{ {} }}",
        "a: BTreeMap<u8, Vec<u8>>,\n".repeat(5000)
    );
    assert_eq!(scan(&fields).too_deep, None);
    assert_eq!(scan(&"struct A { a: u8 }\n".repeat(5000)).too_deep, None);
    let arms = "\"a\" | \"b\" if n < 3 => 1,\n".repeat(2000);
    assert_eq!(
        scan(&format!("fn f() {{ match x {{ {arms} }} }}")).too_deep,
        None
    );
    assert_eq!(
        scan(&"const A: [u8; 2] = [1, 2];\n".repeat(5000)).too_deep,
        None
    );
}

#[test]
fn delimiters_without_counterpart_are_found() {
    let check = |text: &str, expected: Option<Unbalanced>| {
        assert_eq!(scan(text).unbalanced, expected, "{text}");
    };
    check("struct A { a: [u8; 4], b: (u8,) }", None);
    check("const A: &str = \"{\"; // {\n", None);
    check("struct A {\nstruct B { b: u8 }", Some(Unbalanced::Open(9)));
    check("struct A { a: (u8] }", Some(Unbalanced::Mismatched(14, 17)));
    check("struct A; }", Some(Unbalanced::Close(10)));
}

proptest! {
    #[test]
    fn no_text_makes_the_scanner_panic(text in r#"[ -~\n\réß–'"/*#r(){}<>]{0,60}"#) {
        let scan = scan(&text);
        for comment in scan.comments {
            prop_assert!(text.get(comment.range.clone()).is_some());
            prop_assert!(text.get(comment.content(&text)).is_some());
        }
    }
}
