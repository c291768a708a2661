//! Hostile CRDs: no input may panic, hang, use unbounded memory, or escape from its string literal,
//! comment or folder.

use crate::support::{names, testdata};
use kube_codegen::diag::Style;
use kube_codegen::{Generator, Options, Source, Sources, Tree};
use proptest::prelude::*;

fn generate(text: &str) -> Result<Tree, String> {
    let sources = Sources {
        crds: vec![Source::new("crd.yaml", text)],
        ..Sources::default()
    };
    let options = Options {
        emit: [Generator::Types, Generator::Deepcopy].into(),
        ..Options::default()
    };
    kube_codegen::generate(&sources, &options)
        .map(|generated| generated.files)
        .map_err(|errors| errors.render(Style::Plain))
}

/// Asserts that every file parses as Rust and is below `apis`.
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
    let seed = include_str!("../../fuzz/seeds/crd/hostile-text.yaml");
    check(&generate(seed).expect("hostile, but legal"));
}

#[test]
fn a_quoted_text_may_go_on_to_the_left_of_its_key() {
    let seed = include_str!("../../fuzz/seeds/crd/quoted-indentation.yaml");
    let tree = generate(seed).expect("as Go reads it");
    let text = &tree[std::path::Path::new("apis/g/v1/k.rs")];
    assert!(text.contains("/// one two's three"), "{text}");
}

#[test]
fn types_named_like_rusts_own_do_not_shadow_them() {
    let seed = include_str!("../../fuzz/seeds/crd/types-of-rust.yaml");
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
        crds: vec![Source::new("crd.yaml", text)],
        ..Sources::default()
    };
    let generated = kube_codegen::generate(&sources, &Options::default()).expect("a legal kind");
    let tree = generated.files;
    let any = |name: &str| tree.values().any(|text| text.contains(name));
    assert!(any("pub type FooBarLister =") && any("pub type FooBarInformer ="));
    assert!(any("    FooBar = \"foo-bar\", "));
    assert!(any("pub type FooBarList "));
}

#[test]
fn a_very_deep_schema_is_read() {
    let depth = 300;
    let open = "{type: object, properties: {a: ".repeat(depth);
    let schema = format!("{open}{{type: string}}{}", "}}".repeat(depth));
    let tree = generate(&crd(&schema)).expect("deep, but sensible");
    // rustc's recursion limit is 128; deeper levels become JSON values.
    let text = &tree[std::path::Path::new("apis/example/v1/widget.rs")];
    assert_eq!(text.matches("pub struct ").count(), 51);
    assert!(text.contains("pub a: Option<Value>"), "{text}");
}

/// rustc follows more types into what may be null, and into lists and maps.
#[test]
fn fewer_levels_of_nulls_lists_and_maps_have_types() {
    for (open, close, structs) in [
        ("{type: object, nullable: true, properties: {a: ", "}}", 34),
        (
            "{type: array, items: {type: object, properties: {a: ",
            "}}}",
            21,
        ),
        (
            "{type: object, additionalProperties: {type: object, properties: {a: ",
            "}}}",
            9,
        ),
    ] {
        let (open, close) = (open.repeat(60), close.repeat(60));
        let schema = format!("{{type: object, properties: {{a: {open}{{type: string}}{close}}}}}");
        let tree = generate(&crd(&schema)).expect("deep, but sensible");
        let text = &tree[std::path::Path::new("apis/example/v1/widget.rs")];
        assert_eq!(text.matches("pub struct ").count(), structs, "{open}");
    }
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

/// Returns the generated file of the kind `Widget`.
fn types_of(schema: &str) -> String {
    let tree = generate(&crd(schema)).expect("a legal schema");
    check(&tree);
    tree[std::path::Path::new("apis/example/v1/widget.rs")].clone()
}

#[test]
fn a_kind_may_be_named_like_a_generated_file() {
    for kind in ["ZzGenerated", "ZzGeneratedDeepcopy", "ZzGeneratedRegister"] {
        let text = crd("{type: object}").replace("kind: Widget", &format!("kind: {kind}"));
        let tree = generate(&text).expect("a legal kind");
        check(&tree);
        let name = kind
            .replace("ZzGenerated", "kind_zz_generated_")
            .to_lowercase();
        let path = format!("apis/example/v1/{}.rs", name.trim_end_matches('_'));
        assert!(
            tree.contains_key(std::path::Path::new(&path)),
            "{path}: {:?}",
            tree.keys()
        );
    }
}

#[test]
fn an_embedded_resource_with_properties_has_a_type_of_its_own() {
    let text = types_of(
        "{type: object, properties: {spec: {type: object, properties: {\
           plain: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true, \
             properties: {apiVersion: {type: string}, kind: {type: string}, metadata: {type: object}}}, \
           template: {type: object, x-kubernetes-embedded-resource: true, required: [spec], \
             properties: {kind: {type: string, description: Its kind.}, spec: {type: object, properties: {size: {type: integer}}}}}}}}}",
    );
    assert!(text.contains("pub plain: Option<RawExtension>"), "{text}");
    for field in [
        "pub api_version: String,",
        "    /// Its kind.\n    pub kind: String,",
        "pub metadata: Option<ObjectMeta>,",
        "pub spec: WidgetTemplateSpec,",
    ] {
        assert!(text.contains(field), "{field}\n{text}");
    }
}

#[test]
fn a_schema_without_a_type_takes_every_type_that_it_admits() {
    let text = types_of(
        "{type: object, properties: {\
           either: {oneOf: [{type: string}, {type: array}], items: {type: string}}, \
           kept: {x-kubernetes-preserve-unknown-fields: true, items: {type: string}}, \
           list: {items: {type: string}, anyOf: [{type: array}]}, \
           object: {properties: {a: {type: string}}}}}",
    );
    for field in [
        "pub either: Option<Value>",
        "pub kept: Option<Value>",
        "pub list: Option<Vec<String>>",
        "pub object: Option<WidgetObject>",
    ] {
        assert!(text.contains(field), "{field}\n{text}");
    }
}

#[test]
fn a_rename_takes_no_name_of_a_kind() {
    let load = |path: &str, name: &str| {
        let text = crd(
            "{type: object, properties: {spec: {type: object, properties: {a: {type: string}}}}}",
        );
        let sources = Sources {
            crds: vec![Source::new("crd.yaml", text)],
            ..Sources::default()
        };
        let options = Options {
            renames: [(path.to_owned(), name.to_owned())].into(),
            ..Options::default()
        };
        kube_codegen::generate(&sources, &options)
            .map(|_| ())
            .map_err(|errors| errors.to_string())
    };
    assert_eq!(
        load("Widget.spec", "Widget").unwrap_err(),
        "error: rename of Widget.spec: Widget is the name of the kind Widget"
    );
    assert_eq!(
        load("Widget.spec", "WidgetList").unwrap_err(),
        "error: rename of Widget.spec: WidgetList is the name of the list of Widget"
    );
    load("Widget", "Gadget").unwrap();
    load("Widget.spec", "Specification").unwrap();
}

/// Returns all that is generated for the kind `Widget`.
fn all_of(text: &str, options: &Options) -> Tree {
    let sources = Sources {
        crds: vec![Source::new("crd.yaml", text)],
        ..Sources::default()
    };
    let generated = kube_codegen::generate(&sources, options).map_err(|errors| errors.to_string());
    generated.expect("a legal CRD").files
}

#[test]
fn a_version_may_be_named_like_a_module_file_or_its_group() {
    let of = |version: &str| {
        let text = crd("{type: object}").replace("name: v1", &format!("name: {version}"));
        all_of(&text, &Options::default())
    };
    let tree = of("mod");
    assert!(tree.contains_key(std::path::Path::new("apis/example/mod_/mod.rs")));
    assert!(!tree.contains_key(std::path::Path::new("apis/example/mod/mod.rs")));
    let tree = of("example");
    for (path, allowed) in [
        ("apis/mod.rs", "#![allow(clippy::module_inception, "),
        (
            "generated/listers/example/mod.rs",
            "#[allow(clippy::module_inception)]\npub mod example;",
        ),
        (
            "generated/informers/example/mod.rs",
            "#[allow(clippy::module_inception)]\npub mod example;",
        ),
    ] {
        let text = &tree[std::path::Path::new(path)];
        assert!(text.contains(allowed), "{text}");
    }
    let tree = of("widget");
    let text = &tree[std::path::Path::new("apis/mod.rs")];
    assert!(text.contains("module_inception"), "{text}");
}

#[test]
fn no_builder_is_derived_beside_a_type_that_shadows_what_it_uses() {
    let mut options = Options::default();
    options.types.builders = true;
    for (kind, builds) in [("Into", false), ("FromIterator", false), ("Widget", true)] {
        let text = crd("{type: object}").replace("kind: Widget", &format!("kind: {kind}"));
        let tree = all_of(&text, &options);
        let derived = tree.values().any(|text| text.contains("bon::Builder"));
        assert_eq!(derived, builds, "{kind}");
    }
}

#[test]
fn names_outside_of_ascii_are_in_rusts_case() {
    let text = types_of(
        "{type: object, properties: {spec: {type: object, maxProperties: 1, properties: {Ünit: {type: string}, other: {type: string}, \
           日本: {type: object, properties: {Ärea: {type: object, properties: {a: {type: string}}}}}}}}}",
    );
    for part in [
        "Nit(String) = nit",
        "pub struct WidgetField {",
        "pub struct WidgetRea {",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn the_default_of_a_property_that_starts_with_a_digit_has_a_function_in_snake_case() {
    let text = types_of(
        "{type: object, required: [2fa], properties: {2fa: {type: boolean, default: true}}}",
    );
    assert!(text.contains("fn default_2fa() -> bool {"), "{text}");
}

#[test]
fn a_default_of_another_type_is_ignored() {
    let text =
        types_of("{type: object, required: [a], properties: {a: {type: string, default: true}}}");
    assert!(text.contains("    pub a: String,"), "{text}");
    assert!(!text.contains("Defaults to"), "{text}");
    assert!(!text.contains("default_a"), "{text}");
}

/// Clippy would take it for one that can be derived, since it overlooks the blank object.
#[test]
fn a_default_by_hand_without_defaults_of_its_own_lists_all_fields() {
    let text = types_of(
        "{type: object, properties: {spec: {type: object, required: [at, held], properties: {\
           at: {type: string, format: date-time}, \
           held: {type: object, required: [mode], properties: {mode: {type: string, default: a}}}}}}}",
    );
    let (_, default) = text
        .split_once("impl Default for WidgetSpec {")
        .expect("by hand");
    let (default, _) = default.split_once("\n}\n").expect("its end");
    assert!(default.contains("held: Default::default(),"), "{default}");
    assert!(default.contains("at: Time("), "{default}");
    assert!(!default.contains("..Self::blank()"), "{default}");
}

#[test]
fn bytes_and_numbers_have_the_schemas_of_what_is_written() {
    let options = Options {
        emit: [Generator::Types].into(),
        schemars: true,
        ..Options::default()
    };
    let schema = "{type: object, properties: {\
        data: {type: object, additionalProperties: {type: string, format: byte}}, ratios: {type: array, items: {type: number}}}}";
    let tree = all_of(&crd(schema), &options);
    let text = &tree[std::path::Path::new("apis/example/v1/widget.rs")];
    for with in ["Option<BTreeMap<String, String>>", "Option<Vec<f64>>"] {
        let attribute = format!("#[schemars(with = \"{with}\")]");
        assert!(text.contains(&attribute), "{attribute}\n{text}");
    }
}

#[test]
fn the_copy_of_the_codec_allows_lints_once() {
    let mut options = Options {
        emit: [Generator::Types].into(),
        ..Options::default()
    };
    options.types.visibility = kube_codegen::options::Visibility::Crate;
    let tree = all_of(&crd("{type: object}"), &options);
    let codec = &tree[std::path::Path::new("apis/codec.rs")];
    assert_eq!(codec.matches("#![allow(").count(), 1, "{codec}");
    let kind = &tree[std::path::Path::new("apis/example/v1/widget.rs")];
    assert!(kind.contains("#![allow(dead_code, unused_imports)]"));
}
