//! The reference page and the schema of `codegen.toml` cover exactly the keys that are read.

use std::{env, fs, path::Path};

use kube_codegen::config::{reference_page, reference_schema};
use serde_json::Value;
use toml::Table;

use crate::cli::sandbox::{Sandbox, testdata};

/// Returns every key that is not a section: the path of its section, its name, and its schema.
fn keys() -> Vec<(Vec<&'static str>, String, Value)> {
    let schema = reference_schema();
    let sections: [(&[&str], &str); 7] = [
        (&["workspace"], "/properties/workspace"),
        (&["crate"], "/properties/crate/items"),
        (
            &["crate", "rust"],
            "/properties/crate/items/properties/rust",
        ),
        (&["crate", "crd"], "/properties/crate/items/properties/crd"),
        (
            &["crate", "go"],
            "/properties/crate/items/properties/go/items",
        ),
        (
            &["crate", "compatibility"],
            "/properties/crate/items/properties/compatibility",
        ),
        (
            &["crate", "compatibility", "accept"],
            "/properties/crate/items/properties/compatibility/properties/accept/items",
        ),
    ];
    let mut keys = Vec::new();
    for (path, pointer) in sections {
        let section = schema.pointer(pointer).unwrap();
        for (name, schema) in section["properties"].as_object().unwrap() {
            let is_table = schema.pointer("/items/properties").is_some();
            if schema.get("properties").is_none() && !is_table {
                keys.push((path.to_vec(), name.clone(), schema.clone()));
            }
        }
    }
    keys
}

/// The keys of `[[crate]]` and of the sections below it.
pub(crate) fn sections() -> Vec<(&'static str, Vec<String>)> {
    let schema = reference_schema();
    let krate = schema.pointer("/properties/crate/items").unwrap();
    let names = [
        "",
        "rust",
        "crd",
        "go",
        "manifests",
        "attributes",
        "compatibility",
    ];
    let keys = names.map(|name| {
        let section = match name {
            "" => krate,
            name => &krate["properties"][name],
        };
        let section = section.get("items").unwrap_or(section);
        let keys = section["properties"].as_object().unwrap();
        (name, keys.keys().cloned().collect())
    });
    keys.into()
}

/// Returns a file with one crate.
fn minimal() -> Table {
    toml::from_str("[[crate]]\n[crate.crd]\nfiles = [\"crds\"]\n").unwrap()
}

/// Sets a key to a value.
fn set(file: &mut Table, path: &[&str], key: &str, value: toml::Value) {
    let mut section = file;
    for part in path {
        let next = section.entry(*part).or_insert_with(|| match *part {
            "go" | "accept" => toml::Value::Array(vec![Table::new().into()]),
            _ => Table::new().into(),
        });
        let next = match next {
            toml::Value::Array(tables) => tables.first_mut().unwrap(),
            other => other,
        };
        section = next.as_table_mut().unwrap();
    }
    section.insert(key.to_owned(), value);
}

/// Returns the errors that a file causes.
fn errors(file: &Table) -> String {
    let sandbox = Sandbox::with_apis("virtualmachine");
    let crd = testdata().join("buildscript/crds/virtualmachine.yaml");
    sandbox.write("crds/crd.yaml", &fs::read_to_string(crd).unwrap());
    sandbox.write("hack/boilerplate.rs.txt", "Copyright.\n");
    sandbox.configure(&toml::to_string(file).unwrap());
    sandbox.quiet(&["generate", "--dry-run"]).stderr
}

#[test]
fn every_key_takes_its_example() {
    for (path, name, schema) in keys() {
        let example = schema["examples"][0].clone();
        let mut file = minimal();
        set(
            &mut file,
            &path,
            &name,
            serde_json::from_value(example).unwrap(),
        );
        let found = errors(&file);
        let is_known = ["unknown key", "expected", "invalid"]
            .iter()
            .all(|word| !found.contains(word));
        assert!(is_known, "{path:?} {name}: {found}");
    }
}

/// All keys are in one file: each must have an error at its own line, shown or listed with others
/// of its kind.
#[test]
fn no_key_takes_a_value_of_another_type() {
    let mut file = minimal();
    let keys = keys();
    for (path, name, _) in &keys {
        set(&mut file, path, name, toml::Value::Integer(5));
    }
    let found = errors(&file);
    let text = toml::to_string(&file).unwrap();
    let lines = (1..).zip(text.lines());
    let numbers: Vec<(usize, &str)> = lines.filter(|(_, line)| line.ends_with(" = 5")).collect();
    assert_eq!(numbers.len(), keys.len(), "{text}");
    let findings: Vec<&str> = found.split("\n\n").collect();
    for (line, key) in numbers {
        let place = format!(" codegen.toml:{line}:");
        let is_refused = findings
            .iter()
            .any(|it| it.starts_with("error[K0001]: expected ") && it.contains(&place));
        assert!(is_refused, "{key}: {found}");
    }
}

#[test]
fn a_key_of_another_section_is_told_where_it_belongs() {
    let mut file = minimal();
    set(
        &mut file,
        &["crate"],
        "files",
        toml::Value::Array(Vec::new()),
    );
    let found = errors(&file);
    assert!(found.contains("`files` belongs to [crate.crd]"), "{found}");
}

#[test]
fn the_reference_is_what_is_read() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let schema = Sandbox::new().quiet(&["schema"]).stdout;
    for (name, text) in [
        ("codegen-toml.md", reference_page()),
        ("codegen.schema.json", schema),
        ("markers.md", kube_codegen::read::markers::reference_page()),
    ] {
        let path = docs.join(name);
        if env::var_os("UPDATE_GOLDEN").is_some() {
            fs::create_dir_all(&docs).unwrap();
            fs::write(&path, &text).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == text,
            "`UPDATE_GOLDEN=1 cargo test -p kube-codegen --test generator cli::schema` writes docs/{name}"
        );
    }
}
