//! Hostile Go packages: no panic, no overflow, no hang, whatever the text.

use std::sync::LazyLock;

use proptest::prelude::*;

use crate::support::{go, names, testdata};

/// The seeds of the fuzzer, as a stock to mutate.
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

/// As many cases as `PROPTEST_CASES` says, or 256.
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
