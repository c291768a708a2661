//! Which of several types gets a name.

use serde_json::{Value, json};

use crate::{
    Options, Source, Sources,
    model::{TypeKind, Version},
    options::{Filters, Manifests},
};

/// Returns version `v1` of kinds with the specified versions and schemas of `spec`.
fn version(kinds: &[(&str, &[&str], Value)]) -> Version {
    version_with(kinds, &Options::default())
}

/// The same with options; a version that ends in `-` is not served.
fn version_with(kinds: &[(&str, &[&str], Value)], options: &Options) -> Version {
    let crds = kinds.iter().map(|(kind, versions, spec)| {
        let plural = format!("{}s", kind.to_lowercase());
        let versions = versions.iter().map(|version| {
            json!({
                "name": version.trim_end_matches('-'), "served": !version.ends_with('-'), "storage": *version == "v1",
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
            })
        });
        let crd = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.example.com")},
            "spec": {
                "group": "example.com", "scope": "Namespaced",
                "names": {"kind": kind, "plural": plural},
                "versions": versions.collect::<Vec<Value>>(),
            },
        });
        Source::new(format!("{plural}.yaml"), crd.to_string())
    });
    let sources = Sources {
        crds: crds.collect(),
        ..Sources::default()
    };
    let api = crate::load(&sources, options).unwrap();
    let mut versions = api.groups.into_iter().flat_map(|group| group.versions);
    versions.find(|version| version.name == "v1").unwrap()
}

/// Checks the types with the word in their name, and their paths.
#[track_caller]
fn check(version: &Version, word: &str, expected: &[(&str, &str)]) {
    let types = version.types.iter();
    let types = types.map(|def| (def.name.as_str(), def.path.as_str()));
    let found: Vec<(&str, &str)> = types.filter(|(name, _)| name.contains(word)).collect();
    assert_eq!(found, expected);
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required})
}

/// Returns an object with one string property.
fn of(name: &str) -> Value {
    object(&json!({name: {"type": "string"}}), &[])
}

#[test]
fn the_path_with_fewer_optional_properties_has_the_name() {
    let listener = object(&json!({"tls": of("certificate")}), &[]);
    let properties = json!({"tls": of("backend"), "listener": listener});
    let gateway = |required: &[&str]| {
        let spec = object(&properties, required);
        version(&[("Gateway", &["v1"], spec)])
    };
    check(
        &gateway(&["tls"]),
        "Tls",
        &[
            ("GatewayListenerTls", "Gateway.spec.listener.tls"),
            ("GatewayTls", "Gateway.spec.tls"),
        ],
    );
    // One each: the type with the longer path was there first.
    check(
        &gateway(&["listener"]),
        "Tls",
        &[
            ("GatewaySpecTls", "Gateway.spec.tls"),
            ("GatewayTls", "Gateway.spec.listener.tls"),
        ],
    );
}

#[test]
fn spec_of_a_kind_has_its_name() {
    let template = object(&json!({"spec": of("image")}), &["spec"]);
    let set = object(&json!({"template": template}), &["template"]);
    check(
        &version(&[("Set", &["v1"], set)]),
        "Spec",
        &[
            ("SetSpec", "Set.spec"),
            ("SetTemplateSpec", "Set.spec.template.spec"),
        ],
    );
}

/// Checks the names and paths of the types that kinds share.
#[track_caller]
fn check_shared(version: &Version, expected: &[(&str, &str)]) {
    let shared = version.types.iter().filter(|def| def.shared);
    let found: Vec<(&str, &str)> = shared
        .map(|def| (def.name.as_str(), def.path.as_str()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_shared_type_has_the_name_of_its_property_and_of_no_kind() {
    let spec = || object(&json!({"zebra": of("stripe")}), &[]);
    let two = version(&[("A", &["v1"], spec()), ("B", &["v1", "v1beta1"], spec())]);
    check_shared(&two, &[("Zebra", "B.spec.zebra")]);
    let three = [("A", spec()), ("B", spec()), ("C", spec())];
    let three = three.map(|(kind, spec)| (kind, &["v1"][..], spec));
    check_shared(&version(&three), &[("Zebra", "A.spec.zebra")]);
    check(
        &version(&three[..1]),
        "Zebra",
        &[("AZebra", "A.spec.zebra")],
    );
}

#[test]
fn shared_types_of_one_property_are_told_apart_by_the_property_before() {
    let spec = |one: &str, other: &str| {
        let grass = object(&json!({"zebra": of(one)}), &[]);
        object(&json!({"grass": grass, "zebra": of(other)}), &[])
    };
    let kinds = ["A", "B"].map(|kind| (kind, &["v1"][..], spec("stripe", "tail")));
    check_shared(
        &version(&kinds),
        &[
            ("Grass", "A.spec.grass"),
            ("GrassZebra", "A.spec.grass.zebra"),
            ("Zebra", "A.spec.zebra"),
        ],
    );
}

#[test]
fn no_shared_type_has_a_name_of_kubernetes_or_of_a_part_of_every_object() {
    let template = object(
        &json!({"affinity": of("zone"), "spec": of("image"), "string": of("tone")}),
        &[],
    );
    let spec = object(&json!({"podTemplate": template}), &[]);
    let kinds = ["A", "B"].map(|kind| (kind, &["v1"][..], spec.clone()));
    check_shared(
        &version(&kinds),
        &[
            ("PodTemplate", "A.spec.podTemplate"),
            ("PodTemplateAffinity", "A.spec.podTemplate.affinity"),
            ("PodTemplateString", "A.spec.podTemplate.string"),
            ("SpecPodTemplateSpec", "A.spec.podTemplate.spec"),
        ],
    );
}

#[test]
fn a_type_with_the_shape_of_several_specs_is_that_of_the_kind_with_the_oldest_version() {
    let check = |kinds: [&[&str]; 2], expected: &str| {
        let template = object(&json!({"spec": of("stripe")}), &[]);
        let version = version(&[
            ("A", kinds[0], of("stripe")),
            ("B", kinds[1], of("stripe")),
            ("C", &["v1"], object(&json!({"template": template}), &[])),
        ]);
        assert_eq!(reference(&version, "CTemplate"), expected);
    };
    check([&["v1"], &["v1", "v1beta1"]], "BSpec");
    check([&["v1", "v1alpha1"], &["v1", "v1beta1"]], "ASpec");
    // Versions added since then do not count.
    check([&["v1"], &["v1", "v2"]], "ASpec");
}

/// Returns the name of the type of a struct's only field.
fn reference(version: &Version, name: &str) -> String {
    match version.type_def(name).map(|def| &def.kind) {
        Some(TypeKind::Struct(body)) => body.fields[0].ty.local().unwrap().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_generated_renames_no_type() {
    let template = object(&json!({"spec": of("stripe")}), &[]);
    let template = object(&json!({"template": template}), &[]);
    let filters = Filters {
        stored_only: true,
        ..Filters::default()
    };
    let unserved = Filters {
        unserved: true,
        ..Filters::default()
    };
    for filters in [Filters::default(), filters, unserved] {
        for manifests in [None, Some(Manifests::default())] {
            let options = Options {
                filters: filters.clone(),
                manifests,
                ..Options::default()
            };
            let kinds: [(&str, &[&str], Value); 4] = [
                ("A", &["v1"], of("stripe")),
                ("B", &["v1", "v1beta1"], of("stripe")),
                ("C", &["v1", "v1alpha1-"], of("stripe")),
                ("D", &["v1"], template.clone()),
            ];
            let version = version_with(&kinds, &options);
            assert_eq!(reference(&version, "DTemplate"), "BSpec", "{filters:?}");
        }
    }
}
