//! Cycles, depth and size: reading always terminates, with an error wherever Go has one.

use std::fmt::Write as _;

use super::*;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let (_, found) = read_one(&format!("package a\n{text}\n"));
    assert_eq!(found, expected, "{text}");
}

#[test]
fn a_type_does_not_contain_itself() {
    check(
        "type A struct { B A }",
        &["a/a.go:2:6: error: `A` contains itself"],
    );
    check(
        "type A struct { B [2]struct { C B } }; type B struct { A }",
        &["a/a.go:2:6: error: `A` contains itself"],
    );
    check(
        "type A B; type B A",
        &["a/a.go:2:6: error: `A` contains itself"],
    );
    check(
        "type A = []A",
        &["a/a.go:2:6: error: `A` is an alias of itself"],
    );
    check(
        "type A struct { *A }",
        &["a/a.go:2:6: error: `A` embeds itself"],
    );
    check("type A struct { B *A; C []A; D map[string]A }", &[]);
    check("type A struct { *A `json:\"a\"` }", &[]);
    check("type A []A; type B map[string]B", &[]);
}

#[test]
fn packages_do_not_import_each_other() {
    let a = package(
        "a",
        &[("a.go", "package a\nimport \"b\"\ntype A struct { B b.B }\n")],
    );
    let b = package(
        "b",
        &[(
            "b.go",
            "package b\nimport \"a\"\ntype B struct { A *a.A }\n",
        )],
    );
    let (_, found) = read_all(vec![a, b]);
    assert_eq!(
        found,
        ["a/a.go:2:8: error: the packages import each other in a cycle"]
    );
}

#[test]
fn embedding_ends() {
    let mut text = "package a\ntype T10000 struct{}\n".to_owned();
    for n in 0..10_000 {
        let _ = writeln!(text, "type T{n} struct {{ T{} }}", n + 1);
    }
    let (_, found) = read_one(&text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with("structs embed each other deeper than 100 levels"));
}

#[test]
fn nesting_is_bounded() {
    let wrap = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(100_000), close.repeat(100_000))
    };
    for (text, too_deep) in [
        (format!("type A {}", wrap("*", "int", "")), true),
        (format!("type A {}", wrap("[]", "int", "")), true),
        (format!("type A {}", wrap("(", "int", ")")), true),
        (format!("type A {}", wrap("map[string]", "int", "")), true),
        (format!("type A {}", wrap("map[", "int", "]int")), true),
        (format!("type A {}", wrap("struct { B ", "int", "}")), true),
        (format!("type A {}", wrap("func() ", "int", "")), true),
        (format!("type A {}", wrap("chan ", "int", "")), true),
        (format!("const A = {}", wrap("(", "1", ")")), true),
        (format!("const A = {}", wrap("int(", "1", ")")), true),
        (format!("const A = {}", wrap("-", "1", "")), false),
        (format!("var A = {}", wrap("(", "1", ")")), false),
        (format!("var A = {}", wrap("[", "1", "]")), false),
        (format!("func a() {}", wrap("{", "", "}")), false),
        (
            format!("func a(b {}) {{}}", wrap("interface {", "", "}")),
            false,
        ),
        (format!("type A {}", wrap("interface {", "", "}")), false),
    ] {
        let (_, found) = read_all(vec![package(
            "a",
            &[("a.go", &format!("package a\n{text}\n"))],
        )]);
        let start: String = text.chars().take(40).collect();
        let deep = found
            .iter()
            .any(|line| line.ends_with("this nests deeper than 200 levels"));
        assert_eq!(
            (deep, found.len()),
            (too_deep, usize::from(too_deep)),
            "{start}: {:.200}",
            found.join("\n")
        );
    }
}

#[test]
fn what_is_not_too_deep_is_read() {
    let text = format!("package a\ntype A {}int\n", "[]".repeat(190));
    assert_eq!(read_clean(&text).types.len(), 1);
}

#[test]
fn many_types_are_read() {
    let mut text = "package a\n".to_owned();
    for n in 0..20_000 {
        let _ = writeln!(
            text,
            "type T{n} struct {{\n\t// +optional\n\tA *T{} `json:\"a\"`\n}}",
            n + 1
        );
    }
    let package = read_clean(&text);
    assert_eq!(package.types.len(), 20_000);
}
