//! Emitter tests on a hand-built model.

use super::emit;
use crate::{
    Generator,
    model::{
        ApiSet, CustomMethod, DeclaredAt, Field, Group, KnownType, Origin, Resource, RustItem,
        Scope, StructDef, TypeDef, TypeKind, TypeRef, Validation, Verb, VerbSet, Version, names,
    },
    options::Options,
    output::Tree,
};

fn root(kind: &str) -> TypeDef {
    let fields = vec![
        Field::required("metadata", TypeRef::Any),
        Field::required("spec", TypeRef::String),
        Field::optional("status", TypeRef::String),
    ];
    TypeDef {
        name: kind.to_owned(),
        docs: String::new(),
        path: kind.to_owned(),
        shared: false,
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
        marshals: None,
        whole: false,
        converted_by_hand: false,
        declared: DeclaredAt::default(),
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
        input: Some(TypeRef::Known(KnownType::Scale)),
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
        foreign: false,
        rest: None,
        deprecation: None,
        verbs: VerbSet::all(),
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
        reexported: false,
        resources: vec![resource(kind, scope)],
        types: vec![root(kind)],
    };
    ApiSet {
        groups: vec![Group {
            name: group.to_owned(),
            type_prefix: names::go_name(group),
            module,
            versions: vec![version],
        }],
        ..ApiSet::default()
    }
}

fn generate(api: &ApiSet, options: &Options) -> Tree {
    emit(api, options).unwrap()
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

#[test]
fn what_an_object_skips_is_not_on_the_wire() {
    let mut api = api("a.io", "K", Scope::Namespaced);
    let TypeKind::Struct(def) = &mut api.groups[0].versions[0].types[0].kind else {
        panic!("the root is a struct");
    };
    let skipped = Field {
        skip: true,
        ..Field::required("cache", TypeRef::Any)
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
}

#[test]
fn a_client_has_the_verbs_that_the_markers_leave_and_no_others() {
    let mut api = api("a.io", "K", Scope::Namespaced);
    let resource = &mut api.groups[0].versions[0].resources[0];
    resource.verbs = VerbSet([Verb::Apply].into());
    resource.methods.clear();
    let options = Options {
        emit: [Generator::Client].into(),
        ..Options::default()
    };
    let tree = generate(&api, &options);
    let path = "generated/clientset/typed/a/v1alpha1/mod.rs";
    let text = &tree[std::path::Path::new(path)];
    let verbs = text.matches("client::TypedClient<api::K, KVerbs>").count();
    assert_eq!(verbs, 1, "{text}");
    let capabilities: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("impl client::verbs::"))
        .collect();
    assert_eq!(capabilities, ["impl client::verbs::Apply for KVerbs {}"]);
}

#[test]
fn types_without_the_runtime_have_the_codec_that_lists_their_fields() {
    let crd = r#"{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {
        "group": "example.com", "names": {"kind": "Widget", "plural": "widgets"}, "scope": "Namespaced",
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
            "type": "object", "properties": {"spec": {"type": "object", "properties": {"text": {"type": "string"}}}}}}}]}}"#;
    let sources = crate::Sources {
        crds: vec![crate::Source::new("crd.json", crd)],
        ..Default::default()
    };
    let options = Options {
        emit: [Generator::Types, Generator::Deepcopy].into(),
        ..Options::default()
    };
    let generated = crate::generate(&sources, &options).unwrap_or_else(|errors| panic!("{errors}"));
    let has = |path: &str, text: &str| {
        let file = generated.files.get(std::path::Path::new(path));
        assert!(file.is_some_and(|file| file.contains(text)), "{path}");
    };
    has("apis/example/v1/widget.rs", "codec::object! { WidgetSpec; ");
    has("apis/mod.rs", "mod codec;");
    has("apis/codec.rs", "macro_rules! __codec_object");
}

#[test]
fn kinds_that_differ_in_case_alone_have_listers_and_informers_of_their_own() {
    let mut api = api("a.io", "Foo", Scope::Namespaced);
    let version = &mut api.groups[0].versions[0];
    let mut lower = resource("Small", Scope::Namespaced);
    lower.kind = "foo".to_owned();
    lower.verbs = VerbSet([Verb::Get, Verb::List, Verb::Watch].into());
    version.resources[0].verbs = lower.verbs.clone();
    version.resources.push(lower);
    version.types.push(root("Small"));
    let mut names = std::collections::BTreeSet::new();
    for (path, text) in generate(&api, &Options::default()) {
        for line in text.lines() {
            let named = ["pub struct ", "pub type ", "pub enum "];
            if let Some(name) = named.iter().find_map(|it| line.strip_prefix(it)) {
                let end = name.find(|c: char| !c.is_ascii_alphanumeric());
                let name = name[..end.unwrap_or(name.len())].to_owned();
                assert!(names.insert((path.clone(), name)), "{path:?}: {line}");
            }
        }
    }
    for name in ["FooInformer", "SmallInformer"] {
        assert!(names.iter().any(|(_, it)| it == name), "{name}: {names:?}");
    }
}

#[test]
fn versions_of_two_groups_with_one_name_have_methods_of_their_own() {
    let mut both = api("my.io", "Foo", Scope::Cluster);
    let group = &mut both.groups[0];
    group.versions[0].module = "group_v1".to_owned();
    group.module = "my".to_owned();
    let mut other = api("my-group.io", "Bar", Scope::Cluster).groups.remove(0);
    other.versions[0].module = "v1".to_owned();
    other.module = "my_group".to_owned();
    both.groups.push(other);
    let tree = generate(&both, &Options::default());
    let text = &tree[std::path::Path::new("generated/clientset/mod.rs")];
    for name in ["my_version_group_v1", "my_group_version_v1"] {
        assert!(text.contains(&format!("pub fn {name}(&self)")), "{text}");
    }
}

#[test]
fn handwritten_names_beyond_ascii_stay() {
    let mut api = api("a.io", "K", Scope::Namespaced);
    let TypeKind::Struct(def) = &mut api.groups[0].versions[0].types[0].kind else {
        panic!("the root is a struct");
    };
    def.fields.push(Field::required("größe", TypeRef::String));
    let options = Options {
        emit: [Generator::Deepcopy].into(),
        ..Options::default()
    };
    let tree = generate(&api, &options);
    let text = tree.values().next().unwrap();
    assert!(
        text.contains("größe: ::core::clone::Clone::clone(&self.größe)"),
        "{text}"
    );
}
