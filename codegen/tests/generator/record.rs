//! Properties of the record of names, for arbitrary schemas and arbitrary contents of the file.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use kube_codegen::{
    Generated, Options, Record, Source, Sources,
    diag::Style,
    model::{TypeKind, Version},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::laws::{WORDS, schema};

/// Returns a CRD with these schemas of `spec` and `status`.
fn crd(spec: &Value, status: &Value) -> Sources {
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}},
            }],
        },
    });
    Sources {
        crds: vec![Source::new("crd.json", crd.to_string())],
        ..Sources::default()
    }
}

fn generate(sources: &Sources, record: &str) -> Generated {
    let record = Record::parse(&Source::new("names.toml", record));
    let record = record.unwrap_or_else(|errors| panic!("{}", errors.render(Style::Plain)));
    let options = Options {
        emit: [].into(),
        record: Some(Arc::new(record)),
        ..Options::default()
    };
    kube_codegen::generate(sources, &options).unwrap()
}

/// Returns the name of the type at each path, ordered by depth and then path.
fn names(generated: &Generated) -> BTreeMap<(usize, String), String> {
    let mut names = BTreeMap::new();
    for (_, version) in generated.api.versions() {
        for resource in &version.resources {
            walk(
                version,
                (1, resource.kind.clone()),
                &resource.root,
                &mut names,
            );
        }
    }
    names
}

fn walk(
    version: &Version,
    path: (usize, String),
    name: &str,
    names: &mut BTreeMap<(usize, String), String>,
) {
    let Some(TypeKind::Struct(def)) = version.type_def(name).map(|def| &def.kind) else {
        return;
    };
    for field in &def.fields {
        if let Some(name) = field.ty.local() {
            let property = &field.json_name;
            let is_plain = !property.is_empty()
                && property
                    .chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
            let text = match is_plain {
                true => format!("{}.{property}", path.1),
                false => format!("{}[{property:?}]", path.1),
            };
            let path = (path.0 + 1, text);
            names.insert(path.clone(), name.to_owned());
            walk(version, path, name, names);
        }
    }
}

/// Drops random properties, and inserts copies of `grafts` as others.
fn mutate(schema: &mut Value, grafts: &[Value], random: &mut impl FnMut(usize) -> usize) {
    let Value::Object(members) = schema else {
        return;
    };
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        properties.retain(|_, _| random(5) > 0);
        if !grafts.is_empty() && random(3) == 0 {
            let name = WORDS[random(WORDS.len())];
            properties.insert(name.to_owned(), grafts[random(grafts.len())].clone());
        }
        for property in properties.values_mut() {
            mutate(property, grafts, random);
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = members.get_mut(key) {
            mutate(inner, grafts, random);
        }
    }
}

/// Collects all objects within a schema.
fn objects(schema: &Value, found: &mut Vec<Value>) {
    if schema.get("properties").is_some() {
        found.push(schema.clone());
    }
    match schema {
        Value::Object(members) => members.values().for_each(|inner| objects(inner, found)),
        Value::Array(items) => items.iter().for_each(|inner| objects(inner, found)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_release_takes_a_name(spec in schema(), status in schema(), seed in any::<u64>()) {
        let older = generate(&crd(&spec, &status), "");
        let record = older.names.clone().unwrap();
        let before = names(&older);
        let mut grafts = Vec::new();
        objects(&spec, &mut grafts);
        objects(&status, &mut grafts);
        let mut state = seed | 1;
        let mut random = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % limit
        };
        let (mut new_spec, mut new_status) = (spec, status);
        mutate(&mut new_spec, &grafts, &mut random);
        mutate(&mut new_status, &grafts, &mut random);
        let newer = generate(&crd(&new_spec, &new_status), &record);
        let after = names(&newer);
        // A name stays at the first of its paths that still leads to a type. Other paths keep it
        // only if they have the same shape.
        let mut kept = BTreeSet::new();
        for (path, name) in &before {
            if let Some(now) = after.get(path)
                && kept.insert(name)
            {
                prop_assert_eq!(now, name, "{:?}\n{}", path, record);
            }
        }
        // The record matches the output: another run changes nothing.
        let text = newer.names.clone().unwrap();
        let again = generate(&crd(&new_spec, &new_status), &text);
        prop_assert_eq!(&again.api, &newer.api);
        prop_assert_eq!(again.names.unwrap(), text);
    }

    #[test]
    fn no_record_breaks_what_is_generated(
        spec in schema(),
        lines in prop::collection::vec(("(Widget|WidgetSpec|WidgetStatus|[A-Z]{1,2})", prop::sample::select(WORDS), "(Widget(List|Spec|Union)?|[A-D][a-z]?|Self_|T_1)"), 0..60),
    ) {
        let mut record = "[types.\"example.com/v1\"]\n".to_owned();
        let mut seen = BTreeSet::new();
        for (holder, property, name) in lines {
            let key = format!("{holder}.{property}");
            if !property.chars().any(|c| c.is_control() || matches!(c, '"' | '\\')) && seen.insert(key.clone()) {
                record += &format!("\"{key}\" = {name:?}\n");
            }
        }
        let generated = generate(&crd(&spec, &spec), &record);
        let version = generated.api.versions().map(|(_, version)| version).next().unwrap();
        let mut names: Vec<&str> = version.types.iter().map(|def| def.name.as_str()).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        prop_assert_eq!(names.len(), all);
        prop_assert!(names.contains(&"Widget") && !names.contains(&"WidgetList"));
        let again = generate(&crd(&spec, &spec), &generated.names.clone().unwrap());
        prop_assert_eq!(again.api, generated.api);
    }

    #[test]
    fn any_text_is_a_record_or_an_error(text in "(\\PC|\n|\"|=|\\[|\\]|types|modules|kubernetes-types){0,60}") {
        let source = Source::new("names.toml", text);
        if let Err(errors) = Record::parse(&source) {
            prop_assert!(!errors.render(Style::Plain).is_empty());
        }
    }
}

#[test]
fn a_record_of_many_wrong_lines_is_an_error() {
    let mut text = "[types.\"example.com/v1\"]\n".to_owned();
    for index in 0..20_000 {
        text += &format!("\"WidgetSpec.a{index}\" = \"not a name\"\n");
    }
    let errors = Record::parse(&Source::new("names.toml", text)).unwrap_err();
    let text = errors.render(Style::Plain);
    assert!(
        text.contains("error[K0010]: 19980 more invalid lines in names.toml"),
        "{text}"
    );
}
