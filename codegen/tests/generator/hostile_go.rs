//! Hostile Go packages: no input may panic, overflow the stack or hang.

use std::sync::LazyLock;

use proptest::prelude::*;

use crate::support::{go, names, testdata};

/// The seeds of the fuzzer, as a corpus to mutate.
static STOCK: LazyLock<Vec<String>> = LazyLock::new(|| {
    let seeds = testdata().join("../codegen/fuzz/seeds/go");
    names(&seeds)
        .iter()
        .map(|name| std::fs::read_to_string(seeds.join(name)).expect(name))
        .collect()
});

#[test]
fn every_seed_of_the_fuzzer_is_generated_from_without_a_panic() {
    assert!(STOCK.len() >= 9, "{} seeds", STOCK.len());
    for text in STOCK.iter() {
        go::run(text);
    }
}

#[test]
fn a_line_of_megabytes_is_read() {
    let text = format!(
        "package a\n// {}\ntype A int\n// +nonsense{}\ntype B int\n",
        "a".repeat(8_000_000),
        "b".repeat(8_000_000)
    );
    let found = go::run(&text);
    assert!(found.len() < 10_000, "{}", found.len());
}

/// Returns a Go file with an API object whose spec has these fields, and with these types.
fn api(fields: &str, types: &str) -> String {
    format!(
        "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
         // +kubebuilder:object:root=true\ntype Foo struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\
         \tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tSpec FooSpec `json:\"spec\"`\n}}\n\
         type FooSpec struct {{ {fields} }}\n{types}"
    )
}

/// Returns `count` levels of types, each written by `one` from its own number and that of the next,
/// and a last one with a single field.
fn levels(count: usize, one: impl Fn(usize, usize) -> String) -> String {
    let types: String = (0..count).map(|level| one(level, level + 1)).collect();
    format!("{types}type T{count} struct {{ X int32 `json:\"x\"` }}\n")
}

#[test]
fn structs_that_are_embedded_twice_on_each_level_are_read_once() {
    let types = levels(40, |level, next| {
        format!(
            "type T{level} struct {{ T{next} `json:\",inline\"`; U{level} `json:\",inline\"` }}\n\
             type U{level} struct {{ T{next} `json:\",inline\"` }}\n"
        )
    });
    assert_eq!(go::run(&api("T0 `json:\",inline\"`", &types)), "");
}

#[test]
fn structs_that_hold_another_twice_on_each_level_have_types() {
    let types = levels(60, |level, next| {
        format!("type T{level} struct {{ A T{next} `json:\"a\"`; B T{next} `json:\"b\"` }}\n")
    });
    let text = api("A T0 `json:\"a\"`", &types);
    assert!(
        go::run(&text).contains("is too large"),
        "a schema that doubles"
    );
    let types = kube_codegen::generate(&go::sources(&text), &kube_codegen::Options::default());
    assert!(types.is_ok());
}

#[test]
fn types_that_nest_too_deep_are_not_said_to_contain_themselves() {
    let types = levels(120, |level, next| {
        format!("type T{level} struct {{ A *T{next} `json:\"a\"` }}\n")
    });
    let found = go::run(&api("A T0 `json:\"a\"`", &types));
    assert!(
        found.contains("nests without end, or deeper than 100 types"),
        "{found}"
    );
}

/// Returns the number of cases: `PROPTEST_CASES`, or 256.
fn cases() -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok();
    let cases = asked.and_then(|text| text.parse().ok());
    ProptestConfig::with_cases(cases.unwrap_or(256))
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn no_mutation_makes_the_generator_panic(
        pick in any::<prop::sample::Index>(),
        from in any::<prop::sample::Index>(),
        length in 0usize..40,
        insert in prop::sample::select(vec![
            "", "// +", "/*", "*/", "\"", "'", "`", "\\", "[", "{", "}", "(", "\u{feff}", "\u{202e}", "\0", "//", "//go:build ", "é",
            "+kubebuilder:default=", "=`", "\r\n", "type A ", "struct {", "=", ";", "func ", "const (", "package ",
        ]),
    ) {
        let mut text = STOCK[pick.index(STOCK.len())].clone();
        let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let start = from.index(boundaries.len());
        let end = (start + length).min(boundaries.len() - 1);
        text.replace_range(boundaries[start]..boundaries[end], insert);
        go::run(&text);
    }

    #[test]
    fn no_soup_of_tokens_makes_the_generator_panic(
        tokens in prop::collection::vec(
            prop::sample::select(vec![
                "type", "struct", "interface", "map", "chan", "func", "const", "var", "import", "A", "B", "x", "{", "}", "(", ")", "[", "]",
                ",", ";", "\n", ".", "*", "=", "+", "-", "<-", "...", "\"s\"", "`json:\"a\"`", "1", "'r'", "// +optional\n", "// doc\n",
                "/* b */", "\n\n", "iota", "string", "~", "|", ":=",
            ]),
            0..60,
        ),
    ) {
        go::run(&format!("package a\n{}", tokens.join(" ")));
    }
}
