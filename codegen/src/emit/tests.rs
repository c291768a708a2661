//! Emitters on models built by hand: names of every length, every verb, every kind of type.

use std::{fs, process::Command};

use serde_json::json;

use super::emit;
use crate::{
    model::{
        ApiSet, CustomMethod, EnumDef, Field, Group, Origin, Resource, RustItem, Scope, StructDef,
        TypeDef, TypeKind, TypeRef, UnionDef, UnionVariant, Validation, Verb, VerbSet, Version,
        names,
    },
    options::{Generator, Options},
    write::Tree,
};

fn field(name: &str, ty: TypeRef, required: bool) -> Field {
    Field {
        json_name: name.to_owned(),
        rust_name: name.to_owned(),
        docs: String::new(),
        ty,
        option: !required,
        required,
        nullable: false,
        default: None,
        flatten: false,
        skip: false,
        validation: Validation::default(),
    }
}

fn root(kind: &str) -> TypeDef {
    let fields = vec![
        field("metadata", TypeRef::Any, true),
        field("spec", TypeRef::String, true),
        field("status", TypeRef::String, false),
    ];
    TypeDef {
        name: kind.to_owned(),
        docs: String::new(),
        path: kind.to_owned(),
        kind: TypeKind::Struct(StructDef {
            fields,
            ..StructDef::default()
        }),
        validation: Validation::default(),
        item: Some(RustItem {
            module: vec!["types".to_owned()],
            deepcopy: true,
            object: true,
            ..RustItem::default()
        }),
    }
}

fn resource(kind: &str, scope: Scope) -> Resource {
    let plural = names::plural(kind);
    let plain = |name: &str, verb| CustomMethod {
        name: name.to_owned(),
        verb,
        subresource: None,
        input: None,
        result: None,
    };
    let method = |name: &str, verb| CustomMethod {
        name: name.to_owned(),
        verb,
        subresource: Some("scale".to_owned()),
        input: Some(TypeRef::External(
            "k8s_openapi::api::autoscaling::v1::Scale".to_owned(),
        )),
        result: None,
    };
    Resource {
        kind: kind.to_owned(),
        list_kind: format!("{kind}List"),
        plural: plural.to_lowercase(),
        singular: kind.to_lowercase(),
        accessor: names::snake_case(&plural),
        client_name: plural,
        root: kind.to_owned(),
        scope,
        short_names: vec!["x".to_owned()],
        categories: Vec::new(),
        status_subresource: true,
        scale_subresource: None,
        printer_columns: Vec::new(),
        selectable_fields: Vec::new(),
        conversion: Default::default(),
        storage: true,
        served: true,
        annotations: Default::default(),
        labels: Default::default(),
        deprecation: None,
        verbs: VerbSet::all(true),
        methods: vec![
            method("get_scale", Verb::Get),
            method("post_scale", Verb::Create),
            method("update_scale", Verb::Update),
            method("patch_scale", Verb::Patch),
            method("apply_scale", Verb::Apply),
            plain("fetch", Verb::Get),
            plain("fetch_all", Verb::List),
            plain("post", Verb::Create),
            plain("put", Verb::Update),
            plain("alter", Verb::Patch),
            plain("declare", Verb::Apply),
        ],
        client: true,
    }
}

fn api(group: &str, kind: &str, scope: Scope) -> ApiSet {
    let module = names::module_name(group);
    let version = Version {
        name: "v1alpha1".to_owned(),
        module: "v1alpha1".to_owned(),
        path: format!("crate::apis::{module}::v1alpha1"),
        dir: format!("apis/{module}/v1alpha1"),
        docs: String::new(),
        origin: Origin::Rust,
        resources: vec![resource(kind, scope)],
        types: vec![root(kind)],
        rules: Vec::new(),
        webhooks: Vec::new(),
    };
    ApiSet {
        groups: vec![Group {
            name: group.to_owned(),
            type_prefix: names::go_name(group),
            module,
            versions: vec![version],
        }],
    }
}

fn generate(api: &ApiSet, options: &Options) -> Tree {
    emit(api, options).unwrap()
}

/// Checks every file as rustfmt finds it on disk, where there is a rustfmt.
fn check_rustfmt(trees: &[Tree]) {
    let dir = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for (index, tree) in trees.iter().enumerate() {
        for (path, text) in tree {
            let path = dir.path().join(index.to_string()).join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            // Modules are given by themselves, so that rustfmt need not find hand-written ones.
            fs::write(
                &path,
                text.replace("pub mod ", "pub use ")
                    .replace("mod fake;", "use fake;"),
            )
            .unwrap();
            files.push(path);
        }
    }
    let Ok(output) = Command::new("rustfmt")
        .args(["--edition", "2024", "--check"])
        .args(&files)
        .output()
    else {
        return;
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

#[test]
fn output_is_formatted_whatever_the_length_of_names() {
    for scope in [Scope::Namespaced, Scope::Cluster] {
        let trees: Vec<_> = (1..62)
            .map(|length| {
                let kind = format!("K{}", "x".repeat(length));
                generate(&api("a.io", &kind, scope), &Options::default())
            })
            .collect();
        check_rustfmt(&trees);
    }
}

#[test]
fn output_is_formatted_whatever_the_length_of_paths() {
    let trees: Vec<_> = (1..60)
        .map(|length| {
            let group = format!("{}.example.com", "g".repeat(length));
            let options = Options {
                runtime_path: format!("crate::r{}", "t".repeat(length % 20)),
                ..Options::default()
            };
            generate(&api(&group, "VirtualMachine", Scope::Namespaced), &options)
        })
        .collect();
    check_rustfmt(&trees);
}

/// A CRD with the schema.
fn widgets(root: &serde_json::Value) -> crate::Source {
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": root}}],
        },
    });
    crate::Source::new("crd.json", crd.to_string())
}

/// Checks the types of a CRD of each length.
fn check_types(lengths: std::ops::Range<usize>, crd: fn(usize) -> crate::Source) {
    let options = Options {
        emit: [Generator::Types, Generator::Deepcopy].into(),
        ..Options::default()
    };
    let trees: Vec<_> = lengths
        .map(|length| {
            let sources = crate::Sources {
                rust: Vec::new(),
                crds: vec![crd(length)],
            };
            crate::generate(&sources, &options).unwrap()
        })
        .collect();
    check_rustfmt(&trees);
}

/// A CRD with properties of one length in every place: below the root and deeper, with and without a default.
fn crd(length: usize) -> crate::Source {
    let name = |prefix: &str| format!("{prefix}{}", "x".repeat(length));
    let mut properties = serde_json::Map::new();
    let schemas = [
        ("enum", json!({"type": "string", "enum": ["A", "B"]})),
        ("int", json!({"type": "integer", "format": "int32"})),
        ("float", json!({"type": "number"})),
        ("time", json!({"type": "string", "format": "date-time"})),
        ("either", json!({"x-kubernetes-int-or-string": true})),
        ("null", json!({"type": "number", "nullable": true})),
        (
            "list",
            json!({"type": "array", "items": {"type": "array", "items": {"type": "number"}}}),
        ),
        (
            "map",
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
        ),
        (
            "object",
            json!({"type": "object", "properties": {(name("o")): {"type": "boolean"}}}),
        ),
        ("any", json!({"x-kubernetes-preserve-unknown-fields": true})),
    ];
    let defaults = [
        json!("A"),
        json!(1),
        json!(0.5),
        json!("2020-01-01T00:00:00Z"),
        json!("50%"),
        json!(1),
        json!([[1]]),
        json!({"a": "b"}),
        json!({}),
        json!({"c": 1}),
    ];
    let mut required = Vec::new();
    for ((key, schema), default) in schemas.into_iter().zip(defaults) {
        properties.insert(name(&format!("{key}Optional")), schema.clone());
        properties.insert(name(&format!("{key}-required")), schema.clone());
        required.extend([
            name(&format!("{key}-required")),
            name(&format!("{key}Default")),
        ]);
        let mut schema = schema;
        schema["default"] = default;
        properties.insert(name(&format!("{key}Default")), schema);
    }
    let alone = json!({
        "type": "object", "required": [name("alone")],
        "properties": {(name("alone")): {"type": "string", "enum": ["A"], "default": "A"}},
    });
    let object = json!({"type": "object", "required": required, "properties": properties});
    let mut root = object.clone();
    root["properties"][name("spec")] = object;
    root["properties"][name("alone")] = alone;
    widgets(&root)
}

#[test]
fn types_of_crds_are_formatted_whatever_the_length_of_properties() {
    check_types(0..32, crd);
}

/// An enum of each kind of variant, with names and fields of one length.
fn variants(length: usize) -> TypeDef {
    let name = |prefix: &str| format!("{prefix}{}", "x".repeat(length));
    let variant = |prefix: &str, named, fields: &[&str]| UnionVariant {
        name: name(prefix),
        json_name: String::new(),
        docs: String::new(),
        fields: fields
            .iter()
            .map(|name| Field {
                rust_name: (*name).to_owned(),
                ..field("f", TypeRef::String, true)
            })
            .collect(),
        named,
    };
    let fields = |prefix: &str| format!("{prefix}{}", "x".repeat(length.min(48)));
    let (long, longer) = (fields("a"), fields("aa"));
    TypeDef {
        name: "Variants".to_owned(),
        kind: TypeKind::Union(UnionDef {
            variants: vec![
                variant("Unit", false, &[]),
                variant("One", false, &["0"]),
                variant("Two", false, &["0", "1"]),
                variant("Many", false, &["0", "1", "2", "3", "4", "5"]),
                variant("Empty", true, &[]),
                variant("Short", true, &["b"]),
                variant("Long", true, &[&long]),
                variant("Fields", true, &[&long, &longer, "type"]),
            ],
            ..UnionDef::default()
        }),
        ..root("Variants")
    }
}

#[test]
fn clones_of_enums_are_formatted_whatever_the_length_of_names() {
    let trees: Vec<_> = (0..62)
        .map(|length| {
            let mut api = api("a.io", "K", Scope::Namespaced);
            let version = &mut api.groups[0].versions[0];
            version.types.push(variants(length));
            let open = EnumDef {
                open: Some(format!("O{}", "x".repeat(length))),
                ..EnumDef::default()
            };
            version.types.push(TypeDef {
                kind: TypeKind::Enum(open),
                ..variants(length)
            });
            let options = Options {
                emit: [Generator::Deepcopy].into(),
                ..Options::default()
            };
            generate(&api, &options)
        })
        .collect();
    check_rustfmt(&trees);
}

#[test]
fn what_is_generated_for_an_object_stands_under_its_conditions() {
    let mut api = api("a.io", "K", Scope::Namespaced);
    let item = api.groups[0].versions[0].types[0].item.as_mut().unwrap();
    item.cfg = vec!["unix".to_owned(), "feature = \"x\"".to_owned()];
    let options = Options {
        emit: [Generator::Deepcopy].into(),
        ..Options::default()
    };
    let tree = generate(&api, &options);
    let text = tree.values().next().unwrap();
    let conditional = text
        .matches("#[cfg(unix)]\n#[cfg(feature = \"x\")]\n")
        .count();
    assert_eq!(text.matches("super::types::K {").count(), 6);
    assert_eq!(
        conditional, 7,
        "the impls, and the shape on the wire:\n{text}"
    );
}

/// A CRD whose defaults are texts of one length: required, nullable, decoded, and in an enum, at the root and below.
fn crd_with_defaults(length: usize) -> crate::Source {
    let text = "x".repeat(length);
    let quoted = format!("{}\"\n", "x".repeat(length));
    let object = json!({
        "type": "object",
        "required": ["text", "null", "quoted", "map", "list", "numbers", "either", "enum"],
        "properties": {
            "text": {"type": "string", "default": text},
            "null": {"type": "string", "nullable": true, "default": text},
            "quoted": {"type": "string", "default": quoted},
            "map": {"type": "object", "additionalProperties": {"type": "string"}, "default": {"a": text}},
            "list": {"type": "array", "nullable": true, "items": {"type": "string"}, "default": [text]},
            "numbers": {"type": "array", "items": {"type": "number"}, "default": vec![1.5; length / 2]},
            "either": {"x-kubernetes-int-or-string": true, "nullable": true, "default": text},
            "enum": {"type": "string", "enum": [format!("A{text}"), "日本"], "default": format!("A{text}")},
            (format!("日{text}")): {"type": "object"},
        },
    });
    let mut root = object.clone();
    root["properties"]["spec"] = object;
    widgets(&root)
}

#[test]
fn types_of_crds_are_formatted_whatever_the_length_of_defaults() {
    check_types(0..110, crd_with_defaults);
}

#[test]
fn what_an_object_skips_is_not_on_the_wire() {
    let mut api = api("a.io", "K", Scope::Namespaced);
    let TypeKind::Struct(def) = &mut api.groups[0].versions[0].types[0].kind else {
        panic!("the root is a struct");
    };
    let skipped = Field {
        skip: true,
        ..field("cache", TypeRef::Any, true)
    };
    def.fields.insert(1, skipped);
    let options = Options {
        emit: [Generator::Deepcopy].into(),
        ..Options::default()
    };
    let tree = generate(&api, &options);
    let text = tree.values().next().unwrap();
    let lines = text.lines().filter(|line| line.contains("cache"));
    let lines: Vec<_> = lines.map(str::trim).collect();
    assert_eq!(
        lines,
        [
            "cache: ::core::default::Default::default(),",
            "cache: ::core::clone::Clone::clone(&self.cache),",
        ]
    );
    check_rustfmt(&[tree]);
}
