//! Hostile input to the reader of Go packages: no panic, no overflow, no hang, whatever the text.

use std::sync::LazyLock;

use codegen::{
    Diagnostics, Source,
    read::{
        go::{GoFile, GoPackage, GoSources, read},
        markers::IgnoredMarkers,
    },
};
use proptest::prelude::*;

use crate::support::{names, testdata};

/// Reads a text as the only file of a package, and renders what is found.
fn load(text: &str) -> String {
    let sources = GoSources {
        packages: vec![GoPackage {
            path: "example.com/api/v1".to_owned(),
            module: "example.com".to_owned(),
            version: None,
            main: true,
            dir: "api/v1".to_owned(),
            requested: true,
            files: vec![GoFile::new(Source::new("api/v1/types.go", text))],
        }],
        ..GoSources::default()
    };
    let mut found = Diagnostics::new();
    read(&sources, IgnoredMarkers(&[]), &mut found);
    found.sort();
    found.render(true)
}

/// The seeds of the fuzzer, as a stock to mutate.
static STOCK: LazyLock<Vec<String>> = LazyLock::new(|| {
    let seeds = testdata().join("../codegen/fuzz/seeds/go");
    names(&seeds)
        .iter()
        .map(|name| std::fs::read_to_string(seeds.join(name)).expect(name))
        .collect()
});

#[test]
fn every_seed_of_the_fuzzer_is_read_without_a_panic() {
    assert!(STOCK.len() >= 8, "{} seeds", STOCK.len());
    for text in STOCK.iter() {
        load(text);
    }
}

#[test]
fn a_line_of_megabytes_is_read() {
    let text = format!(
        "package a\n// {}\ntype A int\n// +nonsense{}\ntype B int\n",
        "a".repeat(8_000_000),
        "b".repeat(8_000_000)
    );
    let found = load(&text);
    assert!(found.len() < 10_000, "{}", found.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_mutation_makes_the_reader_panic(
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
        load(&text);
    }

    #[test]
    fn no_soup_of_tokens_makes_the_reader_panic(
        tokens in prop::collection::vec(
            prop::sample::select(vec![
                "type", "struct", "interface", "map", "chan", "func", "const", "var", "import", "A", "B", "x", "{", "}", "(", ")", "[", "]",
                ",", ";", "\n", ".", "*", "=", "+", "-", "<-", "...", "\"s\"", "`json:\"a\"`", "1", "'r'", "// +optional\n", "// doc\n",
                "/* b */", "\n\n", "iota", "string", "~", "|", ":=",
            ]),
            0..60,
        ),
    ) {
        load(&format!("package a\n{}", tokens.join(" ")));
    }
}
