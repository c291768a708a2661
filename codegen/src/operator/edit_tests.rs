use proptest::prelude::*;

use super::*;

#[track_caller]
fn check_item(text: &str, within: &[&str], item: &str, expected: &str) {
    let added = add_item(text, within, item).unwrap();
    assert_eq!(added, expected);
    assert_eq!(add_item(&added, within, item).unwrap(), added);
    assert_eq!(remove_item(&added, within, item).unwrap(), text);
}

#[track_caller]
fn check_statement(text: &str, statement: &str, expected: &str) {
    check_statement_at(At::End, text, statement, expected);
}

#[track_caller]
fn check_statement_at(at: At, text: &str, statement: &str, expected: &str) {
    let added = add_statement(text, ("f", at), statement).unwrap();
    assert_eq!(added, expected);
    assert_eq!(add_statement(&added, ("f", at), statement).unwrap(), added);
    assert_eq!(remove_statement(&added, "f", statement).unwrap(), text);
}

#[test]
fn a_statement_may_come_behind_the_first() {
    check_statement_at(
        At::Start,
        "fn f() -> A {\n    let a = A; // first\n    #[cfg(x)]\n    let a = a.b();\n    a\n}\n",
        "let a = a.c();",
        "fn f() -> A {\n    let a = A; // first\n    let a = a.c();\n    #[cfg(x)]\n    let a = a.b();\n    a\n}\n",
    );
    check_statement_at(
        At::Start,
        "fn f() -> A {\n    a\n}\n",
        "let a = A;",
        "fn f() -> A {\n    let a = A;\n    a\n}\n",
    );
}

#[test]
fn a_first_module_goes_before_uses() {
    check_item("use a::b;\n", &[], "mod c;", "mod c;\n\nuse a::b;\n");
    check_item(
        "//! Docs.\n\nuse a::b;\n\nfn f() {}\n",
        &[],
        "mod c;",
        "//! Docs.\n\nmod c;\n\nuse a::b;\n\nfn f() {}\n",
    );
}

#[test]
fn a_module_goes_to_its_place_among_others() {
    rows![check_item:
        ("mod a;\nmod c;\n", &[], "mod b;", "mod a;\nmod b;\nmod c;\n"),
        ("mod a; // first\n#[cfg(test)]\nmod c;", &[], "mod b;",
            "mod a; // first\nmod b;\n#[cfg(test)]\nmod c;"),
        ("use x::y;\n\nmod b;\n", &[], "mod a;", "use x::y;\n\nmod a;\nmod b;\n"),
        ("//! Docs.\n// About b.\nmod b;\n", &[], "mod a;", "//! Docs.\nmod a;\n// About b.\nmod b;\n"),
        ("// Ours.\nmod b;\n", &[], "mod a;", "// Ours.\nmod a;\nmod b;\n"),
        ("mod v2;\n", &[], "mod v10;", "mod v10;\nmod v2;\n"),
        ("use a1::*;\nuse v2::*;\n", &[], "use v10::*;", "use a1::*;\nuse v2::*;\nuse v10::*;\n"),
        ("use a1::*;\n", &[], "use a_b::*;", "use a_b::*;\nuse a1::*;\n"),
        ("mod a;\r\nfn f() {}\r\n", &[], "mod b;", "mod a;\r\nmod b;\r\nfn f() {}\r\n"),
        ("mod a; mod c;\n", &[], "mod b;", "mod a; mod b; mod c;\n"),
    ];
}

#[test]
fn the_first_of_its_sort_stands_apart() {
    check_item("//! Docs.\n", &[], "mod a;", "//! Docs.\n\nmod a;\n");
    check_item("//! Docs.", &[], "mod a;", "//! Docs.\n\nmod a;");
    check_item("", &[], "mod a;", "mod a;\n");
    check_item(
        "mod a;\n",
        &[],
        "pub use a::*;",
        "mod a;\n\npub use a::*;\n",
    );
}

#[test]
fn modules_within_modules_are_indented() {
    let group = "/// A group.\npub mod g {\n}";
    rows![check_item:
        ("//! Docs.\n", &[], group, "//! Docs.\n\n/// A group.\npub mod g {\n}\n"),
        ("pub mod a {}\n", &[], group, "pub mod a {}\n\n/// A group.\npub mod g {\n}\n"),
        ("pub mod z {}\n", &[], group, "/// A group.\npub mod g {\n}\n\npub mod z {}\n"),
        ("pub mod g {\n}\n", &["g"], "pub mod v1;", "pub mod g {\n    pub mod v1;\n}\n"),
        ("pub mod g { pub mod v1; }\n", &["g"], "pub mod v2;", "pub mod g { pub mod v1; pub mod v2; }\n"),
    ];
    assert_eq!(
        add_item("", &["g"], "mod a;"),
        Err(EditError::NoModule("g".to_owned()))
    );
    assert!(
        is_empty("mod g {}", &["g"]).unwrap() && has_module("mod r#type;", &[], "type").unwrap()
    );
}

#[test]
fn a_statement_goes_before_the_value() {
    rows![check_statement:
        ("fn f() -> i32 {\n    1\n}\n", "let a = 1;", "fn f() -> i32 {\n    let a = 1;\n    1\n}\n"),
        ("fn f() {\n    a();\n}\n", "b();", "fn f() {\n    a();\n    b();\n}\n"),
        ("fn f() -> i32 {\n    a();\n    // The value.\n    1\n}\n", "b(\n    1\n);",
            "fn f() -> i32 {\n    a();\n    b(\n        1\n    );\n    // The value.\n    1\n}\n"),
        ("fn f() -> i32 {\n    return 1;\n}\n", "b();", "fn f() -> i32 {\n    b();\n    return 1;\n}\n"),
        ("fn f() -> i32 {\n    a!();\n    todo!()\n}\n", "b();",
            "fn f() -> i32 {\n    a!();\n    b();\n    todo!()\n}\n"),
        ("fn f() -> i32 { 1 }", "b();", "fn f() -> i32 { b(); 1 }"),
        ("fn f() {}", "b();", "fn f() { b();}"),
    ];
    assert_eq!(
        add_statement("", ("f", At::End), "b();"),
        Err(EditError::NoFunction("f".to_owned()))
    );
}

#[test]
fn what_was_formatted_or_moved_is_found_again() {
    let text = "fn f() {\n    g( 1,2 );\n    a();\n}\n";
    assert_eq!(
        remove_statement(text, "f", "g(1, 2);").unwrap(),
        "fn f() {\n    a();\n}\n"
    );
    assert_eq!(
        remove_item("mod b;\nmod  a ;\n", &[], "mod a;").unwrap(),
        "mod b;\n"
    );
    // Items that were changed are kept.
    let theirs = "#[cfg(unix)]\nmod a;\n";
    assert_eq!(remove_item(theirs, &[], "mod a;").unwrap(), theirs);
}

#[test]
fn text_that_is_no_rust_is_an_error() {
    for text in ["fn (", "\u{feff}mod a;", "#!/bin/sh\nmod a;"] {
        assert!(
            matches!(add_item(text, &[], "mod b;"), Err(EditError::Syntax(_))),
            "{text}"
        );
    }
}

/// A piece of a file: a comment, an attribute or an item, on its own line or a shared one.
fn piece() -> impl Strategy<Value = String> {
    let name = "[a-hj-z][a-z0-9_]{0,3}q";
    prop_oneof![
        name.prop_map(|name| format!("mod {name};")),
        name.prop_map(|name| format!("#[cfg(test)]\nmod {name};")),
        name.prop_map(|name| format!("/// Größe.\npub(crate) mod {name};")),
        name.prop_map(|name| format!("mod {name} {{ use super::*; }}")),
        name.prop_map(|name| format!("pub use {name}::*;")),
        name.prop_map(|name| format!("fn {name}() {{ \"mod iii;\"; }}")),
        Just("// mod iii;".to_owned()),
        Just("/* mod iii; */".to_owned()),
        Just("macro_rules! m { () => { mod iii; } }".to_owned()),
    ]
}

fn file() -> impl Strategy<Value = String> {
    let newline = prop_oneof![Just("\n"), Just("\r\n")];
    let gaps =
        prop_oneof![4 => Just("\n"), 1 => Just("\n\n"), 1 => Just(" \n"), 1 => Just(" // x\n")];
    let pieces = proptest::collection::vec((piece(), gaps), 0..7);
    (pieces, newline, any::<bool>()).prop_map(|(pieces, newline, ends)| {
        let text: String = pieces
            .into_iter()
            .flat_map(|(piece, gap)| [piece, gap.to_owned()])
            .collect();
        let text = if ends { text.as_str() } else { text.trim_end() };
        text.replace('\n', newline)
    })
}

proptest! {
    #[test]
    fn taking_out_what_was_put_in_gives_the_text_before(text in file(), item in prop_oneof![
        Just("mod iii;"), Just("pub use iii::*;"), Just("/// I.\npub mod iii {\n}"),
    ]) {
        let added = add_item(&text, &[], item).unwrap();
        prop_assert!(syn::parse_file(&added).is_ok(), "{added}");
        prop_assert_eq!(&add_item(&added, &[], item).unwrap(), &added);
        prop_assert_eq!(remove_item(&added, &[], item).unwrap(), text);
    }

    #[test]
    fn statements_come_and_go(before in file(), inner in proptest::collection::vec("(a\\(\\);|let b = 1;|// c|\"é\";)", 0..4), tail in "(|1|// d\n1)") {
        let inner: String = inner.iter().map(|line| format!("    {line}\n")).collect();
        let text = format!("{before}\nfn f() {{\n{inner}{tail}\n}}\n");
        let added = add_statement(&text, ("f", At::End), "let iii = g(1);").unwrap();
        prop_assert!(syn::parse_file(&added).is_ok(), "{added}");
        prop_assert_eq!(remove_statement(&added, "f", "let iii = g(1);").unwrap(), text);
    }
}
