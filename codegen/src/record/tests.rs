//! Recorded names, and the schemas of later releases.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};

use super::*;
use crate::{Generated, Options, Sources};

/// Returns a CRD with version `v1` and the schema of its `spec`.
fn crd(kind: &str, group: &str, spec: &Value) -> Source {
    let plural = format!("{}s", kind.to_lowercase());
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {
            "group": group, "scope": "Namespaced", "names": {"kind": kind, "plural": plural},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
            }],
        },
    });
    Source::new(format!("{plural}.{group}.json"), crd.to_string())
}

/// Returns an object with these properties.
fn object(properties: &Value) -> Value {
    json!({"type": "object", "properties": properties})
}

/// Returns an object with one string property.
fn of(name: &str) -> Value {
    object(&json!({name: {"type": "string"}}))
}

/// Generates from kinds with these schemas of `spec`, with the record.
fn generated_with(kinds: &[(&str, Value)], record: &str, mut options: Options) -> Generated {
    let record = Record::parse(&Source::new("names.toml", record)).unwrap();
    options.record = Some(Arc::new(record));
    options.emit = [].into();
    let crds = kinds
        .iter()
        .map(|(kind, spec)| crd(kind, "example.com", spec));
    let sources = Sources {
        crds: crds.collect(),
        ..Sources::default()
    };
    crate::generate(&sources, &options).unwrap()
}

fn generated(kinds: &[(&str, Value)], record: &str) -> Generated {
    generated_with(kinds, record, Options::default())
}

/// Checks the lines of the record after generating from one release and then the next.
#[track_caller]
fn check(older: &[(&str, Value)], newer: &[(&str, Value)], expected: &[(&str, &str)]) -> Generated {
    let before = generated(older, "").names.unwrap();
    let after = generated(newer, &before);
    let text = after.names.clone().unwrap();
    let lines: BTreeMap<&str, &str> = text
        .lines()
        .skip_while(|line| !line.starts_with("[types"))
        .filter_map(|line| line.split_once(" = "))
        .map(|(field, name)| (field.trim_matches('"'), name.trim_matches('"')))
        .collect();
    for (field, name) in expected {
        assert_eq!(
            lines.get(field),
            Some(name),
            "{field} of\n{text}\nafter\n{before}"
        );
    }
    let again = generated(newer, &text);
    assert_eq!(again.names.unwrap(), text);
    assert_eq!(again.api, after.api);
    after
}

fn notes(generated: &Generated) -> Vec<&str> {
    let found = generated.warnings.as_slice().iter();
    found.map(|note| note.message.as_str()).collect()
}

#[test]
fn a_newer_type_takes_no_name() {
    let rule = object(&json!({"headers": of("name")}));
    let older = object(&json!({"rule": rule}));
    let newer = object(&json!({"rule": rule, "headers": of("raw")}));
    let expected = [
        ("RouteRule.headers", "RouteHeaders"),
        ("RouteSpec.headers", "RouteSpecHeaders"),
    ];
    let after = check(&[("Route", older)], &[("Route", newer)], &expected);
    assert!(notes(&after).is_empty());
}

#[test]
fn another_owner_takes_no_name() {
    let deep = object(&json!({"sub": object(&json!({"zebra": of("stripe")}))}));
    let near = object(&json!({"zebra": of("stripe")}));
    check(
        &[("Herd", deep.clone())],
        &[("Herd", deep), ("Animal", near)],
        &[
            ("AnimalSpec.zebra", "HerdZebra"),
            ("HerdSub.zebra", "HerdZebra"),
        ],
    );
}

#[test]
fn of_a_type_that_is_split_the_first_path_keeps_the_name() {
    let before = object(&json!({"a": object(&json!({"port": of("x")})), "port": of("x")}));
    let after = object(&json!({"a": object(&json!({"port": of("y")})), "port": of("x")}));
    let after = check(
        &[("Gate", before)],
        &[("Gate", after)],
        &[("GateSpec.port", "GatePort"), ("GateA.port", "GateAPort")],
    );
    assert_eq!(
        notes(&after),
        ["the type of this field is now GateAPort, not GatePort"]
    );
    // A new, shorter path does not get the recorded name.
    let only = object(&json!({"a": object(&json!({"port": of("x")}))}));
    let both = object(&json!({"a": object(&json!({"port": of("x")})), "port": of("x")}));
    check(
        &[("Gate", only)],
        &[("Gate", both)],
        &[("GateSpec.port", "GatePort"), ("GateA.port", "GatePort")],
    );
}

#[test]
fn types_with_names_of_their_own_stay_apart() {
    let holder = |port: Value| object(&json!({"inner": object(&json!({"port": port}))}));
    let before = object(&json!({"a": holder(of("x")), "b": holder(of("y"))}));
    // New properties that match the shape of both join one of them, including the types below.
    let after = object(
        &json!({"a": holder(of("x")), "b": holder(of("x")), "c": {"type": "array", "items": holder(of("x"))}}),
    );
    check(
        &[("Gate", before)],
        &[("Gate", after)],
        &[
            ("GateA.inner", "GateInner"),
            ("GateB.inner", "GateBInner"),
            ("GateC.inner", "GateInner"),
            ("GateInner.port", "GatePort"),
            ("GateBInner.port", "GateInnerPort"),
        ],
    );
}

/// Returns the schema of a key selector if `more` is `optional`.
fn reference(more: &str) -> Value {
    json!({
        "type": "object", "required": ["key"], "x-kubernetes-map-type": "atomic",
        "properties": {
            "key": {"type": "string"}, "name": {"type": "string", "default": ""}, "optional": {"type": "boolean"}, more: {"type": "boolean"},
        },
    })
}

#[test]
fn a_type_that_could_be_one_of_kubernetes_stays_until_its_line_goes() {
    let spec = |more: &str| object(&json!({"secretKeyRef": reference(more)}));
    let kept = [("VaultSpec.secretKeyRef", "VaultSecretKeyRef")];
    let older = [("Vault", spec("more"))];
    let newer = [("Vault", spec("optional"))];
    let after = check(&older, &newer, &kept);
    let found = notes(&after);
    assert!(
        matches!(found[..], [note] if note.starts_with("VaultSecretKeyRef now has the schema of ") && note.ends_with("SecretKeySelector")),
        "{found:?}"
    );
    let text = after.names.unwrap();
    let without: Vec<&str> = text
        .lines()
        .filter(|line| !line.contains("secretKeyRef"))
        .collect();
    let after = generated(&newer, &without.join("\n"));
    assert!(!after.names.unwrap().contains("SecretKeyRef"));
    assert!(after.warnings.as_slice().is_empty());
    // The new options select other types.
    let options = Options {
        kubernetes_types: KubernetesTypes::Exact,
        ..Options::default()
    };
    let after = generated_with(&newer, &text, options);
    assert!(!after.names.unwrap().contains("SecretKeyRef"));
}

#[test]
fn notes_count_types_and_not_the_fields_that_lead_to_them() {
    let spec = |more: &str| {
        let names = ["a", "b", "c", "d", "e", "f", "g"].map(|name| format!("{name}SecretKeyRef"));
        let all = || {
            names
                .iter()
                .map(|name| (name.clone(), reference(more)))
                .collect::<Value>()
        };
        object(&json!({"near": object(&all()), "far": object(&json!({"off": object(&all())}))}))
    };
    let before = generated(&[("Vault", spec("more"))], "").names.unwrap();
    let after = generated(&[("Vault", spec("optional"))], &before);
    let found = notes(&after);
    assert_eq!(found.len(), 6, "{found:#?}");
    assert_eq!(
        found[5],
        "the same applies to 2 other types of this version"
    );
    assert!(
        after
            .warnings
            .as_slice()
            .iter()
            .all(|note| !note.labels.is_empty())
    );
}

#[test]
fn a_type_that_was_one_of_kubernetes_is_named_by_the_rule() {
    let spec = |more: &str| object(&json!({"secretKeyRef": reference(more)}));
    let own = [("VaultSpec.secretKeyRef", "VaultSecretKeyRef")];
    check(
        &[("Vault", spec("optional"))],
        &[("Vault", spec("more"))],
        &own,
    );
}

#[test]
fn renames_come_first() {
    let spec = object(&json!({"a": object(&json!({"port": of("x")})), "port": of("x")}));
    let before = generated(&[("Gate", spec.clone())], "").names.unwrap();
    let rename = |path: &str, name: &str| Options {
        renames: BTreeMap::from([(path.to_owned(), name.to_owned())]),
        ..Options::default()
    };
    // The rename applies to the whole type.
    let options = rename("Gate.spec.a.port", "Port");
    let after = generated_with(&[("Gate", spec.clone())], &before, options);
    let text = after.names.unwrap();
    assert_eq!(text, before.replace("\"GatePort\"", "\"Port\""));
    // The recorded name yields to a rename of another type.
    let options = rename("Gate.spec.a", "GatePort");
    let after = generated_with(&[("Gate", spec)], &before, options);
    assert_eq!(
        notes(&after),
        ["the type of this field is now GateSpecPort, not GatePort"]
    );
}

#[test]
fn a_kind_has_its_name() {
    let spec = object(&json!({"port": of("x")}));
    let kinds = [("Gate", spec.clone())];
    let more = [("Gate", spec), ("GatePort", of("y"))];
    let after = check(&kinds, &more, &[("GateSpec.port", "GateSpecPort")]);
    assert_eq!(
        notes(&after),
        ["the type of this field is now GateSpecPort, not GatePort"]
    );
}

#[test]
fn modules_keep_their_names() {
    let spec = of("x");
    let generated = |groups: &[&str], record: &str| {
        let crds = groups.iter().map(|group| crd("Gate", group, &spec));
        let sources = Sources {
            crds: crds.collect(),
            ..Sources::default()
        };
        let options = Options {
            record: Some(Arc::new(
                Record::parse(&Source::new("names.toml", record)).unwrap(),
            )),
            emit: [].into(),
            ..Options::default()
        };
        crate::generate(&sources, &options).unwrap()
    };
    let before = generated(&["gateway.example.com"], "").names.unwrap();
    let groups = ["gateway.example.com", "gateway.io"];
    let after = generated(&groups, &before);
    let modules: Vec<&str> = after
        .api
        .groups
        .iter()
        .map(|group| group.module.as_str())
        .collect();
    assert_eq!(modules, ["gateway", "gateway_io"]);
    let alone = generated(&groups[1..], &after.names.unwrap());
    assert_eq!(alone.api.groups[0].module, "gateway_io");
}

#[test]
fn what_is_gone_leaves_the_record() {
    let before = object(&json!({"a": of("x"), "b": of("y")}));
    let after = object(&json!({"a": of("x")}));
    let after = check(&[("Gate", before)], &[("Gate", after)], &[]);
    assert!(!after.names.unwrap().contains("GateB"));
}

#[test]
fn a_record_is_read_as_it_is_written() {
    let odd = object(&json!({"a.b": of("x"), "\"\\\n": of("y"), "é\u{301}": of("z")}));
    let text = generated(&[("Gate", odd)], "").names.unwrap();
    let record = Record::parse(&Source::new("names.toml", text.clone())).unwrap();
    assert_eq!(record.text().unwrap(), text);
    assert!(crate::header::is_generated(&text));
}

/// Checks the errors of a record.
#[track_caller]
fn check_refused(text: &str, expected: &[&str]) {
    let errors = Record::parse(&Source::new("names.toml", text)).unwrap_err();
    let errors = errors.to_string();
    assert_eq!(errors.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn mistakes_have_their_places() {
    let text = r#"
kubernetes-types = "some"
colour = "red"
modules = { "example.com" = "apis", "a.example" = "a", "a.other" = "a" }

[types."example.com/v1"]
"GateSpec" = "Gate"
"GateSpec.a" = "gate port"
"GateSpec.b" = "Self"
"GateSpec.c" = "Option"
"GateSpec.d" = "u8"
"GateSpec.e" = 1
"#;
    check_refused(
        text,
        &[
            "names.toml:2:20: error: expected `all`, `exact` or `none`, found `some`",
            "names.toml:3:1: error: unknown key `colour`",
            "names.toml:4:29: error: \"apis\" is not a valid module name for the group \"example.com\"",
            "names.toml:4:56: error: module \"a\" is already used by the group \"a.example\"",
            "names.toml:7:14: error: expected a type and a property, such as `GatewaySpec.listeners`, found `GateSpec`",
            "names.toml:8:16: error: \"gate port\" is not a type name",
            "names.toml:9:16: error: \"Self\" is not a type name",
            "names.toml:10:16: error: \"Option\" is not a type name",
            "names.toml:11:16: error: \"u8\" is not a type name",
            "names.toml:12:16: error: expected a string, found integer",
        ],
    );
    let twice = "[types.\"example.com/v1\"]\n\"A.b\" = \"C\"\n\"A.b\" = \"D\"\n";
    check_refused(twice, &["names.toml:3:1: error: duplicate key"]);
    check_refused(
        "<<<<<<< HEAD\n",
        &["names.toml:1:9: error: key with no value, expected `=`"],
    );
}
