//! Hostile input to the reader of annotated Rust: no input may panic, overflow the stack or hang.

use std::sync::LazyLock;

use crate::support::{folders, names, rust_files, testdata};
use kube_codegen::diag::Style;
use kube_codegen::{RustPackage, Source, Sources};
use proptest::prelude::*;

fn package(files: Vec<Source>) -> Sources {
    Sources {
        rust: vec![RustPackage {
            group: "cloud".to_owned(),
            version: "v1alpha1".to_owned(),
            module_path: "crate::apis::cloud::v1alpha1".to_owned(),
            dir: "apis/cloud/v1alpha1".into(),
            files,
        }],
        ..Sources::default()
    }
}

/// Loads `text` as `mod.rs` and renders its errors.
fn load(text: &str) -> Result<(), String> {
    let sources = package(vec![Source::new("mod.rs", text)]);
    crate::support::load(&sources)
        .map(drop)
        .map_err(|errors| errors.render(Style::Colored))
}

/// Returns sources in which some construct nests `many` levels deep.
fn nested(many: usize) -> Vec<String> {
    let wrap = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(many), close.repeat(many))
    };
    vec![
        format!("pub type A = {};", wrap("(", "u8", ")")),
        format!("pub type A = {};", wrap("Vec<", "u8", ">")),
        format!("pub type A = {};", wrap("M<u8, ", "u8", ">")),
        format!("pub type A = {};", wrap("&", "u8", "")),
        format!("pub type A = {};", wrap("fn() -> ", "u8", "")),
        format!("pub type A = {};", wrap("<A as B>::", "u8", "")),
        format!("pub type A = {};", wrap("[", "u8", "; 1]")),
        format!("const A: u8 = {};", wrap("!", "1", "")),
        format!("const A: u8 = {};", wrap("1 + ", "1", "")),
        format!("const A: u8 = {};", wrap("S {} + ", "1", "")),
        format!("const A: u8 = a{};", wrap(".b", "", "")),
        format!("const A: u8 = {};", wrap("|a, b| ", "1", "")),
        format!("const A: u8 = {};", wrap("return ", "1", "")),
        format!("const A: u8 = {};", wrap("if a { 1 } else ", "{}", "")),
        format!(
            "const A: u8 = {};",
            wrap("if a { 1 } /* */ else ", "{}", "")
        ),
        format!("const A: u8 = {};", wrap("{ ", "1", "}")),
        format!("const A: u8 = a{};", wrap(" as u8", "", "")),
        wrap("mod a { ", "", "}"),
        format!("use {};", wrap("a::", "a", "")),
        format!("use {};", wrap("a::{", "a", "}")),
        format!("{} struct A;", wrap("#[cfg_attr(a, ", "b", ")]")),
        format!("// +kubebuilder:default={}\nstruct A;", wrap("{", "1", "}")),
        format!(
            "struct A {{ // +kubebuilder:default={}\n a: u8 }}",
            wrap("{a:", "1", "}")
        ),
    ]
}

#[test]
fn nesting_is_bounded_whatever_nests() {
    for text in nested(50_000) {
        let start: String = text.chars().take(40).collect();
        let errors = load(&text).expect_err(&start);
        assert!(errors.len() < 10_000, "{start}: {}", errors.len());
    }
    let comments = format!("{}{}", "/* ".repeat(100_000), "*/".repeat(100_000));
    assert_eq!(load(&comments), Ok(()));
}

#[test]
fn what_is_not_too_deep_fits_the_stack() {
    for many in [20, 60, 1_200, 4_000] {
        for text in nested(many) {
            let _ = load(&text);
        }
    }
}

#[test]
fn large_sources_that_do_not_nest_are_read() {
    let fields: String = (0..5_000)
        .map(|n| {
            format!("    // +nullable\n    pub field{n}: Option<BTreeMap<String, Vec<u8>>>,\n")
        })
        .collect();
    let text = format!(
        "//! Docs.\n// +groupName=cloud.example.com\nuse std::collections::BTreeMap;\npub struct Large {{\n{fields}}}\n{}",
        "pub struct Small { pub a: u8 }\n"
            .replace("Small", "Other")
            .as_str()
    );
    assert_eq!(load(&text), Ok(()));
}

#[test]
fn a_line_of_megabytes_is_read() {
    let text = format!(
        "/// {}\npub struct A;\n// +nonsense{}\npub struct B;\n",
        "a".repeat(8_000_000),
        "b".repeat(8_000_000)
    );
    let errors = load(&text).expect_err("an unknown marker");
    assert!(errors.len() < 10_000, "{}", errors.len());
}

#[test]
fn every_seed_of_the_fuzzer_is_read_without_a_panic() {
    let seeds = testdata().join("../codegen/fuzz/seeds/rust");
    let files = names(&seeds);
    assert!(files.len() >= 10, "{} seeds", files.len());
    for name in files {
        let text = std::fs::read_to_string(seeds.join(&name)).expect(&name);
        let _ = load(&text);
    }
}

/// The inputs of the golden and the fail tests, as a corpus to mutate.
static STOCK: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut texts = Vec::new();
    for root in ["apis", "fail"] {
        let root = testdata().join(root);
        for case in folders(&root) {
            let files = rust_files(&root.join(case), "");
            texts.extend(files.into_iter().map(|file| file.text.to_string()));
        }
    }
    texts
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_mutation_makes_the_reader_panic(
        pick in any::<prop::sample::Index>(),
        from in any::<prop::sample::Index>(),
        length in 0usize..40,
        insert in prop::sample::select(vec![
            "", "// +", "/*", "*/", "\"", "'", "r#\"", "<", "{", "}", "\u{feff}", "\u{202e}", "\0", "///", "//!", "#[serde(",
            "#[kube(", "#[doc = \"+optional\"]", "+genclient:method=", "=`", "\r\n", "é", "pub struct ", "#![", "where",
        ]),
    ) {
        let mut text = STOCK[pick.index(STOCK.len())].clone();
        let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let start = from.index(boundaries.len());
        let end = (start + length).min(boundaries.len() - 1);
        text.replace_range(boundaries[start]..boundaries[end], insert);
        let _ = load(&text);
    }

    #[test]
    fn no_soup_of_tokens_makes_the_reader_panic(
        tokens in prop::collection::vec(
            prop::sample::select(vec![
                "struct", "enum", "type", "pub", "A", "B", "{", "}", "(", ")", "<", ">", ",", ";", ":", "=", "#[", "]", "serde", "derive",
                "// +optional\n", "/// doc\n", "//! in\n", "\n\n", "/* b */", "mod", "use", "a::*", "self", "super", "crate", "::", "'a", "'x'",
                "r#type", "\"s\"", "Option", "Vec", "impl", "for", "where", "kube", "CustomResource", "u8", "// +genclient\n",
            ]),
            0..60,
        ),
    ) {
        let _ = load(&tokens.join(" "));
    }
}
