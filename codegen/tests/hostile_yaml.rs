//! Hostile CRDs: no panic, no hang, no unbounded memory, and nothing that leaves its string, comment or folder.

mod support;

use codegen::{Generator, Options, Source, Sources, Tree};
use proptest::prelude::*;
use support::{names, testdata};

fn generate(text: &str) -> Result<Tree, String> {
    let sources = Sources {
        rust: Vec::new(),
        crds: vec![Source::new("crd.yaml", text)],
    };
    let options = Options {
        emit: [Generator::Types, Generator::Deepcopy].into(),
        ..Options::default()
    };
    codegen::generate(&sources, &options)
        .map(|generated| generated.files)
        .map_err(|errors| errors.render(false))
}

/// Every file is Rust, and stands below `apis`.
fn check(tree: &Tree) {
    for (path, text) in tree {
        assert!(path.starts_with("apis"), "{}", path.display());
        assert!(
            path.components()
                .all(|part| matches!(part, std::path::Component::Normal(_))),
            "{}",
            path.display()
        );
        assert!(syn::parse_file(text).is_ok(), "{}:\n{text}", path.display());
        assert!(
            !text.contains(['\0', '\u{202e}', '\r']),
            "{}",
            path.display()
        );
    }
}

fn crd(schema: &str) -> String {
    format!(
        "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {{group: example.com, scope: Cluster, \
         names: {{kind: Widget, plural: widgets}}, versions: [{{name: v1, served: true, storage: true, schema: \
         {{openAPIV3Schema: {schema}}}}}]}}}}"
    )
}

#[test]
fn every_seed_of_the_fuzzer_is_read_without_a_panic() {
    let seeds = testdata().join("../codegen/fuzz/seeds/crd");
    let files = names(&seeds);
    assert!(files.len() >= 8, "{} seeds", files.len());
    for name in files {
        let text = std::fs::read_to_string(seeds.join(&name)).expect(&name);
        if let Ok(tree) = generate(&text) {
            check(&tree);
        }
    }
}

#[test]
fn hostile_text_stays_in_its_place() {
    let seed = include_str!("../fuzz/seeds/crd/hostile-text.yaml");
    check(&generate(seed).expect("hostile, but legal"));
}

#[test]
fn a_quoted_text_may_go_on_to_the_left_of_its_key() {
    let seed = include_str!("../fuzz/seeds/crd/quoted-indentation.yaml");
    let tree = generate(seed).expect("as Go reads it");
    let text = &tree[std::path::Path::new("apis/g/v1/k.rs")];
    assert!(text.contains("/// one two's three"), "{text}");
}

#[test]
fn types_named_like_rusts_own_do_not_shadow_them() {
    let seed = include_str!("../fuzz/seeds/crd/types-of-rust.yaml");
    let tree = generate(seed).expect("legal kinds");
    check(&tree);
    let text = &tree[std::path::Path::new("apis/example/v1/string.rs")];
    assert!(
        text.contains("::std::option::Option<Vec<::std::string::String>>"),
        "{text}"
    );
}

#[test]
fn a_kind_need_not_be_in_camel_case() {
    let text = crd("{type: object}").replace("kind: Widget", "kind: foo-bar");
    let sources = Sources {
        rust: Vec::new(),
        crds: vec![Source::new("crd.yaml", text)],
    };
    let generated = codegen::generate(&sources, &Options::default()).expect("a legal kind");
    let tree = generated.files;
    let any = |name: &str| tree.values().any(|text| text.contains(name));
    assert!(any("pub struct FooBarLister") && any("pub struct FooBarInformer"));
    assert!(any("const KIND: &'static str = \"foo-bar\""));
    assert!(any("pub type FooBarList "));
}

#[test]
fn a_very_deep_schema_is_read() {
    let depth = 300;
    let open = "{type: object, properties: {a: ".repeat(depth);
    let schema = format!("{open}{{type: string}}{}", "}}".repeat(depth));
    let tree = generate(&crd(&schema)).expect("deep, but sensible");
    // rustc follows 128 types into each other; what is deeper is JSON.
    let text = tree
        .values()
        .find(|text| text.contains("pub struct "))
        .expect("types");
    assert_eq!(text.matches("pub struct ").count(), 51);
    assert!(text.contains("pub a: Option<Value>"), "{text}");
}

#[test]
fn nesting_without_end_is_refused() {
    for (open, close) in [("[", "]"), ("{a: ", "}")] {
        let text = format!("{}{}", open.repeat(10_000), close.repeat(10_000));
        let errors = generate(&text).expect_err("too deep");
        assert!(errors.contains("nested deeper"), "{errors}");
    }
}

#[test]
fn a_line_of_fifty_megabytes_is_read() {
    let (note, description) = ("a".repeat(50_000_000), "b".repeat(1_000_000));
    let text = crd(&format!(
        "{{type: object, x-note: {note}, description: {description}}}"
    ));
    assert!(generate(&text).is_ok());
}

#[test]
fn an_object_of_a_thousand_fields_is_read() {
    let fields: String = (0..1_000)
        .map(|index| format!("field{index}: {{type: string}}, "))
        .collect();
    let tree = generate(&crd(&format!(
        "{{type: object, properties: {{spec: {{type: object, properties: {{{fields}}}}}}}}}"
    )));
    assert!(
        tree.expect("large")
            .values()
            .any(|text| text.contains("pub field999: Option<String>"))
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_mutation_makes_the_reader_panic(
        pick in any::<prop::sample::Index>(),
        from in any::<prop::sample::Index>(),
        length in 0usize..40,
        insert in prop::sample::select(vec!["", "{", "}", "[", "]", "'", "\"", "&a ", "*a", "\0", "\u{202e}", "- ", ": ", "|\n", "\t", "1e400", "0x", "~"]),
    ) {
        let seeds = testdata().join("../codegen/fuzz/seeds/crd");
        let files: Vec<String> = names(&seeds).into_iter().filter(|name| name != "alias-bomb.yaml").collect();
        let mut text = std::fs::read_to_string(seeds.join(&files[pick.index(files.len())])).expect("a seed");
        let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let start = from.index(boundaries.len());
        let end = (start + length).min(boundaries.len() - 1).max(start);
        text.replace_range(boundaries[start]..boundaries[end], insert);
        if let Ok(tree) = generate(&text) {
            check(&tree);
        }
    }
}
